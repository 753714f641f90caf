/**
 * Events of a Responses stream → neutral chunks. Items are identified by their index in the output, not by their
 * id: some servers send a different id for an item with every event.
 */
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

const usage = Reader.record({
  input_tokens: Reader.count,
  output_tokens: Reader.count,
  input_tokens_details: Reader.record({ cached_tokens: Reader.count, cache_write_tokens: Reader.count }),
  output_tokens_details: Reader.record({ reasoning_tokens: Reader.count })
})

const item = Reader.record({
  type: Reader.text,
  call_id: Reader.text,
  name: Reader.text,
  arguments: Reader.text,
  encrypted_content: Reader.text,
  content: Reader.list(Reader.record({ text: Reader.text, refusal: Reader.text })),
  summary: Reader.list(Reader.record({ text: Reader.text }))
})
type Item = Reader.Value<typeof item>

const event = Reader.record({
  type: Reader.text,
  sequence_number: Reader.index,
  output_index: Reader.index,
  summary_index: Reader.index,
  delta: Reader.text,
  item,
  response: Reader.record({
    id: Reader.text,
    status: Reader.text,
    usage,
    incomplete_details: Reader.record({ reason: Reader.text })
  })
})
type Event = Reader.Value<typeof event>

/** An item that has begun: what has been received of it, and the id if it is a tool call. */
interface OpenItem {
  readonly id: string
  readonly type: string
  received: string
}

export interface State {
  readonly names: NormalizeHistory.Names
  readonly open: Map<number, OpenItem>
  readonly calls: CallIds.CallIds
  usage: Usage.TokenUsage | undefined
  responseId: string | undefined
  stop: string | undefined
  refused: boolean
  last: number
}

export const initial = (request: ModelRequest): State => ({
  names: NormalizeHistory.toolNames(request.tools),
  open: new Map(),
  calls: new Map(),
  usage: undefined,
  responseId: undefined,
  stop: undefined,
  refused: false,
  last: 0
})

/** An event that arrives twice under one sequence number is read once. */
export const step = (state: State, raw: unknown): readonly [State, ReadonlyArray<Chunk>] => {
  const read = event(raw) ?? {}
  const { sequence_number: number = 0, type = "event" } = read
  if (number > 0 && number === state.last) return [state, []]
  state.last = number
  return [state, OwnProperty.get(events, type)?.(state, read, raw) ?? (repeatingEvents.has(type) ? [] : [notice(type, raw)])]
}

