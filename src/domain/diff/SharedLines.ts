/** Which window of a file shares the most with a text, by the lines that both have: a cheap guess. */
import { normalizeLine } from "./NormalizeLine.ts"
import * as LineIndex from "./LineIndex.ts"

/** Lines that occur more often than this don't help to locate a text. */
const maxOccurrences = 100

/**
 * The first line of the window in which most of the search text, by length of its lines, occurs at the same distance
 * from the start; nothing if no line of it is in the file, or only common ones. O(search + occurrences).
 */
export const bestWindowStart = (index: LineIndex.LineIndex, search: ReadonlyArray<string>): number | undefined => {
  const { count } = index.lines
  const weights = new Map<number, number>()
  search.forEach((line, i) => {
    const normalized = normalizeLine(line)
    if (normalized === "") return
    for (const occurrence of LineIndex.occurrences(index, normalized, maxOccurrences)) {
      const start = Math.max(0, Math.min(occurrence - i, count - search.length))
      weights.set(start, (weights.get(start) ?? 0) + normalized.length)
    }
  })
  let best: number | undefined
  for (const [start, weight] of weights) {
    if (best === undefined || weight > weights.get(best)!) best = start
  }
  return best
}
