/** A file written as a whole: created, or replaced from its first line to its last. */
import type { Hunk } from "./Edit.ts"
import { countLines } from "./Lines.ts"

/** A file that had content keeps its byte order mark and its line endings; a new one uses those of its content. */
export const replaceContent = (
  oldText: string,
  newText: string
): { readonly content: string; readonly hunks: ReadonlyArray<Hunk>; readonly warnings: ReadonlyArray<string> } => {
  const byteOrderMark = oldText.startsWith("\ufeff") && !newText.startsWith("\ufeff") ? "\ufeff" : ""
  const newline = oldText.indexOf("\n")
  const content = byteOrderMark + (newline < 0 ? newText : newText.replace(/\r?\n/g, oldText[newline - 1] === "\r" ? "\r\n" : "\n"))
  const oldLines = countLines(oldText)
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
