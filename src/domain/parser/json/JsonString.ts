/** Strings of JSON, and of what is sloppily written as one. */
import { grew, type Mode, note, noteOnce, put, type State } from "./JsonState.ts"
import * as Names from "../Names.ts"
import * as Rope from "../TextBuffer.ts"

const QUOTE = 34
const APOSTROPHE = 39
const BACKSLASH = 92

/** A string begins at its quote; behind it, `next` reads on. */
export const open = (state: State, at: number, quote: typeof QUOTE | typeof APOSTROPHE, isKey: boolean, next: Mode): number => {
  if (quote === APOSTROPHE) note(state, at, "single quotes read")
  state.quote = quote
  state.isKey = isKey
  state.news = ""
  if (!isKey) Rope.clear(state.text)
  state.next = next
  state.mode = inside
  return at + 1
}

/** What a letter behind a backslash means, by unit; `u` and those that mean nothing have a mode of their own. */
const escapes: ReadonlyMap<number, string> = new Map(
  Object.entries({ "\"": "\"", "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" })
    .map(([letter, meant]) => [letter.charCodeAt(0), meant])
)

/** What ends a run of plain characters, by the quote that ends the string. */
const stops = {
  [QUOTE]: /["\\\u0000-\u001f]/g,
  [APOSTROPHE]: /['\\\u0000-\u001f]/g
}

/** Inside quotes: runs of plain characters are taken as they stand, and what a backslash means in between. */
const inside: Mode = (state, text, at) => {
  const stop = stops[state.quote]
  let from = at
  while (from < text.length) {
    stop.lastIndex = from
    const to = stop.test(text) ? stop.lastIndex - 1 : text.length
    if (to > from) state.news += text.slice(from, to)
    if (to === text.length) return to
    const unit = text.charCodeAt(to)
    if (unit === state.quote) {
      close(state)
      return to + 1
    }
    if (unit === BACKSLASH) {
      const meant = to + 1 < text.length ? escapes.get(text.charCodeAt(to + 1)) : undefined
      if (meant === undefined) {
        state.mode = escape
        return to + 1
      }
      state.news += meant
      from = to + 2
    } else {
      noteOnce(state, to, "raw control character kept")
      state.news += text[to]
      from = to + 1
    }
  }
  return from
}

const close = (state: State): void => {
  if (state.isKey) {
    state.frame!.key = Names.known(state.news)
    state.news = ""
  } else {
    tell(state, state.news)
  }
  state.mode = state.next
}

/** The string grew by `news`: the value so far is put in its place. */
const tell = (state: State, news: string): void => {
  Rope.append(state.text, news)
  put(state, Rope.text(state.text))
  grew(state, news)
}

/** Behind a backslash that a piece ends with, or that means nothing known. */
const escape: Mode = (state, text, at) => {
  const letter = text[at]!
  if (letter === "u") {
    state.digits = ""
    state.mode = unicode
    return at + 1
  }
  const meant = escapes.get(letter.charCodeAt(0))
  if (meant === undefined) noteOnce(state, at, "unknown escape read as its letter")
  state.news += meant ?? letter
  state.mode = inside
  return at + 1
}

/** Behind `\u`. */
const unicode: Mode = (state, text, at) => {
  let i = at
  while (i < text.length && state.digits.length < 4 && isHex(text.charCodeAt(i))) state.digits += text[i++]
  if (state.digits.length === 4) {
    state.news += String.fromCharCode(parseInt(state.digits, 16))
    state.mode = inside
  } else if (i < text.length) {
    note(state, i, "broken escape kept as text")
    state.news += `\\u${state.digits}`
    state.mode = inside
  }
  return i
}

const isHex = (unit: number): boolean =>
  unit >= 48 && unit <= 57 || unit >= 97 && unit <= 102 || unit >= 65 && unit <= 70

/** Shows how far the open string has come, at the end of a push; half a surrogate pair waits for its other half. */
export const show = (state: State): void => {
  if (!isOpen(state) || state.isKey) return
  const { news } = state
  if (isHighSurrogate(news.charCodeAt(news.length - 1))) {
    tell(state, news.slice(0, -1))
    state.news = news.slice(-1)
  } else {
    tell(state, news)
    state.news = ""
  }
}

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800

/** A string is open. */
export const isOpen = (state: State): boolean =>
  state.mode === inside || state.mode === escape || state.mode === unicode

/** The text ends within the string, and half a surrogate pair at its end is dropped. */
export const closeCut = (state: State): void => {
  if (state.news !== "" || state.mode !== inside) note(state, 0, "half a character dropped")
  note(state, 0, "string closed")
}
