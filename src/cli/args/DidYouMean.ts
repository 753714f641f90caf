/** Suggests names that are close to a mistyped one. */
import { distance } from "fastest-levenshtein"

/** The closest names, nearest first: at most `maxEdits` away, or a quarter of a long name. */
export const nearNames = (text: string, names: ReadonlyArray<string>, maxEdits = 2): ReadonlyArray<string> =>
  names
    .map((name) => ({ name, edits: distance(text.toLowerCase(), name.toLowerCase()) }))
    .filter(({ edits, name }) => edits <= Math.max(maxEdits, Math.floor(name.length / 4)))
    .sort((a, b) => a.edits - b.edits)
    .map(({ name }) => name)

/** ` Did you mean x?` for a near name, or one that the text begins; else "". */
export const didYouMean = (text: string, names: ReadonlyArray<string>): string => {
  const closest = nearNames(text, names)[0] ?? (text.length < 3 ? undefined : names.find((name) => name.startsWith(text)))
  return closest === undefined ? "" : ` Did you mean ${closest}?`
}
