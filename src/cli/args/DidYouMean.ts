/** Suggests names that are close to a mistyped one. */
import { distance } from "fastest-levenshtein"

/** The closest names, nearest first: at most two edits away, or a quarter of a long name. */
export const nearNames = (text: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names
    .map((name) => ({ name, edits: distance(text.toLowerCase(), name.toLowerCase()) }))
    .filter(({ edits, name }) => edits <= Math.max(2, Math.floor(name.length / 4)))
    .sort((a, b) => a.edits - b.edits)
    .map(({ name }) => name)

/** ` Did you mean x?`, or "" without a near name. */
export const didYouMean = (text: string, names: ReadonlyArray<string>): string => {
  const [closest] = nearNames(text, names)
  return closest === undefined ? "" : ` Did you mean ${closest}?`
}
