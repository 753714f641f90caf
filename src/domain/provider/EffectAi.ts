/** Parts of a stream of `effect/ai` → neutral chunks. */
import type * as Schema from "effect/Schema"
import type { Chunk, StopReason } from "../message/Chunk.ts"
import * as Usage from "../session/Usage.ts"
import * as History from "./NormalizeHistory.ts"
import type { ModelRequest } from "./ModelRequest.ts"

/** A part as far as it is read. */
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
    readonly inputTokens: { readonly uncached?: number | undefined; readonly total?: number | undefined; readonly cacheRead?: number | undefined; readonly cacheWrite?: number | undefined }
    readonly outputTokens: { readonly total?: number | undefined; readonly reasoning?: number | undefined }
  }
}

export interface State {
  readonly names: History.Names
  /** Calls that began, and whether arguments came. */
  readonly calls: Map<string, boolean>
  responseId: string | undefined
  ended: boolean
}

export const initial = (request: ModelRequest): State => ({ names: History.names(request.tools), calls: new Map(), responseId: undefined, ended: false })

export const step = (state: State, part: Part): readonly [State, ReadonlyArray<Chunk>] =>
  [state, parts[part.type]?.(state, part) ?? [{ _tag: "Notice", kind: part.type, detail: plain(part) }]]

/** What a part holds, as JSON that a log can keep. */
const plain = (part: Part): Schema.Json => JSON.parse(JSON.stringify(part)) as Schema.Json

type On = (state: State, part: Part) => ReadonlyArray<Chunk> | undefined

const nothing: On = () => []

const said = (_tag: "TextDelta" | "ReasoningDelta"): On => (_, { delta = "" }) => delta === "" ? [] : [{ _tag, text: delta }]

const parts: Readonly<Record<string, On>> = {
  "text-start": nothing,
  "text-delta": said("TextDelta"),
  "text-end": nothing,
  "reasoning-start": nothing,
  "reasoning-delta": said("ReasoningDelta"),
  "reasoning-end": (_, { metadata = {} }) => Object.keys(metadata).length === 0 ? [] : [{ _tag: "ReasoningDelta", text: "", signature: JSON.stringify(metadata) }],
  "tool-params-start": (state, { id = "", name = "", providerExecuted }) => {
    if (providerExecuted === true) return undefined
    state.calls.set(id, false)
    return [{ _tag: "ToolCallStart", id, name: state.names.ours(name) }]
  },
  "tool-params-delta": (state, { delta = "", id = "" }) => {
    if (!state.calls.has(id)) return undefined
    if (delta === "") return []
    state.calls.set(id, true)
    return [{ _tag: "ToolCallArgs", id, text: delta }]
  },
  "tool-params-end": nothing,
  // The call itself, whole: it says what its pieces said, if there were any.
  "tool-call": (state, { id = "", name = "", params, providerExecuted }) => {
    if (providerExecuted === true) return undefined
    const known = state.calls.get(id)
    state.calls.set(id, true)
    return [
      ...(known === undefined ? [{ _tag: "ToolCallStart" as const, id, name: state.names.ours(name) }] : []),
      ...(known === true ? [] : [{ _tag: "ToolCallArgs" as const, id, text: JSON.stringify(params ?? {}) }]),
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
      ...(usage === undefined ? [] : [{ _tag: "Usage" as const, usage: count(usage), final: true }]),
      { _tag: "Finish", reason: stops[reason] ?? "other", raw: reason, ...(state.responseId === undefined ? {} : { responseId: state.responseId }) }
    ]
  }
}

const count = ({ inputTokens, outputTokens }: NonNullable<Part["usage"]>): Usage.TokenUsage => {
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

const stops: Readonly<Record<string, StopReason>> = { stop: "stop", length: "length", "content-filter": "content_filter", "tool-calls": "tool_calls" }
