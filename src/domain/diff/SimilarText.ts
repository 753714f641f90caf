/**
 * The most similar window of a file, without measuring every window: lower bounds of the distance, from lengths and
 * from character counts, rule out those that could neither win nor come within the margin of the winner. What a plain
 * scan would choose is never ruled out.
 */
import { distance, type Span, type Units } from "./Levenshtein.ts"
import * as Lines from "./Lines.ts"

/** How much better than the second best a window must be. */
export const margin = 0.05

/** Sums of floating-point numbers may differ in the last digit; a tie must not depend on it. */
const epsilon = 1e-9

export interface Window {
  readonly start: number
  readonly similarity: number
}

/**
 * What the bounds need of each trimmed line: its length, and how often characters of each class occur in it, up to 7
 * times. A count takes four bits, so that eight of them are compared at once.
 */
interface LineFeatures {
  readonly units: Units
  /** Where each line begins, trimmed. */
  readonly starts: Int32Array
  readonly lengths: Int32Array
  readonly counts: Int32Array
}

/** The lines of a file. */
export interface Profile extends LineFeatures {
  /** The lines by their length, and where in them those of each length begin; all from `long` on are grouped. */
  readonly byLength: Int32Array
  readonly firsts: Int32Array
  /** Windows whose distance was begun: the work that pruning saves, for growth tests. */
  measurements: number
}

/** Characters share a class if their last five bits agree; a line's counts take this many words. */
const wordsPerLine = 4
const maxCount = 7

/** O(text). */
export const profile = (lines: Lines.Lines): Profile => {
  const features = emptyFeatures(Lines.unitsOf(lines.text), lines.count)
  for (let line = 0; line < lines.count; line++) describeLine(features, line, lines.starts[line]!, Lines.end(lines, line))
  return { ...features, ...sortByLength(features.lengths), measurements: 0 }
}

const maxLength = 255

/** A counting sort. */
const sortByLength = (lengths: Int32Array): Pick<Profile, "byLength" | "firsts"> => {
  const firsts = new Int32Array(maxLength + 2)
  for (let line = 0; line < lengths.length; line++) firsts[Math.min(lengths[line]!, maxLength) + 1]!++
  for (let length = 0; length <= maxLength; length++) firsts[length + 1]! += firsts[length]!
  const next = firsts.slice()
  const byLength = new Int32Array(lengths.length)
  for (let line = 0; line < lengths.length; line++) byLength[next[Math.min(lengths[line]!, maxLength)]!++] = line
  return { byLength, firsts }
}

const emptyFeatures = (units: Units, count: number): LineFeatures => ({
  units,
  starts: new Int32Array(count),
  lengths: new Int32Array(count),
  counts: new Int32Array(count * wordsPerLine)
})

const describeLine = ({ counts, lengths, starts, units }: LineFeatures, line: number, start: number, end: number): void => {
  let from = start
  let to = end
  while (from < to && Lines.isSpace(units[from]!)) from++
  while (to > from && Lines.isSpace(units[to - 1]!)) to--
  starts[line] = from
  lengths[line] = to - from
  for (let at = from; at < to; at++) {
    const unit = units[at]!
    const word = line * wordsPerLine + (unit & 3)
    const shift = unit & 28
    if ((counts[word]! >>> shift & maxCount) < maxCount) counts[word]! += 1 << shift
  }
}

const span = ({ lengths, starts, units }: LineFeatures, line: number): Span => ({
  units,
  from: starts[line]!,
  to: starts[line]! + lengths[line]!
})

/**
 * The windows as long as `search` that are at least `threshold` similar and within the margin of the best, best first:
 * one if it is clearly the best, none if nothing is similar enough. A good window early rules out most of the others,
 * so `likelyStart` is measured first, or else the most promising one.
 */
export const best = (file: Profile, search: ReadonlyArray<string>, threshold: number, likelyStart?: number): Array<Window> => {
  if (search.length > file.lengths.length) return []
  const query = toQuery(search)
  const windows: Array<Window> = []
  let minSimilarity = threshold - margin
  const measureWindow = (start: number): void => {
    const similarity = measure(file, query, start, minSimilarity)
    if (similarity < 0) return
    windows.push({ start, similarity })
    minSimilarity = Math.max(minSimilarity, similarity - margin)
  }
  if (likelyStart !== undefined) measureWindow(likelyStart)
  const guessStart = windows.length > 0 ? likelyStart : promisingWindow(file, query, 1 - (1 - threshold) / 4)
  if (guessStart !== undefined && guessStart !== likelyStart) measureWindow(guessStart)
  for (const { minDistance, start } of candidateWindows(file, query, minSimilarity)) {
    if (start !== likelyStart && start !== guessStart && minDistance <= distanceLimit(query.length, minSimilarity)) measureWindow(start)
  }
  const top = windows.reduce((max, { similarity }) => Math.max(max, similarity), -1)
  if (top < threshold - epsilon) return []
  return windows.filter(({ similarity }) => similarity > top - margin + epsilon)
    .sort((a, b) => b.similarity - a.similarity || a.start - b.start)
}

/** The window that could be most similar, of those that could be at least that similar: quick, since few remain. */
const promisingWindow = (file: Profile, query: Query, minSimilarity: number): number | undefined =>
  candidateWindows(file, query, minSimilarity)
    .reduce<Bound | undefined>((best, next) => best === undefined || next.minDistance < best.minDistance ? next : best, undefined)?.start

