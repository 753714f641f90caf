/**
 * Locates the lines of a block in a file, in five steps from most to least certain. The first step that matches
 * anything decides; `Settle` chooses among several matches.
 *
 * Steps 1 to 3 are one lookup: lines that agree exactly, or apart from white space, also agree when folded, so
 * candidates come from the index of folded lines and are then graded by the strictest rule under which they agree.
 */
import type { Strategy } from "./Edit.ts"
import { normalizeLine, hash } from "./NormalizeLine.ts"
import * as LineIndex from "./LineIndex.ts"
import * as Indent from "./Indent.ts"
import * as Lines from "./Lines.ts"
import { bestWindowStart } from "./SharedLines.ts"
import * as SimilarText from "./SimilarText.ts"
import { similarity } from "./Similarity.ts"

/** A run of lines from `start` (0-based), as many as the search text has. */
export interface Place {
  readonly start: number
  readonly strategy: Strategy
  /** 1 for text that agrees by rule; the similarity if that decided. */
  readonly confidence: number
}

export interface LocateResult {
  readonly places: ReadonlyArray<Place>
  /** The lines that were located: the search text, without line numbers if they had to be removed. */
  readonly search: ReadonlyArray<string>
  /** The line number copied onto the first line, if it had to be removed. */
  readonly firstNumber?: number
}

/** A file prepared for searching: its index immediately, its profile when similarity is first needed. */
export interface Target {
  readonly index: LineIndex.LineIndex
  readonly lines: Lines.Lines
  readonly profile: () => SimilarText.Profile
}

/** O(text). */
export const target = (text: string): Target => {
  const lines = Lines.scan(text)
  let profile: SimilarText.Profile | undefined
  return { lines, index: LineIndex.of(lines), profile: () => profile ??= SimilarText.profile(lines) }
}

const grades: ReadonlyArray<Strategy> = ["exact", "trailing-whitespace", "whitespace", "look-alike"]

/** What a line is compared by, one rule after another. */
const forms: ReadonlyArray<(line: string) => string> = [(line) => line, (line) => line.trimEnd(), (line) => line.trim(), normalizeLine]

/** Steps 1 to 3. O(search + places × search, and never more than search + file). */
export const locateByRule = (target: Target, search: ReadonlyArray<string>): LocateResult => {
  const places = matchesByRule(target, search)
  if (places.length > 0) return { places, search }
  const bare = Indent.strip(search)
  if (bare === undefined) return { places, search }
  const matches = matchesByRule(target, bare.lines).map((place): Place => ({ ...place, strategy: "look-alike" }))
  return matches.length > 0 ? { places: matches, search: bare.lines, firstNumber: bare.first } : { places, search }
}

/** All five steps; `threshold` is the least similarity of the last. */
export const locate = (target: Target, search: ReadonlyArray<string>, threshold = 0.9): LocateResult => {
  const byRule = locateByRule(target, search)
  if (byRule.places.length > 0) return byRule
  const anchorPlaces = anchors(target, search)
  return { places: anchorPlaces.length > 0 ? anchorPlaces : similar(target, search, threshold), search }
}

const matchesByRule = (target: Target, search: ReadonlyArray<string>): Array<Place> => {
  const folded = search.map(normalizeLine)
  const starts = LineIndex.find(target.index, folded.map(hash))
  if (starts.length * search.length > 4 * (target.lines.count + search.length)) return matchesBySweep(target.lines, search)
  const levels = starts.map((start) => grade(target.lines, start, search, folded))
  const best = levels.reduce((min, level) => Math.min(min, level), grades.length)
  const strategy = grades[best]
  return strategy === undefined ? [] : starts.filter((_, i) => levels[i] === best).map((start) => ({ start, strategy, confidence: 1 }))
}

/** The same for a text that occurs in so many places that comparing it with each would cost their product. */
const matchesBySweep = (lines: Lines.Lines, search: ReadonlyArray<string>): Array<Place> => {
  const texts = Lines.slice(lines, 0, lines.count)
  for (const [level, form] of forms.entries()) {
    const numbers = new Map<string, number>()
    const number = (line: string): number => {
      const key = form(line)
      const id = numbers.get(key) ?? numbers.size
      numbers.set(key, id)
      return id
    }
    const starts = LineIndex.sweep(Int32Array.from(texts, number), lines.count, search.map(number))
    if (starts.length > 0) return starts.map((start) => ({ start, strategy: grades[level]!, confidence: 1 }))
  }
  return []
}

/** The strictest rule under which the lines agree, as an index into `grades`; past its end if their hashes collided. */
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

const gradeLine = (lines: Lines.Lines, line: number, expected: string, folded: string): number => {
  const from = lines.starts[line]!
  const to = Lines.end(lines, line)
  if (to - from === expected.length && lines.text.startsWith(expected, from)) return 0
  const actual = lines.text.slice(from, to)
  if (actual.trimEnd() === expected.trimEnd()) return 1
  if (actual.trim() === expected.trim()) return 2
  return normalizeLine(actual) === folded ? 3 : grades.length
}

/** Step 4: the first and the last of three or more lines agree when folded, and the middle is 60% similar. */
const anchors = ({ index, lines }: Target, search: ReadonlyArray<string>): Array<Place> => {
  if (search.length < 3) return []
  const first = normalizeLine(search[0]!)
  const last = normalizeLine(search.at(-1)!)
  const lastKey = hash(last)
  const middle = search.slice(1, -1).map((line) => line.trim())
  const places: Array<Place> = []
  for (const start of LineIndex.occurrences(index, first)) {
    const final = start + search.length - 1
    if (final >= lines.count || lines.keys[final] !== lastKey) continue
    if (normalizeLine(Lines.at(lines, final)) !== last) continue
    const confidence = similarity(middle, Lines.slice(lines, start + 1, final).map((line) => line.trim()))
    if (confidence >= 0.6) places.push({ start, strategy: "anchors", confidence })
  }
  return places
}

/** Step 5: the most similar window; several if none is clearly best, so that they can be reported. */
const similar = (target: Target, search: ReadonlyArray<string>, threshold: number): Array<Place> =>
  SimilarText.best(target.profile(), search, threshold, bestWindowStart(target.index, search))
    .map(({ similarity, start }): Place => ({ start, strategy: "similar", confidence: similarity }))
    .sort((a, b) => a.start - b.start)
