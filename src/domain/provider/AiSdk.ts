/**
 * The wire of the Vercel AI SDK (LanguageModelV2 to V4): a request as call options, and the parts of a stream as those of
 * `effect/ai`, which has the same ones under other names.
 */
import type * as Schema from "effect/Schema"
import { optional } from "../Optional.ts"
import * as OwnProperty from "../parser/OwnProperty.ts"
import * as EffectAi from "./EffectAi.ts"
import type { Model } from "./Model.ts"
import type { ModelRequest } from "./ModelRequest.ts"

type Json = Schema.JsonObject

/** `specification` is the model's version of the interface: V4 has tagged file data. */
export const encode = (request: ModelRequest, model: Model, specification: string): Json => {
  const { prompt, tools } = EffectAi.encode(request, model)
  return {
    prompt: prompt.map(({ content, ...message }) => ({
      ...message,
      content: Array.isArray(content) ? content.map((part) => contentPart(part as Json, specification)) : content as string
    })),
    ...(tools.length === 0 ? {} : { tools: tools.map(functionTool) }),
    maxOutputTokens: request.maxTokens,
    ...optional({ temperature: request.temperature })
  }
}

const functionTool = ({ parameters, ...tool }: Json): Json => ({ type: "function", ...tool, inputSchema: parameters! })

const contentPart = (part: Json, specification: string): Json => {
  const { data, fileName, id, isFailure, name, options, params, providerExecuted: _, result, ...rest } = part
  switch (part["type"]) {
    case "file":
      return {
        ...rest,
        ...(fileName === undefined ? {} : { filename: fileName }),
        data: specification === "v4" ? { type: "data", data: data! } : data!
      }
    case "tool-call":
      return { ...rest, toolCallId: id!, toolName: name!, input: params! }
    case "tool-result":
      return { ...rest, toolCallId: id!, toolName: name!, output: { type: isFailure === true ? "error-text" : "text", value: result! } }
    default:
      return options === undefined ? rest : { ...rest, providerOptions: options }
  }
}

/** The fields of a part that are read. */
export interface Part {
  readonly type: string
  readonly id?: string
  readonly delta?: string
  readonly toolName?: string
  readonly toolCallId?: string
  readonly input?: string
  readonly inputEncoding?: string
  readonly providerExecuted?: boolean | undefined
  readonly providerMetadata?: object | undefined
  readonly finishReason?: string | { readonly unified: string }
  readonly usage?: Usage
}

/** Counts of V2 are numbers, later ones have parts. */
interface Usage {
  readonly inputTokens: number | undefined | {
    readonly total: number | undefined
    readonly noCache: number | undefined
    readonly cacheRead: number | undefined
    readonly cacheWrite: number | undefined
  }
  readonly outputTokens: number | undefined | { readonly total: number | undefined; readonly reasoning: number | undefined }
  readonly reasoningTokens?: number | undefined
  readonly cachedInputTokens?: number | undefined
}

/** The calls whose arguments have arrived as JSON text, and those whose text is something else until they are complete. */
export interface State {
  readonly streamed: Set<string>
  readonly opaque: Set<string>
}

export const initial = (): State => ({ streamed: new Set(), opaque: new Set() })

/** The same part, or parts, of `effect/ai`. */
export const translate = (state: State, part: Part): ReadonlyArray<EffectAi.Part> => {
  const { providerExecuted, usage: _, ...rest } = part
  return OwnProperty.get(readers, part.type)?.(state, part) ?? [{ ...rest, ...optional({ providerExecuted }) }]
}

const readers: Readonly<Record<string, (state: State, part: Part) => ReadonlyArray<EffectAi.Part>>> = {
  "stream-start": () => [],
  ping: () => [],
  raw: () => [],
  "reasoning-end": (_, { id, providerMetadata }) => [
    { type: "reasoning-end", id, ...(providerMetadata === undefined ? {} : { metadata: { ...providerMetadata } }) }
  ],
  "tool-input-start": (state, { id = "", inputEncoding, providerExecuted, toolName = "" }) => {
    if (inputEncoding === "text") state.opaque.add(id)
    return [{ type: "tool-params-start", id, name: toolName, ...optional({ providerExecuted }) }]
  },
  "tool-input-delta": (state, { delta = "", id = "" }) => {
    if (state.opaque.has(id)) return []
    if (delta !== "") state.streamed.add(id)
    return [{ type: "tool-params-delta", id, delta }]
  },
  "tool-input-end": () => [],
  "tool-call": (state, { input = "{}", providerExecuted, toolCallId: id = "", toolName: name = "" }) => {
    const call = { id, name, ...optional({ providerExecuted }) }
    const missing = [{ type: "tool-params-start", ...call }, { type: "tool-params-delta", id, delta: input }]
    return [...(state.streamed.has(id) ? [] : missing.slice(state.opaque.has(id) ? 1 : 0)), { type: "tool-call", ...call }]
  },
  finish: (_, { finishReason = "other", usage }) => [{
    type: "finish",
    reason: typeof finishReason === "string" ? finishReason : finishReason.unified,
    ...(usage === undefined ? {} : { usage: usageOf(usage) })
  }]
}

const usageOf = ({ cachedInputTokens, inputTokens, outputTokens, reasoningTokens }: Usage): NonNullable<EffectAi.Part["usage"]> => ({
  inputTokens: typeof inputTokens === "object"
    ? { total: inputTokens.total, uncached: inputTokens.noCache, cacheRead: inputTokens.cacheRead, cacheWrite: inputTokens.cacheWrite }
    : { total: inputTokens, cacheRead: cachedInputTokens },
  outputTokens: typeof outputTokens === "object" ? outputTokens : { total: outputTokens, reasoning: reasoningTokens }
})
