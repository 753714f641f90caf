/**
 * The Anthropic Messages wire (POST /v1/messages, `stream: true`), after
 * https://platform.claude.com/docs/en/api/messages and its streaming events.
 */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Content, ToolResult } from "../message/Message.ts"
import * as AnthropicStream from "./AnthropicStream.ts"
import * as BedrockStream from "./BedrockStream.ts"
import * as Attachments from "./Attachments.ts"
import { classify } from "./ClassifyError.ts"
import * as NormalizeHistory from "./NormalizeHistory.ts"
import type { Model } from "./Model.ts"
import type { ModelRequest } from "./ModelRequest.ts"
import type { Protocol } from "./Protocol.ts"
import * as Reader from "./Reader.ts"
import * as ReasoningEffort from "./ReasoningEffort.ts"

type Json = Schema.JsonObject
type Block = Json

const cacheMark = { cache_control: { type: "ephemeral" } } as const
const withCacheMark = <A extends Json>(blocks: ReadonlyArray<A>): ReadonlyArray<Json> =>
  blocks.map((block, i) => i === blocks.length - 1 ? { ...block, ...cacheMark } : block)
const unmarked = <A extends Json>(blocks: ReadonlyArray<A>): ReadonlyArray<Json> => blocks

/** The request body. At most four cache marks: tools, system, and the last two user messages; none if the user turned them off. */
export const encode = (request: ModelRequest, model: Model): Json => {
  const mark = model.cacheMarks === false ? unmarked : withCacheMark
  const names = NormalizeHistory.toolNames(request.tools)
  const turns = NormalizeHistory.turns(request.messages, model)
  const maxTokens = Math.max(1, Math.min(request.maxTokens, model.maxOutput))
  const thinking = thinkingFields(request, model, turns, maxTokens)
  const messages = turns.map((turn, i): Json => {
    const message = wireMessage(turn, { request, model, names })
    return NormalizeHistory.isMarked(turns, i) ? { ...message, content: mark(message.content) } : message
  })
  return {
    model: model.id,
    max_tokens: maxTokens,
    ...(request.system.trim() === "" ? {} : { system: mark([{ type: "text", text: request.system }]) }),
    ...(request.tools.length === 0 ? {} : { tools: mark(tools(request, names)) }),
    messages,
    ...thinking,
    ...(request.temperature === undefined || !model.temperature || "thinking" in thinking
      ? {}
      : { temperature: Math.min(1, Math.max(0, request.temperature)) }),
    stream: true
  }
}

const wireMessage = NormalizeHistory.onceForEachTurn((turn, { model, names, request }) => ({
  role: turn.role,
  content: turn.role === "user" ? userBlocks(turn, request, model) : assistantBlocks(turn, names)
}))

const tools = (request: ModelRequest, names: NormalizeHistory.Names): ReadonlyArray<Json> =>
  NormalizeHistory.uniqueTools(request.tools).map(({ description, name, schema }) => ({
    name: names.wireName(name),
    description,
    input_schema: { ...schema, type: "object" }
  }))

const userBlocks = (turn: NormalizeHistory.UserTurn, request: ModelRequest, model: Model): ReadonlyArray<Block> => [
  ...turn.results.map((result) => resultBlock(result, request, model)),
  ...turn.content.map((part): Block =>
    part._tag === "Text" ? { type: "text", text: part.text }
      : fileBlock(Attachments.toWirePart(part, request, model, Attachments.anthropicLimits))
  )
]

const resultBlock = (result: ToolResult, request: ModelRequest, model: Model): Block => ({
  type: "tool_result",
  tool_use_id: result.id,
  content: result.content.some((part) => part._tag === "Image")
    ? result.content.flatMap((part): ReadonlyArray<Block> =>
      part._tag === "Image" ? [fileBlock(Attachments.toWirePart(part, request, model, Attachments.anthropicLimits))]
        : part.text.trim() === "" ? []
        : [{ type: "text", text: part.text }]
    )
    : [{ type: "text", text: NormalizeHistory.resultText(result.content) }],
  ...(result.isError ? { is_error: true } : {})
})

const fileBlock = (wirePart: Attachments.WirePart): Block => {
  switch (wirePart._tag) {
    case "Text":
      return { type: "text", text: wirePart.text }
    case "Image":
      return { type: "image", source: { type: "base64", media_type: wirePart.mediaType, data: wirePart.data } }
    case "Pdf":
      return { type: "document", title: wirePart.name, source: { type: "base64", media_type: "application/pdf", data: wirePart.data } }
  }
}

