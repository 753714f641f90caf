/** Replaces ranges of characters, to the character, and tells which lines that changed. */
import type { Hunk } from "./Edit.ts"
import { countNewlines } from "./Lines.ts"
import type { Applied } from "./Update.ts"

/** The characters `[start, end)` give way to `text`. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The splices are sorted and apart. O(content + splices). */
export const splice = (content: string, splices: ReadonlyArray<Splice>): Applied => {
  const hunks: Array<Hunk> = []
  let made = ""
  let copied = 0
  let line = 0
  let grown = 0
  const newlinesTo = newlineCounter(content)
  for (const { end, start, text } of splices) {
    line += newlinesTo(start)
    made += content.slice(copied, start) + text
    const rest = isWholeLines(content, start, end, text) ? 0 : 1
    const newlines = newlinesTo(end)
    const oldLines = newlines + rest
    const newLines = countNewlines(text, 0, text.length) + rest
    hunks.push({
      oldStart: oldLines === 0 ? line : line + 1,
      oldLines,
      newStart: newLines === 0 ? line + grown : line + grown + 1,
      newLines,
      strategy: "exact"
    })
    grown += newLines - oldLines
    line += newlines
    copied = end
  }
  return { content: made + content.slice(copied), hunks: joined(hunks), warnings: [] }
}

/** Counts the newlines from where it was last asked up to an offset; the text is searched once. */
export const newlineCounter = (text: string): (to: number) => number => {
  let next = text.indexOf("\n")
  return (to) => {
    let count = 0
    for (; next >= 0 && next < to; next = text.indexOf("\n", next + 1)) count++
    return count
  }
}

/** Whether lines are replaced by lines, so that no rest of a line is drawn in. */
const isWholeLines = (content: string, start: number, end: number, text: string): boolean =>
  isLineStart(content, start) && isLineStart(content, end) && (text === "" || text.endsWith("\n"))

const isLineStart = (content: string, offset: number): boolean =>
  offset === 0 || content[offset - 1] === "\n" || offset === 1 && content[0] === "\ufeff"

/** Several places on one line are one change of that line. */
const joined = (hunks: ReadonlyArray<Hunk>): ReadonlyArray<Hunk> => {
  const made: Array<Hunk> = []
  for (const next of hunks) {
    const last = made.at(-1)
    if (last === undefined || next.oldLines === 0 || next.oldStart >= last.oldStart + last.oldLines) {
      made.push(next)
    } else {
      made[made.length - 1] = {
        ...last,
        oldLines: last.oldLines + next.oldLines - 1,
        newLines: last.newLines + next.newLines - 1
      }
    }
  }
  return made
}
