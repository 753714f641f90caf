/**
 * Names that a few typed letters may mean, best first. The letters stand in the name in their order; better are those
 * that begin a part of it, that stand together, that are in its last part; then the shorter name.
 */

/** A list of names, made ready once to be looked through at each key. */
export interface Index {
  readonly names: ReadonlyArray<string>
  readonly lower: ReadonlyArray<string>
}

export const index = (names: ReadonlyArray<string>): Index => ({ names, lower: names.map((name) => name.toLowerCase()) })

/** At most `most` of them. O(letters of all names): 100,000 paths take some 20 ms. */
export const best = ({ lower, names }: Index, query: string, most: number): ReadonlyArray<string> => {
  const wanted = query.toLowerCase()
  const found: Array<{ readonly at: number; readonly score: number }> = []
  for (let at = 0; at < lower.length; at++) {
    const score = scoreOf(lower[at]!, wanted)
    if (score === undefined || (found.length === most && score <= found[most - 1]!.score)) continue
    let place = found.length
    while (place > 0 && found[place - 1]!.score < score) place--
    found.splice(place, 0, { at, score })
    found.length = Math.min(found.length, most)
  }
  return found.map(({ at }) => names[at]!)
}

/** Undefined where a letter is missing. Looked for in the last part first, then in the whole name. */
const scoreOf = (name: string, wanted: string): number | undefined => {
  const base = name.lastIndexOf("/", name.length - 2) + 1
  const inBase = walked(name, wanted, base)
  const score = inBase === undefined ? walked(name, wanted, 0) : inBase + 10
  return score === undefined ? undefined : score - name.length / 100
}

/** Letters one after the other, each at its first place behind the one before. */
const walked = (name: string, wanted: string, from: number): number | undefined => {
  const whole = name.indexOf(wanted, from)
  if (whole !== -1) return 8 * wanted.length + (begins(name, whole) ? 5 : 0)
  let score = 0
  let last = from - 1
  for (const letter of wanted) {
    const at = name.indexOf(letter, last + 1)
    if (at === -1) return undefined
    score += at === last + 1 && last >= from ? 5 : begins(name, at) ? 4 : 1
    last = at
  }
  return score
}

const begins = (name: string, at: number): boolean => at === 0 || "/-_. ".includes(name[at - 1]!)
