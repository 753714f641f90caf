/** The part of a file most similar to a text without a match: what a model needs to see to fix its block. */
import type { Nearest } from "./EditError.ts"
import * as Lines from "./Lines.ts"
import type { Target } from "./Locate.ts"
import { bestWindowStart } from "./SharedLines.ts"
import * as SimilarText from "./SimilarText.ts"
import { similarity } from "./Similarity.ts"

/** The number of windows up to which each is measured individually. */
const maxCells = 200_000

/**
 * The window that shares the most text with the search lines, at the same distance from its start; if none shares a line, the most
 * similar one of a moderately sized file, if it is at least half alike. O(search + occurrences), else one scan.
 */
export const nearestText = (target: Target, search: ReadonlyArray<string>): Nearest | undefined => {
  const { lines } = target
  if (search.length === 0 || lines.count === 0) return undefined
  const start = bestWindowStart(target.index, search) ?? mostSimilar(target, search)
  if (start === undefined) return undefined
  const fileLines = Lines.slice(lines, start, Math.min(lines.count, start + search.length))
  const padded = search.map((_, i) => (fileLines[i] ?? "").trim())
  return {
    startLine: start + 1,
    endLine: start + fileLines.length,
    similarity: Math.round(1000 * similarity(search.map((line) => line.trim()), padded)) / 1000,
    diff: compareLines(search, fileLines)
  }
}

const mostSimilar = (target: Target, search: ReadonlyArray<string>): number | undefined =>
  target.lines.count * search.length > maxCells ? undefined : SimilarText.best(target.profile(), search, 0.5)[0]?.start

const maxLines = 20
const maxWidth = 200

/** Line by line, cut to what fits a message. */
const compareLines = (expected: ReadonlyArray<string>, actual: ReadonlyArray<string>): string => {
  const lines = expected.slice(0, maxLines).flatMap((line, i) => {
    const actualLine = actual[i]
    if (line === actualLine) return [`  ${truncate(line)}`]
    return [`- ${truncate(line)}`, ...(actualLine === undefined ? [] : [`+ ${truncate(actualLine)}`])]
  })
  const rest = expected.length - maxLines
  return [...lines, ...(rest > 0 ? [`  … ${rest} more lines`] : [])].join("\n")
}

const truncate = (line: string): string => line.length > maxWidth ? `${line.slice(0, maxWidth)}…` : line
