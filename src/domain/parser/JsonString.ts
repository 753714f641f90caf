/** Strings of JSON, and of what is sloppily written as one. */
import { type Mode, note, noteOnce, put, type State, tell } from "./JsonState.ts"
import * as Rope from "./Rope.ts"

const APOSTROPHE = 39
const BACKSLASH = 92

/** A string begins at its quote; behind it, `next` reads on. */
export const open = (state: State, at: number, quote: number, isKey: boolean, next: Mode): number => {
  if (quote === APOSTROPHE) note(state, at, "single quotes read")
  state.quote = quote
  state.isKey = isKey
  Rope.clear(state.text)
  state.half = ""
  state.news = ""
  state.next = next
  state.mode = inside
  return at + 1
}

/** Inside quotes. */
const inside: Mode = (state, text, at) => {
  const quote = state.quote
  let i = at
  for (; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit > BACKSLASH) continue
    if (unit === quote || unit === BACKSLASH) break
    if (unit < 32) noteOnce(state, i, "raw control character kept")
  }
  if (i > at) append(state, text.slice(at, i))
  if (i === text.length) return i
  if (text.charCodeAt(i) === BACKSLASH) state.mode = escape
  else close(state)
  return i + 1
}

/** Appends to the string; half a surrogate pair waits for its other half. */
const append = (state: State, piece: string): void => {
  const whole = state.half + piece
  const cut = whole.length - (isHighSurrogate(whole) ? 1 : 0)
  state.half = whole.slice(cut)
  grow(state, whole.slice(0, cut))
}

const isHighSurrogate = (text: string): boolean => (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800

const grow = (state: State, piece: string): void => {
  if (piece === "") return
  Rope.append(state.text, piece)
  if (!state.isKey) state.news += piece
}

const close = (state: State): void => {
  grow(state, state.half)
  if (state.isKey) {
    state.frame!.key = Rope.text(state.text)
  } else {
    put(state, Rope.text(state.text))
    tell(state)
  }
  state.mode = state.next
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["\"", "\""],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"]
])

/** Behind a backslash. */
const escape: Mode = (state, text, at) => {
  const letter = text[at]!
  if (letter === "u") {
    state.digits = ""
    state.mode = unicode
    return at + 1
  }
  const meant = escapes.get(letter)
  if (meant === undefined) noteOnce(state, at, "unknown escape read as its letter")
  append(state, meant ?? letter)
  state.mode = inside
  return at + 1
}

/** Behind `\u`. */
const unicode: Mode = (state, text, at) => {
  let i = at
  while (i < text.length && state.digits.length < 4 && isHex(text.charCodeAt(i))) state.digits += text[i++]
  if (state.digits.length === 4) {
    append(state, String.fromCharCode(parseInt(state.digits, 16)))
    state.mode = inside
  } else if (i < text.length) {
    note(state, i, "broken escape kept as text")
    append(state, `\\u${state.digits}`)
    state.mode = inside
  }
  return i
}

const isHex = (unit: number): boolean =>
  unit >= 48 && unit <= 57 || unit >= 97 && unit <= 102 || unit >= 65 && unit <= 70

/** Shows how far the open string has come, at the end of a push. */
export const show = (state: State): void => {
  if (!isOpen(state) || state.isKey) return
  put(state, Rope.text(state.text))
  tell(state)
}

/** A string is open. */
export const isOpen = (state: State): boolean =>
  state.mode === inside || state.mode === escape || state.mode === unicode

/** The text ends within the string, and half a surrogate pair at its end is dropped. */
export const closeCut = (state: State): void => {
  if (state.half !== "" || state.mode !== inside) note(state, 0, "half a character dropped")
  note(state, 0, "string closed")
  put(state, Rope.text(state.text))
}
