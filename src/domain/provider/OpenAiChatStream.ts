/** Chunks of a Chat Completions stream → neutral chunks, in all the dialects of compatible servers. */
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

const usageFields = Reader.record({
  prompt_tokens: Reader.count,
  completion_tokens: Reader.count,
  total_tokens: Reader.count,
  cached_tokens: Reader.count,
  reasoning_tokens: Reader.count,
  prompt_cache_hit_tokens: Reader.count,
  cache_read_input_tokens: Reader.count,
  cache_creation_input_tokens: Reader.count,
  prompt_tokens_details: Reader.record({
    cached_tokens: Reader.count,
    cache_write_tokens: Reader.count,
    cache_creation_tokens: Reader.count,
    caching_tokens: Reader.count
  }),
  completion_tokens_details: Reader.record({ reasoning_tokens: Reader.count })
})
type WireUsage = Reader.Value<typeof usageFields>

const choice = Reader.record({
  index: Reader.index,
  delta: Reader.fields,
  /** Some servers send a complete message instead of a delta. */
  message: Reader.fields,
  finish_reason: Reader.text,
  usage: usageFields
})

/** The fields of a chunk that are read. Deltas are read field by field. */
const event = Reader.record({
  id: Reader.text,
  choices: Reader.list(Reader.fields),
  usage: usageFields,
  x_groq: Reader.record({ usage: usageFields })
})

const fragments = Reader.list(Reader.fields)
const fragment = Reader.record({
  index: Reader.index,
  id: Reader.text,
  function: Reader.record({ name: Reader.text, arguments: Reader.json })
})

interface OpenCall {
  readonly wireId: string
  readonly id: string
  fragments: number
}

export interface State {
  readonly names: NormalizeHistory.Names
  /** Calls in the order in which they began; `byIndex` holds the current call of each index. */
  readonly calls: Array<OpenCall>
  /** Ids in use, and calls by the id that the server sent. */
  readonly ids: CallIds.CallIds
  readonly wireId: Map<string, OpenCall>
  readonly byIndex: Map<number, OpenCall>
  usage: Usage.TokenUsage | undefined
  responseId: string | undefined
  stop: string | undefined
  isRefused: boolean
  isDone: boolean
}

export const initial = (request: ModelRequest): State => ({
  names: NormalizeHistory.toolNames(request.tools),
  calls: [],
  ids: new Map(),
  wireId: new Map(),
  byIndex: new Map(),
  usage: undefined,
  responseId: undefined,
  stop: undefined,
  isRefused: false,
  isDone: false
})

/** An event is a chunk, or the text that ends the stream. */
export const step = (state: State, raw: unknown): readonly [State, ReadonlyArray<Chunk>] => {
  if (raw === "[DONE]") {
    state.isDone = true
    return [state, []]
  }
  const out: Array<Chunk> = []
  const { choices = [], id = "", usage, x_groq } = event(raw) ?? {}
  if (id !== "") state.responseId ??= id
  let choiceUsage: WireUsage | undefined
  for (const one of choices) {
    const { delta, finish_reason = "", index = 0, message, usage } = choice(one) ?? {}
    if (index !== 0) {
      out.push(notice("choice", one))
      continue
    }
    choiceUsage ??= usage
    read(state, delta ?? message ?? {}, out)
    if (finish_reason !== "") state.stop = finish_reason
  }
  const wire = usage ?? x_groq?.usage ?? choiceUsage
  if (wire !== undefined) {
    state.usage = usageOf(wire)
    out.push(UsageChunk.make(state.usage, false))
  }
  return [state, out]
}

const pushText = (text: string, out: Array<Chunk>) => {
  if (text !== "") out.push({ _tag: "TextDelta", text })
}
const pushReasoning = (text: string, out: Array<Chunk>) => {
  if (text !== "") out.push({ _tag: "ReasoningDelta", text })
}

const read = (state: State, delta: Reader.Fields, out: Array<Chunk>) => {
  for (const [field, value] of Object.entries(delta)) {
    if (value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) continue
    const reader = OwnProperty.get(readers, field)
    if (reader === undefined) out.push(notice(field, value))
    else reader(state, value, out, delta)
  }
}

type ReadField = (state: State, value: Schema.Json, out: Array<Chunk>, delta: Reader.Fields) => void
const ignore: ReadField = () => {}

/** One entry per field of a delta. Reasoning that a server sends under two names at once is read once. */
const readers: Readonly<Record<string, ReadField>> = {
  role: ignore,
  index: ignore,
  content: (_, value, out) => typeof value === "string" ? pushText(value, out) : parts(value, out),
  refusal: (state, value, out) => {
    state.isRefused = true
    pushText(Reader.text(value) ?? "", out)
  },
  reasoning_content: (_, value, out) => pushReasoning(Reader.text(value) ?? "", out),
  reasoning: (_, value, out, { reasoning_content }) => {
    if (!reasoning_content) pushReasoning(typeof value === "string" ? value : "", out)
  },
  reasoning_details: (_, value, out, { reasoning, reasoning_content }) => details(value, Boolean(reasoning || reasoning_content), out),
  tool_calls: (state, value, out) => {
    for (const one of fragments(value) ?? []) call(state, one, out)
  }
}

const part = Reader.record({ type: Reader.text, text: Reader.text, thinking: Reader.text })
const thoughts = Reader.list(Reader.record({ text: Reader.text }))

/** Content as a list: text, and reasoning as some servers nest it. */
const parts = (content: Schema.Json, out: Array<Chunk>) => {
  for (const one of Reader.list(Reader.fields)(content) ?? []) {
    const { text = "", thinking = "", type = "content" } = part(one) ?? {}
    if (type === "text") pushText(text, out)
    else if (type === "thinking") pushReasoning(thoughts(one["thinking"])?.map(({ text = "" }) => text).join("") ?? thinking, out)
    else out.push(notice(type, one))
  }
}

