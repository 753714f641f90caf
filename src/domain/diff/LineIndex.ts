/**
 * Finds a run of lines in a file: an open hash table from a line's key to its places, ascending. Built once per file in
 * one pass; a run is then looked up by its rarest line, so the cost depends on the matches, not on the file.
 */
import { normalizeLine, hash } from "./NormalizeLine.ts"
import * as Lines from "./Lines.ts"

export interface LineIndex {
  readonly lines: Lines.Lines
  /** First line of each slot, -1 for none; chains continue in `next`. */
  readonly heads: Int32Array
  readonly next: Int32Array
  readonly sizes: Int32Array
  readonly shift: number
}

/** O(lines). */
export const of = (lines: Lines.Lines): LineIndex => {
  const bits = Math.max(4, 33 - Math.clz32(lines.count))
  const shift = 32 - bits
  const heads = new Int32Array(1 << bits).fill(-1)
  const sizes = new Int32Array(1 << bits)
  const next = new Int32Array(lines.count)
  for (let line = lines.count - 1; line >= 0; line--) {
    const at = slot(lines.keys[line]!, shift)
    next[line] = heads[at]!
    heads[at] = line
    sizes[at]!++
  }
  return { lines, heads, next, sizes, shift }
}

/** Fibonacci hashing: the keys of similar lines are close to one another, their slots are not. */
const slot = (key: number, shift: number): number => Math.imul(key, 0x9e3779b1) >>> shift

/**
 * Every line at which the run of keys begins, ascending. Keys are hashes, so a place is a candidate that the caller
 * compares as text. O(run + occurrences of its rarest line), and never more than O(run + file).
 */
export const find = (index: LineIndex, run: ReadonlyArray<number>): Array<number> => {
  const { heads, lines, next, shift, sizes } = index
  let rarest = 0
  let minSize = Infinity
  for (let i = 0; i < run.length; i++) {
    const size = sizes[slot(run[i]!, shift)]!
    if (size < minSize) {
      minSize = size
      rarest = i
    }
  }
  if (minSize * run.length > 4 * (lines.count + run.length)) return sweep(lines.keys, lines.count, run)
  const last = lines.count - run.length
  const starts: Array<number> = []
  for (let line = heads[slot(run[rarest]!, shift)]!; line >= 0; line = next[line]!) {
    const start = line - rarest
    if (start < 0 || start > last) continue
    let matchLength = 0
    while (matchLength < run.length && lines.keys[start + matchLength] === run[matchLength]) matchLength++
    if (matchLength === run.length) starts.push(start)
  }
  return starts
}

/** Every line with this folded form, ascending; none if more than `maxCount` are in its slot. O(lines of its slot, or `maxCount`). */
export const occurrences = (index: LineIndex, normalized: string, maxCount = Infinity): ReadonlyArray<number> => {
  const key = hash(normalized)
  return index.sizes[slot(key, index.shift)]! > maxCount ? []
    : find(index, [key]).filter((line) => normalizeLine(Lines.at(index.lines, line)) === normalized)
}

/**
 * Every place at which the run begins in the first `count` keys, ascending, by Knuth, Morris and Pratt (1977): for runs
 * so common that trying each place would cost their product. O(run + keys).
 */
export const sweep = (keys: Int32Array, count: number, run: ReadonlyArray<number>): Array<number> => {
  const border = new Int32Array(run.length)
  for (let i = 1, prefixLength = 0; i < run.length; i++) {
    while (prefixLength > 0 && run[i] !== run[prefixLength]) prefixLength = border[prefixLength - 1]!
    if (run[i] === run[prefixLength]) prefixLength++
    border[i] = prefixLength
  }
  const starts: Array<number> = []
  for (let i = 0, prefixLength = 0; i < count; i++) {
    while (prefixLength > 0 && keys[i] !== run[prefixLength]) prefixLength = border[prefixLength - 1]!
    if (keys[i] === run[prefixLength]) prefixLength++
    if (prefixLength === run.length) {
      starts.push(i - prefixLength + 1)
      prefixLength = border[prefixLength - 1]!
    }
  }
  return starts
}
