/** The part of a file most like a text that was not found: what a model needs to see to mend its block. */
import type { Nearest } from "./EditError.ts"
import * as Lines from "./Lines.ts"
import type { Target } from "./Locate.ts"
import { mostShared } from "./SharedLines.ts"
import * as Similar from "./SimilarText.ts"
import { similarity } from "./Similarity.ts"

/** Windows beyond this count are not measured one by one. */
const many = 200_000

/**
 * The window that shares the most text with the search lines, at the same distance from its start; where none shares a
 * line, the most similar one of a file that is not huge, if it is half alike. O(search + occurrences), else one scan.
 */
export const nearest = (target: Target, search: ReadonlyArray<string>): Nearest | undefined => {
  const { lines } = target
  if (search.length === 0 || lines.count === 0) return undefined
  const start = mostShared(target.index, search) ?? mostSimilar(target, search)
  if (start === undefined) return undefined
  const found = Lines.slice(lines, start, Math.min(lines.count, start + search.length))
  const padded = search.map((_, i) => (found[i] ?? "").trim())
  return {
    startLine: start + 1,
    endLine: start + found.length,
    similarity: Math.round(1000 * similarity(search.map((line) => line.trim()), padded)) / 1000,
    diff: contrast(search, found)
  }
}

const mostSimilar = (target: Target, search: ReadonlyArray<string>): number | undefined =>
  target.lines.count * search.length > many ? undefined : Similar.best(target.profile(), search, 0.5)[0]?.start

const shown = 20
const width = 200

/** Line against line, cut to what fits a message. */
const contrast = (expected: ReadonlyArray<string>, found: ReadonlyArray<string>): string => {
  const told = expected.slice(0, shown).flatMap((line, i) => {
    const there = found[i]
    if (line === there) return [`  ${cut(line)}`]
    return [`- ${cut(line)}`, ...(there === undefined ? [] : [`+ ${cut(there)}`])]
  })
  const rest = expected.length - shown
  return [...told, ...(rest > 0 ? [`  … ${rest} more lines`] : [])].join("\n")
}

const cut = (line: string): string => line.length > width ? `${line.slice(0, width)}…` : line