/** The search text, its lines from the longest to the shortest: long ones reveal most about a window. */
interface Query extends LineFeatures {
  /** How far below the first line each one is. */
  readonly offsets: Int32Array
  /** Of all lines. */
  readonly length: number
}

const toQuery = (search: ReadonlyArray<string>): Query => {
  const starts: Array<number> = []
  let text = ""
  for (const line of search) {
    starts.push(text.length)
    text += line
  }
  const offsets = Int32Array.from(search.keys()).sort((a, b) => search[b]!.length - search[a]!.length)
  const features = emptyFeatures(Lines.unitsOf(text), search.length)
  offsets.forEach((line, i) => describeLine(features, i, starts[line]!, starts[line]! + search[line]!.length))
  return { ...features, offsets, length: features.lengths.reduce((sum, length) => sum + length, 0) }
}

/** A window, and its minimum distance from the search text. */
interface Bound {
  readonly start: number
  readonly minDistance: number
}

/**
 * The maximum distance of a window from a search text of this length that is still this similar: at distance `d`, the
 * weight is at most that length plus `d`.
 */
const distanceLimit = (length: number, minSimilarity: number): number =>
  minSimilarity > epsilon ? Math.min(unlimitedDistance, Math.floor(length * (1 - minSimilarity + epsilon) / (minSimilarity - epsilon)))
    : unlimitedDistance

const unlimitedDistance = 2 ** 30

/**
 * The windows that may be this similar by the lengths of their lines, which rules out nearly all: candidates come from
 * the line whose length is rarest in the file. O(lines of the file).
 */
const windowsByLength = (file: Profile, { offsets, lengths: queryLengths }: Query, maxDistance: number): ReadonlyArray<number> => {
  const { byLength, firsts, lengths } = file
  const last = lengths.length - offsets.length
  const starts: Array<number> = []
  let rarest = 0
  let from = 0
  let to = Infinity
  for (let i = 0; i < offsets.length; i++) {
    const first = firsts[Math.min(Math.max(queryLengths[i]! - maxDistance, 0), maxLength)]!
    const end = firsts[Math.min(queryLengths[i]! + maxDistance, maxLength) + 1]!
    if (end - first < to - from) {
      rarest = i
      from = first
      to = end
    }
  }
  for (let at = from; at < to; at++) {
    const start = byLength[at]! - offsets[rarest]!
    if (start < 0 || start > last) continue
    let lowerBound = 0
    for (let i = offsets.length - 1; i >= 0 && lowerBound <= maxDistance; i--)
      lowerBound += Math.abs(lengths[start + offsets[i]!]! - queryLengths[i]!)
    if (lowerBound <= maxDistance) starts.push(start)
  }
  return starts
}

/** The windows that may be this similar by the characters of their lines. */
const candidateWindows = (file: Profile, query: Query, minSimilarity: number): ReadonlyArray<Bound> => {
  const { offsets } = query
  const maxDistance = distanceLimit(query.length, minSimilarity)
  const bounds: Array<Bound> = []
  for (const start of windowsByLength(file, query, maxDistance)) {
    let lowerBound = 0
    for (let i = 0; i < offsets.length && lowerBound <= maxDistance; i++) lowerBound += leastDistance(file, start + offsets[i]!, query, i)
    if (lowerBound <= maxDistance) bounds.push({ start, minDistance: lowerBound })
  }
  return bounds
}

/** The similarity of the window at `start`, or -1 once it is known to be under `minSimilarity`. */
const measure = (file: Profile, query: Query, start: number, minSimilarity: number): number => {
  file.measurements++
  const { offsets, lengths } = query
  let weight = 0
  let total = 0
  for (let i = 0; i < offsets.length; i++) {
    weight += Math.max(file.lengths[start + offsets[i]!]!, lengths[i]!)
    total += leastDistance(file, start + offsets[i]!, query, i)
  }
  if (weight === 0) return 1
  const maxTotal = (1 - minSimilarity + epsilon) * weight
  for (let i = 0; i < offsets.length && total <= maxTotal; i++) {
    const line = start + offsets[i]!
    total += distance(span(query, i), span(file, line)) - leastDistance(file, line, query, i)
  }
  return total > maxTotal ? -1 : 1 - total / weight
}

/**
 * A lower bound of the distance of two lines: each edit fixes at most one surplus and one missing character (bag
 * distance, Bartolini, Ciaccia and Patella 2002).
 */
const leastDistance = (file: Profile, line: number, query: Query, at: number): number => {
  const a = line * wordsPerLine
  const b = at * wordsPerLine
  const sums = countDifference(file.counts[a]!, query.counts[b]!) + countDifference(file.counts[a + 1]!, query.counts[b + 1]!) +
    countDifference(file.counts[a + 2]!, query.counts[b + 2]!) + countDifference(file.counts[a + 3]!, query.counts[b + 3]!)
  return ((Math.imul(sums, 0x01010101) >>> 24) + Math.abs(file.lengths[line]! - query.lengths[at]!) + 1) >> 1
}

/**
 * The differences of eight counts under 8, added up to four sums of a byte each (Hacker's Delight, 2-18: each count is
 * subtracted from 8 more, so that none borrows from the next).
 */
const countDifference = (a: number, b: number): number => {
  const from = (a | EIGHTS) - b | 0
  const noBorrow = ~from & EIGHTS
  const sums = ((from ^ (noBorrow - (noBorrow >>> 3))) & ~EIGHTS) + (noBorrow >>> 3) | 0
  return (sums & 0x0f0f0f0f) + (sums >>> 4 & 0x0f0f0f0f)
}

const EIGHTS = 0x88888888 | 0
