/**
 * How alike two runs of lines are: the mean over their lines, weighted by the longer line's length, of one minus the
 * Levenshtein distance over that length, on trimmed lines. The distance is fastest-levenshtein's (Myers 1999, 32
 * characters a step).
 */
import { distance as levenshtein } from "fastest-levenshtein"

/** Above this product of lengths (after what both ends share) two lines count as wholly different, to stay linear. */
const tooLong = 50_000_000

/** Levenshtein distance in UTF-16 units; what both ends share costs nothing. */
export const distance = (a: string, b: string): number => {
  if (a === b) return 0
  const shorter = Math.min(a.length, b.length)
  let head = 0
  while (head < shorter && a.charCodeAt(head) === b.charCodeAt(head)) head++
  let tail = 0
  while (tail < shorter - head && a.charCodeAt(a.length - 1 - tail) === b.charCodeAt(b.length - 1 - tail)) tail++
  const left = a.slice(head, a.length - tail)
  const right = b.slice(head, b.length - tail)
  return left.length * right.length > tooLong ? Math.max(left.length, right.length) : levenshtein(left, right)
}

/** From 0 to 1; two runs of blank lines are the same. Both have the same count of lines, and all are trimmed. */
export const similarity = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  let weight = 0
  let apart = 0
  for (let i = 0; i < a.length; i++) {
    weight += Math.max(a[i]!.length, b[i]!.length)
    apart += distance(a[i]!, b[i]!)
  }
  return weight === 0 ? 1 : 1 - apart / weight
}
