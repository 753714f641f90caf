/** Strings of JSON, and of sloppy substitutes. */
import { type Mode, type State, note, noteOnce, put, recordGrowth } from "./JsonState.ts"
import * as TextBuffer from "../TextBuffer.ts"

// Property names, which repeat. Engines keep one text for each name that is used as a key, and look it up again for
// every copy that was cut out of another text; so the most recent names are cached, each as the engine's own.

/** The cache of names: a limited number of slots, and longer names are not worth it. */
const slotCount = 64
const maxLength = 64
const names: Array<string> = Array.from({ length: slotCount }, () => "")

/** The same name, as the engine stores it if it was seen before. O(name). */
export const intern = (name: string): string => {
  if (name.length > maxLength) return name
  const slot = (name.length * 7 + name.charCodeAt(0)) % slotCount || 0
  const stored = names[slot]!
  return stored === name ? stored : names[slot] = Object.keys({ [name]: name })[0]!
}

const QUOTE = 34
const APOSTROPHE = 39
const BACKSLASH = 92

/** A string begins at its quote; after it, `next` continues. */
export const open = (state: State, at: number, quote: typeof QUOTE | typeof APOSTROPHE, isKey: boolean, next: Mode): number => {
  if (quote === APOSTROPHE) note(state, at, "single quotes read")
  state.quote = quote
  state.isKey = isKey
  state.delta = ""
  if (!isKey) TextBuffer.clear(state.text)
  state.next = next
  state.mode = stringBody
  return at + 1
}

/** What a letter after a backslash means, by unit; `u` and unknown letters have modes of their own. */
const escapes: ReadonlyMap<number, string> = new Map(
  Object.entries({ "\"": "\"", "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" })
    .map(([letter, character]) => [letter.charCodeAt(0), character])
)

/** What ends a run of plain characters, by the quote that ends the string. */
const stops = {
  [QUOTE]: /["\\\u0000-\u001f]/g,
  [APOSTROPHE]: /['\\\u0000-\u001f]/g
}

/** Inside quotes: runs of plain characters are copied, and escapes in between are decoded. */
const stringBody: Mode = (state, text, at) => {
  const stop = stops[state.quote]
  let from = at
  while (from < text.length) {
    stop.lastIndex = from
    const to = stop.test(text) ? stop.lastIndex - 1 : text.length
    if (to > from) state.delta += text.slice(from, to)
    if (to === text.length) return to
    const unit = text.charCodeAt(to)
    if (unit === state.quote) {
      close(state)
      return to + 1
    }
    if (unit === BACKSLASH) {
      const character = to + 1 < text.length ? escapes.get(text.charCodeAt(to + 1)) : undefined
      if (character === undefined) {
        state.mode = escape
        return to + 1
      }
      state.delta += character
      from = to + 2
    } else {
      noteOnce(state, to, "raw control character kept")
      state.delta += text[to]
      from = to + 1
    }
  }
  return from
}

const close = (state: State): void => {
  if (state.isKey) {
    state.frame!.key = intern(state.delta)
    state.delta = ""
  } else {
    publish(state, state.delta)
  }
  state.mode = state.next
}

/** The string grew by `delta`: the value so far is updated. */
const publish = (state: State, delta: string): void => {
  TextBuffer.append(state.text, delta)
  put(state, TextBuffer.text(state.text))
  recordGrowth(state, delta)
}

/** After a backslash that ends a piece, or begins an unknown escape. */
const escape: Mode = (state, text, at) => {
  const letter = text[at]!
  if (letter === "u") {
    state.digits = ""
    state.mode = unicode
    return at + 1
  }
  const character = escapes.get(letter.charCodeAt(0))
  if (character === undefined) noteOnce(state, at, "unknown escape read as its letter")
  state.delta += character ?? letter
  state.mode = stringBody
  return at + 1
}

/** After `\u`. */
const unicode: Mode = (state, text, at) => {
  let i = at
  while (i < text.length && state.digits.length < 4 && isHex(text.charCodeAt(i))) state.digits += text[i++]
  if (state.digits.length === 4) {
    state.delta += String.fromCharCode(parseInt(state.digits, 16))
    state.mode = stringBody
  } else if (i < text.length) {
    note(state, i, "broken escape kept as text")
    state.delta += `\\u${state.digits}`
    state.mode = stringBody
  }
  return i
}

const isHex = (unit: number): boolean => unit >= 48 && unit <= 57 || unit >= 97 && unit <= 102 || unit >= 65 && unit <= 70

/** Publishes the open string so far, at the end of a push; half a surrogate pair waits for its other half. */
export const publishPartial = (state: State): void => {
  if (!isOpen(state) || state.isKey) return
  const { delta } = state
  if (isHighSurrogate(delta.charCodeAt(delta.length - 1))) {
    publish(state, delta.slice(0, -1))
    state.delta = delta.slice(-1)
  } else {
    publish(state, delta)
    state.delta = ""
  }
}

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800

/** A string is open. */
export const isOpen = (state: State): boolean => state.mode === stringBody || state.mode === escape || state.mode === unicode

/** The text ends within the string, and half a surrogate pair at its end is dropped. */
export const closeTruncated = (state: State): void => {
  if (state.delta !== "" || state.mode !== stringBody) note(state, 0, "half a character dropped")
  note(state, 0, "string closed")
}
