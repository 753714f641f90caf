/**
 * The value of one parameter while it arrives. What is shown is never taken back, so white space (or the one newline)
 * that the end of the value would remove is held back until something follows it.
 */
import * as TextBuffer from "../TextBuffer.ts"
import * as Whitespace from "../Whitespace.ts"

export interface Value {
  readonly raw: boolean
  /** The certain part. */
  readonly text: TextBuffer.TextBuffer
  /** The part of `text` that has not been emitted yet. */
  delta: string
  /** What is removed if the value ends here. */
  pending: string
  hasStarted: boolean
}

export const initial = (raw: boolean): Value => ({ raw, text: TextBuffer.empty(), delta: "", pending: "", hasStarted: false })

/** Appends input. */
export const push = (value: Value, piece: string): void => {
  if (piece !== "") (value.raw ? pushRaw : pushTrimmed)(value, piece)
}

/** A trimmed value: white space at either edge is dropped. */
const pushTrimmed = (value: Value, piece: string): void => {
  const from = value.hasStarted ? 0 : Whitespace.skip(piece, 0)
  if (from === piece.length) return
  const to = Whitespace.trailingStart(piece)
  value.hasStarted = true
  if (to > from) {
    appendText(value, value.pending + piece.slice(from, to))
    value.pending = ""
  }
  value.pending += piece.slice(Math.max(from, to))
}

/** A raw value: one newline at either edge is dropped. */
const pushRaw = (value: Value, piece: string): void => {
  const text = value.pending + piece
  const from = value.hasStarted ? 0 : leadingNewline(text)
  if (from === undefined) {
    value.pending = text
    return
  }
  value.hasStarted = true
  const to = Math.max(from, trailingNewline(text))
  value.pending = text.slice(to)
  appendText(value, text.slice(from, to))
}

/** The value ends here: a lone carriage return was not a newline after all. */
export const end = (value: Value): void => {
  if (value.pending === "\r" && value.raw) appendText(value, "\r")
  value.pending = ""
}

const appendText = (value: Value, text: string): void => {
  if (text === "") return
  TextBuffer.append(value.text, text)
  value.delta += text
}

/** The length of the newline at the start of `text`; unknown after half a CRLF. */
const leadingNewline = (text: string): number | undefined =>
  text.startsWith("\n") ? 1 : text.startsWith("\r\n") ? 2 : text === "\r" ? undefined : 0

/** Where the newline at the end of `text`, or the first half of one, begins. */
const trailingNewline = (text: string): number =>
  text.length - (text.endsWith("\r\n") ? 2 : text.endsWith("\n") || text.endsWith("\r") ? 1 : 0)
