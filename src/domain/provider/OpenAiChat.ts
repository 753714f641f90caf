/**
 * The OpenAI Chat Completions wire (POST /chat/completions, `stream: true`) and its many dialects. Differences between
 * servers are data: `Quirks` for requests; responses are read leniently.
 */
import type * as Schema from "effect/Schema"
import { optional } from "../Optional.ts"
import type { ToolResult } from "../message/Message.ts"
import * as Attachments from "./Attachments.ts"
import { classify } from "./ClassifyError.ts"
import * as NormalizeHistory from "./NormalizeHistory.ts"
import type { Model } from "./Model.ts"
import type { ModelRequest } from "./ModelRequest.ts"
import * as OpenAiChatStream from "./OpenAiChatStream.ts"
import type { Protocol } from "./Protocol.ts"
import * as ReasoningEffort from "./ReasoningEffort.ts"

type Json = Schema.JsonObject

/**
 * - `maxTokens`: the field of the output limit. `streamUsage`: usage must be requested.
 * - `cacheKey`: the field that groups the requests of a session. `effort`: the server supports `reasoning_effort`.
 * - `ids`: what the server accepts as the id of a tool call. `body`: fields added to every request.
 * - `cacheMarked`: the ids of models whose cache requires marks, as in Anthropic's own wire, where the model
 *   itself does not say (`cacheMarks`).
 */
export interface Quirks {
  readonly maxTokens: "max_tokens" | "max_completion_tokens"
  readonly streamUsage: boolean
  readonly effort: boolean
  readonly cacheKey?: string
  readonly ids: NormalizeHistory.IdRule
  readonly cacheMarked?: RegExp
  readonly body?: Json
}

/** What most compatible servers support. 40 characters is the shortest id limit observed. */
export const defaultQuirks: Quirks = {
  maxTokens: "max_tokens",
  streamUsage: true,
  effort: true,
  ids: { illegal: /[^a-zA-Z0-9_-]/g, max: 40 }
}

const encode = (quirks: Quirks) => (request: ModelRequest, model: Model): Json => {
  const names = NormalizeHistory.toolNames(request.tools)
  const hasCacheMarks = model.cacheMarks ?? quirks.cacheMarked?.test(model.id) === true
  const turns = NormalizeHistory.turns(request.messages, model, quirks)
  const effort = request.effort === undefined || !model.reasoning || !quirks.effort ? undefined
    : ReasoningEffort.nearestEffort(model, request.effort)
  return {
    model: model.id,
    messages: [
      ...(request.system.trim() === "" ? []
        : [{ role: "system", content: hasCacheMarks ? [{ type: "text", text: request.system, ...cacheMark }] : request.system }]),
      ...turns.flatMap((turn, i) => {
        const messages = wireMessages(turn, { request, model, names })
        return hasCacheMarks && NormalizeHistory.isMarked(turns, i) ? withCacheMark(messages) : messages
      })
    ],
    ...(request.tools.length === 0 ? {} : { tools: tools(request, names) }),
    ...(model.unstatedOutput === true ? {} : { [quirks.maxTokens]: Math.max(1, Math.min(request.maxTokens, model.maxOutput)) }),
    ...optional({ reasoning_effort: effort }),
    ...(request.temperature === undefined || !model.temperature ? {} : { temperature: Math.min(2, Math.max(0, request.temperature)) }),
    ...(quirks.cacheKey === undefined || request.cacheKey === undefined ? {} : { [quirks.cacheKey]: request.cacheKey }),
    stream: true,
    ...(quirks.streamUsage ? { stream_options: { include_usage: true } } : {}),
    ...quirks.body
  }
}

const wireMessages = NormalizeHistory.onceForEachTurn((turn, { model, names, request }) =>
  turn.role === "user" ? userMessages(turn, request, model) : [assistantMessage(turn, model, names)]
)

const cacheMark = { cache_control: { type: "ephemeral" } } as const

