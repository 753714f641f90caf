/** A file written as a whole: created, or replaced from its first line to its last. */
import type { Hunk } from "./Edit.ts"
import { countLines } from "./Lines.ts"

/** A file that had content keeps its byte order mark and its line endings; a new one has what its content says. */
export const whole = (
  before: string,
  after: string
): { readonly content: string; readonly hunks: ReadonlyArray<Hunk>; readonly warnings: ReadonlyArray<string> } => {
  const mark = before.startsWith("\ufeff") && !after.startsWith("\ufeff") ? "\ufeff" : ""
  const first = before.indexOf("\n")
  const content = mark + (first < 0 ? after : after.replace(/\r?\n/g, before[first - 1] === "\r" ? "\r\n" : "\n"))
  const oldLines = countLines(before)
  const newLines = countLines(content)
  return {
    content,
    hunks: [{
      oldStart: Math.min(1, oldLines),
      oldLines,
      newStart: Math.min(1, newLines),
      newLines,
      strategy: "whole"
    }],
    warnings: []
  }
}
