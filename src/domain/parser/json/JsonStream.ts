/**
 * JSON as it streams: the arguments of native tool calls, which arrive as fragments. The best value so far can be
 * shown after every piece; what is executed is read strictly, and truncated arguments are never repaired and run.
 * The format is told in docs/formats/json-stream.md.
 *
 * Linear: each unit is looked at a bounded number of times, however the text is cut; a string that grows is a rope, and
 * is not copied. On whole valid text the value is exactly that of JSON.parse (RFC 8259), up to the limits.
 *
 * @example
 * const state = JsonStream.push(JsonStream.initial(), `{"path":"src/a.ts","text":"He`)
 * JsonStream.value(state) // { path: "src/a.ts", text: "He" }
 * JsonStream.grown(state) // [{ path: ["path"], text: "src/a.ts" }, { path: ["text"], text: "He" }]
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { JsonError } from "../JsonError.ts"
import * as Reader from "./JsonReader.ts"
import * as Reading from "./JsonState.ts"
import * as Quoted from "./JsonString.ts"
import type { Path } from "./JsonTree.ts"
import * as Rope from "../TextBuffer.ts"

export { JsonError } from "../JsonError.ts"
export type { Repair } from "./JsonState.ts"

/** `maxDepth`: levels of objects and arrays, 512 by default. `maxBytes`: of the text in UTF-8, unlimited by default. */
export interface Options {
  readonly maxDepth?: number
  readonly maxBytes?: number
}

/** Belongs to the step that takes it: use only the state that the last `push` gave. */
export interface State extends Reading.State {
  /** Bytes that may still come. */
  left: number
}

/** A whole value, and what was done to read it: nothing, if it was read strictly. */
export interface Whole {
  readonly value: Schema.Json
  readonly repairs: ReadonlyArray<Reading.Repair>
}

/** Before the first character. */
export const initial = (options: Options = {}): State => ({
  maxDepth: options.maxDepth ?? 512,
  left: options.maxBytes ?? Infinity,
  mode: Reader.value,
  offset: 0,
  root: undefined,
  frame: undefined,
  notes: [],
  stopped: undefined,
  text: Rope.empty(),
  token: "",
  start: 0,
  quote: 34,
  isKey: false,
  news: "",
  grown: undefined,
  digits: "",
  next: Reader.value,
  resume: Reader.value
})

/** Reads the next piece. O(length of the piece). */
export const push = (state: State, text: string): State => {
  state.grown = undefined
  const end = state.left === Infinity ? text.length : within(state, text)
  const piece = end === text.length ? text : text.slice(0, end)
  let at = 0
  while (at < piece.length) at = state.mode(state, piece, at)
  Quoted.show(state)
  if (end < text.length) Reading.stop(state, "size", end)
  state.offset += text.length
  return state
}

/** Where the limit of bytes cuts the piece. Either half of a surrogate pair counts two of its four bytes. */
const within = (state: State, text: string): number => {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    const bytes = unit < 0x80 ? 1 : unit < 0x800 || unit >= 0xd800 && unit <= 0xdfff ? 2 : 3
    if (bytes > state.left) {
      state.left = 0
      return i
    }
    state.left -= bytes
  }
  return text.length
}

/**
 * The best value so far: strings as far as they have come, numbers and words once they are whole, so that nothing
 * shown is taken back. A view: it changes with the next `push`. `undefined` until a value has begun. O(1).
 */
export const value = (state: State): Schema.Json | undefined => state.root

/** The strings that grew in the last `push`, in their order, each with its path and what was appended. O(their depth). */
export const grown = (state: State): ReadonlyArray<{ readonly path: Path; readonly text: string }> => {
  const found: Array<{ readonly path: Path; readonly text: string }> = []
  for (let growth = state.grown; growth !== undefined; growth = growth.before) {
    found.push({ path: Reading.path(growth), text: growth.text })
  }
  return found.reverse()
}

/**
 * The text is over. `strict` takes what JSON.parse takes, and nothing else; `repair` takes what can be saved, and says
 * what was done. Fails in `repair` only if no value began or a limit was passed.
 */
export const end = (state: State, mode: "strict" | "repair"): Result.Result<Whole, JsonError> => {
  const broken = state.stopped === undefined ? Reader.close(state) : state.notes.length
  const { notes, root, stopped } = state
  const first = notes[0]
  if (mode === "strict" && first !== undefined && broken > 0 && first.position <= (stopped?.position ?? Infinity)) {
    return Result.fail(error(state, "syntax", first.position, Reading.path(first), `; to repair: ${first.what}`))
  }
  if (stopped !== undefined) return Result.fail(error(state, stopped.reason, stopped.position, Reading.path(stopped.place)))
  if (root === undefined || mode === "strict" && first !== undefined) {
    const path = first === undefined ? [] : Reading.path(first)
    return Result.fail(error(state, broken > 0 ? "syntax" : "incomplete", state.offset, path))
  }
  return Result.succeed(mode === "strict" ? { value: root, repairs: [] } : decoded(root, notes))
}

/** A text within a string, as some models write their arguments, is read as what it holds. */
const decoded = (root: Schema.Json, notes: State["notes"]): Whole => {
  const repairs = notes.map(Reading.repair)
  if (typeof root !== "string" || !/^\s*[{[]/.test(root)) return { value: root, repairs }
  const inner = parse(root, "strict")
  if (Result.isFailure(inner)) return { value: root, repairs }
  return { value: inner.success.value, repairs: [...repairs, { position: 0, path: [], what: "JSON in a string read" }] }
}

const messages = {
  incomplete: "The JSON ends too early",
  syntax: "This is not JSON",
  depth: "The JSON is nested too deep",
  size: "The JSON is too large"
}

const error = (state: State, reason: JsonError["reason"], position: number, path: Path, hint = ""): JsonError => {
  const where = path.length === 0 ? "" : `, in ${path.join(".")}`
  const partial = state.root === undefined ? {} : { partial: state.root }
  return new JsonError({ reason, message: `${messages[reason]} (at ${position}${where})${hint}`, position, path, ...partial })
}

/** The value of a whole text. */
export const parse = (text: string, mode: "strict" | "repair"): Result.Result<Whole, JsonError> =>
  end(push(initial(), text), mode)