/** Events that repeat the content of others. */
const repeatingEvents = new Set([
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

/** `raw` is the unparsed event, for notices. */
type ReadEvent = (state: State, event: Event, raw: unknown) => ReadonlyArray<Chunk>

const appendDelta = (state: State, { delta: text = "", output_index = 0 }: Event): string => {
  const open = state.open.get(output_index)
  if (open !== undefined) open.received += text
  return text
}

const readReasoning: ReadEvent = (state, event) => [{ _tag: "ReasoningDelta", text: appendDelta(state, event) }]

const finished = (otherwise: string): ReadEvent => (state, { response = {} }) => {
  const { incomplete_details, status = otherwise, usage: wire } = response
  state.stop = incomplete_details?.reason ?? status
  if (wire === undefined) return []
  const input = wire.input_tokens ?? 0
  const cacheRead = Math.min(input, wire.input_tokens_details?.cached_tokens ?? 0)
  const cacheWrite = Math.min(input - cacheRead, wire.input_tokens_details?.cache_write_tokens ?? 0)
  state.usage = {
    input: input - cacheRead - cacheWrite,
    output: wire.output_tokens ?? 0,
    cacheRead,
    cacheWrite,
    reasoning: wire.output_tokens_details?.reasoning_tokens ?? 0
  }
  return []
}

const events: Readonly<Record<string, ReadEvent>> = {
  "response.created": (state, { response }) => {
    state.responseId = response?.id
    return []
  },
  "response.output_item.added": (state, { item, output_index = 0 }) => item === undefined ? [] : began(state, output_index, item),
  "response.output_text.delta": (state, event) => [{ _tag: "TextDelta", text: appendDelta(state, event) }],
  "response.refusal.delta": (state, event) => {
    state.refused = true
    return [{ _tag: "TextDelta", text: appendDelta(state, event) }]
  },
  "response.reasoning_text.delta": readReasoning,
  "response.reasoning_summary_text.delta": readReasoning,
  "response.reasoning_summary_part.added": (_, { summary_index = 0 }) =>
    summary_index > 0 ? [{ _tag: "ReasoningDelta", text: "\n\n" }] : [],
  "response.function_call_arguments.delta": (state, event, raw) => {
    const open = state.open.get(event.output_index ?? 0)
    const text = appendDelta(state, event)
    return open?.type !== "function_call" ? [notice("response.function_call_arguments.delta", raw)]
      : text === "" ? [] : [{ _tag: "ToolCallArgs", id: open.id, text }]
  },
  "response.output_item.done": (state, { item, output_index = 0 }, raw) => {
    if (item === undefined) return []
    const { type = "item" } = item
    const before = state.open.has(output_index) ? [] : began(state, output_index, item)
    const open = state.open.get(output_index)!
    state.open.delete(output_index)
    return [...before, ...(OwnProperty.get(done, type)?.(open, item) ?? [notice(type, Reader.fields(raw)?.["item"] ?? null)])]
  },
  "response.completed": finished("completed"),
  "response.incomplete": finished("incomplete")
}

const began = (state: State, place: number, { call_id = "", name = "", type = "item" }: Item): ReadonlyArray<Chunk> => {
  const id = type === "function_call" ? CallIds.unique(state.calls, call_id) : ""
  state.open.set(place, { id, type, received: "" })
  return type === "function_call" ? [{ _tag: "ToolCallStart", id, name: state.names.original(name) }] : []
}

/** The end of the full text that has not been received; empty if the received text differs. */
const missingText = (received: string, full: string): string => full.startsWith(received) ? full.slice(received.length) : ""

/** Content of a complete item that no delta delivered. */
const done: Readonly<Record<string, (open: OpenItem, item: Item) => ReadonlyArray<Chunk>>> = {
  message: ({ received }, { content }) => {
    const text = missingText(received, (content ?? []).map(({ refusal = "", text = refusal }) => text).join(""))
    return text === "" ? [] : [{ _tag: "TextDelta", text }]
  },
  reasoning: ({ received }, { encrypted_content: encrypted, summary }) => {
    const text = received === "" ? (summary ?? []).map(({ text = "" }) => text).join("\n\n") : ""
    return encrypted ? [{ _tag: "ReasoningDelta", text, encrypted }] : text === "" ? [] : [{ _tag: "ReasoningDelta", text }]
  },
  function_call: ({ id, received }, item) => {
    const text = missingText(received, item.arguments || (received === "" ? "{}" : ""))
    return [...(text === "" ? [] : [{ _tag: "ToolCallArgs" as const, id, text }]), { _tag: "ToolCallEnd", id }]
  }
}

/** An `error` event, a failed response, or an error instead of a stream. */
export const failure = (raw: unknown): ReturnType<typeof ErrorBody.streamFailure> | undefined => {
  const event = Reader.fields(raw) ?? {}
  const { code, error, message, response, type } = event
  const isFailure = type === "error" || type === "response.failed"
  const failureBody = (isFailure ? Reader.fields(response)?.["error"] : undefined) ?? error
  return failureBody !== undefined && failureBody !== null && (isFailure || type === undefined) ?
    ErrorBody.streamFailure({ error: failureBody })
    : isFailure ? ErrorBody.streamFailure({ error: { code: code ?? null, message: message ?? null } })
    : undefined
}

export const hasEnded = (state: State): boolean => state.stop !== undefined
/** No event follows the terminal one. */
export const isOver = hasEnded

const stops: Readonly<Record<string, StopReason>> = {
  completed: "stop",
  max_output_tokens: "length",
  content_filter: "content_filter"
}

export const end = (state: State): ReadonlyArray<Chunk> => [
  ...(state.usage === undefined ? [] : [UsageChunk.make(state.usage, true)]),
  {
    _tag: "Finish",
    reason: reason(state),
    raw: state.stop ?? "",
    ...optional({ responseId: state.responseId })
  }
]

const reason = (state: State): StopReason => {
  const failureBody = OwnProperty.get(stops, state.stop ?? "") ?? "other"
  return failureBody !== "stop" ? failureBody : state.refused ? "refusal" : state.calls.size > 0 ? "tool_calls" : "stop"
}
