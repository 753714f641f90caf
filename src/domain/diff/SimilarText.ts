/**
 * The most similar window of a file, found without measuring every window: lower bounds of the distance, from lengths
 * and from counts of characters, rule out those that could neither win nor come within the margin of the winner. What a
 * plain scan would choose is never ruled out.
 */
import { distance, type Span, type Units } from "./Levenshtein.ts"
import * as Lines from "./Lines.ts"

/** How much better than the second best a window must be. */
export const margin = 0.05

/** Sums of floating-point numbers may differ in the last digit; a tie must not hang on it. */
const epsilon = 1e-9

export interface Window {
  readonly start: number
  readonly similarity: number
}

/**
 * What the bounds need of each trimmed line: its length, and how often characters of each class occur in it, up to 7
 * times. A count takes four bits, so that eight of them are compared at once.
 */
interface Described {
  readonly units: Units
  /** Where each line begins, trimmed. */
  readonly starts: Int32Array
  readonly lengths: Int32Array
  readonly counts: Int32Array
}

/** The lines of a file. */
export interface Profile extends Described {
  /** The lines by their length, and where in them those of each length begin; all from `long` on are taken together. */
  readonly byLength: Int32Array
  readonly firsts: Int32Array
  /** Windows whose distance was begun: the work that pruning saves, for growth tests. */
  measured: number
}

/** Characters are of a class when their last five bits agree; the counts of a line are so many words. */
const words = 4
const full = 7

/** O(text). */
export const profile = (lines: Lines.Lines): Profile => {
  const made = blank(Lines.unitsOf(lines.text), lines.count)
  for (let line = 0; line < lines.count; line++) describe(made, line, lines.starts[line]!, Lines.end(lines, line))
  return { ...made, ...sorted(made.lengths), measured: 0 }
}

const long = 255

/** A counting sort. */
const sorted = (lengths: Int32Array): Pick<Profile, "byLength" | "firsts"> => {
  const firsts = new Int32Array(long + 2)
  for (let line = 0; line < lengths.length; line++) firsts[Math.min(lengths[line]!, long) + 1]!++
  for (let length = 0; length <= long; length++) firsts[length + 1]! += firsts[length]!
  const next = firsts.slice()
  const byLength = new Int32Array(lengths.length)
  for (let line = 0; line < lengths.length; line++) byLength[next[Math.min(lengths[line]!, long)]!++] = line
  return { byLength, firsts }
}

const blank = (units: Units, count: number): Described => ({
  units,
  starts: new Int32Array(count),
  lengths: new Int32Array(count),
  counts: new Int32Array(count * words)
})

const describe = ({ counts, lengths, starts, units }: Described, line: number, start: number, end: number): void => {
  let from = start
  let to = end
  while (from < to && Lines.isSpace(units[from]!)) from++
  while (to > from && Lines.isSpace(units[to - 1]!)) to--
  starts[line] = from
  lengths[line] = to - from
  for (let at = from; at < to; at++) {
    const unit = units[at]!
    const word = line * words + (unit & 3)
    const shift = unit & 28
    if ((counts[word]! >>> shift & full) < full) counts[word]! += 1 << shift
  }
}

const span = ({ lengths, starts, units }: Described, line: number): Span =>
  ({ units, from: starts[line]!, to: starts[line]! + lengths[line]! })

/**
 * The windows as long as `search` that are at least `threshold` similar and within the margin of the best, best first:
 * one when it is clearly the best, none when nothing is similar enough. A good window early rules out most of the
 * others, so `likely` is measured first, or the one that promises most.
 */
export const best = (file: Profile, search: ReadonlyArray<string>, threshold: number, likely?: number): Array<Window> => {
  if (search.length > file.lengths.length) return []
  const wanted = query(search)
  const measured: Array<Window> = []
  let bar = threshold - margin
  const take = (start: number): void => {
    const similarity = measure(file, wanted, start, bar)
    if (similarity < 0) return
    measured.push({ start, similarity })
    bar = Math.max(bar, similarity - margin)
  }
  if (likely !== undefined) take(likely)
  const guess = measured.length > 0 ? likely : promising(file, wanted, 1 - (1 - threshold) / 4)
  if (guess !== undefined && guess !== likely) take(guess)
  for (const { least, start } of possible(file, wanted, bar)) {
    if (start !== likely && start !== guess && least <= reach(wanted.length, bar)) take(start)
  }
  const top = measured.reduce((most, { similarity }) => Math.max(most, similarity), -1)
  if (top < threshold - epsilon) return []
  return measured.filter(({ similarity }) => similarity > top - margin + epsilon)
    .sort((a, b) => b.similarity - a.similarity || a.start - b.start)
}

/** The window that could be most similar, of those that could be at least so similar: found fast, as few come so far. */
const promising = (file: Profile, wanted: Query, bar: number): number | undefined =>
  possible(file, wanted, bar)
    .reduce<Bound | undefined>((best, next) => best === undefined || next.least < best.least ? next : best, undefined)?.start

