/**
 * JSON as it streams: the arguments of native tool calls, which arrive as fragments. The best value so far can be
 * shown after every piece; what is executed is read strictly, and truncated arguments are never repaired and run.
 * See docs/formats/json-stream.md for the format.
 *
 * Linear: each unit is read a bounded number of times, however the text is cut; a string that grows is a rope, and
 * is not copied. For a complete valid text the value is exactly that of JSON.parse (RFC 8259), up to the limits.
 *
 * @example
 * const state = JsonStream.push(JsonStream.initial(), `{"path":"src/a.ts","text":"He`)
 * JsonStream.value(state) // { path: "src/a.ts", text: "He" }
 * JsonStream.grown(state) // [{ path: ["path"], text: "src/a.ts" }, { path: ["text"], text: "He" }]
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { JsonError } from "./JsonState.ts"
import * as JsonReader from "./JsonReader.ts"
import * as JsonState from "./JsonState.ts"
import * as JsonString from "./JsonString.ts"
import type { Path } from "./JsonTree.ts"
import * as TextBuffer from "../TextBuffer.ts"

export { JsonError } from "./JsonState.ts"
export type { Repair } from "./JsonState.ts"

/** `maxDepth`: levels of objects and arrays, 512 by default. `maxBytes`: of the text in UTF-8, unlimited by default. */
export interface Options {
  readonly maxDepth?: number
  readonly maxBytes?: number
}

/** Belongs to the step that receives it: use only the state that the last `push` returned. */
export interface State extends JsonState.State {
  /** Bytes that may still arrive. */
  remainingBytes: number
}

/** A complete value, and the repairs made to read it: none, if it was read strictly. */
export interface ParseResult {
  readonly value: Schema.Json
  readonly repairs: ReadonlyArray<JsonState.Repair>
}

/** Before the first character. */
export const initial = (options: Options = {}): State => ({
  maxDepth: options.maxDepth ?? 512,
  remainingBytes: options.maxBytes ?? Infinity,
  mode: JsonReader.value,
  offset: 0,
  root: undefined,
  frame: undefined,
  notes: [],
  stopCause: undefined,
  text: TextBuffer.empty(),
  token: "",
  start: 0,
  quote: 34,
  isKey: false,
  delta: "",
  growth: undefined,
  digits: "",
  next: JsonReader.value,
  resume: JsonReader.value
})

/** Reads the next piece. O(length of the piece). */
export const push = (state: State, text: string): State => {
  state.growth = undefined
  const end = state.remainingBytes === Infinity ? text.length : sizeLimitEnd(state, text)
  const piece = end === text.length ? text : text.slice(0, end)
  let at = 0
  while (at < piece.length) at = state.mode(state, piece, at)
  JsonString.publishPartial(state)
  if (end < text.length) JsonState.stop(state, "size", end)
  state.offset += text.length
  return state
}

/** Where the byte limit cuts the piece. Either half of a surrogate pair counts two of its four bytes. */
const sizeLimitEnd = (state: State, text: string): number => {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    const bytes = unit < 0x80 ? 1 : unit < 0x800 || unit >= 0xd800 && unit <= 0xdfff ? 2 : 3
    if (bytes > state.remainingBytes) {
      state.remainingBytes = 0
      return i
    }
    state.remainingBytes -= bytes
  }
  return text.length
}

/**
 * The best value so far: strings in progress, numbers and words once they are complete, so that nothing shown is taken
 * back. A view: it changes with the next `push`. `undefined` until a value has begun. O(1).
 */
export const value = (state: State): Schema.Json | undefined => state.root

/** The strings that grew in the last `push`, in order, each with its path and the appended text. O(their depth). */
export const grown = (state: State): ReadonlyArray<{ readonly path: Path; readonly text: string }> => {
  const strings: Array<{ readonly path: Path; readonly text: string }> = []
  for (let growth = state.growth; growth !== undefined; growth = growth.previous) {
    strings.push({ path: JsonState.path(growth), text: growth.text })
  }
  return strings.reverse()
}

/**
 * The text is over. `strict` accepts exactly what JSON.parse accepts; `repair` accepts what can be saved, and reports
 * the repairs. Fails in `repair` only if no value began or a limit was exceeded.
 */
export const end = (state: State, mode: "strict" | "repair"): Result.Result<ParseResult, JsonError> => {
  const certainNotes = state.stopCause === undefined ? JsonReader.close(state) : state.notes.length
  const { notes, root, stopCause } = state
  const first = notes[0]
  if (mode === "strict" && first !== undefined && certainNotes > 0 && first.position <= (stopCause?.position ?? Infinity)) {
    return Result.fail(error(state, "syntax", first.position, JsonState.path(first), `; to repair: ${first.what}`))
  }
  if (stopCause !== undefined) return Result.fail(error(state, stopCause.reason, stopCause.position, JsonState.path(stopCause.place)))
  if (root === undefined || mode === "strict" && first !== undefined) {
    const path = first === undefined ? [] : JsonState.path(first)
    return Result.fail(error(state, certainNotes > 0 ? "syntax" : "incomplete", state.offset, path))
  }
  return Result.succeed(mode === "strict" ? { value: root, repairs: [] } : decodeNested(root, notes))
}

/** A text within a string, as some models write their arguments, is read as its content. */
const decodeNested = (root: Schema.Json, notes: State["notes"]): ParseResult => {
  const repairs = notes.map(JsonState.repair)
  if (typeof root !== "string" || !/^\s*[{[]/.test(root)) return { value: root, repairs }
  const inner = parse(root, "strict")
  if (Result.isFailure(inner)) return { value: root, repairs }
  return { value: inner.success.value, repairs: [...repairs, { position: 0, path: [], what: "JSON in a string read" }] }
}

const messages = {
  incomplete: "The JSON is incomplete",
  syntax: "This is not valid JSON",
  depth: "The JSON is nested too deeply",
  size: "The JSON is too large"
}

const error = (state: State, reason: JsonError["reason"], position: number, path: Path, hint = ""): JsonError => {
  const location = path.length === 0 ? "" : `, in ${path.join(".")}`
  const partial = state.root === undefined ? {} : { partial: state.root }
  return new JsonError({ reason, message: `${messages[reason]} (at ${position}${location})${hint}`, position, path, ...partial })
}

/** The value of a complete text. */
export const parse = (text: string, mode: "strict" | "repair"): Result.Result<ParseResult, JsonError> => end(push(initial(), text), mode)
