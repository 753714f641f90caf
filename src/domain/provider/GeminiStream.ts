/** Events of a Gemini stream → neutral chunks. Each event is a complete response object with the new parts. */
import type * as Schema from "effect/Schema"
import { optional } from "../Optional.ts"
import { type Chunk, notice, type StopReason } from "../message/Chunk.ts"
import * as OwnProperty from "../parser/OwnProperty.ts"
import * as Usage from "../session/Usage.ts"
import * as CallIds from "./CallIds.ts"
import * as ErrorBody from "./ErrorBody.ts"
import * as UsageChunk from "./UsageChunk.ts"
import * as NormalizeHistory from "./NormalizeHistory.ts"
import type { ModelRequest } from "./ModelRequest.ts"
import * as Reader from "./Reader.ts"

const number: Reader.Reader<number> = (value) => typeof value === "number" ? value : undefined
const boolean: Reader.Reader<boolean> = (value) => typeof value === "boolean" ? value : undefined

const usageMetadata = Reader.record({
  promptTokenCount: Reader.count,
  cachedContentTokenCount: Reader.count,
  candidatesTokenCount: Reader.count,
  thoughtsTokenCount: Reader.count,
  toolUsePromptTokenCount: Reader.count
})
type WireUsage = Reader.Value<typeof usageMetadata>

/** A tool call is complete, or streamed: `willContinue` until it ends, with the arguments by their paths. */
const functionCall = Reader.record({
  id: Reader.text,
  name: Reader.text,
  args: Reader.json,
  partialArgs: Reader.list(Reader.record({ jsonPath: Reader.text, stringValue: Reader.text, numberValue: number, boolValue: boolean })),
  willContinue: Reader.flag
})
type FunctionCall = Reader.Value<typeof functionCall>

const part = Reader.record({ text: Reader.text, thought: Reader.flag, thoughtSignature: Reader.text, functionCall })

const candidate = Reader.record({
  index: Reader.index,
  content: Reader.record({ parts: Reader.list(Reader.fields) }),
  finishReason: Reader.text
})

const event = Reader.record({
  candidates: Reader.list(Reader.fields),
  promptFeedback: Reader.fields,
  usageMetadata,
  responseId: Reader.text
})

export interface State {
  readonly names: NormalizeHistory.Names
  readonly calls: CallIds.CallIds
  /** The tool call that is still being streamed. */
  openCall: { readonly id: string; args: Schema.Json } | undefined
  usage: Usage.TokenUsage | undefined
  responseId: string | undefined
  stop: string | undefined
  /** The prompt was rejected before it reached a model. */
  isBlocked: boolean
}

export const initial = (request: ModelRequest): State => ({
  names: NormalizeHistory.toolNames(request.tools),
  calls: new Map(),
  openCall: undefined,
  usage: undefined,
  responseId: undefined,
  stop: undefined,
  isBlocked: false
})

/** Fields of a response and of a candidate that are read or carry no content; any other becomes a notice. */
const readFields = new Set(["candidates", "usageMetadata", "responseId", "modelVersion", "createTime", "promptFeedback"])
const readCandidateFields = new Set(["index", "content", "finishReason", "avgLogprobs", "tokenCount"])

export const step = (state: State, raw: unknown): readonly [State, ReadonlyArray<Chunk>] => {
  const out: Array<Chunk> = []
  const { candidates = [], promptFeedback, responseId = "", usageMetadata } = event(raw) ?? {}
  if (responseId !== "") state.responseId ??= responseId
  for (const one of candidates) {
    const { content, finishReason = "", index = 0 } = candidate(one) ?? {}
    if (index !== 0) {
      out.push(notice("candidate", one))
      continue
    }
    for (const part of content?.parts ?? []) readPart(state, part, out)
    pushUnread(one, readCandidateFields, out)
    if (finishReason !== "") state.stop = finishReason
  }
  if (promptFeedback !== undefined) {
    const { blockReason } = promptFeedback
    out.push(notice("promptFeedback", promptFeedback))
    if (typeof blockReason === "string" && blockReason !== "") {
      state.stop = blockReason
      state.isBlocked = true
    }
  }
  pushUnread(Reader.fields(raw) ?? {}, readFields, out)
  readUsage(state, usageMetadata, out)
  return [state, out]
}

const pushUnread = (all: Reader.Fields, read: ReadonlySet<string>, out: Array<Chunk>) => {
  for (const [field, value] of Object.entries(all)) if (!read.has(field)) out.push(notice(field, value))
}

/** A signature belongs to its part: it precedes a tool call and follows a text. */
const readPart = (state: State, raw: Reader.Fields, out: Array<Chunk>) => {
  const { functionCall, text, thought, thoughtSignature: signature = "" } = part(raw) ?? {}
  const sign = () => {
    if (signature !== "") out.push({ _tag: "ReasoningDelta", text: "", signature })
  }
  if (functionCall !== undefined) {
    sign()
    call(state, functionCall, raw, out)
  } else if (text !== undefined) {
    if (text !== "") out.push({ _tag: thought === true ? "ReasoningDelta" : "TextDelta", text })
    sign()
  } else {
    const [kind = "part"] = Object.keys(raw).filter((field) => field !== "thought" && field !== "thoughtSignature")
    out.push(notice(kind, raw))
  }
}