const assistantBlocks = (turn: NormalizeHistory.AssistantTurn, names: NormalizeHistory.Names): ReadonlyArray<Block> =>
  turn.content.flatMap((part): ReadonlyArray<Block> => {
    switch (part._tag) {
      case "Text":
        return [{ type: "text", text: part.text }]
      case "Reasoning":
        return reasoningBlocks(part)
      case "ToolCall":
        return [{ type: "tool_use", id: part.id, name: names.wireName(part.name), input: NormalizeHistory.paramsObject(part.params) }]
    }
  })

/** Reasoning is sent back only with the proof of its origin. */
const reasoningBlocks = ({ encrypted, signature, text }: Extract<Content, { readonly _tag: "Reasoning" }>): ReadonlyArray<Block> =>
  encrypted !== undefined ? [{ type: "redacted_thinking", data: encrypted }]
    : signature !== undefined ? [{ type: "thinking", thinking: text, signature }]
    : []

/**
 * Fields that set how much Claude thinks, wherever it is hosted. Named efforts are sent as they are. A thinking budget requires
 * the reasoning of the turn whose tool results are sent: if another model wrote that turn, the request is sent without
 * thinking, because the service would reject it.
 */
export const thinkingFields = (
  { effort }: ModelRequest,
  model: Model,
  turns: ReadonlyArray<NormalizeHistory.Turn>,
  maxTokens: number
): Schema.JsonObject => {
  if (effort === undefined || !model.reasoning) return {}
  if (model.effort?.kind === "named") {
    const value = ReasoningEffort.nearestEffort(model, effort)
    return effort === "none" || value === undefined
      ? { thinking: { type: "disabled" } }
      : { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: value } }
  }
  const last = turns.at(-1)
  const previous = turns.at(-2)
  const isToolLoop = last?.role === "user" && last.results.length > 0
  const firstPart = previous?.role === "assistant" ? previous.content[0] : undefined
  const hasProvenReasoning = firstPart?._tag === "Reasoning" && isProven(firstPart)
  const tokens = ReasoningEffort.thinkingBudget(model, effort, maxTokens)
  return tokens === 0 || (isToolLoop && !hasProvenReasoning) ? {} : { thinking: { type: "enabled", budget_tokens: tokens } }
}

/** Whether reasoning carries the proof of its origin. */
const isProven = ({ encrypted, signature }: Extract<Content, { readonly _tag: "Reasoning" }>): boolean =>
  encrypted !== undefined || signature !== undefined

/** The body for Claude on a cloud platform, which names the model in the URL and needs additional fields. */
export const encodeHosted = (hostFields: Json) => (request: ModelRequest, model: Model): Json => {
  const { model: _, stream: __, ...body } = encode(request, model)
  return { ...hostFields, ...body }
}

export const protocol: Protocol<AnthropicStream.State> = {
  name: "anthropic-messages",
  encode,
  classify,
  ...AnthropicStream
}

/** The event of a frame, or a frame without one. */
type Event = { readonly event: unknown } | { readonly frame: unknown }

/** Throws if the data is not valid JSON. Compatible servers put the event into the frame without base64. */
export const decodeBedrockEvent = (data: string): Event => {
  const frame: unknown = JSON.parse(data)
  const chunk = Reader.fields(Reader.fields(frame)?.["chunk"])
  const { bytes, type } = chunk ?? {}
  return typeof bytes === "string" ? { event: JSON.parse(Result.getOrThrow(Base64.decodeString(bytes))) as unknown }
    : typeof type === "string" ? { event: chunk }
    : { frame }
}

const unwrapped = (data: unknown): Event => {
  const { event, frame } = Reader.fields(data) ?? {}
  return event === undefined ? { frame } : { event }
}

/** Claude on Amazon Bedrock in Anthropic's own wire: events are base64 in frames, errors are separate frames. */
export const bedrockProtocol: Protocol<AnthropicStream.State> = {
  ...protocol,
  encode: encodeHosted({ anthropic_version: "bedrock-2023-05-31" }),
  step: (state, data) => {
    const content = unwrapped(data)
    return protocol.step(state, "event" in content ? content.event : { ...Reader.fields(content.frame), type: "frame" })
  },
  failure: (data) => {
    const content = unwrapped(data)
    return "event" in content ? protocol.failure(content.event) : BedrockStream.failure(content.frame)
  }
}
