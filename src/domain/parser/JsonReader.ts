/**
 * Reads JSON piece by piece, and whatever comes in its place: where the text is not JSON it notes so and goes on as a
 * reader would. Strict JSON is then the text of which nothing had to be noted.
 */
import type * as Schema from "effect/Schema"
import * as Scalar from "./JsonScalar.ts"
import * as Tree from "./JsonTree.ts"
import * as White from "./White.ts"

/** What was done to the text, and where (UTF-16 units from its start). */
export interface Repair {
  readonly position: number
  readonly path: Tree.Path
  readonly what: string
}

/** A place in the value; its path is told when it is asked for. */
export interface Place {
  readonly frame: Tree.Frame | undefined
  readonly key: Tree.Frame["key"]
}

interface Note extends Place {
  readonly position: number
  readonly what: string
}

interface Growth extends Place {
  readonly text: string
}

export const path = ({ frame, key }: Place): Tree.Path => Tree.path(frame, key)

const here = ({ frame }: State): Place => ({ frame, key: frame?.key })

/** Reads from `at` and gives where it stopped; `at` itself only after a change of mode. */
export type Mode = (state: State, text: string, at: number) => number

export interface State {
  readonly maxDepth: number
  /** Reads on; what it finds decides what reads next. */
  mode: Mode
  /** Units before the piece that is being read. */
  offset: number
  root: Schema.Json | undefined
  frame: Tree.Frame | undefined
  readonly notes: Array<Note>
  /** The limit that stopped the reading. */
  stopped: { readonly reason: "depth" | "size"; readonly position: number; readonly place: Place } | undefined
  /** The string, number or word being read: a rope. */
  token: string
  start: number
  quote: number
  isKey: boolean
  /** The first half of a surrogate pair, which waits for the other. */
  half: string
  /** What of the string was not told yet, and which strings have grown in this push. */
  news: string
  grown: Array<Growth>
  /** The digits of a \u escape. */
  digits: string
  resume: Mode
}

const QUOTE = 34
const APOSTROPHE = 39
const STAR = 42
const COMMA = 44
const SLASH = 47
const COLON = 58
const OPEN_ARRAY = 91
const BACKSLASH = 92
const CLOSE_ARRAY = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

const isJsonWhite = (unit: number): boolean => unit === 32 || unit === 10 || unit === 13 || unit === 9

/** Says that the text is not JSON here. */
const note = (state: State, at: number, what: string): void => {
  state.notes.push({ ...here(state), position: state.offset + at, what })
}

/** As `note`, for what may stand in thousands: of one kind in one place, the first counts. */
const noteOnce = (state: State, at: number, what: string): void => {
  const last = state.notes.at(-1)
  if (last?.what !== what || last.frame !== state.frame || last.key !== state.frame?.key) note(state, at, what)
}

const put = (state: State, value: Schema.Json): void => {
  if (state.frame === undefined) state.root = value
  else Tree.put(state.frame, value)
}

/** What reads on after a value. */
const rest = (state: State): Mode => state.frame === undefined ? trailing : after

const openContainer = (state: State, at: number, isArray: boolean): number => {
  if (state.frame !== undefined && state.frame.depth >= state.maxDepth) {
    stop(state, "depth", at)
    return at + 1
  }
  const frame = Tree.open(state.frame, isArray)
  put(state, frame.container)
  state.frame = frame
  state.mode = isArray ? value : key
  return at + 1
}

/** Nothing is read any more. */
export const stop = (state: State, reason: "depth" | "size", at: number): void => {
  state.stopped ??= { reason, position: state.offset + at, place: here(state) }
  state.mode = ignore
}

/** Closes by the real stack: up to the innermost container of the kind, or not at all. */
const closeContainer = (state: State, at: number, isArray: boolean): number => {
  let frame = state.frame
  while (frame !== undefined && frame.isArray !== isArray) frame = frame.parent
  if (frame === undefined) {
    note(state, at, "close without an open skipped")
    return at + 1
  }
  if (frame !== state.frame) note(state, at, "missing close added")
  else if (frame.comma) note(state, at, "trailing comma dropped")
  state.frame = frame.parent
  state.mode = rest(state)
  return at + 1
}

const openString = (state: State, at: number, quote: number, isKey: boolean): number => {
  if (quote === APOSTROPHE) note(state, at, "single quotes read")
  state.quote = quote
  state.isKey = isKey
  state.token = ""
  state.half = ""
  state.mode = string
  return at + 1
}

const openToken = (state: State, at: number, mode: Mode): number => {
  state.token = ""
  state.start = state.offset + at
  state.mode = mode
  return at
}

