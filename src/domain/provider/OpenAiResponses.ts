/**
 * The OpenAI Responses wire (POST /responses, `stream: true`, nothing stored on the server): the history is sent as items, and
 * reasoning is sent back to its model encrypted.
 */
import type * as Schema from "effect/Schema"
import { optional } from "../Optional.ts"
import type { Content, ToolResult } from "../message/Message.ts"
import * as Attachments from "./Attachments.ts"
import { classify } from "./ClassifyError.ts"
import * as NormalizeHistory from "./NormalizeHistory.ts"
import type { Model } from "./Model.ts"
import type { ModelRequest } from "./ModelRequest.ts"
import * as OpenAiResponsesStream from "./OpenAiResponsesStream.ts"
import type { Protocol } from "./Protocol.ts"
import * as ReasoningEffort from "./ReasoningEffort.ts"

type Json = Schema.JsonObject

const encode = (request: ModelRequest, model: Model): Json => {
  const names = NormalizeHistory.toolNames(request.tools)
  const effort = request.effort === undefined || !model.reasoning ? undefined : ReasoningEffort.nearestEffort(model, request.effort)
  return {
    model: model.id,
    ...(request.system.trim() === "" ? {} : { instructions: request.system }),
    input: NormalizeHistory.turns(request.messages, model).flatMap((turn) => items(turn, { request, model, names })),
    ...(request.tools.length === 0 ? {} : { tools: tools(request, names) }),
    ...(model.unstatedOutput === true ? {} : { max_output_tokens: Math.max(16, Math.min(request.maxTokens, model.maxOutput)) }),
    ...(model.reasoning
      ? { reasoning: { ...optional({ effort }), summary: "auto" }, include: ["reasoning.encrypted_content"] }
      : {}),
    ...(request.temperature === undefined || !model.temperature ? {} : { temperature: Math.min(2, Math.max(0, request.temperature)) }),
    ...optional({ prompt_cache_key: request.cacheKey }),
    store: false,
    stream: true
  }
}

const items = NormalizeHistory.onceForEachTurn((turn, { model, names, request }) =>
  turn.role === "user" ? userItems(turn, request, model) : turn.content.flatMap((part) => assistantItems(part, names))
)

const tools = (request: ModelRequest, names: NormalizeHistory.Names): ReadonlyArray<Json> =>
  NormalizeHistory.uniqueTools(request.tools).map(({ description, name, schema }) => ({
    type: "function",
    name: names.wireName(name),
    description,
    parameters: { ...schema, type: "object" },
    strict: false
  }))

const userItems = (turn: NormalizeHistory.UserTurn, request: ModelRequest, model: Model): ReadonlyArray<Json> => [
  ...turn.results.map((result) => ({ type: "function_call_output", call_id: result.id, output: output(result, request, model) })),
  ...(turn.content.length === 0 ? [] : [{
    role: "user",
    content: turn.content.map((part) =>
      part._tag === "Text" ? { type: "input_text", text: part.text } : filePart(Attachments.toWirePart(part, request, model))
    )
  }])
]

/** A result of only text is sent as a string; this wire accepts images inside of a result. */
const output = (result: ToolResult, request: ModelRequest, model: Model): Schema.Json =>
  result.content.every((part) => part._tag === "Text")
    ? NormalizeHistory.resultText(result.content)
    : result.content.flatMap((part): ReadonlyArray<Json> =>
      part._tag === "Image" ? [filePart(Attachments.toWirePart(part, request, model))]
        : part.text === "" ? []
        : [{ type: "input_text", text: part.text }]
    )

const filePart = (wirePart: Attachments.WirePart): Json => {
  switch (wirePart._tag) {
    case "Text":
      return { type: "input_text", text: wirePart.text }
    case "Image":
      return { type: "input_image", image_url: `data:${wirePart.mediaType};base64,${wirePart.data}`, detail: "auto" }
    case "Pdf":
      return { type: "input_file", filename: wirePart.name, file_data: `data:application/pdf;base64,${wirePart.data}` }
  }
}

/** Reasoning is sent back only in its encrypted form: the server stores nothing that its text could refer to. */
const assistantItems = (part: NormalizeHistory.AssistantTurn["content"][number], names: NormalizeHistory.Names): ReadonlyArray<Json> => {
  switch (part._tag) {
    case "Text":
      return [{ role: "assistant", content: [{ type: "output_text", text: part.text }] }]
    case "Reasoning":
      return part.encrypted === undefined ? [] : [reasoning(part, part.encrypted)]
    case "ToolCall":
      return [{ type: "function_call", call_id: part.id, name: names.wireName(part.name), arguments: JSON.stringify(part.params) }]
  }
}

const reasoning = ({ text }: Extract<Content, { readonly _tag: "Reasoning" }>, encrypted: string): Json => ({
  type: "reasoning",
  summary: text === "" ? [] : [{ type: "summary_text", text }],
  encrypted_content: encrypted
})

export const protocol: Protocol<OpenAiResponsesStream.State> = {
  name: "openai-responses",
  encode,
  classify,
  ...OpenAiResponsesStream
}
