/**
 * Writes a file anew from line edits, in order, copying what lies between. The writer is a small value, so that a
 * preview can go on from any point; texts are joined by reference, so that each step costs what it adds.
 */
import * as Lines from "./Lines.ts"

/** Lines `[start, end)` give way to `lines`. */
export interface LineEdit {
  readonly start: number
  readonly end: number
  readonly lines: ReadonlyArray<string>
}

/** Top to bottom; what is only added at a line goes before what replaces it. */
export const byStart = (a: LineEdit, b: LineEdit): number => a.start - b.start || a.end - b.end

export interface Writer {
  readonly text: string
  /** The next line of the file. */
  readonly at: number
  /** The last line written has no terminator, because it was the file's unended last. */
  readonly open: boolean
}

/** Before the first line: nothing, or the byte order mark. */
export const begin = ({ starts, text }: Lines.Lines): Writer => ({ text: text.slice(0, starts[0]), at: 0, open: false })

/** Copies the file's own lines up to `to`. */
export const copy = (writer: Writer, lines: Lines.Lines, to: number): Writer => {
  if (to <= writer.at) return writer
  const own = lines.text.slice(lines.starts[writer.at], lines.starts[to])
  return { text: ended(writer, lines) + own, at: to, open: to === lines.count && !lines.terminated }
}

/** Adds lines, ended as the file's are near there. */
export const add = (writer: Writer, lines: Lines.Lines, added: ReadonlyArray<string>): Writer => {
  if (added.length === 0) return writer
  const eol = Lines.terminator(lines, writer.at)
  let text = ended(writer, lines)
  for (const line of added) text += line + eol
  return { text, at: writer.at, open: false }
}

/** Leaves out the file's lines up to `to`. */
export const skip = (writer: Writer, to: number): Writer => ({ ...writer, at: Math.max(writer.at, to) })

/**
 * Copies the rest. The file ends with a newline if it did, unless the patch says otherwise.
 */
export const finish = (writer: Writer, lines: Lines.Lines, newline: boolean = lines.terminated): string => {
  const done = copy(writer, lines, lines.count)
  if (done.open) return newline ? ended(done, lines) : done.text
  return newline ? done.text : unended(done.text)
}

const unended = (text: string): string =>
  text.endsWith("\r\n") ? text.slice(0, -2) : text.endsWith("\n") ? text.slice(0, -1) : text

/** Applies edits that are sorted and apart. O(edits). */
export const rewrite = (lines: Lines.Lines, edits: ReadonlyArray<LineEdit>, newline?: boolean): string => {
  let writer = begin(lines)
  for (const edit of edits) writer = write(writer, lines, edit)
  return finish(writer, lines, newline)
}

export const write = (writer: Writer, lines: Lines.Lines, { end, lines: added, start }: LineEdit): Writer =>
  skip(add(copy(writer, lines, start), lines, added), end)

const ended = ({ at, open, text }: Writer, lines: Lines.Lines): string =>
  open ? text + Lines.terminator(lines, Math.max(0, at - 1)) : text
