/**
 * Where in a file a run of lines may stand: an open hash table from a line's key to its places, ascending. Built once a
 * file in one pass; a run is then looked up by its rarest line, so finding costs what it finds, not the file.
 */
import { fold, hash } from "./NormalizeLine.ts"
import * as Lines from "./Lines.ts"

export interface LineIndex {
  readonly lines: Lines.Lines
  /** First line of each slot, -1 for none; chains go on in `next`. */
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

/** Fibonacci hashing: the keys of similar lines are near one another, their slots are not. */
const slot = (key: number, shift: number): number => Math.imul(key, 0x9e3779b1) >>> shift

/**
 * Every line at which the run of keys begins, ascending. Keys are hashes, so a place is a candidate that the caller
 * compares as text. O(run + occurrences of its rarest line), and never more than O(run + file).
 */
export const find = (index: LineIndex, run: ReadonlyArray<number>): Array<number> => {
  const { heads, lines, next, shift, sizes } = index
  let rarest = 0
  let fewest = Infinity
  for (let i = 0; i < run.length; i++) {
    const size = sizes[slot(run[i]!, shift)]!
    if (size < fewest) {
      fewest = size
      rarest = i
    }
  }
  if (fewest * run.length > 4 * (lines.count + run.length)) return sweep(lines.keys, lines.count, run)
  const last = lines.count - run.length
  const found: Array<number> = []
  for (let line = heads[slot(run[rarest]!, shift)]!; line >= 0; line = next[line]!) {
    const start = line - rarest
    if (start < 0 || start > last) continue
    let same = 0
    while (same < run.length && lines.keys[start + same] === run[same]) same++
    if (same === run.length) found.push(start)
  }
  return found
}

/** Every line whose folded form is this one, ascending; none where more than `most` are in its slot. O(lines of its slot, or `most`). */
export const occurrences = (index: LineIndex, folded: string, most = Infinity): ReadonlyArray<number> => {
  const key = hash(folded)
  return index.sizes[slot(key, index.shift)]! > most ? [] : find(index, [key]).filter((line) => fold(Lines.at(index.lines, line)) === folded)
}

/**
 * Every place at which the run begins in the first `count` keys, ascending, by Knuth, Morris and Pratt (1977): for runs
 * so common that trying each place would cost their product. O(run + keys).
 */
export const sweep = (keys: Int32Array, count: number, run: ReadonlyArray<number>): Array<number> => {
  const border = new Int32Array(run.length)
  for (let i = 1, held = 0; i < run.length; i++) {
    while (held > 0 && run[i] !== run[held]) held = border[held - 1]!
    if (run[i] === run[held]) held++
    border[i] = held
  }
  const found: Array<number> = []
  for (let i = 0, held = 0; i < count; i++) {
    while (held > 0 && keys[i] !== run[held]) held = border[held - 1]!
    if (keys[i] === run[held]) held++
    if (held === run.length) {
      found.push(i - held + 1)
      held = border[held - 1]!
    }
  }
  return found
}
