/** Replaces exact ranges of characters, and reports which lines that changed. */
import type { Hunk } from "./Edit.ts"
import { countNewlines } from "./Lines.ts"
import type { ApplyResult } from "./Update.ts"

/** The characters `[start, end)` are replaced by `text`. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The splices are sorted and disjoint. O(content + splices). */
export const splice = (content: string, splices: ReadonlyArray<Splice>): ApplyResult => {
  const hunks: Array<Hunk> = []
  let result = ""
  let copyStart = 0
  let line = 0
  let lineOffset = 0
  const newlinesTo = newlineCounter(content)
  for (const { end, start, text } of splices) {
    line += newlinesTo(start)
    result += content.slice(copyStart, start) + text
    const rest = isWholeLines(content, start, end, text) ? 0 : 1
    const newlines = newlinesTo(end)
    const oldLines = newlines + rest
    const newLines = countNewlines(text, 0, text.length) + rest
    hunks.push({
      oldStart: oldLines === 0 ? line : line + 1,
      oldLines,
      newStart: newLines === 0 ? line + lineOffset : line + lineOffset + 1,
      newLines,
      strategy: "exact"
    })
    lineOffset += newLines - oldLines
    line += newlines
    copyStart = end
  }
  return { content: result + content.slice(copyStart), hunks: joinHunks(hunks), warnings: [] }
}

/** Counts the newlines from the last offset to this one; the text is searched once. */
export const newlineCounter = (text: string): (to: number) => number => {
  let next = text.indexOf("\n")
  return (to) => {
    let count = 0
    for (; next >= 0 && next < to; next = text.indexOf("\n", next + 1)) count++
    return count
  }
}

/** Whether lines are replaced by lines, so that no partial line is affected. */
const isWholeLines = (content: string, start: number, end: number, text: string): boolean =>
  isLineStart(content, start) && isLineStart(content, end) && (text === "" || text.endsWith("\n"))

const isLineStart = (content: string, offset: number): boolean =>
  offset === 0 || content[offset - 1] === "\n" || offset === 1 && content[0] === "\ufeff"

/** Several places on one line are one change of that line. */
const joinHunks = (hunks: ReadonlyArray<Hunk>): ReadonlyArray<Hunk> => {
  const result: Array<Hunk> = []
  for (const next of hunks) {
    const last = result.at(-1)
    if (last === undefined || next.oldLines === 0 || next.oldStart >= last.oldStart + last.oldLines) {
      result.push(next)
    } else {
      result[result.length - 1] = {
        ...last,
        oldLines: last.oldLines + next.oldLines - 1,
        newLines: last.newLines + next.newLines - 1
      }
    }
  }
  return result
}
