/**
 * Where in a file the lines of a block stand, in five steps from surest to least sure. The first step that finds any
 * place decides; which of several it is, `Settle` says.
 *
 * Steps 1 to 3 are one lookup: lines that agree exactly, or but for white space, also agree when folded, so candidates
 * come from the index of folded lines and are then graded by the strictest rule under which they agree.
 */
import type { Strategy } from "./Edit.ts"
import { fold, hash } from "./NormalizeLine.ts"
import * as LineIndex from "./LineIndex.ts"
import * as LineNumbers from "./LineNumbers.ts"
import * as Lines from "./Lines.ts"
import { mostShared } from "./SharedLines.ts"
import * as Similar from "./SimilarText.ts"
import { similarity } from "./Similarity.ts"

/** A run of lines from `start` (0-based), as many as the search text has. */
export interface Place {
  readonly start: number
  readonly strategy: Strategy
  /** 1 for text that agrees by rule; the similarity where that decided. */
  readonly confidence: number
}

export interface Located {
  readonly places: ReadonlyArray<Place>
  /** The lines that were found: the search text, without line numbers where they had to go. */
  readonly search: ReadonlyArray<string>
  /** The line number copied onto the first line, where they had to go. */
  readonly firstNumber?: number
}

/** A file ready to be searched: its index now, its profile when similarity is first asked for. */
export interface Target {
  readonly index: LineIndex.LineIndex
  readonly lines: Lines.Lines
  readonly profile: () => Similar.Profile
}

/** O(text). */
export const target = (text: string): Target => {
  const lines = Lines.scan(text)
  let profile: Similar.Profile | undefined
  return { lines, index: LineIndex.of(lines), profile: () => profile ??= Similar.profile(lines) }
}

const grades: ReadonlyArray<Strategy> = ["exact", "trailing-whitespace", "whitespace", "look-alike"]

/** What a line is compared by, rule for rule. */
const forms: ReadonlyArray<(line: string) => string> = [(line) => line, (line) => line.trimEnd(), (line) => line.trim(), fold]

/** Steps 1 to 3. O(search + places × search, and never more than search + file). */
export const locateSame = (target: Target, search: ReadonlyArray<string>): Located => {
  const places = same(target, search)
  if (places.length > 0) return { places, search }
  const bare = LineNumbers.strip(search)
  if (bare === undefined) return { places, search }
  const found = same(target, bare.lines).map((place): Place => ({ ...place, strategy: "look-alike" }))
  return found.length > 0 ? { places: found, search: bare.lines, firstNumber: bare.first } : { places, search }
}

/** All five steps; `threshold` is the least similarity of the last. */
export const locate = (target: Target, search: ReadonlyArray<string>, threshold = 0.9): Located => {
  const sure = locateSame(target, search)
  if (sure.places.length > 0) return sure
  const anchored = anchors(target, search)
  return { places: anchored.length > 0 ? anchored : similar(target, search, threshold), search }
}

const same = (target: Target, search: ReadonlyArray<string>): Array<Place> => {
  const folded = search.map(fold)
  const starts = LineIndex.find(target.index, folded.map(hash))
  if (starts.length * search.length > 4 * (target.lines.count + search.length)) return sameOften(target.lines, search)
  const levels = starts.map((start) => grade(target.lines, start, search, folded))
  const best = levels.reduce((least, level) => Math.min(least, level), grades.length)
  const strategy = grades[best]
  return strategy === undefined ? [] : starts.filter((_, i) => levels[i] === best).map((start) => ({ start, strategy, confidence: 1 }))
}

/** The same for a text that stands in so many places that comparing it with each would cost their product. */
const sameOften = (lines: Lines.Lines, search: ReadonlyArray<string>): Array<Place> => {
  const texts = Lines.slice(lines, 0, lines.count)
  for (const [level, form] of forms.entries()) {
    const numbers = new Map<string, number>()
    const number = (line: string): number => {
      const formed = form(line)
      const known = numbers.get(formed) ?? numbers.size
      numbers.set(formed, known)
      return known
    }
    const starts = LineIndex.sweep(Int32Array.from(texts, number), lines.count, search.map(number))
    if (starts.length > 0) return starts.map((start) => ({ start, strategy: grades[level]!, confidence: 1 }))
  }
  return []
}

/** The strictest rule under which the lines agree, as an index into `grades`; past its end when their hashes lied. */
const grade = (
  lines: Lines.Lines,
  start: number,
  search: ReadonlyArray<string>,
  folded: ReadonlyArray<string>
): number => {
  let level = 0
  for (let i = 0; i < search.length && level < grades.length; i++) {
    level = Math.max(level, gradeLine(lines, start + i, search[i]!, folded[i]!))
  }
  return level
}

const gradeLine = (lines: Lines.Lines, line: number, wanted: string, folded: string): number => {
  const from = lines.starts[line]!
  const to = Lines.end(lines, line)
  if (to - from === wanted.length && lines.text.startsWith(wanted, from)) return 0
  const found = lines.text.slice(from, to)
  if (found.trimEnd() === wanted.trimEnd()) return 1
  if (found.trim() === wanted.trim()) return 2
  return fold(found) === folded ? 3 : grades.length
}

/** Step 4: the first and the last of three or more lines agree when folded, and the middle is 60% similar. */
const anchors = ({ index, lines }: Target, search: ReadonlyArray<string>): Array<Place> => {
  if (search.length < 3) return []
  const first = fold(search[0]!)
  const last = fold(search.at(-1)!)
  const lastKey = hash(last)
  const middle = search.slice(1, -1).map((line) => line.trim())
  const places: Array<Place> = []
  for (const start of LineIndex.occurrences(index, first)) {
    const final = start + search.length - 1
    if (final >= lines.count || lines.keys[final] !== lastKey) continue
    if (fold(Lines.at(lines, final)) !== last) continue
    const confidence = similarity(middle, Lines.slice(lines, start + 1, final).map((line) => line.trim()))
    if (confidence >= 0.6) places.push({ start, strategy: "anchors", confidence })
  }
  return places
}

/** Step 5: the one most similar window; several when none is clearly best, so that they can be told. */
const similar = (target: Target, search: ReadonlyArray<string>, threshold: number): Array<Place> =>
  Similar.best(target.profile(), search, threshold, mostShared(target.index, search))
    .map(({ similarity, start }): Place => ({ start, strategy: "similar", confidence: similarity }))
    .sort((a, b) => a.start - b.start)
