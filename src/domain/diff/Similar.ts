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
  const { count, text } = lines
  const made: Profile = {
    lines,
    lengths: new Int32Array(count),
    before: new Float64Array(count + 1),
    once: new Int32Array(count),
    twice: new Int32Array(count),
    thrice: new Int32Array(count),
    measured: 0
  }
  const codes = Lines.codesOf(text)
  for (let line = 0; line < count; line++) {
    describe(made, line, codes, lines.starts[line]!, Lines.end(lines, line))
    made.before[line + 1] = made.before[line]! + made.lengths[line]!
  }
  return made
}

const describe = (
  { lengths, once, thrice, twice }: Pick<Profile, "lengths" | "once" | "twice" | "thrice">,
  line: number,
  codes: Uint8Array | Uint16Array,
  start: number,
  end: number
): void => {
  let from = start
  let to = end
  while (from < to && Lines.isSpace(codes[from]!)) from++
  while (to > from && Lines.isSpace(codes[to - 1]!)) to--
  let one = 0
  let two = 0
  let three = 0
  for (let at = from; at < to; at++) {
    const bit = 1 << codes[at]!
    three |= two & bit
    two |= one & bit
    one |= bit
  }
  lengths[line] = to - from
  once[line] = one
  twice[line] = two
  thrice[line] = three
}

/**
 * The windows as long as `search` that are at least `threshold` similar and within the margin of the best, best first:
 * one when it is clearly the best, none when nothing is similar enough. A good window early rules out most of the
 * others, so `likely` is measured first, or the one that promises most.
 */
export const best = (file: Profile, search: ReadonlyArray<string>, threshold: number, likely?: number): Array<Window> => {
  if (search.length > file.lines.count) return []
  const wanted = query(search)
  const measured: Array<Window> = []
  let bar = threshold - margin
  const take = (start: number): void => {
    const similarity = measure(file, wanted, start, bar)
    if (similarity < 0) return
    measured.push({ start, similarity })
    bar = Math.max(bar, similarity - margin)
  }
  const first = likely ?? promising(file, wanted, 1 - (1 - threshold) / 4)
  if (first !== undefined) take(first)
  const left: Array<Window> = []
  for (let start = 0; start + search.length <= file.lines.count; start++) {
    const similarity = start === first ? -1 : mostSimilar(file, wanted, start, bar)
    if (similarity >= 0) left.push({ start, similarity })
  }
  for (const { similarity, start } of left) {
    if (similarity >= bar - epsilon) take(start)
  }

  const top = measured.reduce((most, { similarity }) => Math.max(most, similarity), -1)
  if (top < threshold - epsilon) return []
  return measured.filter(({ similarity }) => similarity > top - margin + epsilon)
    .sort((a, b) => b.similarity - a.similarity || a.start - b.start)
}

/** The window that could be most similar, of those that could be at least so similar: found fast, as few come so far. */
const promising = (file: Profile, wanted: Query, bar: number): number | undefined => {
  let best: number | undefined
  let most = bar
  for (let start = 0; start + wanted.texts.length <= file.lines.count; start++) {
    const similarity = mostSimilar(file, wanted, start, most)
    if (similarity < most) continue
    best = start
    most = similarity
  }
  return best
}

/** The search text in the shape of a file's profile, its lines trimmed and from the longest to the shortest. */
interface Query extends Pick<Profile, "lengths" | "once" | "twice" | "thrice"> {
  readonly texts: ReadonlyArray<string>
  /** How far below the first line each stands. */
  readonly below: Int32Array
  readonly length: number
}

const query = (search: ReadonlyArray<string>): Query => {
  const trimmed = search.map((line) => line.trim())
  const below = Int32Array.from(trimmed.keys()).sort((a, b) => trimmed[b]!.length - trimmed[a]!.length)
  const texts = Array.from(below, (line) => trimmed[line]!)
  const made = {
    lengths: new Int32Array(texts.length),
    once: new Int32Array(texts.length),
    twice: new Int32Array(texts.length),
    thrice: new Int32Array(texts.length)
  }
  texts.forEach((text, i) => describe(made, i, Lines.codesOf(text), 0, text.length))
  return { ...made, texts, below, length: texts.reduce((sum, text) => sum + text.length, 0) }
}

/**
 * How similar the window at `start` can be at most, or -1 once that is known to be under `bar`. Three bounds, each
 * dearer than the one before: the difference of the lengths in all, line by line, and of the characters line by line.
 */
const mostSimilar = (file: Profile, wanted: Query, start: number, bar: number): number => {
  const { below, length, lengths } = wanted
  const spare = 1 - bar + epsilon
  const there = file.before[start + below.length]! - file.before[start]!
  if (Math.abs(there - length) > spare * Math.max(there, length)) return -1

  // The weight is the sum of the longer lengths: half of both sums and of the differences together.
  let apart = 0
  const most = spare * (there + length) / (2 - spare)
  for (let i = 0; i < below.length; i++) {
    apart += Math.abs(file.lengths[start + below[i]!]! - lengths[i]!)
    if (apart > most) return -1
  }
  const weight = (there + length + apart) / 2
  if (weight === 0) return 1

  const allowed = spare * weight
  let least = 0
  for (let i = 0; i < below.length; i++) {
    least += leastDistance(file, start + below[i]!, wanted, i)
    if (least > allowed) return -1
  }
  return 1 - least / weight
}

/** The similarity of the window at `start`, or -1 once it is known to be under `bar`. */
const measure = (file: Profile, wanted: Query, start: number, bar: number): number => {
  file.measured++
  let weight = 0
  let apart = 0
  for (let i = 0; i < wanted.texts.length; i++) {
    const line = start + wanted.below[i]!
    weight += Math.max(file.lengths[line]!, wanted.lengths[i]!)
    apart += leastDistance(file, line, wanted, i)
  }
  if (weight === 0) return 1
  const allowed = (1 - bar + epsilon) * weight
  // The shortest lines first: they cost least, and often decide.
  for (let i = wanted.texts.length - 1; i >= 0 && apart <= allowed; i--) {
    const line = start + wanted.below[i]!
    apart += distance(wanted.texts[i]!, Lines.at(file.lines, line).trim()) - leastDistance(file, line, wanted, i)
  }
  return apart > allowed ? -1 : 1 - apart / weight
}

/**
 * A lower bound of the distance of two lines: each edit mends at most one character that the one has too many, and the
 * longer has as many more as it is longer (bag distance, Bartolini, Ciaccia and Patella 2002, counting up to three).
 */
const leastDistance = (file: Profile, line: number, wanted: Query, at: number): number => {
  const longer = file.lengths[line]! - wanted.lengths[at]!
  const a = file.once[line]!
  const aa = file.twice[line]!
  const aaa = file.thrice[line]!
  const b = wanted.once[at]!
  const bb = wanted.twice[at]!
  const bbb = wanted.thrice[at]!
  const extra = bits(a & ~b, aa & ~bb, aaa & ~bbb)
  const missing = bits(b & ~a, bb & ~aa, bbb & ~aaa)
  return Math.max(extra, missing, extra - longer, missing + longer)
}

/** How many bits are set in three words (Hacker's Delight, 5-1; nibbles hold up to twelve before they are added up). */
const bits = (a: number, b: number, c: number): number => {
  const nibbles = inNibbles(a) + inNibbles(b) + inNibbles(c)
  return Math.imul((nibbles & 0x0f0f0f0f) + ((nibbles >>> 4) & 0x0f0f0f0f), 0x01010101) >>> 24
}

const inNibbles = (word: number): number => {
  const pairs = word - ((word >>> 1) & 0x55555555)
  return (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
}
