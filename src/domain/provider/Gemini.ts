/**
 * The Gemini wire (POST models/<id>:streamGenerateContent?alt=sse), at Google's Gemini API and on Vertex AI alike, after
 * https://ai.google.dev/api/generate-content and its pages on thinking and thought signatures.
 */
import type * as Schema from "effect/Schema"
import type { ToolResult } from "../message/Message.ts"
import * as Blobs from "./Attachments.ts"
import { classify } from "./ClassifyError.ts"
import * as GeminiSchema from "./GeminiSchema.ts"
import * as GeminiStream from "./GeminiStream.ts"
import * as History from "./NormalizeHistory.ts"
import type { Model } from "./Model.ts"
import type { ModelRequest } from "./ModelRequest.ts"
import type { Protocol } from "./Protocol.ts"
import * as Thinking from "./ReasoningEffort.ts"

type Json = Schema.JsonObject

/** The request's body; which model answers stands in the address. */
const encode = (request: ModelRequest, model: Model): Json => {
  const names = History.names(request.tools)
  const maxTokens = Math.max(1, Math.min(request.maxTokens, model.maxOutput))
  return {
    contents: History.turns(request.messages, model, { ids: History.ids, lastThought: true }).map((turn) =>
      turn.role === "user"
        ? { role: "user", parts: userParts(turn, request, model, names) }
        : { role: "model", parts: modelParts(turn, model, names) }
    ),
    ...(request.system.trim() === "" ? {} : { systemInstruction: { parts: [{ text: request.system }] } }),
    ...(request.tools.length === 0 ? {} : { tools: [{ functionDeclarations: declarations(request, names) }] }),
    generationConfig: {
      maxOutputTokens: maxTokens,
      ...(request.temperature === undefined || !model.temperature ? {} : { temperature: Math.min(2, Math.max(0, request.temperature)) }),
      ...thinks(request, model, maxTokens)
    }
  }
}

const declarations = (request: ModelRequest, names: History.Names): ReadonlyArray<Json> =>
  History.eachOnce(request.tools).map(({ description, name, schema }) => {
    const parameters = GeminiSchema.parameters(schema)
    return { name: names.sent(name), description, ...(parameters === undefined ? {} : { parameters }) }
  })

/** Models with named efforts always think; those with a budget think as they see fit where none is asked. */
const thinks = ({ effort }: ModelRequest, model: Model, maxTokens: number): Json => {
  if (!model.reasoning || model.effort === undefined) return {}
  if (effort === undefined) return { thinkingConfig: { includeThoughts: true } }
  if (model.effort.kind === "named") {
    const thinkingLevel = Thinking.named(model, effort)
    return { thinkingConfig: { includeThoughts: true, ...(thinkingLevel === undefined ? {} : { thinkingLevel }) } }
  }
  const budget = Thinking.budget(model, effort, maxTokens)
  return budget > 0 ? { thinkingConfig: { includeThoughts: true, thinkingBudget: budget } }
    : model.effort.min === 0 ? { thinkingConfig: { thinkingBudget: 0 } }
    : {}
}

/** Results first, in the order of their calls; images of results stand behind all of them. */
const userParts = (turn: History.UserTurn, request: ModelRequest, model: Model, names: History.Names): ReadonlyArray<Json> => [
  ...turn.results.map((result) => responsePart(result, names)),
  ...turn.results.flatMap((result) => imageParts(result, request, model)),
  ...turn.content.map((part) => part._tag === "Text" ? { text: part.text } : filePart(Blobs.show(part, request, model)))
]

const responsePart = ({ content, id, isError, name }: ToolResult, names: History.Names): Json => ({
  functionResponse: { id, name: names.sent(name), response: { [isError ? "error" : "output"]: History.resultText(content) } }
})

const imageParts = (result: ToolResult, request: ModelRequest, model: Model): ReadonlyArray<Json> => {
  const images = result.content.flatMap((part) => part._tag === "Image" ? [filePart(Blobs.show(part, request, model))] : [])
  return images.length === 0 ? [] : [{ text: `Of the result of ${result.name} (${result.id}):` }, ...images]
}

const filePart = (shown: Blobs.Shown): Json => {
  switch (shown._tag) {
    case "Text":
      return { text: shown.text }
    case "Image":
      return { inlineData: { mimeType: shown.mediaType, data: shown.data } }
    case "Pdf":
      return { inlineData: { mimeType: "application/pdf", data: shown.data } }
  }
}

/** Stands for the signature of a call that another model made: what Google names for histories that are taken over. */
const unsigned = "skip_thought_signature_validator"

/**
 * A signature goes back on the part that it came with: the one behind it, else an empty text at the end. Models with
 * named efforts refuse a turn whose first call has none.
 */
const modelParts = (turn: History.AssistantTurn, model: Model, names: History.Names): ReadonlyArray<Json> => {
  const parts: Array<Json> = []
  let signature: string | undefined
  let signed = model.effort?.kind !== "named"
  const take = () => {
    const thoughtSignature = signature
    signature = undefined
    return thoughtSignature === undefined ? {} : { thoughtSignature }
  }
  for (const part of turn.content) {
    if (part._tag === "Reasoning") {
      if (signature !== undefined) parts.push({ text: "", ...take() })
      signature = part.signature
    } else if (part._tag === "Text") parts.push({ text: part.text, ...take() })
    else {
      const own = signed ? {} : { thoughtSignature: unsigned }
      parts.push({ functionCall: { id: part.id, name: names.sent(part.name), args: History.object(part.params) }, ...own, ...take() })
      signed = true
    }
  }
  return signature === undefined ? parts : [...parts, { text: "", ...take() }]
}

export const protocol: Protocol<GeminiStream.State, GeminiStream.Event> = {
  name: "gemini",
  encode,
  classify,
  ...GeminiStream
}