const call = (state: State, wire: FunctionCall, raw: Reader.Fields, out: Array<Chunk>) => {
  if (wire.name) {
    closeCall(state, out)
    // Many tool calls have no id.
    const id = CallIds.unique(state.calls, wire.id || `call_${state.calls.size + 1}`)
    state.openCall = { id, args: wire.args ?? {} }
    out.push({ _tag: "ToolCallStart", id, name: state.names.original(wire.name) })
  }
  const { openCall } = state
  if (openCall === undefined) {
    out.push(notice("functionCall", raw["functionCall"]))
    return
  }
  for (const arg of wire.partialArgs ?? []) openCall.args = withArg(openCall.args, arg)
  if (wire.willContinue !== true) closeCall(state, out)
}

const closeCall = (state: State, out: Array<Chunk>) => {
  if (state.openCall === undefined) return
  const { args, id } = state.openCall
  out.push({ _tag: "ToolCallArgs", id, text: JSON.stringify(args) }, { _tag: "ToolCallEnd", id })
  state.openCall = undefined
}

/** Cached tokens are included in the prompt tokens; reasoning is counted separately from output. Counts are cumulative. */
const readUsage = (state: State, wire: WireUsage | undefined, out: Array<Chunk>) => {
  if (wire === undefined || (wire.promptTokenCount === undefined && wire.candidatesTokenCount === undefined)) return
  const prompt = (wire.promptTokenCount ?? 0) + (wire.toolUsePromptTokenCount ?? 0)
  const cacheRead = Math.min(prompt, wire.cachedContentTokenCount ?? 0)
  const reasoning = wire.thoughtsTokenCount ?? 0
  state.usage = { input: prompt - cacheRead, output: (wire.candidatesTokenCount ?? 0) + reasoning, cacheRead, cacheWrite: 0, reasoning }
  out.push(UsageChunk.make(state.usage, false))
}

/** An `error` instead of an event. */
export const failure = (raw: unknown): ReturnType<typeof ErrorBody.streamFailure> | undefined => {
  const { error } = Reader.fields(raw) ?? {}
  return error === undefined || error === null ? undefined : ErrorBody.streamFailure({ error })
}

export const hasEnded = (state: State): boolean => state.stop !== undefined
/** Usage may follow the finish reason; then the service closes the connection. */
export const isOver = (): boolean => false

const filtered: StopReason = "content_filter"
const stops: Readonly<Record<string, StopReason>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: filtered,
  RECITATION: filtered,
  BLOCKLIST: filtered,
  PROHIBITED_CONTENT: filtered,
  SPII: filtered,
  IMAGE_SAFETY: filtered,
  IMAGE_PROHIBITED_CONTENT: filtered,
  IMAGE_RECITATION: filtered,
  MODEL_ARMOR: filtered,
  JAILBREAK: filtered
}

export const end = (state: State): ReadonlyArray<Chunk> => {
  const out: Array<Chunk> = []
  closeCall(state, out)
  if (state.usage !== undefined) out.push(UsageChunk.make(state.usage, true))
  const reason = state.isBlocked ? filtered : OwnProperty.get(stops, state.stop ?? "") ?? "other"
  out.push({
    _tag: "Finish",
    reason: reason === "stop" && state.calls.size > 0 ? "tool_calls" : reason,
    raw: state.stop ?? "",
    ...optional({ responseId: state.responseId })
  })
  return out
}

/** A streamed argument of a tool call, by its path: `{ jsonPath: "$.steps[2].text", stringValue: "…" }`. */
interface PartialArg {
  readonly jsonPath?: string
  readonly stringValue?: string
  readonly numberValue?: number
  readonly boolValue?: boolean
  readonly nullValue?: unknown
  /** The next argument with this path continues the string. */
  readonly willContinue?: boolean
}

/** Normalized paths of RFC 9535, and the dot shorthand; no wildcards or filters. */
const pathSteps = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/g

const pathOf = (text: string): ReadonlyArray<string | number> =>
  [...text.matchAll(pathSteps)].map(([, dotted, index, single, double]) =>
    index !== undefined ? Number(index) : dotted ?? (single ?? double ?? "").replace(/\\(.)/g, "$1")
  )

/** A far larger index would create an almost empty list. */
const maxIndex = 10_000

/** The arguments with one more value: an existing string is extended. A path that does not fit has no effect. */
const withArg = (args: Schema.Json, arg: PartialArg): Schema.Json => putAt(args, pathOf(arg.jsonPath ?? ""), arg)

const putAt = (value: Schema.Json | undefined, [key, ...rest]: ReadonlyArray<string | number>, arg: PartialArg): Schema.Json => {
  if (key === undefined) return leaf(value, arg)
  if (typeof key === "number") {
    const items = Array.isArray(value) ? [...value] : []
    if (key > maxIndex) return items
    for (let at = items.length; at < key; at++) items.push(null)
    items[key] = putAt(items[key], rest, arg)
    return items
  }
  const object = typeof value === "object" && value !== null && !Array.isArray(value) ? value as Schema.JsonObject : {}
  return { ...object, [key]: putAt(Object.hasOwn(object, key) ? object[key] : undefined, rest, arg) }
}

const leaf = (value: Schema.Json | undefined, { boolValue, numberValue, stringValue }: PartialArg): Schema.Json =>
  stringValue !== undefined ? (typeof value === "string" ? value : "") + stringValue : numberValue ?? boolValue ?? null
