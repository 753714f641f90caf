/**
 * Events of a Responses stream → neutral chunks. Items are known by their place in the output, not by their id:
 * some servers give an item another id with every event.
 */
import type * as Schema from "effect/Schema"
import type { Chunk, StopReason } from "../message/Chunk.ts"
import * as Usage from "../session/Usage.ts"
import * as History from "./NormalizeHistory.ts"
import type { ModelRequest } from "./ModelRequest.ts"

export interface Event {
  readonly type: string
  readonly sequence_number?: number
  readonly output_index?: number
  readonly summary_index?: number
  readonly delta?: unknown
  readonly item?: Item
  readonly response?: Response
  readonly code?: string | null
  readonly message?: string
  readonly error?: unknown
}

interface Item {
  readonly type: string
  readonly call_id?: string
  readonly name?: string
  readonly arguments?: string
  readonly encrypted_content?: string | null
  readonly content?: ReadonlyArray<Readonly<Record<string, unknown>>> | null
  readonly summary?: ReadonlyArray<{ readonly text?: string }> | null
}

interface Response {
  readonly id?: string
  readonly status?: string
  readonly usage?: WireUsage | null
  readonly error?: { readonly code?: string; readonly message?: string } | null
  readonly incomplete_details?: { readonly reason?: string } | null
}

interface WireUsage {
  readonly input_tokens?: number
  readonly output_tokens?: number
  readonly input_tokens_details?: { readonly cached_tokens?: number; readonly cache_write_tokens?: number } | null
  readonly output_tokens_details?: { readonly reasoning_tokens?: number } | null
}

/** What came of an item at its place, and the call's id where it is one. */
interface Open {
  readonly id: string
  readonly type: string
  said: string
}

export interface State {
  readonly names: History.Names
  readonly open: Map<number, Open>
  readonly calls: Set<string>
  usage: Usage.TokenUsage | undefined
  responseId: string | undefined
  stop: string | undefined
  refused: boolean
  last: number
}

export const initial = (request: ModelRequest): State => ({
  names: History.names(request.tools),
  open: new Map(),
  calls: new Set(),
  usage: undefined,
  responseId: undefined,
  stop: undefined,
  refused: false,
  last: 0
})

/** An event that comes twice, under one number, counts once. */
export const step = (state: State, event: Event): readonly [State, ReadonlyArray<Chunk>] => {
  const { sequence_number: number = 0 } = event
  if (number > 0 && number === state.last) return [state, []]
  state.last = number
  return [state, events[event.type]?.(state, event) ?? (quiet.has(event.type) ? [] : [notice(event.type, event)])]
}

const notice = (kind: string, detail: unknown): Chunk => ({ _tag: "Notice", kind, detail: detail as Schema.Json })

/** Events that say again what others have said. */
const quiet = new Set([
  "response.in_progress",
  "response.queued",
  "response.content_part.added",
  "response.content_part.done",
  "response.output_text.done",
  "response.refusal.done",
  "response.function_call_arguments.done",
  "response.reasoning_text.done",
  "response.reasoning_summary_text.done",
  "response.reasoning_summary_part.done"
])

type On = (state: State, event: Event) => ReadonlyArray<Chunk>

const words = (state: State, event: Event): string => {
  const text = typeof event.delta === "string" ? event.delta : ""
  const open = state.open.get(event.output_index ?? 0)
  if (open !== undefined) open.said += text
  return text
}

const thought: On = (state, event) => [{ _tag: "ReasoningDelta", text: words(state, event) }]

const finished: On = (state, { response, type }) => {
  state.stop = response?.incomplete_details?.reason ?? response?.status ?? type.replace("response.", "")
  const wire = response?.usage
  if (!wire) return []
  const cacheRead = wire.input_tokens_details?.cached_tokens ?? 0
  const cacheWrite = wire.input_tokens_details?.cache_write_tokens ?? 0
  state.usage = {
    input: Math.max(0, (wire.input_tokens ?? 0) - cacheRead - cacheWrite),
    output: wire.output_tokens ?? 0,
    cacheRead,
    cacheWrite,
    reasoning: wire.output_tokens_details?.reasoning_tokens ?? 0
  }
  return []
}

