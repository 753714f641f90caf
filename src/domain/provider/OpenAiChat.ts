/**
 * The OpenAI Chat Completions wire (POST /chat/completions, `stream: true`) and its many dialects. What differs
 * between servers is data: `Quirks` for what is sent; what comes back is read as loosely as it is written.
 */
import type * as Schema from "effect/Schema"
import type { ToolResult } from "../message/Message.ts"
import * as Blobs from "./Attachments.ts"
import { classify } from "./ClassifyError.ts"
import * as History from "./NormalizeHistory.ts"
import type { Model } from "./Model.ts"
import type { ModelRequest } from "./ModelRequest.ts"
import * as OpenAiChatStream from "./OpenAiChatStream.ts"
import type { Protocol } from "./Protocol.ts"
import * as Thinking from "./ReasoningEffort.ts"

type Json = Schema.JsonObject

/**
 * - `maxTokens` is the name of the output limit's field. `streamUsage`: usage must be asked for.
 * - `cacheKey`: the field that groups requests of a session. `effort`: `reasoning_effort` is understood.
 * - `ids`: what a call's id may look like. `body` is added to every request.
 * - `marks`: models whose cache wants marks, as Anthropic's own wire has them, by their ids.
 */
export interface Quirks {
  readonly maxTokens: "max_tokens" | "max_completion_tokens"
  readonly streamUsage: boolean
  readonly effort: boolean
  readonly cacheKey?: string
  readonly ids: History.IdRule
  readonly marks?: RegExp
  readonly body?: Json
}

/** What most servers that follow OpenAI understand. Ids of 40 characters: the least that any of them was seen to ask for. */
export const common: Quirks = {
  maxTokens: "max_tokens",
  streamUsage: true,
  effort: true,
  ids: { illegal: /[^a-zA-Z0-9_-]/g, max: 40 }
}

const encode = (quirks: Quirks) => (request: ModelRequest, model: Model): Json => {
  const names = History.names(request.tools)
  const marks = quirks.marks?.test(model.id) === true
  const turns = History.turns(request.messages, model, quirks)
  const late = marks ? turns.flatMap((turn, i) => turn.role === "user" ? [i] : []).slice(-2) : []
  const effort = request.effort === undefined || !model.reasoning || !quirks.effort ? undefined : Thinking.named(model, request.effort)
  return {
    model: model.id,
    messages: [
      ...(request.system.trim() === "" ? [] : [{ role: "system", content: marks ? [{ type: "text", text: request.system, ...mark }] : request.system }]),
      ...turns.flatMap((turn, i) =>
        turn.role === "assistant" ? [assistantMessage(turn, model, names)]
        : late.includes(i) ? marked(userMessages(turn, request, model))
        : userMessages(turn, request, model)
      )
    ],
    ...(request.tools.length === 0 ? {} : { tools: tools(request, names) }),
    [quirks.maxTokens]: Math.max(1, Math.min(request.maxTokens, model.maxOutput)),
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(request.temperature === undefined || !model.temperature ? {} : { temperature: Math.min(2, Math.max(0, request.temperature)) }),
    ...(quirks.cacheKey === undefined || request.cacheKey === undefined ? {} : { [quirks.cacheKey]: request.cacheKey }),
    stream: true,
    ...(quirks.streamUsage ? { stream_options: { include_usage: true } } : {}),
    ...quirks.body
  }
}

const mark = { cache_control: { type: "ephemeral" } } as const

/** The last text of what was said is marked; a tool's message is, where nothing was. */
const marked = (messages: ReadonlyArray<Json>): ReadonlyArray<Json> =>
  messages.map((message, i) => {
    if (i < messages.length - 1) return message
    if (message.role === "tool") return { ...message, ...mark }
    const parts = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content as ReadonlyArray<Json>
    const last = parts.findLastIndex(({ type }) => type === "text")
    return { ...message, content: parts.map((part, j) => j === last ? { ...part, ...mark } : part) }
  })

const tools = (request: ModelRequest, names: History.Names): ReadonlyArray<Json> =>
  History.eachOnce(request.tools).map(({ description, name, schema }) => ({
    type: "function",
    function: { name: names.sent(name), description, parameters: { ...schema, type: "object" } }
  }))

/** Results as tool messages, then what the user said; images of results come with that, because tool messages hold text alone. */
const userMessages = (turn: History.UserTurn, request: ModelRequest, model: Model): ReadonlyArray<Json> => {
  const content = [
    ...turn.results.flatMap((result) => moved(result, request, model)),
    ...turn.content.map((part) => part._tag === "Text" ? { type: "text", text: part.text } : filePart(Blobs.show(part, request, model)))
  ]
  return [
    ...turn.results.map((result) => ({ role: "tool", tool_call_id: result.id, content: toolText(result) })),
    ...(content.length === 0 ? [] : [{ role: "user", content: plain(content) }])
  ]
}

const toolText = (result: ToolResult): string => {
  const images = result.content.filter((part) => part._tag === "Image").length
  const text = History.resultText(result.content)
  return images === 0 ? text : `${text === "(no output)" ? "" : `${text}\n`}[${images === 1 ? "An image" : `${images} images`} of this result: see the next user message.]`
}

const moved = (result: ToolResult, request: ModelRequest, model: Model): ReadonlyArray<Json> => {
  const images = result.content.flatMap((part) => part._tag === "Image" ? [filePart(Blobs.show(part, request, model))] : [])
  return images.length === 0 ? [] : [{ type: "text", text: `Of the result of ${result.name} (${result.id}):` }, ...images]
}

const filePart = (shown: Blobs.Shown): Json => {
  switch (shown._tag) {
    case "Text":
      return { type: "text", text: shown.text }
    case "Image":
      return { type: "image_url", image_url: { url: `data:${shown.mediaType};base64,${shown.data}` } }
    case "Pdf":
      return { type: "file", file: { filename: shown.name, file_data: `data:application/pdf;base64,${shown.data}` } }
  }
}

/** Text alone goes as a string: the one form that every server takes. */
const plain = (content: ReadonlyArray<Json>): Schema.Json =>
  content.every(({ type }) => type === "text") ? content.map(({ text }) => text).join("\n\n") : content

const assistantMessage = (turn: History.AssistantTurn, model: Model, names: History.Names): Json => {
  const text = turn.content.flatMap((part) => part._tag === "Text" ? [part.text] : []).join("\n")
  const thought = turn.content.flatMap((part) => part._tag === "Reasoning" && part.text !== "" ? [part.text] : []).join("\n")
  const calls = turn.content.filter((part) => part._tag === "ToolCall")
  return {
    role: "assistant",
    content: text === "" ? null : text,
    ...(model.echo === undefined || thought === "" ? {} : { [model.echo]: thought }),
    ...(calls.length === 0 ? {} : {
      tool_calls: calls.map(({ id, name, params }) => ({
        id,
        type: "function",
        function: { name: names.sent(name), arguments: JSON.stringify(params) }
      }))
    })
  }
}

/** The protocol as one kind of server speaks it. */
export const protocol = (quirks: Quirks): Protocol<OpenAiChatStream.State, OpenAiChatStream.Event> => ({
  name: "openai-chat",
  encode: encode(quirks),
  classify,
  ...OpenAiChatStream
})