/** Before a value. */
export const value: Mode = (state, text, at) => {
  for (let i = at; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (isJsonWhite(unit)) continue
    const frame = state.frame
    switch (unit) {
      case COMMA:
        if (frame === undefined) break
        if (frame.isArray) note(state, i, "comma without a value dropped")
        else return dropKey(state, i)
        continue
      case CLOSE_ARRAY:
        if (frame === undefined) break
        return closeContainer(state, i, true)
      case CLOSE_OBJECT:
        if (frame === undefined) break
        if (!frame.isArray) return dropKey(state, i)
        return closeContainer(state, i, false)
      case SLASH:
        return openComment(state, i)
    }
    if (frame !== undefined) frame.comma = false
    switch (unit) {
      case QUOTE:
      case APOSTROPHE:
        return openString(state, i, unit, false)
      case OPEN_OBJECT:
        return openContainer(state, i, false)
      case OPEN_ARRAY:
        return openContainer(state, i, true)
    }
    if (Scalar.isTokenUnit(unit)) return openToken(state, i, scalar)
    if (frame === undefined && !White.isWhite(unit)) {
      note(state, i, "text before the value skipped")
      state.mode = prose
      return i
    }
    noteOnce(state, i, `${JSON.stringify(text[i])} skipped`)
  }
  return text.length
}

/** A key without a value is no pair. */
const dropKey = (state: State, at: number): number => {
  note(state, at, "key without a value dropped")
  state.mode = after
  return at
}

/** Text around a value, up to the first object or array. */
const prose: Mode = (state, text, at) => {
  for (let i = at; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
      state.mode = value
      return i
    }
  }
  return text.length
}

/** After a value in a container. */
const after: Mode = (state, text, at) => {
  for (let i = at; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (isJsonWhite(unit)) continue
    const frame = state.frame!
    switch (unit) {
      case COMMA:
        next(frame)
        frame.comma = true
        state.mode = frame.isArray ? value : key
        return i + 1
      case CLOSE_ARRAY:
        return closeContainer(state, i, true)
      case CLOSE_OBJECT:
        return closeContainer(state, i, false)
      case SLASH:
        return openComment(state, i)
    }
    if (startsValue(unit)) {
      note(state, i, "missing comma added")
      next(frame)
      state.mode = frame.isArray ? value : key
      return i
    }
    noteOnce(state, i, `${JSON.stringify(text[i])} skipped`)
  }
  return text.length
}

const next = (frame: Tree.Frame): void => {
  frame.key = frame.isArray ? (frame.container as ReadonlyArray<Schema.Json>).length : undefined
}

const startsValue = (unit: number): boolean =>
  unit === QUOTE || unit === APOSTROPHE || unit === OPEN_OBJECT || unit === OPEN_ARRAY || Scalar.isTokenUnit(unit)

/** Before a key. */
const key: Mode = (state, text, at) => {
  for (let i = at; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (isJsonWhite(unit)) continue
    const frame = state.frame!
    switch (unit) {
      case QUOTE:
      case APOSTROPHE:
        frame.comma = false
        return openString(state, i, unit, true)
      case CLOSE_OBJECT:
        return closeContainer(state, i, false)
      case CLOSE_ARRAY:
        return closeContainer(state, i, true)
      case SLASH:
        return openComment(state, i)
    }
    if (Scalar.isTokenUnit(unit)) {
      note(state, i, "bare key quoted")
      frame.comma = false
      return openToken(state, i, bareKey)
    }
    noteOnce(state, i, `${JSON.stringify(text[i])} skipped`)
  }
  return text.length
}

/** Between a key and its value. */
const colon: Mode = (state, text, at) => {
  for (let i = at; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (isJsonWhite(unit)) continue
    if (unit === SLASH) return openComment(state, i)
    if (unit !== COLON) {
      if (unit === COMMA || unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) return dropKey(state, i)
      if (!startsValue(unit)) {
        noteOnce(state, i, `${JSON.stringify(text[i])} skipped`)
        continue
      }
      note(state, i, "missing colon added")
    }
    state.mode = value
    return unit === COLON ? i + 1 : i
  }
  return text.length
}

/** After the value: white space, if it is JSON. */
const trailing: Mode = (state, text, at) => {
  for (let i = at; i < text.length; i++) {
    if (isJsonWhite(text.charCodeAt(i))) continue
    note(state, i, "text after the value skipped")
    state.mode = ignore
    break
  }
  return text.length
}

const ignore: Mode = (_, text) => text.length

const bareKey: Mode = (state, text, at) => {
  const end = tokenEnd(state, text, at)
  if (end < text.length) {
    state.frame!.key = state.token
    state.mode = colon
  }
  return end
}

const tokenEnd = (state: State, text: string, at: number): number => {
  let end = at
  while (end < text.length && Scalar.isTokenUnit(text.charCodeAt(end))) end++
  state.token += text.slice(at, end)
  return end
}

const scalar: Mode = (state, text, at) => {
  const end = tokenEnd(state, text, at)
  if (end < text.length) putScalar(state, Scalar.read(state.token))
  return end
}

