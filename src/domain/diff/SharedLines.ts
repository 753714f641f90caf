/** Which window of a file shares most with a text, by the lines that both have: a guess that costs next to nothing. */
import { fold } from "./NormalizeLine.ts"
import * as LineIndex from "./LineIndex.ts"

/** Lines that occur more often than this say nothing about where a text stands. */
const common = 100

/**
 * The first line of the window in which most of the search text, by length of its lines, stands at the same distance
 * from the start; nothing when no line of it is in the file, or only common ones. O(search + occurrences).
 */
export const mostShared = (index: LineIndex.LineIndex, search: ReadonlyArray<string>): number | undefined => {
  const { count } = index.lines
  const shared = new Map<number, number>()
  search.forEach((line, i) => {
    const folded = fold(line)
    if (folded === "") return
    for (const place of LineIndex.occurrences(index, folded, common)) {
      const start = Math.max(0, Math.min(place - i, count - search.length))
      shared.set(start, (shared.get(start) ?? 0) + folded.length)
    }
  })
  let best: number | undefined
  for (const [start, weight] of shared) {
    if (best === undefined || weight > shared.get(best)!) best = start
  }
  return best
}