const detail = Reader.list(Reader.record({ data: Reader.text, text: Reader.text, summary: Reader.text, signature: Reader.text }))

const details = (value: Schema.Json, isRepeated: boolean, out: Array<Chunk>) => {
  for (const { data, signature, summary = "", text = summary } of detail(value) ?? []) {
    if (data !== undefined) out.push({ _tag: "ReasoningDelta", text: "", encrypted: data })
    else if (!isRepeated) pushReasoning(text, out)
    if (signature !== undefined) out.push({ _tag: "ReasoningDelta", text: "", signature })
  }
}

/**
 * A fragment of a tool call. It belongs to the call at its index; without an index, to the call with its id, else to the last
 * one. A fragment with a name and a new id begins a new call even if the index is in use: some servers give every call the
 * index 0.
 */
const call = (state: State, raw: Reader.Fields, out: Array<Chunk>) => {
  const { function: { arguments: args, name = "" } = {}, id = "", index } = fragment(raw) ?? {}
  const existing = index === undefined ? state.wireId.get(id) ?? (name === "" ? state.calls.at(-1) : undefined) : state.byIndex.get(index)
  const isNew = existing === undefined || (name !== "" && id !== "" && id !== existing.wireId)
  if (isNew && name === "" && id === "") {
    out.push(notice("tool_call_fragment", raw))
    return
  }
  const openCall = isNew ? begin(state, id, name, index ?? state.calls.length, out) : existing
  const text = typeof args === "string" ? args : args === undefined ? "" : JSON.stringify(args)
  if (text === "") return
  openCall.fragments++
  out.push({ _tag: "ToolCallArgs", id: openCall.id, text })
}

const begin = (state: State, wireId: string, name: string, index: number, out: Array<Chunk>): OpenCall => {
  const id = CallIds.unique(state.ids, wireId === "" ? `call_${state.calls.length + 1}` : wireId)
  const openCall: OpenCall = { wireId, id, fragments: 0 }
  state.calls.push(openCall)
  if (wireId !== "" && !state.wireId.has(wireId)) state.wireId.set(wireId, openCall)
  state.byIndex.set(index, openCall)
  out.push({ _tag: "ToolCallStart", id, name: state.names.original(name) })
  return openCall
}

/**
 * Cached tokens are counted inside `prompt_tokens` on this wire, under names of several servers (LiteLLM: `cache_creation_tokens`,
 * Requesty: `caching_tokens`). Reasoning is included in `completion_tokens`, unless
 * the total shows that it is not (xAI).
 */
const usageOf = (wire: WireUsage): Usage.TokenUsage => {
  const prompt = wire.prompt_tokens ?? 0
  const cached = wire.prompt_tokens_details ?? {}
  const cacheRead = Math.min(
    prompt,
    cached.cached_tokens ?? wire.prompt_cache_hit_tokens ?? wire.cached_tokens ?? wire.cache_read_input_tokens ?? 0
  )
  const cacheWrite = Math.min(
    prompt - cacheRead,
    cached.cache_write_tokens ?? cached.cache_creation_tokens ?? cached.caching_tokens ?? wire.cache_creation_input_tokens ?? 0
  )
  const reasoning = wire.completion_tokens_details?.reasoning_tokens ?? wire.reasoning_tokens ?? 0
  const completion = wire.completion_tokens ?? 0
  const isExcluded = reasoning > 0 && wire.total_tokens === prompt + completion + reasoning
  return { input: prompt - cacheRead - cacheWrite, output: completion + (isExcluded ? reasoning : 0), cacheRead, cacheWrite, reasoning }
}

/** An event that is an error: `{ error: { code, message } }` with status 200. */
export const failure = (raw: unknown): ReturnType<typeof ErrorBody.streamFailure> | undefined => {
  const { error } = Reader.fields(raw) ?? {}
  return error === undefined || error === null ? undefined : ErrorBody.streamFailure(raw)
}

/** A finish reason is an end even without [DONE], and [DONE] is one even without a finish reason. */
export const hasEnded = (state: State): boolean => state.stop !== undefined || state.isDone

/** Usage may still come after the finish reason; nothing comes after [DONE]. */
export const isOver = (state: State): boolean => state.isDone

const stops: Readonly<Record<string, StopReason>> = {
  stop: "stop",
  eos: "stop",
  end_turn: "stop",
  length: "length",
  model_length: "length",
  max_tokens: "length",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  content_filter: "content_filter",
  sensitive: "content_filter",
  refusal: "refusal"
}

export const end = (state: State): ReadonlyArray<Chunk> => [
  ...state.calls.flatMap((openCall): ReadonlyArray<Chunk> => [
    ...(openCall.fragments === 0 ? [{ _tag: "ToolCallArgs" as const, id: openCall.id, text: "{}" }] : []),
    { _tag: "ToolCallEnd", id: openCall.id }
  ]),
  ...(state.usage === undefined ? [] : [UsageChunk.make(state.usage, true)]),
  {
    _tag: "Finish",
    reason: reason(state),
    raw: state.stop ?? "",
    ...optional({ responseId: state.responseId })
  }
]

/** Some servers send "stop" after tool calls: the calls decide. */
const reason = (state: State): StopReason => {
  const isRepeated = OwnProperty.get(stops, state.stop ?? "") ?? "other"
  return state.isRefused && isRepeated === "stop" ? "refusal" : isRepeated === "stop" && state.calls.length > 0 ? "tool_calls" : isRepeated
}
