/**
 * Writes a file from line edits, in order, copying what lies between. The writer is a small value, so that a preview
 * can continue from any point; texts are joined by reference, so that each step costs what it adds.
 */
import * as Lines from "./Lines.ts"

/** Lines `[start, end)` are replaced by `lines`. */
export interface LineEdit {
  readonly start: number
  readonly end: number
  readonly lines: ReadonlyArray<string>
}

/** Top to bottom; insertions at a line come before its replacement. */
export const byStart = (a: LineEdit, b: LineEdit): number => a.start - b.start || a.end - b.end

export interface Writer {
  readonly text: string
  /** The next line of the file. */
  readonly at: number
  /** The last line written has no terminator, because it was the file's unterminated last line. */
  readonly isOpen: boolean
}

/** Before the first line: nothing, or the byte order mark. */
export const begin = ({ starts, text }: Lines.Lines): Writer => ({ text: text.slice(0, starts[0]), at: 0, isOpen: false })

/** Copies the file's own lines up to `to`. */
export const copy = (writer: Writer, lines: Lines.Lines, to: number): Writer => {
  if (to <= writer.at) return writer
  const sourceText = lines.text.slice(lines.starts[writer.at], lines.starts[to])
  return { text: terminatedText(writer, lines) + sourceText, at: to, isOpen: to === lines.count && !lines.isTerminated }
}

/** Adds lines, terminated like the file's lines nearby. */
export const add = (writer: Writer, lines: Lines.Lines, newLines: ReadonlyArray<string>): Writer => {
  if (newLines.length === 0) return writer
  const eol = Lines.terminator(lines, writer.at)
  let text = terminatedText(writer, lines)
  for (const line of newLines) text += line + eol
  return { text, at: writer.at, isOpen: false }
}

/** Skips the file's lines up to `to`. */
export const skip = (writer: Writer, to: number): Writer => ({ ...writer, at: Math.max(writer.at, to) })

/** Copies the rest. The file ends with a newline if it did before, unless the patch says otherwise. */
export const finish = (writer: Writer, lines: Lines.Lines, newline: boolean = lines.isTerminated): string => {
  const complete = copy(writer, lines, lines.count)
  if (complete.isOpen) return newline ? terminatedText(complete, lines) : complete.text
  return newline ? complete.text : withoutNewline(complete.text)
}

const withoutNewline = (text: string): string => text.endsWith("\r\n") ? text.slice(0, -2) : text.endsWith("\n") ? text.slice(0, -1) : text

/** Applies edits that are sorted and disjoint. O(edits). */
export const writeEdits = (lines: Lines.Lines, edits: ReadonlyArray<LineEdit>, newline?: boolean): string => {
  let writer = begin(lines)
  for (const edit of edits) writer = writeEdit(writer, lines, edit)
  return finish(writer, lines, newline)
}

export const writeEdit = (writer: Writer, lines: Lines.Lines, { end, lines: newLines, start }: LineEdit): Writer =>
  skip(add(copy(writer, lines, start), lines, newLines), end)

const terminatedText = ({ at, isOpen, text }: Writer, lines: Lines.Lines): string =>
  isOpen ? text + Lines.terminator(lines, Math.max(0, at - 1)) : text
