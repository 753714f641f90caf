/** The wire of `effect/ai`: a request as an encoded prompt, and the parts of its stream → neutral chunks. */
import type * as Schema from "effect/Schema"
import { optional } from "../Optional.ts"
import type { Chunk, StopReason } from "../message/Chunk.ts"
import type { ToolResult } from "../message/Message.ts"
import * as OwnProperty from "../parser/OwnProperty.ts"
import * as Usage from "../session/Usage.ts"
import * as Attachments from "./Attachments.ts"
import * as UsageChunk from "./UsageChunk.ts"
import * as NormalizeHistory from "./NormalizeHistory.ts"
import type { Model } from "./Model.ts"
import type { ModelRequest } from "./ModelRequest.ts"

type Json = Schema.JsonObject

/** `prompt` is a list of encoded messages; `tools` have JSON schemas. */
export const encode = (
  request: ModelRequest,
  model: Model
): { readonly prompt: ReadonlyArray<Json>; readonly tools: ReadonlyArray<Json> } => {
  const names = NormalizeHistory.toolNames(request.tools)
  return {
    prompt: [
      ...(request.system.trim() === "" ? [] : [{ role: "system", content: request.system }]),
      ...NormalizeHistory.turns(request.messages, model).flatMap((turn) =>
        turn.role === "user" ? userMessages(turn, request, model, names) : [{
          role: "assistant",
          content: turn.content.map((part) => assistantPart(part, names))
        }]
      )
    ],
    tools: NormalizeHistory.uniqueTools(request.tools).map(({ description, name, schema }) => ({
      name: names.wireName(name),
      description,
      parameters: { ...schema, type: "object" }
    }))
  }
}

const userMessages = (
  turn: NormalizeHistory.UserTurn,
  request: ModelRequest,
  model: Model,
  names: NormalizeHistory.Names
): ReadonlyArray<Json> => {
  const content = [
    ...turn.results.flatMap((result) => imageParts(result, request, model)),
    ...turn.content.map((part) =>
      part._tag === "Text" ? { type: "text", text: part.text } : filePart(Attachments.toWirePart(part, request, model))
    )
  ]
  return [
    ...(turn.results.length === 0 ? [] : [{
      role: "tool",
      content: turn.results.map(({ content, id, isError, name }) => ({
        type: "tool-result",
        id,
        name: names.wireName(name),
        isFailure: isError,
        result: NormalizeHistory.resultText(content),
        providerExecuted: false
      }))
    }]),
    ...(content.length === 0 ? [] : [{ role: "user", content }])
  ]
}

const imageParts = (result: ToolResult, request: ModelRequest, model: Model): ReadonlyArray<Json> => {
  const images = result.content.flatMap((part) => part._tag === "Image" ? [filePart(Attachments.toWirePart(part, request, model))] : [])
  return images.length === 0 ? [] : [{ type: "text", text: `Of the result of ${result.name} (${result.id}):` }, ...images]
}

const filePart = (wirePart: Attachments.WirePart): Json => {
  switch (wirePart._tag) {
    case "Text":
      return { type: "text", text: wirePart.text }
    case "Image":
      return { type: "file", mediaType: wirePart.mediaType, data: wirePart.data }
    case "Pdf":
      return { type: "file", mediaType: "application/pdf", fileName: wirePart.name, data: wirePart.data }
  }
}

/** A provider's metadata about reasoning is sent back unchanged, as JSON. */
const assistantPart = (part: NormalizeHistory.AssistantTurn["content"][number], names: NormalizeHistory.Names): Json => {
  switch (part._tag) {
    case "Text":
      return { type: "text", text: part.text }
    case "Reasoning":
      return {
        type: "reasoning",
        text: part.text,
        ...(part.signature === undefined ? {} : { options: JSON.parse(part.signature) as Json })
      }
    case "ToolCall":
      return {
        type: "tool-call",
        id: part.id,
        name: names.wireName(part.name),
        params: NormalizeHistory.paramsObject(part.params),
        providerExecuted: false
      }
  }
}

