/**
 * Levenshtein distance by bit vectors, 32 rows of the table at a time (Myers 1999; for longer texts in blocks, after
 * Hyyrö 2003). It reads arrays of units instead of strings: lines of a file are compared in place, without copying, and
 * a unit of an array costs a quarter of one of a string.
 */

/** UTF-16 units: bytes if all are ASCII. */
export type Units = Uint8Array | Uint16Array

/** Units `[from, to)` of an array. */
export interface Span {
  readonly units: Units
  readonly from: number
  readonly to: number
}

/** Above this product of lengths (without the common ends) two texts count as entirely different, to stay linear. */
const maxCells = 50_000_000

/** The common ends cost nothing; the rest is O(one length / 32 × the other). */
export const distance = (a: Span, b: Span): number => {
  let { from, to } = a
  let { from: start, to: end } = b
  while (from < to && start < end && a.units[from] === b.units[start]) {
    from++
    start++
  }
  while (from < to && start < end && a.units[to - 1] === b.units[end - 1]) {
    to--
    end--
  }
  const height = to - from
  const width = end - start
  if (height === 0 || width === 0) return height + width
  return height * width > maxCells ? Math.max(height, width) : blockDistance(a.units, from, to, b.units, start, end)
}

/** Which rows of the block hold a unit, as bits; all 0 between uses. */
const rows = new Int32Array(0x10000)

/** The table has a row for each unit of `a` and a column for each of `b`; the distance is the end of its last row. */
const blockDistance = (a: Units, from: number, to: number, b: Units, start: number, end: number): number => {
  // What each column adds to the one before it, in the last row of the block above: at the top, always one.
  const steps = new Int8Array(end - start).fill(1)
  for (let top = from; top < to; top += 32) {
    const bottom = Math.min(top + 32, to)
    for (let row = top; row < bottom; row++) rows[a[row]!]! |= 1 << row - top
    block(b, start, steps, bottom - top - 1)
    for (let row = top; row < bottom; row++) rows[a[row]!] = 0
  }
  return steps.reduce((sum, step) => sum + step, to - from)
}

/** One block of rows, column by column: `up` and `down` are the rows that are one more or less than the row above. */
const block = (b: Units, start: number, steps: Int8Array, last: number): void => {
  let up = -1
  let down = 0
  for (let column = 0; column < steps.length; column++) {
    const step = steps[column]!
    const negative = step >>> 31
    const equal = rows[b[start + column]!]!
    const carry = equal | negative
    const diagonal = (carry & up) + up ^ up | carry
    const increase = down | ~(diagonal | up)
    const decrease = up & diagonal
    steps[column] = (increase >>> last & 1) - (decrease >>> last & 1)
    const right = increase << 1 | (step > 0 ? 1 : 0)
    up = decrease << 1 | negative | ~(equal | down | right)
    down = right & (equal | down)
  }
}
