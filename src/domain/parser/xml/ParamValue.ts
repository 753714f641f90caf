/**
 * The value of one parameter while it arrives. What is shown is never taken back, so white space (or the one newline)
 * that the end of the value would cut away is held until something follows it.
 */
import * as Rope from "../TextBuffer.ts"
import * as White from "../Whitespace.ts"

export interface Value {
  readonly raw: boolean
  /** What is certain. */
  readonly text: Rope.Rope
  /** What of `text` has not been told yet. */
  news: string
  /** What is cut away if the value ends here. */
  held: string
  started: boolean
}

export const initial = (raw: boolean): Value => ({ raw, text: Rope.empty(), news: "", held: "", started: false })

/** Appends what was written. */
export const push = (value: Value, piece: string): void => {
  if (piece !== "") (value.raw ? pushRaw : pushTrimmed)(value, piece)
}

/** A trimmed value: white space at either edge is dropped. */
const pushTrimmed = (value: Value, piece: string): void => {
  const from = value.started ? 0 : White.skip(piece, 0)
  if (from === piece.length) return
  const to = White.trailing(piece)
  value.started = true
  if (to > from) {
    grow(value, value.held + piece.slice(from, to))
    value.held = ""
  }
  value.held += piece.slice(Math.max(from, to))
}

/** A raw value: one newline at either edge is dropped. */
const pushRaw = (value: Value, piece: string): void => {
  const text = value.held + piece
  const from = value.started ? 0 : leadingNewline(text)
  if (from === undefined) {
    value.held = text
    return
  }
  value.started = true
  const to = Math.max(from, trailingNewline(text))
  value.held = text.slice(to)
  grow(value, text.slice(from, to))
}

/** The value ends here: a lone carriage return was no newline after all. */
export const end = (value: Value): void => {
  if (value.held === "\r" && value.raw) grow(value, "\r")
  value.held = ""
}

const grow = (value: Value, text: string): void => {
  if (text === "") return
  Rope.append(value.text, text)
  value.news += text
}

/** The length of the newline at the start of `text`; unknown after half a CRLF. */
const leadingNewline = (text: string): number | undefined =>
  text.startsWith("\n") ? 1 : text.startsWith("\r\n") ? 2 : text === "\r" ? undefined : 0

/** Where the newline at the end of `text`, or the first half of one, begins. */
const trailingNewline = (text: string): number =>
  text.length - (text.endsWith("\r\n") ? 2 : text.endsWith("\n") || text.endsWith("\r") ? 1 : 0)
