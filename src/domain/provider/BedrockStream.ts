/** Events of a ConverseStream answer → neutral chunks. An event is an object with one field: its kind. */
import type * as Schema from "effect/Schema"
import type { Chunk, StopReason } from "../message/Chunk.ts"
import * as Usage from "../session/Usage.ts"
import * as History from "./NormalizeHistory.ts"
import type { ModelRequest } from "./ModelRequest.ts"

type Loose = Readonly<Record<string, unknown>>

export type Event = Readonly<Record<string, Loose>>

interface Open {
  readonly id: string
  fragments: number
}

export interface State {
  readonly names: History.Names
  /** Calls by the index of their block, and all ids that are taken. */
  readonly open: Map<unknown, Open>
  readonly calls: Set<string>
  usage: Usage.TokenUsage | undefined
  stop: string | undefined
  measured: boolean
}

export const initial = (request: ModelRequest): State => ({
  names: History.names(request.tools),
  open: new Map(),
  calls: new Set(),
  usage: undefined,
  stop: undefined,
  measured: false
})

export const step = (state: State, event: Event): readonly [State, ReadonlyArray<Chunk>] =>
  [state, Object.entries(event).flatMap(([kind, body]) => events[kind]?.(state, record(body)) ?? [notice(kind, body)])]

const record = (value: unknown): Loose => typeof value === "object" && value !== null ? value as Loose : {}
const text = (value: unknown): string => typeof value === "string" ? value : ""
const notice = (kind: string, detail: unknown): Chunk => ({ _tag: "Notice", kind, detail: detail as Schema.Json })

type On = (state: State, body: Loose) => ReadonlyArray<Chunk>

const events: Readonly<Record<string, On>> = {
  messageStart: () => [],
  contentBlockStart: (state, { contentBlockIndex, start }) => {
    const [kind, body] = Object.entries(record(start))[0] ?? ["start", null]
    if (kind !== "toolUse") return [notice(kind, body)]
    const { name, toolUseId } = record(body)
    const open = { id: fresh(state.calls, text(toolUseId)), fragments: 0 }
    state.open.set(contentBlockIndex, open)
    return [{ _tag: "ToolCallStart", id: open.id, name: state.names.ours(text(name)) }]
  },
  contentBlockDelta: (state, { contentBlockIndex, delta }) =>
    Object.entries(record(delta)).flatMap(([kind, body]) => deltas[kind]?.(body, state.open.get(contentBlockIndex)) ?? [notice(kind, body)]),
  contentBlockStop: (state, { contentBlockIndex }) => {
    const open = state.open.get(contentBlockIndex)
    state.open.delete(contentBlockIndex)
    return open === undefined ? [] : [
      ...(open.fragments === 0 ? [{ _tag: "ToolCallArgs" as const, id: open.id, text: "{}" }] : []),
      { _tag: "ToolCallEnd", id: open.id }
    ]
  },
  messageStop: (state, { stopReason }) => {
    state.stop = text(stopReason)
    return []
  },
  metadata: (state, { metrics: _, usage, ...rest }) => {
    state.measured = true
    return [...count(state, record(usage)), ...Object.entries(rest).filter(([field]) => field !== "p").map(([kind, body]) => notice(kind, body))]
  }
}

/** One line a kind of delta; what it says depends on the call whose block it grows. */
const deltas: Readonly<Record<string, (body: unknown, open: Open | undefined) => ReadonlyArray<Chunk> | undefined>> = {
  text: (body) => body === "" ? [] : [{ _tag: "TextDelta", text: text(body) }],
  toolUse: (body, open) => {
    const { input } = record(body)
    // Some servers give the arguments as an object.
    const fragment = typeof input === "string" ? input : input === undefined ? "" : JSON.stringify(input)
    if (open === undefined) return undefined
    if (fragment === "") return []
    open.fragments++
    return [{ _tag: "ToolCallArgs", id: open.id, text: fragment }]
  },
  reasoningContent: (body) => {
    const { redactedContent, signature, text: thought } = record(body)
    const said = text(thought)
    return typeof redactedContent === "string" ? [{ _tag: "ReasoningDelta", text: said, encrypted: redactedContent }]
      : typeof signature === "string" ? [{ _tag: "ReasoningDelta", text: said, signature }]
      : said === "" ? []
      : [{ _tag: "ReasoningDelta", text: said }]
  }
}

/** A second call with an id that is taken, or with none, gets one of its own. */
const fresh = (taken: Set<string>, id: string): string => {
  const base = id === "" ? "call" : id
  let own = base
  for (let n = 2; taken.has(own); n++) own = `${base}_${n}`
  taken.add(own)
  return own
}

/** Cached tokens stand beside the input's. */
const count = (state: State, { cacheReadInputTokens, cacheWriteInputTokens, inputTokens, outputTokens }: Loose): ReadonlyArray<Chunk> => {
  if (inputTokens === undefined && outputTokens === undefined) return []
  const number = (value: unknown) => typeof value === "number" ? value : 0
  state.usage = {
    input: number(inputTokens),
    output: number(outputTokens),
    cacheRead: number(cacheReadInputTokens),
    cacheWrite: number(cacheWriteInputTokens),
    reasoning: 0
  }
  return [{ _tag: "Usage", usage: state.usage, final: false }]
}

/** Exceptions in mid-stream, by the status that each has as an answer of its own. */
const statuses: Readonly<Record<string, number>> = {
  validationException: 400,
  accessDeniedException: 403,
  resourceNotFoundException: 404,
  modelTimeoutException: 408,
  modelErrorException: 424,
  modelStreamErrorException: 424,
  throttlingException: 429,
  internalServerException: 500,
  serviceUnavailableException: 503
}

export const failure = (event: Event): { readonly status: number; readonly body: unknown } | undefined => {
  const [kind = "", body] = Object.entries(event)[0] ?? []
  return /exception$|error$/i.test(kind) ? { status: statuses[kind] ?? 500, body: { ...record(body), type: kind } } : undefined
}

export const ended = (state: State): boolean => state.stop !== undefined
/** The figures come last, in most answers. */
export const over = (state: State): boolean => state.stop !== undefined && state.measured

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
  ...(state.usage === undefined ? [] : [{ _tag: "Usage" as const, usage: state.usage, final: true }]),
  { _tag: "Finish", reason: stops[state.stop ?? ""] ?? "other", raw: state.stop ?? "" }
]