/** The search text, its lines from the longest to the shortest: long ones say most of a window. */
interface Query extends Described {
  /** How far below the first line each stands. */
  readonly below: Int32Array
  /** Of all lines. */
  readonly length: number
}

const query = (search: ReadonlyArray<string>): Query => {
  const starts: Array<number> = []
  let text = ""
  for (const line of search) {
    starts.push(text.length)
    text += line
  }
  const below = Int32Array.from(search.keys()).sort((a, b) => search[b]!.length - search[a]!.length)
  const made = blank(Lines.unitsOf(text), search.length)
  below.forEach((line, i) => describe(made, i, starts[line]!, starts[line]! + search[line]!.length))
  return { ...made, below, length: made.lengths.reduce((sum, length) => sum + length, 0) }
}

/** A window, and how far it is from the search text at least. */
interface Bound {
  readonly start: number
  readonly least: number
}

/**
 * The farthest that a window may be from a search text of this length and still be so similar: where the distance is
 * `d`, the weight is at most that length and `d`.
 */
const reach = (length: number, bar: number): number =>
  bar > epsilon ? Math.min(farthest, Math.floor(length * (1 - bar + epsilon) / (bar - epsilon))) : farthest

const farthest = 2 ** 30

/**
 * The windows that may be so similar by the lengths of their lines, which rules out nearly all: looked for where the line
 * stands that fewest of the file are as long as. O(lines of the file).
 */
const within = (file: Profile, { below, lengths: own }: Query, most: number): ReadonlyArray<number> => {
  const { byLength, firsts, lengths } = file
  const last = lengths.length - below.length
  const found: Array<number> = []
  let rarest = 0
  let from = 0
  let to = Infinity
  for (let i = 0; i < below.length; i++) {
    const first = firsts[Math.min(Math.max(own[i]! - most, 0), long)]!
    const end = firsts[Math.min(own[i]! + most, long) + 1]!
    if (end - first < to - from) {
      rarest = i
      from = first
      to = end
    }
  }
  for (let at = from; at < to; at++) {
    const start = byLength[at]! - below[rarest]!
    if (start < 0 || start > last) continue
    let least = 0
    for (let i = below.length - 1; i >= 0 && least <= most; i--) least += Math.abs(lengths[start + below[i]!]! - own[i]!)
    if (least <= most) found.push(start)
  }
  return found
}

/** The windows that may be so similar by the characters of their lines. */
const possible = (file: Profile, wanted: Query, bar: number): ReadonlyArray<Bound> => {
  const { below } = wanted
  const most = reach(wanted.length, bar)
  const found: Array<Bound> = []
  for (const start of within(file, wanted, most)) {
    let least = 0
    for (let i = 0; i < below.length && least <= most; i++) least += leastDistance(file, start + below[i]!, wanted, i)
    if (least <= most) found.push({ start, least })
  }
  return found
}

/** The similarity of the window at `start`, or -1 once it is known to be under `bar`. */
const measure = (file: Profile, wanted: Query, start: number, bar: number): number => {
  file.measured++
  const { below, lengths } = wanted
  let weight = 0
  let apart = 0
  for (let i = 0; i < below.length; i++) {
    weight += Math.max(file.lengths[start + below[i]!]!, lengths[i]!)
    apart += leastDistance(file, start + below[i]!, wanted, i)
  }
  if (weight === 0) return 1
  const allowed = (1 - bar + epsilon) * weight
  for (let i = 0; i < below.length && apart <= allowed; i++) {
    const line = start + below[i]!
    apart += distance(span(wanted, i), span(file, line)) - leastDistance(file, line, wanted, i)
  }
  return apart > allowed ? -1 : 1 - apart / weight
}

/**
 * A lower bound of the distance of two lines: each edit mends at most one character that the one has too many and one
 * that it has too few (bag distance, Bartolini, Ciaccia and Patella 2002).
 */
const leastDistance = (file: Profile, line: number, wanted: Query, at: number): number => {
  const a = line * words
  const b = at * words
  const sums = apart(file.counts[a]!, wanted.counts[b]!) + apart(file.counts[a + 1]!, wanted.counts[b + 1]!) +
    apart(file.counts[a + 2]!, wanted.counts[b + 2]!) + apart(file.counts[a + 3]!, wanted.counts[b + 3]!)
  return ((Math.imul(sums, 0x01010101) >>> 24) + Math.abs(file.lengths[line]! - wanted.lengths[at]!) + 1) >> 1
}

/**
 * The differences of eight counts under 8, added up to four sums of a byte each (Hacker's Delight, 2-18: each count is
 * taken from 8 more, so that none borrows from the next).
 */
const apart = (a: number, b: number): number => {
  const from = (a | EIGHTS) - b | 0
  const less = ~from & EIGHTS
  const each = ((from ^ (less - (less >>> 3))) & ~EIGHTS) + (less >>> 3) | 0
  return (each & 0x0f0f0f0f) + (each >>> 4 & 0x0f0f0f0f)
}

const EIGHTS = 0x88888888 | 0
