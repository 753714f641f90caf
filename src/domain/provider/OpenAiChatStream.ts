/** Chunks of a Chat Completions stream → neutral chunks, in all the dialects that servers write. */
import type * as Schema from "effect/Schema"
import type { Chunk, StopReason } from "../message/Chunk.ts"
import * as Usage from "../session/Usage.ts"
import * as History from "./NormalizeHistory.ts"
import type { ModelRequest } from "./ModelRequest.ts"

type Loose = Readonly<Record<string, unknown>>

/** A decoded chunk, or the text that closes the stream. */
export type Event = "[DONE]" | {
  readonly id?: string
  readonly choices?: ReadonlyArray<{
    readonly index?: number
    readonly delta?: Delta
    /** Some servers put a whole message where a delta belongs. */
    readonly message?: Delta
    readonly finish_reason?: string | null
    readonly usage?: WireUsage | null
  }>
  readonly usage?: WireUsage | null
  readonly x_groq?: { readonly usage?: WireUsage }
  readonly error?: unknown
}

interface Delta {
  readonly content?: string | ReadonlyArray<Loose> | null
  readonly refusal?: string | null
  readonly reasoning_content?: string | null
  readonly reasoning?: string | null
  readonly tool_calls?: ReadonlyArray<Fragment> | null
  readonly [field: string]: unknown
}

interface Fragment {
  readonly index?: number
  readonly id?: string | null
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown }
}

interface WireUsage {
  readonly prompt_tokens?: number
  readonly completion_tokens?: number
  readonly total_tokens?: number
  readonly cached_tokens?: number
  readonly reasoning_tokens?: number
  readonly prompt_cache_hit_tokens?: number
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null; readonly cache_write_tokens?: number | null } | null
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null
}

interface Open {
  readonly sent: string
  readonly id: string
  fragments: number
}

export interface State {
  readonly names: History.Names
  /** Calls in the order they began; `at` says which of them an index means now. */
  readonly calls: Array<Open>
  readonly at: Map<number, Open>
  usage: Usage.TokenUsage | undefined
  responseId: string | undefined
  stop: string | undefined
  refused: boolean
  done: boolean
}

export const initial = (request: ModelRequest): State => ({
  names: History.names(request.tools),
  calls: [],
  at: new Map(),
  usage: undefined,
  responseId: undefined,
  stop: undefined,
  refused: false,
  done: false
})

export const step = (state: State, event: Event): readonly [State, ReadonlyArray<Chunk>] => {
  if (event === "[DONE]") {
    state.done = true
    return [state, []]
  }
  const out: Array<Chunk> = []
  if (event.id) state.responseId ??= event.id
  for (const choice of event.choices ?? []) {
    if ((choice.index ?? 0) !== 0) {
      out.push(notice("choice", choice))
      continue
    }
    const delta = choice.delta ?? choice.message
    if (delta !== undefined && delta !== null) read(state, delta, out)
    if (choice.finish_reason) state.stop = choice.finish_reason
  }
  const wire = event.usage ?? event.x_groq?.usage ?? event.choices?.[0]?.usage
  if (wire) {
    state.usage = usage(wire)
    out.push({ _tag: "Usage", usage: state.usage, final: false })
  }
  return [state, out]
}

const notice = (kind: string, detail: unknown): Chunk => ({ _tag: "Notice", kind, detail: detail as Schema.Json })

const text = (text: string, out: Array<Chunk>) => {
  if (text !== "") out.push({ _tag: "TextDelta", text })
}
const thought = (text: string, out: Array<Chunk>) => {
  if (text !== "") out.push({ _tag: "ReasoningDelta", text })
}

const read = (state: State, delta: Delta, out: Array<Chunk>) => {
  for (const [field, value] of Object.entries(delta)) {
    if (value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) continue
    const reader = readers[field]
    if (reader === undefined) out.push(notice(field, value))
    else reader(state, value, out, delta)
  }
}

type Reader = (state: State, value: unknown, out: Array<Chunk>, delta: Delta) => void
const nothing: Reader = () => {}

/** One line a field of a delta. Servers that send thought under two names at once are read once. */
const readers: Readonly<Record<string, Reader>> = {
  role: nothing,
  index: nothing,
  content: (_, value, out) => typeof value === "string" ? text(value, out) : parts(value as ReadonlyArray<Loose>, out),
  refusal: (state, value, out) => {
    state.refused = true
    text(String(value), out)
  },
  reasoning_content: (_, value, out) => thought(String(value), out),
  reasoning: (_, value, out, { reasoning_content }) => {
    if (!reasoning_content) thought(typeof value === "string" ? value : "", out)
  },
  reasoning_details: (_, value, out, { reasoning, reasoning_content }) => details(value, Boolean(reasoning || reasoning_content), out),
  tool_calls: (state, value, out) => {
    for (const fragment of value as ReadonlyArray<Fragment>) call(state, fragment, out)
  }
}

/** Content as a list: text, and thought as some servers nest it. */
const parts = (content: ReadonlyArray<Loose>, out: Array<Chunk>) => {
  for (const part of content) {
    if (part.type === "text") text(String(part.text ?? ""), out)
    else if (part.type === "thinking") {
      const inner = Array.isArray(part.thinking) ? part.thinking as ReadonlyArray<Loose> : [{ text: part.thinking }]
      for (const { text } of inner) thought(String(text ?? ""), out)
    } else out.push(notice(String(part.type ?? "content"), part))
  }
}

