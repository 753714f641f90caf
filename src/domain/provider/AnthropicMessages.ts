/**
 * The Anthropic Messages wire (POST /v1/messages, `stream: true`), after
 * https://platform.claude.com/docs/en/api/messages and its streaming events.
 */
import type * as Schema from "effect/Schema"
import type { Chunk, StopReason } from "../message/Chunk.ts"
import type { Content, ToolResult } from "../message/Message.ts"
import * as Usage from "../session/Usage.ts"
import * as AnthropicThinking from "./AnthropicThinking.ts"
import * as Blobs from "./Attachments.ts"
import { classify } from "./ClassifyError.ts"
import * as History from "./NormalizeHistory.ts"
import type { Model } from "./Model.ts"
import type { ModelRequest } from "./ModelRequest.ts"
import type { Protocol } from "./Protocol.ts"

type Json = Schema.JsonObject
type Block = Json

const mark = { cache_control: { type: "ephemeral" } } as const
const marked = <A extends Json>(blocks: ReadonlyArray<A>): ReadonlyArray<Json> =>
  blocks.map((block, i) => i === blocks.length - 1 ? { ...block, ...mark } : block)

/** The request's body. Four cache marks at most: tools, system, and the last two user messages. */
export const encode = (request: ModelRequest, model: Model): Json => {
  const names = History.names(request.tools)
  const turns = History.turns(request.messages, model)
  const late = turns.flatMap((turn, i) => turn.role === "user" ? [i] : []).slice(-2)
  const maxTokens = Math.max(1, Math.min(request.maxTokens, model.maxOutput))
  const thinking = AnthropicThinking.fields(request, model, turns, maxTokens)
  const messages = turns.map((turn, i): Json => {
    const blocks = turn.role === "user" ? userBlocks(turn, request, model) : assistantBlocks(turn, names)
    return { role: turn.role, content: late.includes(i) ? marked(blocks) : blocks }
  })
  return {
    model: model.id,
    max_tokens: maxTokens,
    ...(request.system.trim() === "" ? {} : { system: marked([{ type: "text", text: request.system }]) }),
    ...(request.tools.length === 0 ? {} : { tools: marked(tools(request, names)) }),
    messages,
    ...thinking,
    ...(request.temperature === undefined || !model.temperature || "thinking" in thinking
      ? {}
      : { temperature: Math.min(1, Math.max(0, request.temperature)) }),
    stream: true
  }
}

const tools = (request: ModelRequest, names: History.Names): ReadonlyArray<Json> =>
  History.eachOnce(request.tools).map(({ description, name, schema }) => ({ name: names.sent(name), description, input_schema: { ...schema, type: "object" } }))

const userBlocks = (turn: History.UserTurn, request: ModelRequest, model: Model): ReadonlyArray<Block> => [
  ...turn.results.map((result) => resultBlock(result, request, model)),
  ...turn.content.map((part): Block => part._tag === "Text" ? { type: "text", text: part.text } : fileBlock(Blobs.show(part, request, model, Blobs.tight)))
]

const resultBlock = (result: ToolResult, request: ModelRequest, model: Model): Block => ({
  type: "tool_result",
  tool_use_id: result.id,
  content: result.content.some((part) => part._tag === "Image")
    ? result.content.flatMap((part): ReadonlyArray<Block> =>
      part._tag === "Image" ? [fileBlock(Blobs.show(part, request, model, Blobs.tight))]
      : part.text.trim() === "" ? []
      : [{ type: "text", text: part.text }]
    )
    : [{ type: "text", text: History.resultText(result.content) }],
  ...(result.isError ? { is_error: true } : {})
})

const fileBlock = (shown: Blobs.Shown): Block => {
  switch (shown._tag) {
    case "Text":
      return { type: "text", text: shown.text }
    case "Image":
      return { type: "image", source: { type: "base64", media_type: shown.mediaType, data: shown.data } }
    case "Pdf":
      return { type: "document", title: shown.name, source: { type: "base64", media_type: "application/pdf", data: shown.data } }
  }
}

