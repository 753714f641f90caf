/**
 * The Converse wire of Amazon Bedrock (POST /model/<id>/converse-stream), for models of many vendors, after
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html.
 */
import type * as Schema from "effect/Schema"
import type { ToolResult } from "../message/Message.ts"
import * as AnthropicMessages from "./AnthropicMessages.ts"
import * as BedrockStream from "./BedrockStream.ts"
import * as Attachments from "./Attachments.ts"
import { classify } from "./ClassifyError.ts"
import * as NormalizeHistory from "./NormalizeHistory.ts"
import type { Model } from "./Model.ts"
import type { ModelRequest } from "./ModelRequest.ts"
import type { Protocol } from "./Protocol.ts"

type Json = Schema.JsonObject

/** Features of a vendor's models: cache marks, and additional fields for reasoning. */
interface Vendor {
  readonly models: RegExp
  readonly canCache: boolean
  readonly thinkingFields: typeof AnthropicMessages.thinkingFields
}

const vendors: ReadonlyArray<Vendor> = [
  { models: /claude/, canCache: true, thinkingFields: AnthropicMessages.thinkingFields },
  { models: /amazon\.nova/, canCache: true, thinkingFields: () => ({}) }
]

/** The service accepts documents of up to 4.5 MB, before base64. */
const limits: Attachments.Limits = { ...Attachments.anthropicLimits, maxDocumentBytes: 6 * 1024 * 1024 }

const cachePoint = { cachePoint: { type: "default" } } as const

/** The request body; the URL names the model. The cache mark after the system prompt also covers the tools. */
const encode = (request: ModelRequest, model: Model): Json => {
  const vendor = vendors.find(({ models }) => models.test(model.id))
  const cacheMarks = vendor?.canCache === true && model.cacheMarks !== false ? [cachePoint] : []
  const names = NormalizeHistory.toolNames(request.tools)
  const turns = NormalizeHistory.turns(request.messages, model)
  const maxTokens = Math.max(1, Math.min(request.maxTokens, model.maxOutput))
  const thinking = vendor?.thinkingFields(request, model, turns, maxTokens) ?? {}
  const titles = documentNames()
  const tools = toolSpecs(request, turns, names)
  return {
    messages: turns.map((turn, i): Json =>
      turn.role === "user"
        ? {
          role: "user",
          content: [...userBlocks(turn, request, model, titles), ...(NormalizeHistory.isMarked(turns, i) ? cacheMarks : [])]
        }
        : { role: "assistant", content: assistantBlocks(turn, names) }
    ),
    ...(request.system.trim() === "" ? {} : { system: [{ text: request.system }, ...cacheMarks] }),
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

/** A history with tool calls requires tools: if none are offered, those in the history are declared, without params. */
const toolSpecs = (
  { tools }: ModelRequest,
  turns: ReadonlyArray<NormalizeHistory.Turn>,
  names: NormalizeHistory.Names
): ReadonlyArray<Json> => {
  const spec = (name: string, description: string, json: Json) => ({ toolSpec: { name, description, inputSchema: { json } } })
  if (tools.length > 0)
    return NormalizeHistory.uniqueTools(tools).map(({ description, name, schema }) =>
      spec(names.wireName(name), description || name, { ...schema, type: "object" })
    )
  const calledNames = turns.flatMap((turn) =>
    turn.role === "assistant" ? turn.content.flatMap((part) => part._tag === "ToolCall" ? [names.wireName(part.name)] : []) : []
  )
  return [...new Set(calledNames)].map((name) => spec(name, "Not to be called any more.", { type: "object" }))
}

type Titles = (name: string) => string

/** A message with a document must also have text. */
const userBlocks = (turn: NormalizeHistory.UserTurn, request: ModelRequest, model: Model, titles: Titles): ReadonlyArray<Json> => {
  const content = turn.content.map((part): Json =>
    part._tag === "Text" ? { text: part.text } : fileBlock(Attachments.toWirePart(part, request, model, limits), titles)
  )
  const isTextMissing = content.some((block) => "document" in block) && !content.some((block) => "text" in block)
  return [
    ...turn.results.map((result) => resultBlock(result, request, model, titles)),
    ...(isTextMissing ? [{ text: "(A document.)" }] : []),
    ...content
  ]
}

const resultBlock = (result: ToolResult, request: ModelRequest, model: Model, titles: Titles): Json => ({
  toolResult: {
    toolUseId: result.id,
    content: result.content.some((part) => part._tag === "Image")
      ? result.content.flatMap((part): ReadonlyArray<Json> =>
        part._tag === "Image" ? [fileBlock(Attachments.toWirePart(part, request, model, limits), titles)]
          : part.text.trim() === "" ? []
          : [{ text: part.text }]
      )
      : [{ text: NormalizeHistory.resultText(result.content) }],
    ...(result.isError ? { status: "error" } : {})
  }
})

const fileBlock = (wirePart: Attachments.WirePart, titles: Titles): Json => {
  switch (wirePart._tag) {
    case "Text":
      return { text: wirePart.text }
    case "Image":
      return { image: { format: wirePart.mediaType.replace("image/", ""), source: { bytes: wirePart.data } } }
    case "Pdf":
      return { document: { format: "pdf", name: titles(wirePart.name), source: { bytes: wirePart.data } } }
  }
}

/** Document names as the service accepts them: a limited character set, and unique within a request. */
const documentNames = (): Titles => {
  const used = new Set<string>()
  return (name) => {
    const plain = name.replace(/\.pdf$/i, "").replace(/[^a-zA-Z0-9 ()[\]-]+/g, "-").replace(/ +/g, " ").trim().slice(0, 180) || "document"
    let unique = plain
    for (let n = 2; used.has(unique); n++) unique = `${plain} (${n})`
    used.add(unique)
    return unique
  }
}

const assistantBlocks = (turn: NormalizeHistory.AssistantTurn, names: NormalizeHistory.Names): ReadonlyArray<Json> =>
  turn.content.flatMap((part): ReadonlyArray<Json> => {
    switch (part._tag) {
      case "Text":
        return [{ text: part.text }]
      case "Reasoning":
        return part.encrypted !== undefined ? [{ reasoningContent: { redactedContent: part.encrypted } }]
          : part.signature !== undefined ? [{ reasoningContent: { reasoningText: { text: part.text, signature: part.signature } } }]
          : []
      case "ToolCall":
        return [{ toolUse: { toolUseId: part.id, name: names.wireName(part.name), input: NormalizeHistory.paramsObject(part.params) } }]
    }
  })

export const protocol: Protocol<BedrockStream.State> = {
  name: "bedrock-converse",
  encode,
  classify,
  ...BedrockStream
}