/** A word that is no literal is a string without its quotes; outside of everything it is prose. */
const putScalar = (state: State, read: Scalar.Scalar | undefined): void => {
  const at = state.start - state.offset
  state.mode = rest(state)
  if (read !== undefined) {
    if (read.repair !== undefined) note(state, at, read.repair)
    put(state, read.value)
  } else if (state.frame === undefined) {
    note(state, at, "text before the value skipped")
    state.mode = prose
  } else if (Scalar.isSign(state.token)) {
    note(state, at, "sign without a number dropped")
  } else {
    note(state, at, "bare word quoted")
    put(state, state.token)
    state.news = state.token
    tell(state)
  }
}

/** Inside quotes. */
const string: Mode = (state, text, at) => {
  const quote = state.quote
  let i = at
  for (; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === quote || unit === BACKSLASH) break
    if (unit < 32) noteOnce(state, i, "raw control character kept")
  }
  if (i > at) append(state, text.slice(at, i))
  if (i === text.length) return i
  if (text.charCodeAt(i) === BACKSLASH) state.mode = escape
  else closeString(state)
  return i + 1
}

/** Appends to the string; half a surrogate pair waits for its other half. */
const append = (state: State, piece: string): void => {
  const whole = state.half + piece
  const cut = whole.length - (isHighSurrogate(whole) ? 1 : 0)
  state.half = whole.slice(cut)
  grow(state, whole.slice(0, cut))
}

const grow = (state: State, piece: string): void => {
  state.token += piece
  if (!state.isKey) state.news += piece
}

const closeString = (state: State): void => {
  grow(state, state.half)
  if (state.isKey) {
    state.frame!.key = state.token
    state.mode = colon
  } else {
    put(state, state.token)
    tell(state)
    state.mode = rest(state)
  }
}

const tell = (state: State): void => {
  const { frame, news } = state
  if (news === "") return
  state.news = ""
  state.grown.push({ frame, key: frame?.key, text: news })
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
  state.mode = string
  return at + 1
}

/** Behind `\u`. */
const unicode: Mode = (state, text, at) => {
  let i = at
  while (i < text.length && state.digits.length < 4 && isHex(text.charCodeAt(i))) state.digits += text[i++]
  if (state.digits.length === 4) {
    append(state, String.fromCharCode(parseInt(state.digits, 16)))
    state.mode = string
  } else if (i < text.length) {
    note(state, i, "broken escape kept as text")
    append(state, `\\u${state.digits}`)
    state.mode = string
  }
  return i
}

const isHex = (unit: number): boolean =>
  unit >= 48 && unit <= 57 || unit >= 97 && unit <= 102 || unit >= 65 && unit <= 70

const openComment = (state: State, at: number): number => {
  note(state, at, "comment dropped")
  state.resume = state.mode
  state.mode = comment
  return at + 1
}

/** Behind the first slash. */
const comment: Mode = (state, text, at) => {
  const unit = text.charCodeAt(at)
  state.mode = unit === SLASH ? lineComment : unit === STAR ? blockComment : state.resume
  return unit === SLASH || unit === STAR ? at + 1 : at
}

const lineComment: Mode = (state, text, at) => {
  const end = text.indexOf("\n", at)
  if (end !== -1) state.mode = state.resume
  return end === -1 ? text.length : end + 1
}

const blockComment: Mode = (state, text, at) => {
  const end = text.indexOf("*", at)
  if (end !== -1) state.mode = star
  return end === -1 ? text.length : end + 1
}

/** Behind a star in a comment. */
const star: Mode = (state, text, at) => {
  const unit = text.charCodeAt(at)
  if (unit === STAR) return at + 1
  state.mode = unit === SLASH ? state.resume : blockComment
  return at + 1
}

/** Shows how far the open string has come, at the end of a push. */
export const show = (state: State): void => {
  if (!isInString(state) || state.isKey) return
  put(state, state.token)
  tell(state)
}

const isInString = (state: State): boolean =>
  state.mode === string || state.mode === escape || state.mode === unicode

const isHighSurrogate = (text: string): boolean => (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800

/**
 * Ends the text here: closes what is open, by the real stack, and notes each repair. Gives how many of the notes hold
 * whatever may have followed.
 */
export const close = (state: State): number => {
  const mode = comments.has(state.mode) ? state.resume : state.mode
  const read = mode === scalar ? Scalar.readCut(state.token) : undefined
  if (mode === scalar && read === undefined && !Scalar.isSign(state.token)) putScalar(state, read)
  const broken = state.notes.length
  if (isInString(state)) closeCutString(state)
  else if (state.mode === scalar) putScalar(state, read)
  else if (mode === bareKey || mode === colon || mode === value && state.frame?.isArray === false) dropKey(state, 0)
  for (; state.frame !== undefined; state.frame = state.frame.parent) {
    if (state.frame.comma) note(state, 0, "trailing comma dropped")
    note(state, 0, state.frame.isArray ? "array closed" : "object closed")
  }
  return broken
}

const comments: ReadonlySet<Mode> = new Set([comment, lineComment, blockComment, star])

const closeCutString = (state: State): void => {
  if (state.isKey) {
    dropKey(state, 0)
  } else {
    note(state, 0, "string closed")
    put(state, state.token)
  }
}
