/** Events of a ConverseStream response → neutral chunks. An event is an object with one field: its kind. */
import type * as Schema from "effect/Schema"
import { type Chunk, notice, type StopReason } from "../message/Chunk.ts"
import * as OwnProperty from "../parser/OwnProperty.ts"
import * as Usage from "../session/Usage.ts"
import * as CallIds from "./CallIds.ts"
import * as ErrorBody from "./ErrorBody.ts"
import * as UsageChunk from "./UsageChunk.ts"
import * as NormalizeHistory from "./NormalizeHistory.ts"
import type { ModelRequest } from "./ModelRequest.ts"
import * as Reader from "./Reader.ts"

interface OpenCall {
  readonly id: string
  fragments: number
}

export interface State {
  readonly names: NormalizeHistory.Names
  /** Open tool calls by the index of their block, and all ids in use. */
  readonly openCalls: Map<number, OpenCall>
  readonly calls: CallIds.CallIds
  usage: Usage.TokenUsage | undefined
  stop: string | undefined
  hasUsage: boolean
}

export const initial = (request: ModelRequest): State => ({
  names: NormalizeHistory.toolNames(request.tools),
  openCalls: new Map(),
  calls: new Map(),
  usage: undefined,
  stop: undefined,
  hasUsage: false
})

export const step = (
  state: State,
  event: unknown
): readonly [State, ReadonlyArray<Chunk>] => [
  state,
  Object.entries(Reader.fields(event) ?? {}).flatMap(([kind, body]) =>
    OwnProperty.get(events, kind)?.(state, Reader.fields(body) ?? {}) ?? [notice(kind, body)]
  )
]

type ReadEvent = (state: State, body: Reader.Fields) => ReadonlyArray<Chunk>

const events: Readonly<Record<string, ReadEvent>> = {
  messageStart: () => [],
  contentBlockStart: (state, body) => {
    const { contentBlockIndex = 0, start = {} } = block(body) ?? {}
    const [kind, value] = Object.entries(start)[0] ?? ["start", null]
    if (kind !== "toolUse") return [notice(kind, value)]
    const { name = "", toolUseId = "" } = toolUse(value) ?? {}
    const open = { id: CallIds.unique(state.calls, toolUseId), fragments: 0 }
    state.openCalls.set(contentBlockIndex, open)
    return [{ _tag: "ToolCallStart", id: open.id, name: state.names.original(name) }]
  },
  contentBlockDelta: (state, body) => {
    const { contentBlockIndex = 0, delta = {} } = block(body) ?? {}
    return Object.entries(delta).flatMap(([kind, value]) =>
      OwnProperty.get(deltas, kind)?.(value, state.openCalls.get(contentBlockIndex)) ?? [notice(kind, value)]
    )
  },
  contentBlockStop: (state, body) => {
    const { contentBlockIndex = 0 } = block(body) ?? {}
    const open = state.openCalls.get(contentBlockIndex)
    state.openCalls.delete(contentBlockIndex)
    return open === undefined ? [] : [
      ...(open.fragments === 0 ? [{ _tag: "ToolCallArgs" as const, id: open.id, text: "{}" }] : []),
      { _tag: "ToolCallEnd", id: open.id }
    ]
  },
  messageStop: (state, { stopReason }) => {
    state.stop = Reader.text(stopReason) ?? ""
    return []
  },
  metadata: (state, { metrics: _, usage, ...rest }) => {
    state.hasUsage = true
    return [
      ...readUsage(state, usageFields(usage) ?? {}),
      ...Object.entries(rest).filter(([field]) => field !== "p").map(([kind, body]) => notice(kind, body))
    ]
  }
}

const block = Reader.record({ contentBlockIndex: Reader.index, start: Reader.fields, delta: Reader.fields })
const toolUse = Reader.record({ name: Reader.text, toolUseId: Reader.text, input: Reader.json })
const reasoning = Reader.record({ redactedContent: Reader.text, signature: Reader.text, text: Reader.text })
const usageFields = Reader.record({
  inputTokens: Reader.count,
  outputTokens: Reader.count,
  cacheReadInputTokens: Reader.count,
  cacheWriteInputTokens: Reader.count
})

/** One entry per kind of delta; some depend on the tool call whose block they extend. */
const deltas: Readonly<Record<string, (body: Schema.Json, open: OpenCall | undefined) => ReadonlyArray<Chunk> | undefined>> = {
  text: (body) => {
    const text = Reader.text(body) ?? ""
    return text === "" ? [] : [{ _tag: "TextDelta", text }]
  },
  toolUse: (body, open) => {
    const { input = "" } = toolUse(body) ?? {}
    // Some servers send the arguments as an object.
    const fragment = typeof input === "string" ? input : JSON.stringify(input)
    if (open === undefined) return undefined
    if (fragment === "") return []
    open.fragments++
    return [{ _tag: "ToolCallArgs", id: open.id, text: fragment }]
  },
  reasoningContent: (body) => {
    const { redactedContent, signature, text = "" } = reasoning(body) ?? {}
    return redactedContent !== undefined ? [{ _tag: "ReasoningDelta", text, encrypted: redactedContent }]
      : signature !== undefined ? [{ _tag: "ReasoningDelta", text, signature }]
      : text === "" ? []
      : [{ _tag: "ReasoningDelta", text }]
  }
}

/** Cached tokens are counted separately from the input tokens. */
const readUsage = (
  state: State,
  { cacheReadInputTokens = 0, cacheWriteInputTokens = 0, inputTokens, outputTokens }: Reader.Value<typeof usageFields>
): ReadonlyArray<Chunk> => {
  if (inputTokens === undefined && outputTokens === undefined) return []
  state.usage = {
    input: inputTokens ?? 0,
    output: outputTokens ?? 0,
    cacheRead: cacheReadInputTokens,
    cacheWrite: cacheWriteInputTokens,
    reasoning: 0
  }
  return [UsageChunk.make(state.usage, false)]
}

/** An exception in the middle of a stream. */
export const failure = (event: unknown): ReturnType<typeof ErrorBody.streamFailure> | undefined => {
  const [kind = "", body] = Object.entries(Reader.fields(event) ?? {})[0] ?? []
  return /exception$|error$/i.test(kind) ? ErrorBody.streamFailure({ ...Reader.fields(body), type: kind }) : undefined
}

export const hasEnded = (state: State): boolean => state.stop !== undefined
/** In most responses the usage arrives last. */
export const isOver = (state: State): boolean => state.stop !== undefined && state.hasUsage

const stops: Readonly<Record<string, StopReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  guardrail_intervened: "content_filter",
  content_filtered: "content_filter",
  refusal: "refusal"
}

export const end = (state: State): ReadonlyArray<Chunk> => [
  ...(state.usage === undefined ? [] : [UsageChunk.make(state.usage, true)]),
  { _tag: "Finish", reason: OwnProperty.get(stops, state.stop ?? "") ?? "other", raw: state.stop ?? "" }
]
