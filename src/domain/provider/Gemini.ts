/**
 * The Gemini wire (POST models/<id>:streamGenerateContent?alt=sse), at Google's Gemini API and on Vertex AI alike, after
 * https://ai.google.dev/api/generate-content and its pages on thinking and thought signatures.
 */
import type * as Schema from "effect/Schema"
import { optional } from "../Optional.ts"
import type { ToolResult } from "../message/Message.ts"
import * as Attachments from "./Attachments.ts"
import { classify } from "./ClassifyError.ts"
import * as GeminiSchema from "./GeminiSchema.ts"
import * as GeminiStream from "./GeminiStream.ts"
import * as NormalizeHistory from "./NormalizeHistory.ts"
import type { Model } from "./Model.ts"
import type { ModelRequest } from "./ModelRequest.ts"
import type { Protocol } from "./Protocol.ts"
import * as ReasoningEffort from "./ReasoningEffort.ts"

type Json = Schema.JsonObject

/** The request body; the URL names the model. */
const encode = (request: ModelRequest, model: Model): Json => {
  const names = NormalizeHistory.toolNames(request.tools)
  const maxTokens = Math.max(1, Math.min(request.maxTokens, model.maxOutput))
  return {
    contents: NormalizeHistory.turns(request.messages, model, rules).map((turn) => content(turn, { request, model, names })),
    ...(request.system.trim() === "" ? {} : { systemInstruction: { parts: [{ text: request.system }] } }),
    ...(request.tools.length === 0 ? {} : { tools: [{ functionDeclarations: declarations(request, names) }] }),
    generationConfig: {
      maxOutputTokens: maxTokens,
      ...(request.temperature === undefined || !model.temperature ? {} : { temperature: Math.min(2, Math.max(0, request.temperature)) }),
      ...thinkingConfig(request, model, maxTokens)
    }
  }
}

const rules: NormalizeHistory.Rules = { ids: NormalizeHistory.ids, canEndWithReasoning: true }

const content = NormalizeHistory.onceForEachTurn((turn, { model, names, request }) =>
  turn.role === "user"
    ? { role: "user", parts: userParts(turn, request, model, names) }
    : { role: "model", parts: modelParts(turn, model, names) }
)

const declarations = (request: ModelRequest, names: NormalizeHistory.Names): ReadonlyArray<Json> =>
  NormalizeHistory.uniqueTools(request.tools).map(({ description, name, schema }) => {
    const parameters = GeminiSchema.parameters(schema)
    return { name: names.wireName(name), description, ...optional({ parameters }) }
  })

/** Models with named efforts always think; those with a budget decide for themselves if no effort is set. */
const thinkingConfig = ({ effort }: ModelRequest, model: Model, maxTokens: number): Json => {
  if (!model.reasoning || model.effort === undefined) return {}
  if (effort === undefined) return { thinkingConfig: { includeThoughts: true } }
  if (model.effort.kind === "named") {
    const thinkingLevel = ReasoningEffort.nearestEffort(model, effort)
    return { thinkingConfig: { includeThoughts: true, ...optional({ thinkingLevel }) } }
  }
  const budget = ReasoningEffort.thinkingBudget(model, effort, maxTokens)
  return budget > 0 ? { thinkingConfig: { includeThoughts: true, thinkingBudget: budget } }
    : model.effort.min === 0 ? { thinkingConfig: { thinkingBudget: 0 } }
    : {}
}

/** Results first, in the order of their calls, followed by the images of all results. */
const userParts = (
  turn: NormalizeHistory.UserTurn,
  request: ModelRequest,
  model: Model,
  names: NormalizeHistory.Names
): ReadonlyArray<Json> => [
  ...turn.results.map((result) => responsePart(result, names)),
  ...turn.results.flatMap((result) => imageParts(result, request, model)),
  ...turn.content.map((part) => part._tag === "Text" ? { text: part.text } : filePart(Attachments.toWirePart(part, request, model)))
]

const responsePart = ({ content, id, isError, name }: ToolResult, names: NormalizeHistory.Names): Json => ({
  functionResponse: { id, name: names.wireName(name), response: { [isError ? "error" : "output"]: NormalizeHistory.resultText(content) } }
})

const imageParts = (result: ToolResult, request: ModelRequest, model: Model): ReadonlyArray<Json> => {
  const images = result.content.flatMap((part) => part._tag === "Image" ? [filePart(Attachments.toWirePart(part, request, model))] : [])
  return images.length === 0 ? [] : [{ text: `Of the result of ${result.name} (${result.id}):` }, ...images]
}

const filePart = (wirePart: Attachments.WirePart): Json => {
  switch (wirePart._tag) {
    case "Text":
      return { text: wirePart.text }
    case "Image":
      return { inlineData: { mimeType: wirePart.mediaType, data: wirePart.data } }
    case "Pdf":
      return { inlineData: { mimeType: "application/pdf", data: wirePart.data } }
  }
}

/** Google's placeholder for the missing signature of a tool call that another model made. */
const noSignature = "skip_thought_signature_validator"

/**
 * A signature is sent back with its part: the one that follows it, else an empty text at the end. Models with named efforts
 * reject a turn whose first tool call has none.
 */
const modelParts = (turn: NormalizeHistory.AssistantTurn, model: Model, names: NormalizeHistory.Names): ReadonlyArray<Json> => {
  const parts: Array<Json> = []
  let signature: string | undefined
  let isSigned = model.effort?.kind !== "named"
  const takeSignature = () => {
    const thoughtSignature = signature
    signature = undefined
    return thoughtSignature === undefined ? {} : { thoughtSignature }
  }
  for (const part of turn.content) {
    if (part._tag === "Reasoning") {
      if (signature !== undefined) parts.push({ text: "", ...takeSignature() })
      signature = part.signature
    } else if (part._tag === "Text") parts.push({ text: part.text, ...takeSignature() })
    else {
      const callSignature = isSigned ? {} : { thoughtSignature: noSignature }
      parts.push({
        functionCall: { id: part.id, name: names.wireName(part.name), args: NormalizeHistory.paramsObject(part.params) },
        ...callSignature,
        ...takeSignature()
      })
      isSigned = true
    }
  }
  return signature === undefined ? parts : [...parts, { text: "", ...takeSignature() }]
}

export const protocol: Protocol<GeminiStream.State> = {
  name: "gemini",
  encode,
  classify,
  ...GeminiStream
}
