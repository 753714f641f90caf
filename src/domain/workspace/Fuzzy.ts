/**
 * Fuzzy matching of names by a few typed letters, best first. The letters occur in the name in order; matches are
 * better if they begin a part of it, are adjacent, or are in its last part; then shorter names win.
 */

/** A list of names, prepared once for a search at each keystroke. */
export interface Index {
  readonly names: ReadonlyArray<string>
  readonly lower: ReadonlyArray<string>
}

export const index = (names: ReadonlyArray<string>): Index => ({ names, lower: names.map((name) => name.toLowerCase()) })

/** At most `maxResults` of them. O(letters of all names): 100,000 paths take about 20 ms. */
export const bestMatches = ({ lower, names }: Index, query: string, maxResults: number): ReadonlyArray<string> => {
  const pattern = query.toLowerCase()
  const matches: Array<{ readonly at: number; readonly score: number }> = []
  for (let at = 0; at < lower.length; at++) {
    const score = scoreOf(lower[at]!, pattern)
    if (score === undefined || (matches.length === maxResults && score <= matches[maxResults - 1]!.score)) continue
    let position = matches.length
    while (position > 0 && matches[position - 1]!.score < score) position--
    matches.splice(position, 0, { at, score })
    matches.length = Math.min(matches.length, maxResults)
  }
  return matches.map(({ at }) => names[at]!)
}

/** Undefined if a letter is missing. Tries the last part first, then the entire name. */
const scoreOf = (name: string, pattern: string): number | undefined => {
  const base = name.lastIndexOf("/", name.length - 2) + 1
  const inBase = subsequenceScore(name, pattern, base)
  const score = inBase === undefined ? subsequenceScore(name, pattern, 0) : inBase + 10
  return score === undefined ? undefined : score - name.length / 100
}

/** Letters one after the other, each at its first position after the one before. */
const subsequenceScore = (name: string, pattern: string, from: number): number | undefined => {
  const exactIndex = name.indexOf(pattern, from)
  if (exactIndex !== -1) return 8 * pattern.length + (isWordStart(name, exactIndex) ? 5 : 0)
  let score = 0
  let last = from - 1
  for (const letter of pattern) {
    const at = name.indexOf(letter, last + 1)
    if (at === -1) return undefined
    score += at === last + 1 && last >= from ? 5 : isWordStart(name, at) ? 4 : 1
    last = at
  }
  return score
}

const isWordStart = (name: string, at: number): boolean => at === 0 || "/-_. ".includes(name[at - 1]!)
