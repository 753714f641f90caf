/**
 * Native tool calls of a provider: neutral chunks become parts. Calls may interleave; each one's arguments are read as
 * JSON while they arrive, and strictly when they end: cut or broken arguments are never repaired and run.
 */
import * as Result from "effect/Result"
import type { Json } from "effect/Schema"
import type { Chunk } from "../message/Chunk.ts"
import type { Part, ToolCallPart } from "../message/Part.ts"
import { run } from "./Incremental.ts"
import * as JsonStream from "./json/JsonStream.ts"
import { collect, isSigned } from "./xml/PartWriter.ts"

interface Call {
  readonly id: string
  readonly name: string
  json: JsonStream.State
  /** Something other than white space has arrived. */
  hasArguments: boolean
  isEnded: boolean
}

/** Belongs to the step that receives it: use only the state that the last `push` returned. */
export interface State {
  readonly calls: Map<string, Call>
  readonly limits: JsonStream.Options
}

/** `maxBytes` and `maxDepth` limit the arguments of each call. */
export const initial = (limits: JsonStream.Options = {}): State => ({ calls: new Map(), limits })

/**
 * Reads one chunk. While a call streams, its `params` are a view that is valid until the next push, and `appended`
 * says which string grew (the path, with dots). O(length of the chunk).
 */
export const push = (state: State, chunk: Chunk): readonly [State, ReadonlyArray<Part>] => [state, read(state, chunk)]

const read = (state: State, chunk: Chunk): ReadonlyArray<Part> => {
  switch (chunk._tag) {
    case "TextDelta":
      return chunk.text === "" ? [] : [{ _tag: "Text", text: chunk.text }]
    case "ReasoningDelta": {
      const { _tag, ...rest } = chunk
      return chunk.text === "" && !isSigned(chunk) ? [] : [{ _tag: "Reasoning", ...rest }]
    }
    case "ToolCallStart": {
      if (state.calls.has(chunk.id)) return []
      return [partialCall(open(state, chunk.id, chunk.name))]
    }
    case "ToolCallArgs": {
      const call = state.calls.get(chunk.id) ?? open(state, chunk.id, "")
      return call.isEnded ? [] : args(call, chunk.text)
    }
    case "ToolCallEnd": {
      const call = state.calls.get(chunk.id)
      return call === undefined || call.isEnded ? [] : [close(call, true)]
    }
    default:
      return []
  }
}

/** The stream is over: a call without an end is complete only if its arguments are. */
export const end = (state: State): ReadonlyArray<Part> =>
  [...state.calls.values()].filter((call) => !call.isEnded).map((call) => close(call, false))

/** The complete parts of all chunks of a response. */
export const parse = (chunks: Iterable<Chunk>, limits: JsonStream.Options = {}): ReadonlyArray<Part> =>
  collect(run({ initial, push, end }, limits, chunks))

export { collect }

const open = (state: State, id: string, name: string): Call => {
  const call = { id, name, json: JsonStream.initial(state.limits), hasArguments: false, isEnded: false }
  state.calls.set(id, call)
  return call
}

const args = (call: Call, text: string): ReadonlyArray<Part> => {
  call.json = JsonStream.push(call.json, text)
  call.hasArguments ||= text.trim() !== ""
  const grown = JsonStream.grown(call.json)
  if (grown.length === 0) return [partialCall(call)]
  return grown.map(({ path, text }) => ({ ...partialCall(call), appended: { param: path.join("."), text } }))
}

const partialCall = ({ id, json, name }: Call): ToolCallPart => ({
  _tag: "ToolCall",
  id,
  name,
  params: record(JsonStream.value(json)) ?? {},
  partial: true,
  warnings: []
})

/** Its arguments as they will be run, or why they won't. A call that ended without arguments has none. */
const close = (call: Call, wasEnded: boolean): ToolCallPart => {
  call.isEnded = true
  const part: ToolCallPart = { ...partialCall(call), partial: false }
  if (!call.hasArguments) return { ...part, params: {}, partial: !wasEnded }
  const end = JsonStream.end(call.json, "strict")
  if (Result.isFailure(end)) {
    const { message, partial, reason } = end.failure
    const params = record(partial) ?? {}
    return reason === "incomplete" ? { ...part, params, partial: true } : { ...part, params, malformed: message }
  }
  const params = record(end.success.value)
  return params === undefined ? { ...part, params: {}, malformed: "The arguments are not a JSON object" } : { ...part, params }
}

const record = (value: Json | undefined): Readonly<Record<string, Json>> | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value as Readonly<Record<string, Json>> : undefined
