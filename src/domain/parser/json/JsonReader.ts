/**
 * Reads JSON piece by piece, and whatever stands in for it: where the text is not JSON it makes a note and continues as
 * a reader would. Strict JSON is then any text without notes.
 */
import * as Comment from "./JsonComment.ts"
import * as Scalar from "./JsonScalar.ts"
import { recordGrowth, ignore, type Mode, note, noteOnce, put, type State, stop } from "./JsonState.ts"
import * as JsonString from "./JsonString.ts"
import * as Tree from "./JsonTree.ts"
import * as Whitespace from "../Whitespace.ts"

const QUOTE = 34
const APOSTROPHE = 39
const COMMA = 44
const SLASH = 47
const COLON = 58
const OPEN_ARRAY = 91
const CLOSE_ARRAY = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

const isJsonWhitespace = (unit: number): boolean => unit === 32 || unit === 10 || unit === 13 || unit === 9

/** The reader that continues after a value. */
const modeAfterValue = (state: State): Mode => state.frame === undefined ? trailing : afterValue

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

/** Closes by the real stack: up to the innermost container of the kind, or not at all. */
const closeContainer = (state: State, at: number, isArray: boolean): number => {
  const frame = state.frame?.isArray === isArray ? state.frame : state.frame?.otherKind
  if (frame === undefined) {
    noteOnce(state, at, "close without an open skipped")
    return at + 1
  }
  if (frame !== state.frame) note(state, at, "missing close added")
  else if (frame.hasTrailingComma) note(state, at, "trailing comma dropped")
  state.frame = frame.parent
  state.mode = modeAfterValue(state)
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
    if (isJsonWhitespace(unit)) continue
    const frame = state.frame
    switch (unit) {
      case COMMA:
        if (frame === undefined) break
        if (frame.isArray) noteOnce(state, i, "comma without a value dropped")
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
        return Comment.open(state, i)
    }
    if (frame !== undefined) frame.hasTrailingComma = false
    switch (unit) {
      case QUOTE:
      case APOSTROPHE:
        return JsonString.open(state, i, unit, false, modeAfterValue(state))
      case OPEN_OBJECT:
        return openContainer(state, i, false)
      case OPEN_ARRAY:
        return openContainer(state, i, true)
    }
    if (Scalar.isTokenUnit(unit)) return openToken(state, i, scalar)
    if (frame === undefined && !Whitespace.isWhitespace(unit)) {
      note(state, i, "text before the value skipped")
      state.mode = prose
      return i
    }
    noteOnce(state, i, `${JSON.stringify(text[i])} skipped`)
  }
  return text.length
}

/** A key without a value is not a pair. */
const dropKey = (state: State, at: number): number => {
  note(state, at, "key without a value dropped")
  state.mode = afterValue
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
const afterValue: Mode = (state, text, at) => {
  for (let i = at; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (isJsonWhitespace(unit)) continue
    const frame = state.frame!
    switch (unit) {
      case COMMA:
        prepareNext(frame)
        frame.hasTrailingComma = true
        state.mode = frame.isArray ? value : key
        return i + 1
      case CLOSE_ARRAY:
        return closeContainer(state, i, true)
      case CLOSE_OBJECT:
        return closeContainer(state, i, false)
      case SLASH:
        return Comment.open(state, i)
    }
    if (startsValue(unit)) {
      note(state, i, "missing comma added")
      prepareNext(frame)
      state.mode = frame.isArray ? value : key
      return i
    }
    noteOnce(state, i, `${JSON.stringify(text[i])} skipped`)
  }
  return text.length
}

const prepareNext = (frame: Tree.Frame): void => {
  frame.key = frame.isArray ? (frame.container as ReadonlyArray<unknown>).length : undefined
}

const startsValue = (unit: number): boolean =>
  unit === QUOTE || unit === APOSTROPHE || unit === OPEN_OBJECT || unit === OPEN_ARRAY || Scalar.isTokenUnit(unit)

/** Before a key. */
const key: Mode = (state, text, at) => {
  for (let i = at; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (isJsonWhitespace(unit)) continue
    const frame = state.frame!
    switch (unit) {
      case QUOTE:
      case APOSTROPHE:
        frame.hasTrailingComma = false
        return JsonString.open(state, i, unit, true, colon)
      case CLOSE_OBJECT:
        return closeContainer(state, i, false)
      case CLOSE_ARRAY:
        return closeContainer(state, i, true)
      case SLASH:
        return Comment.open(state, i)
    }
    if (Scalar.isTokenUnit(unit)) {
      note(state, i, "bare key quoted")
      frame.hasTrailingComma = false
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
    if (isJsonWhitespace(unit)) continue
    if (unit === SLASH) return Comment.open(state, i)
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
    if (isJsonWhitespace(text.charCodeAt(i))) continue
    note(state, i, "text after the value skipped")
    state.mode = ignore
    break
  }
  return text.length
}

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

/** A word that is not a literal is a string without its quotes; outside of everything it is prose. */
const putScalar = (state: State, scalarValue: Scalar.Scalar | undefined): void => {
  const at = state.start - state.offset
  state.mode = modeAfterValue(state)
  if (scalarValue !== undefined) {
    if (scalarValue.repair !== undefined) note(state, at, scalarValue.repair)
    put(state, scalarValue.value)
  } else if (state.frame === undefined) {
    note(state, at, "text before the value skipped")
    state.mode = prose
  } else if (Scalar.isSign(state.token)) {
    note(state, at, "sign without a number dropped")
  } else {
    note(state, at, "bare word quoted")
    put(state, state.token)
    recordGrowth(state, state.token)
  }
}

/**
 * Ends the text here: closes what is open, by the real stack, and notes each repair. Returns how many of the notes
 * apply whatever may have followed.
 */
export const close = (state: State): number => {
  const mode = Comment.activeMode(state)
  const read = mode === scalar ? Scalar.readTruncated(state.token) : undefined
  const isWord = mode === scalar && read === undefined && !Scalar.isSign(state.token)
  if (isWord) putScalar(state, read)
  const certainNotes = state.notes.length
  if (mode === scalar && !isWord) putScalar(state, read)
  else if (JsonString.isOpen(state) && !state.isKey) JsonString.closeTruncated(state)
  else if (JsonString.isOpen(state) || mode === bareKey || mode === colon || isAfterColon(state, mode)) dropKey(state, 0)
  for (; state.frame !== undefined; state.frame = state.frame.parent) {
    if (state.frame.hasTrailingComma) note(state, 0, "trailing comma dropped")
    note(state, 0, state.frame.isArray ? "array closed" : "object closed")
  }
  return certainNotes
}

const isAfterColon = (state: State, mode: Mode): boolean => mode === value && state.frame?.isArray === false