const assistantBlocks = (turn: History.AssistantTurn, names: History.Names): ReadonlyArray<Block> =>
  turn.content.flatMap((part): ReadonlyArray<Block> => {
    switch (part._tag) {
      case "Text":
        return [{ type: "text", text: part.text }]
      case "Reasoning":
        return thoughtBlocks(part)
      case "ToolCall":
        return [{ type: "tool_use", id: part.id, name: names.sent(part.name), input: History.object(part.params) }]
    }
  })

/** Thought goes back only with what proves whose it is. */
const thoughtBlocks = ({ encrypted, signature, text }: Extract<Content, { readonly _tag: "Reasoning" }>): ReadonlyArray<Block> =>
  encrypted !== undefined ? [{ type: "redacted_thinking", data: encrypted }]
  : signature !== undefined ? [{ type: "thinking", thinking: text, signature }]
  : []

/** The body for Claude in another's house, which has the model in the address, and fields of its own. */
export const hosted = (own: Json) => (request: ModelRequest, model: Model): Json => {
  const { model: _, stream: __, ...body } = encode(request, model)
  return { ...own, ...body }
}

/** One decoded event of the stream, as far as we read it. */
export interface Event {
  readonly type: string
  readonly index?: number
  readonly message?: { readonly id?: string; readonly usage?: WireUsage }
  readonly content_block?: Readonly<Record<string, unknown>> & { readonly type: string }
  readonly delta?: Readonly<Record<string, unknown>>
  readonly usage?: WireUsage
  readonly error?: { readonly type?: string; readonly message?: string }
}

interface WireUsage {
  readonly input_tokens?: number | null
  readonly output_tokens?: number | null
  readonly cache_read_input_tokens?: number | null
  readonly cache_creation_input_tokens?: number | null
  readonly output_tokens_details?: { readonly thinking_tokens?: number } | null
}

interface OpenBlock {
  readonly type: string
  readonly id: string
  /** The arguments that came whole with the block's start. */
  readonly whole: string
  fragments: number
}

export interface State {
  readonly names: History.Names
  readonly blocks: Map<number, OpenBlock>
  readonly calls: Set<string>
  usage: Usage.TokenUsage
  responseId: string | undefined
  stop: string | undefined
  ended: boolean
}

const initial = (request: ModelRequest): State => ({
  names: History.names(request.tools),
  blocks: new Map(),
  calls: new Set(),
  usage: Usage.none,
  responseId: undefined,
  stop: undefined,
  ended: false
})

type On = (state: State, event: Event) => ReadonlyArray<Chunk>

const notice = (kind: string, detail: unknown): Chunk => ({ _tag: "Notice", kind, detail: detail as Schema.Json })

const events: Readonly<Record<string, On>> = {
  message_start: (state, event) => {
    const { message } = event
    const again = state.responseId !== undefined && state.responseId !== message?.id
    state.responseId = message?.id
    if (!again) return read(state, message?.usage)
    // A proxy has begun the answer anew: calls of the first beginning never end, and so never run.
    state.blocks.clear()
    return [notice("message_start", event), ...read(state, message?.usage)]
  },
  content_block_start: (state, event) => started(state, event.index ?? 0, event.content_block ?? { type: "unknown" }),
  content_block_delta: (state, event) => grown(state, event),
  content_block_stop: (state, { index = 0 }) => {
    const block = state.blocks.get(index)
    state.blocks.delete(index)
    if (block?.type !== "tool_use") return []
    return [
      ...(block.fragments === 0 ? [{ _tag: "ToolCallArgs" as const, id: block.id, text: block.whole }] : []),
      { _tag: "ToolCallEnd", id: block.id }
    ]
  },
  message_delta: (state, { delta, usage }) => {
    if (typeof delta?.stop_reason === "string") state.stop = delta.stop_reason
    return read(state, usage)
  },
  message_stop: (state) => {
    state.ended = true
    return []
  },
  ping: () => [notice("ping", null)]
}

