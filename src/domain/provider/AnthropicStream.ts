/** Events of a Messages stream → neutral chunks. */
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
  cache_read_input_tokens: Reader.count,
  cache_creation_input_tokens: Reader.count,
  output_tokens_details: Reader.record({ thinking_tokens: Reader.count })
})

/** The fields of an event that are read. */
const event = Reader.record({
  type: Reader.text,
  index: Reader.index,
  message: Reader.record({ id: Reader.text, usage }),
  content_block: Reader.record({
    type: Reader.text,
    text: Reader.text,
    thinking: Reader.text,
    signature: Reader.text,
    data: Reader.text,
    id: Reader.text,
    name: Reader.text,
    input: Reader.fields
  }),
  delta: Reader.record({
    type: Reader.text,
    text: Reader.text,
    thinking: Reader.text,
    signature: Reader.text,
    partial_json: Reader.text,
    stop_reason: Reader.text
  }),
  usage
})
type Event = Reader.Value<typeof event>
type WireUsage = Reader.Value<typeof usage>
type Block = NonNullable<Event["content_block"]>

interface OpenBlock {
  readonly type: string
  readonly id: string
  /** The complete arguments from the start of the block, used if no fragments follow. */
  readonly initialArgs: string
  fragments: number
}

export interface State {
  readonly names: NormalizeHistory.Names
  readonly blocks: Map<number, OpenBlock>
  readonly calls: CallIds.CallIds
  usage: Usage.TokenUsage
  hasBegun: boolean
  /** Text, reasoning or a tool call has arrived. */
  hasContent: boolean
  isRestarted: boolean
  responseId: string | undefined
  stop: string | undefined
  ended: boolean
}

export const initial = (request: ModelRequest): State => ({
  names: NormalizeHistory.toolNames(request.tools),
  blocks: new Map(),
  calls: new Map(),
  usage: Usage.zero,
  hasBegun: false,
  hasContent: false,
  isRestarted: false,
  responseId: undefined,
  stop: undefined,
  ended: false
})

/** `raw` is the unparsed event, for notices. */
type ReadEvent = (state: State, event: Event, raw: unknown) => ReadonlyArray<Chunk>

const events: Readonly<Record<string, ReadEvent>> = {
  message_start: (state, { message }, raw) => {
    const isRestarted = state.hasBegun
    state.hasBegun = true
    // A proxy restarted the response: once there was content, the two do not form one response.
    state.isRestarted ||= isRestarted && state.hasContent
    state.responseId = message?.id
    if (!isRestarted) return readUsage(state, message?.usage)
    state.blocks.clear()
    return [notice("message_start", raw), ...readUsage(state, message?.usage)]
  },
  content_block_start: (state, { content_block = {}, index = 0 }, raw) => blockStart(state, index, content_block, raw),
  content_block_delta: blockDelta,
  content_block_stop: (state, { index = 0 }) => {
    const block = state.blocks.get(index)
    state.blocks.delete(index)
    if (block?.type !== "tool_use") return []
    return [
      ...(block.fragments === 0 ? [{ _tag: "ToolCallArgs" as const, id: block.id, text: block.initialArgs }] : []),
      { _tag: "ToolCallEnd", id: block.id }
    ]
  },
  message_delta: (state, { delta, usage }) => {
    state.stop = delta?.stop_reason ?? state.stop
    return readUsage(state, usage)
  },
  message_stop: (state) => {
    state.ended = true
    return []
  },
  ping: () => [notice("ping", null)]
}

/** Counts are cumulative: each replaces the previous one. */
const readUsage = (state: State, wire: WireUsage | undefined): ReadonlyArray<Chunk> => {
  if (wire === undefined) return []
  state.usage = {
    input: wire.input_tokens ?? state.usage.input,
    output: wire.output_tokens ?? state.usage.output,
    cacheRead: wire.cache_read_input_tokens ?? state.usage.cacheRead,
    cacheWrite: wire.cache_creation_input_tokens ?? state.usage.cacheWrite,
    reasoning: wire.output_tokens_details?.thinking_tokens ?? state.usage.reasoning
  }
  return [UsageChunk.make(state.usage, false)]
}

function blockStart(state: State, index: number, block: Block, raw: unknown): ReadonlyArray<Chunk> {
  const { data = "", id = "", input = {}, name = "", signature = "", text = "", thinking = "", type = "unknown" } = block
  const open = (id: string, initialArgs: string) => state.blocks.set(index, { type, id, initialArgs, fragments: 0 })
  switch (type) {
    case "text":
      open("", "")
      return text === "" ? [] : [{ _tag: "TextDelta", text }]
    case "thinking":
      open("", "")
      return thinking + signature === "" ? [] : [{ _tag: "ReasoningDelta", text: thinking, ...(signature === "" ? {} : { signature }) }]
    case "redacted_thinking":
      open("", "")
      return [{ _tag: "ReasoningDelta", text: "", encrypted: data }]
    case "tool_use": {
      const uniqueId = CallIds.unique(state.calls, id)
      open(uniqueId, JSON.stringify(input))
      return [{ _tag: "ToolCallStart", id: uniqueId, name: state.names.original(name) }]
    }
    default:
      open("", "")
      return [notice(type, Reader.fields(raw)?.["content_block"] ?? null)]
  }
}

function blockDelta(state: State, { delta = {}, index = 0 }: Event, raw: unknown): ReadonlyArray<Chunk> {
  const block = state.blocks.get(index)
  const { partial_json = "", signature = "", text = "", thinking = "", type = "delta" } = delta
  const unread = () => notice(type, Reader.fields(raw)?.["delta"] ?? null)
  switch (type) {
    case "text_delta":
      return [{ _tag: "TextDelta", text }]
    case "thinking_delta":
      return [{ _tag: "ReasoningDelta", text: thinking }]
    case "signature_delta":
      return [{ _tag: "ReasoningDelta", text: "", signature }]
    case "input_json_delta":
      if (block?.type !== "tool_use") return [unread()]
      if (partial_json === "") return []
      block.fragments++
      return [{ _tag: "ToolCallArgs", id: block.id, text: partial_json }]
    default:
      return [unread()]
  }
}

export const step = (state: State, raw: unknown): readonly [State, ReadonlyArray<Chunk>] => {
  const fields = event(raw) ?? {}
  const { type = "event" } = fields
  const chunks = OwnProperty.get(events, type)?.(state, fields, raw) ?? [notice(type, raw)]
  state.hasContent ||= chunks.some(({ _tag }) => _tag === "TextDelta" || _tag === "ReasoningDelta" || _tag === "ToolCallStart")
  return [state, chunks]
}

export const violation = ({ isRestarted }: State): string | undefined => isRestarted ? "restarted its response in the middle" : undefined

/** The stop reasons by `stop_reason`; an unknown one is `other`. */
const stops: Readonly<Record<string, StopReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "refusal"
}

export const end = (state: State): ReadonlyArray<Chunk> => [
  UsageChunk.make(state.usage, true),
  {
    _tag: "Finish",
    reason: OwnProperty.get(stops, state.stop ?? "") ?? "other",
    raw: state.stop ?? "",
    ...optional({ responseId: state.responseId })
  }
]

/** An `error` event, or an error instead of a stream. */
export const failure = (raw: unknown): ReturnType<typeof ErrorBody.streamFailure> | undefined => {
  const { error, type } = Reader.fields(raw) ?? {}
  return type === "error" || (error !== undefined && error !== null) ? ErrorBody.streamFailure(raw) : undefined
}

export const hasEnded = (state: State): boolean => state.ended
/** No event follows the terminal one. */
export const isOver = hasEnded
