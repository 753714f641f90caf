/** A request as a prompt of `effect/ai`, in its encoded form. */
import type * as Schema from "effect/Schema"
import type { ToolResult } from "../message/Message.ts"
import * as Blobs from "./Attachments.ts"
import * as History from "./NormalizeHistory.ts"
import type { Model } from "./Model.ts"
import type { ModelRequest } from "./ModelRequest.ts"

type Json = Schema.JsonObject

/** `prompt` is a list of encoded messages, `tools` are told with JSON schemas. */
export const encode = (request: ModelRequest, model: Model): { readonly prompt: ReadonlyArray<Json>; readonly tools: ReadonlyArray<Json> } => {
  const names = History.names(request.tools)
  return {
    prompt: [
      ...(request.system.trim() === "" ? [] : [{ role: "system", content: request.system }]),
      ...History.turns(request.messages, model).flatMap((turn) =>
        turn.role === "user" ? userMessages(turn, request, model, names) : [{ role: "assistant", content: turn.content.map((part) => assistantPart(part, names)) }]
      )
    ],
    tools: History.eachOnce(request.tools).map(({ description, name, schema }) => ({ name: names.sent(name), description, parameters: { ...schema, type: "object" } }))
  }
}

const userMessages = (turn: History.UserTurn, request: ModelRequest, model: Model, names: History.Names): ReadonlyArray<Json> => {
  const content = [
    ...turn.results.flatMap((result) => imageParts(result, request, model)),
    ...turn.content.map((part) => part._tag === "Text" ? { type: "text", text: part.text } : filePart(Blobs.show(part, request, model)))
  ]
  return [
    ...(turn.results.length === 0 ? [] : [{
      role: "tool",
      content: turn.results.map(({ content, id, isError, name }) => ({
        type: "tool-result", id, name: names.sent(name), isFailure: isError, result: History.resultText(content), providerExecuted: false
      }))
    }]),
    ...(content.length === 0 ? [] : [{ role: "user", content }])
  ]
}

const imageParts = (result: ToolResult, request: ModelRequest, model: Model): ReadonlyArray<Json> => {
  const images = result.content.flatMap((part) => part._tag === "Image" ? [filePart(Blobs.show(part, request, model))] : [])
  return images.length === 0 ? [] : [{ type: "text", text: `Of the result of ${result.name} (${result.id}):` }, ...images]
}

const filePart = (shown: Blobs.Shown): Json => {
  switch (shown._tag) {
    case "Text":
      return { type: "text", text: shown.text }
    case "Image":
      return { type: "file", mediaType: shown.mediaType, data: shown.data }
    case "Pdf":
      return { type: "file", mediaType: "application/pdf", fileName: shown.name, data: shown.data }
  }
}

/** What a model's provider said of its thought, as JSON, goes back as it came. */
const assistantPart = (part: History.AssistantTurn["content"][number], names: History.Names): Json => {
  switch (part._tag) {
    case "Text":
      return { type: "text", text: part.text }
    case "Reasoning":
      return { type: "reasoning", text: part.text, ...(part.signature === undefined ? {} : { options: JSON.parse(part.signature) as Json }) }
    case "ToolCall":
      return { type: "tool-call", id: part.id, name: names.sent(part.name), params: History.object(part.params), providerExecuted: false }
  }
}