/** Marks the last text of the last message, or the message itself if it is a tool's. */
const withCacheMark = (messages: ReadonlyArray<Json>): ReadonlyArray<Json> =>
  messages.map((message, i) => {
    if (i < messages.length - 1) return message
    if (message.role === "tool") return { ...message, ...cacheMark }
    const parts = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content as ReadonlyArray<Json>
    const last = parts.findLastIndex(({ type }) => type === "text")
    return { ...message, content: parts.map((part, j) => j === last ? { ...part, ...cacheMark } : part) }
  })

const tools = (request: ModelRequest, names: NormalizeHistory.Names): ReadonlyArray<Json> =>
  NormalizeHistory.uniqueTools(request.tools).map(({ description, name, schema }) => ({
    type: "function",
    function: { name: names.wireName(name), description, parameters: { ...schema, type: "object" } }
  }))

/** Results as tool messages, then the user's message with the images of results, because tool messages accept only text. */
const userMessages = (turn: NormalizeHistory.UserTurn, request: ModelRequest, model: Model): ReadonlyArray<Json> => {
  const content = [
    ...turn.results.flatMap((result) => resultImages(result, request, model)),
    ...turn.content.map((part) =>
      part._tag === "Text" ? { type: "text", text: part.text } : filePart(Attachments.toWirePart(part, request, model))
    )
  ]
  return [
    ...turn.results.map((result) => ({ role: "tool", tool_call_id: result.id, content: toolText(result) })),
    ...(content.length === 0 ? [] : [{ role: "user", content: compactContent(content) }])
  ]
}

const toolText = (result: ToolResult): string => {
  const images = result.content.filter((part) => part._tag === "Image").length
  const text = NormalizeHistory.resultText(result.content)
  return images === 0 ? text
    : `${text === "(no output)" ? "" : `${text}\n`}[${
      images === 1 ? "An image" : `${images} images`
    } of this result: see the next user message.]`
}

const resultImages = (result: ToolResult, request: ModelRequest, model: Model): ReadonlyArray<Json> => {
  const images = result.content.flatMap((part) => part._tag === "Image" ? [filePart(Attachments.toWirePart(part, request, model))] : [])
  return images.length === 0 ? [] : [{ type: "text", text: `Of the result of ${result.name} (${result.id}):` }, ...images]
}

const filePart = (wirePart: Attachments.WirePart): Json => {
  switch (wirePart._tag) {
    case "Text":
      return { type: "text", text: wirePart.text }
    case "Image":
      return { type: "image_url", image_url: { url: `data:${wirePart.mediaType};base64,${wirePart.data}` } }
    case "Pdf":
      return { type: "file", file: { filename: wirePart.name, file_data: `data:application/pdf;base64,${wirePart.data}` } }
  }
}

/** Content that is only text is sent as a string, the one form that every server accepts. */
const compactContent = (content: ReadonlyArray<Json>): Schema.Json =>
  content.every(({ type }) => type === "text") ? content.map(({ text }) => text).join("\n\n") : content

const assistantMessage = (turn: NormalizeHistory.AssistantTurn, model: Model, names: NormalizeHistory.Names): Json => {
  const text = turn.content.flatMap((part) => part._tag === "Text" ? [part.text] : []).join("\n")
  const reasoning = turn.content.flatMap((part) => part._tag === "Reasoning" && part.text !== "" ? [part.text] : []).join("\n")
  const calls = turn.content.filter((part) => part._tag === "ToolCall")
  return {
    role: "assistant",
    content: text === "" ? null : text,
    ...(model.echo === undefined || reasoning === "" ? {} : { [model.echo]: reasoning }),
    ...(calls.length === 0 ? {} : {
      tool_calls: calls.map(({ id, name, params }) => ({
        id,
        type: "function",
        function: { name: names.wireName(name), arguments: JSON.stringify(params) }
      }))
    })
  }
}

/** The protocol for a server with these quirks. */
export const protocol = (quirks: Quirks): Protocol<OpenAiChatStream.State> => ({
  name: "openai-chat",
  encode: encode(quirks),
  classify,
  ...OpenAiChatStream
})