/** The fields of a part that are read. */
export interface Part {
  readonly type: string
  readonly id?: string | undefined
  readonly delta?: string
  readonly name?: string
  readonly params?: unknown
  readonly providerExecuted?: boolean
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly reason?: string
  readonly usage?: {
    readonly inputTokens: {
      readonly uncached?: number | undefined
      readonly total?: number | undefined
      readonly cacheRead?: number | undefined
      readonly cacheWrite?: number | undefined
    }
    readonly outputTokens: { readonly total?: number | undefined; readonly reasoning?: number | undefined }
  }
}

export interface State {
  readonly names: NormalizeHistory.Names
  /** Tool calls that have begun, and whether arguments have arrived. */
  readonly calls: Map<string, boolean>
  responseId: string | undefined
  ended: boolean
}

export const initial = (request: ModelRequest): State => ({
  names: NormalizeHistory.toolNames(request.tools),
  calls: new Map(),
  responseId: undefined,
  ended: false
})

export const step = (
  state: State,
  part: Part
): readonly [State, ReadonlyArray<Chunk>] => [
  state,
  OwnProperty.get(readers, part.type)?.(state, part) ?? [{ _tag: "Notice", kind: part.type, detail: toJson(part) }]
]

/** A part as JSON for the log. */
const toJson = (part: Part): Schema.Json => JSON.parse(JSON.stringify(part)) as Schema.Json

type ReadPart = (state: State, part: Part) => ReadonlyArray<Chunk> | undefined

const ignore: ReadPart = () => []

const readText = (_tag: "TextDelta" | "ReasoningDelta"): ReadPart => (_, { delta = "" }) => delta === "" ? [] : [{ _tag, text: delta }]

const readers: Readonly<Record<string, ReadPart>> = {
  "text-start": ignore,
  "text-delta": readText("TextDelta"),
  "text-end": ignore,
  "reasoning-start": ignore,
  "reasoning-delta": readText("ReasoningDelta"),
  "reasoning-end": (_, { metadata = {} }) =>
    Object.keys(metadata).length === 0 ? [] : [{ _tag: "ReasoningDelta", text: "", signature: JSON.stringify(metadata) }],
  "tool-params-start": (state, { id = "", name = "", providerExecuted }) => {
    if (providerExecuted === true) return undefined
    state.calls.set(id, false)
    return [{ _tag: "ToolCallStart", id, name: state.names.original(name) }]
  },
  "tool-params-delta": (state, { delta = "", id = "" }) => {
    if (!state.calls.has(id)) return undefined
    if (delta === "") return []
    state.calls.set(id, true)
    return [{ _tag: "ToolCallArgs", id, text: delta }]
  },
  "tool-params-end": ignore,
  // The complete call: it repeats its streamed parts, if there were any.
  "tool-call": (state, { id = "", name = "", params, providerExecuted }) => {
    if (providerExecuted === true) return undefined
    const hasArgs = state.calls.get(id)
    state.calls.set(id, true)
    return [
      ...(hasArgs === undefined ? [{ _tag: "ToolCallStart" as const, id, name: state.names.original(name) }] : []),
      ...(hasArgs === true ? [] : [{ _tag: "ToolCallArgs" as const, id, text: JSON.stringify(params ?? {}) }]),
      { _tag: "ToolCallEnd", id }
    ]
  },
  "response-metadata": (state, { id }) => {
    state.responseId = id
    return []
  },
  finish: (state, { reason = "", usage }) => {
    state.ended = true
    return [
      ...(usage === undefined ? [] : [UsageChunk.make(usageOf(usage), true)]),
      {
        _tag: "Finish",
        reason: OwnProperty.get(stops, reason) ?? "other",
        raw: reason,
        ...optional({ responseId: state.responseId })
      }
    ]
  }
}

const usageOf = ({ inputTokens, outputTokens }: NonNullable<Part["usage"]>): Usage.TokenUsage => {
  const cacheRead = inputTokens.cacheRead ?? 0
  const cacheWrite = inputTokens.cacheWrite ?? 0
  return {
    input: inputTokens.uncached ?? Math.max(0, (inputTokens.total ?? 0) - cacheRead - cacheWrite),
    output: outputTokens.total ?? 0,
    cacheRead,
    cacheWrite,
    reasoning: outputTokens.reasoning ?? 0
  }
}

const stops: Readonly<Record<string, StopReason>> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls"
}