const events: Readonly<Record<string, On>> = {
  "response.created": (state, { response }) => {
    state.responseId = response?.id
    return []
  },
  "response.output_item.added": (state, { item, output_index = 0 }) => item === undefined ? [] : began(state, output_index, item),
  "response.output_text.delta": (state, event) => [{ _tag: "TextDelta", text: words(state, event) }],
  "response.refusal.delta": (state, event) => {
    state.refused = true
    return [{ _tag: "TextDelta", text: words(state, event) }]
  },
  "response.reasoning_text.delta": thought,
  "response.reasoning_summary_text.delta": thought,
  "response.reasoning_summary_part.added": (_, { summary_index = 0 }) => summary_index > 0 ? [{ _tag: "ReasoningDelta", text: "\n\n" }] : [],
  "response.function_call_arguments.delta": (state, event) => {
    const open = state.open.get(event.output_index ?? 0)
    const text = words(state, event)
    return open?.type !== "function_call" ? [notice(event.type, event)] : text === "" ? [] : [{ _tag: "ToolCallArgs", id: open.id, text }]
  },
  "response.output_item.done": (state, event) => {
    const { item, output_index = 0 } = event
    if (item === undefined) return []
    const before = state.open.has(output_index) ? [] : began(state, output_index, item)
    const open = state.open.get(output_index)!
    state.open.delete(output_index)
    return [...before, ...(done[item.type]?.(open, item) ?? [notice(item.type, item)])]
  },
  "response.completed": finished,
  "response.incomplete": finished
}

const began = (state: State, place: number, item: Item): ReadonlyArray<Chunk> => {
  const id = item.type === "function_call" ? fresh(state.calls, item.call_id ?? "") : ""
  state.open.set(place, { id, type: item.type, said: "" })
  return item.type === "function_call" ? [{ _tag: "ToolCallStart", id, name: state.names.ours(item.name ?? "") }] : []
}

/** An id that is taken, or none, becomes one of its own. */
const fresh = (taken: Set<string>, id: string): string => {
  let own = id === "" ? "call" : id
  for (let n = 2; taken.has(own); n++) own = `${id}_${n}`
  taken.add(own)
  return own
}

/** What the whole has beyond that which came before; nothing where it says something else. */
const rest = (said: string, whole: string): string => whole.startsWith(said) ? whole.slice(said.length) : ""

/** What an item says when it is whole, and did not say while it grew. */
const done: Readonly<Record<string, (open: Open, item: Item) => ReadonlyArray<Chunk>>> = {
  message: ({ said }, { content }) => {
    const text = rest(said, (content ?? []).map(({ refusal, text }) => String(text ?? refusal ?? "")).join(""))
    return text === "" ? [] : [{ _tag: "TextDelta", text }]
  },
  reasoning: ({ said }, { encrypted_content: encrypted, summary }) => {
    const text = said === "" ? (summary ?? []).map(({ text = "" }) => text).join("\n\n") : ""
    return encrypted ? [{ _tag: "ReasoningDelta", text, encrypted }] : text === "" ? [] : [{ _tag: "ReasoningDelta", text }]
  },
  function_call: ({ id, said }, item) => {
    const text = rest(said, item.arguments || (said === "" ? "{}" : ""))
    return [...(text === "" ? [] : [{ _tag: "ToolCallArgs" as const, id, text }]), { _tag: "ToolCallEnd", id }]
  }
}

const statuses: Readonly<Record<string, number>> = {
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  server_error: 500,
  server_is_overloaded: 529,
  slow_down: 529,
  context_length_exceeded: 400,
  invalid_prompt: 400
}

/** An `error` event, or a response that failed. */
export const failure = ({ code, error, message, response, type }: Event): { readonly status: number; readonly body: unknown } | undefined => {
  if (type !== "error" && type !== "response.failed") return undefined
  const told = (response?.error ?? error ?? { code, message }) as { readonly code?: string | null }
  return { status: statuses[told.code ?? ""] ?? 500, body: { error: told } }
}

export const ended = (state: State): boolean => state.stop !== undefined
/** Nothing comes after it. */
export const over = ended

const stops: Readonly<Record<string, StopReason>> = {
  completed: "stop",
  max_output_tokens: "length",
  content_filter: "content_filter"
}

export const end = (state: State): ReadonlyArray<Chunk> => [
  ...(state.usage === undefined ? [] : [{ _tag: "Usage" as const, usage: state.usage, final: true }]),
  {
    _tag: "Finish",
    reason: reason(state),
    raw: state.stop ?? "",
    ...(state.responseId === undefined ? {} : { responseId: state.responseId })
  }
]

const reason = (state: State): StopReason => {
  const told = stops[state.stop ?? ""] ?? "other"
  return told !== "stop" ? told : state.refused ? "refusal" : state.calls.size > 0 ? "tool_calls" : "stop"
}
