/**
 * The most similar window of a file, found without measuring every window: lower bounds of the distance, from lengths
 * and from counts of characters, rule out those that could neither win nor come within the margin of the winner. What a
 * plain scan would choose is never ruled out.
 */
import * as Lines from "./Lines.ts"
import { distance } from "./Similarity.ts"

/** How much better than the second best a window must be. */
export const margin = 0.05

/** Sums of floating-point numbers may differ in the last digit; a tie must not hang on it. */
const epsilon = 1e-9

export interface Window {
  readonly start: number
  readonly similarity: number
}

/**
 * What the bounds need of each trimmed line: its length, and which of 32 classes of characters occur in it at least
 * once, twice and three times, as bits.
 */
export interface Profile {
  readonly lines: Lines.Lines
  readonly lengths: Int32Array
  /** Sum of the lengths of the lines before. */
  readonly before: Float64Array
  readonly once: Int32Array
  readonly twice: Int32Array
  readonly thrice: Int32Array
  /** Windows whose distance was begun: the work that pruning saves, for growth tests. */
  measured: number
}

/** O(text). */
export const profile = (lines: Lines.Lines): Profile => {
  const { count } = lines
  const made: Profile = {
    lines,
    lengths: new Int32Array(count),
    before: new Float64Array(count + 1),
    once: new Int32Array(count),
    twice: new Int32Array(count),
    thrice: new Int32Array(count),
    measured: 0
  }
  for (let line = 0; line < count; line++) {
    describe(made, line, Lines.at(lines, line).trim())
    made.before[line + 1] = made.before[line]! + made.lengths[line]!
  }
  return made
}

const describe = ({ lengths, once, thrice, twice }: Profile, line: number, text: string): void => {
  let one = 0
  let two = 0
  let three = 0
  for (let i = 0; i < text.length; i++) {
    const bit = 1 << text.charCodeAt(i)
    three |= two & bit
    two |= one & bit
    one |= bit
  }
  lengths[line] = text.length
  once[line] = one
  twice[line] = two
  thrice[line] = three
}

/**
 * The windows as long as `search` that are at least `threshold` similar and within the margin of the best, best first:
 * one when it is clearly the best, none when nothing is similar enough. With `threshold - margin` as the bar, at most
 * the windows that pass all bounds are measured.
 */
export const best = (file: Profile, search: ReadonlyArray<string>, threshold: number): Array<Window> => {
  const wanted = query(search)
  let near: Array<Window> = []
  let bar = threshold - margin
  for (let start = 0; start + search.length <= file.lines.count; start++) {
    const found = measure(file, wanted, start, bar)
    if (found < bar) continue
    near.push({ start, similarity: found })
    if (found - margin > bar) {
      bar = found - margin
      near = near.filter(({ similarity }) => similarity >= bar - epsilon)
    }
  }
  near.sort((a, b) => b.similarity - a.similarity || a.start - b.start)
  const top = near[0]
  if (top === undefined || top.similarity < threshold - epsilon) return []
  return near.filter(({ similarity }) => similarity > top.similarity - margin + epsilon)
}

/** The search text in the shape of a file's profile, with its trimmed lines. */
interface Query extends Omit<Profile, "lines" | "measured" | "before"> {
  readonly texts: ReadonlyArray<string>
  readonly length: number
}

const query = (search: ReadonlyArray<string>): Query => {
  const texts = search.map((line) => line.trim())
  const made = profile(Lines.scan(texts.join("\n")))
  // A last blank line is no line of the scanned text, yet one of the search: its profile is empty.
  const padded = (from: Int32Array): Int32Array => Int32Array.from(texts, (_, i) => from[i] ?? 0)
  return {
    texts,
    lengths: padded(made.lengths),
    once: padded(made.once),
    twice: padded(made.twice),
    thrice: padded(made.thrice),
    length: texts.reduce((sum, text) => sum + text.length, 0)
  }
}

/**
 * The similarity of the window at `start`, or -1 once it is known to be under `bar`. Three bounds, each dearer than the
 * one before: the difference of the lengths in all, line by line, and of the characters line by line.
 */
const measure = (file: Profile, wanted: Query, start: number, bar: number): number => {
  const count = wanted.texts.length
  const length = file.before[start + count]! - file.before[start]!
  const spare = 1 - bar + epsilon
  if (Math.abs(length - wanted.length) > spare * Math.max(length, wanted.length)) return -1

  // The weight is the sum of the longer lengths: half of both sums and of the differences together.
  let apart = 0
  const most = spare * (length + wanted.length) / (2 - spare)
  for (let i = 0; i < count; i++) {
    apart += Math.abs(file.lengths[start + i]! - wanted.lengths[i]!)
    if (apart > most) return -1
  }
  const weight = (length + wanted.length + apart) / 2
  if (weight === 0) return 1

  const allowed = spare * weight
  let least = 0
  for (let i = 0; i < count; i++) {
    least += leastDistance(file, start + i, wanted, i)
    if (least > allowed) return -1
  }

  file.measured++
  for (let i = 0; i < count; i++) {
    const text = Lines.at(file.lines, start + i).trim()
    least += distance(wanted.texts[i]!, text) - leastDistance(file, start + i, wanted, i)
    if (least > allowed) return -1
  }
  return 1 - least / weight
}

/**
 * A lower bound of the distance of two lines: each edit mends at most one character that the one has too many, and the
 * longer has as many more as it is longer (bag distance, Bartolini, Ciaccia and Patella 2002, counting up to three).
 */
const leastDistance = (file: Profile, line: number, wanted: Query, at: number): number => {
  const longer = file.lengths[line]! - wanted.lengths[at]!
  const extra = bits(file.once[line]! & ~wanted.once[at]!) + bits(file.twice[line]! & ~wanted.twice[at]!) +
    bits(file.thrice[line]! & ~wanted.thrice[at]!)
  const missing = bits(wanted.once[at]! & ~file.once[line]!) + bits(wanted.twice[at]! & ~file.twice[line]!) +
    bits(wanted.thrice[at]! & ~file.thrice[line]!)
  return Math.max(extra, missing, extra - longer, missing + longer)
}

/** How many bits are set (Hacker's Delight, 5-1). */
const bits = (word: number): number => {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