const details = (value: unknown, told: boolean, out: Array<Chunk>) => {
  for (const detail of Array.isArray(value) ? value as ReadonlyArray<Loose> : []) {
    if (typeof detail.data === "string") out.push({ _tag: "ReasoningDelta", text: "", encrypted: detail.data })
    else if (!told) thought(String(detail.text ?? detail.summary ?? ""), out)
    if (typeof detail.signature === "string") out.push({ _tag: "ReasoningDelta", text: "", signature: detail.signature })
  }
}

/**
 * A fragment of a call. It belongs to the call at its index; without an index, to the one with its id, else to the
 * last. A fragment with a name and an id of its own begins a new call even where the index is taken: some servers
 * give every call the index 0.
 */
const call = (state: State, fragment: Fragment, out: Array<Chunk>) => {
  const { index } = fragment
  const name = fragment.function?.name ?? ""
  const id = fragment.id ?? ""
  const there = index === undefined ? byId(state, id) ?? (name === "" ? state.calls.at(-1) : undefined) : state.at.get(index)
  const begins = there === undefined || (name !== "" && id !== "" && id !== there.sent)
  if (begins && name === "" && id === "") {
    out.push(notice("tool_call_fragment", fragment))
    return
  }
  const open = begins ? begin(state, id, name, index ?? state.calls.length, out) : there
  const args = fragment.function?.arguments
  const text = typeof args === "string" ? args : args === undefined || args === null ? "" : JSON.stringify(args)
  if (text === "") return
  open.fragments++
  out.push({ _tag: "ToolCallArgs", id: open.id, text })
}

const byId = (state: State, id: string): Open | undefined => id === "" ? undefined : state.calls.find(({ sent }) => sent === id)

const begin = (state: State, sent: string, name: string, index: number, out: Array<Chunk>): Open => {
  const base = sent === "" ? `call_${state.calls.length + 1}` : sent
  let id = base
  for (let n = 2; state.calls.some((call) => call.id === id); n++) id = `${base}_${n}`
  const open: Open = { sent, id, fragments: 0 }
  state.calls.push(open)
  state.at.set(index, open)
  out.push({ _tag: "ToolCallStart", id, name: state.names.ours(name) })
  return open
}

/**
 * Cached tokens are counted inside `prompt_tokens` on this wire. Thought is inside `completion_tokens`, except where
 * the total shows that it was left out (xAI).
 */
const usage = (wire: WireUsage): Usage.TokenUsage => {
  const prompt = wire.prompt_tokens ?? 0
  const cacheRead = Math.min(prompt, wire.prompt_tokens_details?.cached_tokens ?? wire.prompt_cache_hit_tokens ?? wire.cached_tokens ?? 0)
  const cacheWrite = Math.min(prompt - cacheRead, wire.prompt_tokens_details?.cache_write_tokens ?? 0)
  const reasoning = wire.completion_tokens_details?.reasoning_tokens ?? wire.reasoning_tokens ?? 0
  const completion = wire.completion_tokens ?? 0
  const beside = reasoning > 0 && wire.total_tokens === prompt + completion + reasoning
  return { input: prompt - cacheRead - cacheWrite, output: completion + (beside ? reasoning : 0), cacheRead, cacheWrite, reasoning }
}

/** A frame that is an error of its own: `{ error: { code, message } }` under status 200. */
export const failure = (event: Event): { readonly status: number; readonly body: unknown } | undefined => {
  if (event === "[DONE]" || event.error === undefined || event.error === null) return undefined
  const { code, status } = event.error as Loose
  const told = [status, code].map(Number).find((number) => number >= 400 && number < 600)
  return { status: told ?? 500, body: event }
}

/** A finish reason is an end even where [DONE] is missing, and [DONE] where the reason is. */
export const ended = (state: State): boolean => state.stop !== undefined || state.done

/** Usage may still come after the finish reason; nothing comes after [DONE]. */
export const over = (state: State): boolean => state.done

const stops: Readonly<Record<string, StopReason>> = {
  stop: "stop",
  eos: "stop",
  end_turn: "stop",
  length: "length",
  model_length: "length",
  max_tokens: "length",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  content_filter: "content_filter",
  sensitive: "content_filter",
  refusal: "refusal"
}

export const end = (state: State): ReadonlyArray<Chunk> => [
  ...state.calls.flatMap((open): ReadonlyArray<Chunk> => [
    ...(open.fragments === 0 ? [{ _tag: "ToolCallArgs" as const, id: open.id, text: "{}" }] : []),
    { _tag: "ToolCallEnd", id: open.id }
  ]),
  ...(state.usage === undefined ? [] : [{ _tag: "Usage" as const, usage: state.usage, final: true }]),
  {
    _tag: "Finish",
    reason: reason(state),
    raw: state.stop ?? "",
    ...(state.responseId === undefined ? {} : { responseId: state.responseId })
  }
]

/** Servers say "stop" after calls, too; what was called counts. */
const reason = (state: State): StopReason => {
  const told = stops[state.stop ?? ""] ?? "other"
  return state.refused && told === "stop" ? "refusal" : told === "stop" && state.calls.length > 0 ? "tool_calls" : told
}