/** Figures are cumulative: each one that comes replaces the one before. */
const read = (state: State, wire: WireUsage | undefined): ReadonlyArray<Chunk> => {
  if (wire === undefined) return []
  state.usage = {
    input: wire.input_tokens ?? state.usage.input,
    output: wire.output_tokens ?? state.usage.output,
    cacheRead: wire.cache_read_input_tokens ?? state.usage.cacheRead,
    cacheWrite: wire.cache_creation_input_tokens ?? state.usage.cacheWrite,
    reasoning: wire.output_tokens_details?.thinking_tokens ?? state.usage.reasoning
  }
  return [{ _tag: "Usage", usage: state.usage, final: false }]
}

const started = (state: State, index: number, block: NonNullable<Event["content_block"]>): ReadonlyArray<Chunk> => {
  const open = (id: string, whole: string) => state.blocks.set(index, { type: block.type, id, whole, fragments: 0 })
  switch (block.type) {
    case "text":
      open("", "")
      return typeof block.text === "string" && block.text !== "" ? [{ _tag: "TextDelta", text: block.text }] : []
    case "thinking":
      open("", "")
      return [{
        _tag: "ReasoningDelta",
        text: typeof block.thinking === "string" ? block.thinking : "",
        ...(typeof block.signature === "string" && block.signature !== "" ? { signature: block.signature } : {})
      }].filter(({ signature, text }) => text !== "" || signature !== undefined) as ReadonlyArray<Chunk>
    case "redacted_thinking":
      open("", "")
      return [{ _tag: "ReasoningDelta", text: "", encrypted: String(block.data ?? "") }]
    case "tool_use": {
      const id = fresh(state.calls, String(block.id ?? ""))
      const input = block.input
      open(id, typeof input === "object" && input !== null && Object.keys(input).length > 0 ? JSON.stringify(input) : "{}")
      return [{ _tag: "ToolCallStart", id, name: state.names.ours(String(block.name ?? "")) }]
    }
    default:
      open("", "")
      return [notice(block.type, block)]
  }
}

/** A second call with an id that is taken gets one of its own, so that neither runs in the other's name. */
const fresh = (taken: Set<string>, id: string): string => {
  let own = id === "" ? "call" : id
  for (let n = 2; taken.has(own); n++) own = `${id}_${n}`
  taken.add(own)
  return own
}

const grown = (state: State, { delta, index = 0 }: Event): ReadonlyArray<Chunk> => {
  const block = state.blocks.get(index)
  switch (delta?.type) {
    case "text_delta":
      return [{ _tag: "TextDelta", text: String(delta.text ?? "") }]
    case "thinking_delta":
      return [{ _tag: "ReasoningDelta", text: String(delta.thinking ?? "") }]
    case "signature_delta":
      return [{ _tag: "ReasoningDelta", text: "", signature: String(delta.signature ?? "") }]
    case "input_json_delta": {
      const text = String(delta.partial_json ?? "")
      if (block?.type !== "tool_use") return [notice("input_json_delta", delta)]
      if (text === "") return []
      block.fragments++
      return [{ _tag: "ToolCallArgs", id: block.id, text }]
    }
    default:
      return [notice(String(delta?.type ?? "delta"), delta ?? null)]
  }
}

const step = (state: State, event: Event): readonly [State, ReadonlyArray<Chunk>] =>
  [state, events[event.type]?.(state, event) ?? [notice(event.type, event)]]

/** Both spellings of `stop_reason` and what they mean here; an unknown one is `other`. */
const stops: Readonly<Record<string, StopReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "refusal"
}

const end = (state: State): ReadonlyArray<Chunk> => [
  { _tag: "Usage", usage: state.usage, final: true },
  {
    _tag: "Finish",
    reason: stops[state.stop ?? ""] ?? "other",
    raw: state.stop ?? "",
    ...(state.responseId === undefined ? {} : { responseId: state.responseId })
  }
]

/** The status that an `error` event would have had as an answer of its own. */
const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529
}

export const protocol: Protocol<State, Event> = {
  name: "anthropic-messages",
  encode,
  initial,
  step,
  failure: (event) => event.type === "error" ? { status: statuses[event.error?.type ?? ""] ?? 500, body: event } : undefined,
  ended: (state) => state.ended,
  over: (state) => state.ended,
  end,
  classify
}
