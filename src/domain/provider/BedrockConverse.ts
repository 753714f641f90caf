/**
 * The Converse wire of Amazon Bedrock (POST /model/<id>/converse-stream), one for models of many makers, after
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html.
 */
import type * as Schema from "effect/Schema"
import type { ToolResult } from "../message/Message.ts"
import * as AnthropicThinking from "./AnthropicThinking.ts"
import * as BedrockStream from "./BedrockStream.ts"
import * as Blobs from "./Attachments.ts"
import { classify } from "./ClassifyError.ts"
import * as History from "./NormalizeHistory.ts"
import type { Model } from "./Model.ts"
import type { ModelRequest } from "./ModelRequest.ts"
import type { Protocol } from "./Protocol.ts"

type Json = Schema.JsonObject

/** What a maker's models take beyond the common: marks for the cache, and fields of their own for thought. */
interface Maker {
  readonly models: RegExp
  readonly caches: boolean
  readonly thinks: typeof AnthropicThinking.fields
}

const makers: ReadonlyArray<Maker> = [
  { models: /claude/, caches: true, thinks: AnthropicThinking.fields },
  { models: /amazon\.nova/, caches: true, thinks: () => ({}) }
]

/** The service's own limit for documents is 4.5 MB of bytes. */
const limits: Blobs.Limits = { ...Blobs.tight, document: 6 * 1024 * 1024 }

const cachePoint = { cachePoint: { type: "default" } } as const

/** The request's body; which model answers stands in the address. The mark behind the system prompt covers the tools, too. */
const encode = (request: ModelRequest, model: Model): Json => {
  const maker = makers.find(({ models }) => models.test(model.id))
  const mark = maker?.caches === true ? [cachePoint] : []
  const names = History.names(request.tools)
  const turns = History.turns(request.messages, model)
  const late = turns.flatMap((turn, i) => turn.role === "user" ? [i] : []).slice(-2)
  const maxTokens = Math.max(1, Math.min(request.maxTokens, model.maxOutput))
  const thinking = maker?.thinks(request, model, turns, maxTokens) ?? {}
  const titles = documentNames()
  const tools = toolSpecs(request, turns, names)
  return {
    messages: turns.map((turn, i): Json =>
      turn.role === "user"
        ? { role: "user", content: [...userBlocks(turn, request, model, titles), ...(late.includes(i) ? mark : [])] }
        : { role: "assistant", content: assistantBlocks(turn, names) }
    ),
    ...(request.system.trim() === "" ? {} : { system: [{ text: request.system }, ...mark] }),
    ...(tools.length === 0 ? {} : { toolConfig: { tools } }),
    inferenceConfig: {
      maxTokens,
      ...(request.temperature === undefined || !model.temperature || "thinking" in thinking
        ? {}
        : { temperature: Math.min(1, Math.max(0, request.temperature)) })
    },
    ...(Object.keys(thinking).length === 0 ? {} : { additionalModelRequestFields: thinking })
  }
}

/** A history with calls needs tools: where none are offered, those that it names stand there, without params. */
const toolSpecs = ({ tools }: ModelRequest, turns: ReadonlyArray<History.Turn>, names: History.Names): ReadonlyArray<Json> => {
  const spec = (name: string, description: string, json: Json) => ({ toolSpec: { name, description, inputSchema: { json } } })
  if (tools.length > 0) return History.eachOnce(tools).map(({ description, name, schema }) => spec(names.sent(name), description || name, { ...schema, type: "object" }))
  const called = turns.flatMap((turn) => turn.role === "assistant" ? turn.content.flatMap((part) => part._tag === "ToolCall" ? [names.sent(part.name)] : []) : [])
  return [...new Set(called)].map((name) => spec(name, "Not to be called any more.", { type: "object" }))
}

type Titles = (name: string) => string

/** A message with a document says something, too. */
const userBlocks = (turn: History.UserTurn, request: ModelRequest, model: Model, titles: Titles): ReadonlyArray<Json> => {
  const content = turn.content.map((part): Json => part._tag === "Text" ? { text: part.text } : fileBlock(Blobs.show(part, request, model, limits), titles))
  const wordless = content.some((block) => "document" in block) && !content.some((block) => "text" in block)
  return [
    ...turn.results.map((result) => resultBlock(result, request, model, titles)),
    ...(wordless ? [{ text: "(A document.)" }] : []),
    ...content
  ]
}

const resultBlock = (result: ToolResult, request: ModelRequest, model: Model, titles: Titles): Json => ({
  toolResult: {
    toolUseId: result.id,
    content: result.content.some((part) => part._tag === "Image")
      ? result.content.flatMap((part): ReadonlyArray<Json> =>
        part._tag === "Image" ? [fileBlock(Blobs.show(part, request, model, limits), titles)]
        : part.text.trim() === "" ? []
        : [{ text: part.text }]
      )
      : [{ text: History.resultText(result.content) }],
    ...(result.isError ? { status: "error" } : {})
  }
})

const fileBlock = (shown: Blobs.Shown, titles: Titles): Json => {
  switch (shown._tag) {
    case "Text":
      return { text: shown.text }
    case "Image":
      return { image: { format: shown.mediaType.replace("image/", ""), source: { bytes: shown.data } } }
    case "Pdf":
      return { document: { format: "pdf", name: titles(shown.name), source: { bytes: shown.data } } }
  }
}

/** Names of documents as the service takes them: few characters, and each only once in a request. */
const documentNames = (): Titles => {
  const taken = new Set<string>()
  return (name) => {
    const plain = name.replace(/\.pdf$/i, "").replace(/[^a-zA-Z0-9 ()[\]-]+/g, "-").replace(/ +/g, " ").trim().slice(0, 180) || "document"
    let own = plain
    for (let n = 2; taken.has(own); n++) own = `${plain} (${n})`
    taken.add(own)
    return own
  }
}

const assistantBlocks = (turn: History.AssistantTurn, names: History.Names): ReadonlyArray<Json> =>
  turn.content.flatMap((part): ReadonlyArray<Json> => {
    switch (part._tag) {
      case "Text":
        return [{ text: part.text }]
      case "Reasoning":
        return part.encrypted !== undefined ? [{ reasoningContent: { redactedContent: part.encrypted } }]
          : part.signature !== undefined ? [{ reasoningContent: { reasoningText: { text: part.text, signature: part.signature } } }]
          : []
      case "ToolCall":
        return [{ toolUse: { toolUseId: part.id, name: names.sent(part.name), input: History.object(part.params) } }]
    }
  })

export const protocol: Protocol<BedrockStream.State, BedrockStream.Event> = {
  name: "bedrock-converse",
  encode,
  classify,
  ...BedrockStream
}
