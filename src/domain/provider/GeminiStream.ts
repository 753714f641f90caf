/** Events of a Gemini stream → neutral chunks. Each event is a whole response with the parts that are new. */
import type * as Schema from "effect/Schema"
import type { Chunk, StopReason } from "../message/Chunk.ts"
import * as Usage from "../session/Usage.ts"
import * as GeminiArgs from "./GeminiArgs.ts"
import * as History from "./NormalizeHistory.ts"
import type { ModelRequest } from "./ModelRequest.ts"

export interface Event {
  readonly candidates?: ReadonlyArray<Candidate>
  readonly promptFeedback?: { readonly blockReason?: string; readonly [field: string]: unknown }
  readonly usageMetadata?: WireUsage
  readonly responseId?: string
  readonly error?: { readonly code?: number; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

interface Candidate {
  readonly index?: number
  readonly content?: { readonly role?: string; readonly parts?: ReadonlyArray<Part> }
  readonly finishReason?: string
  readonly [field: string]: unknown
}

interface Part {
  readonly text?: string
  readonly thought?: boolean
  readonly thoughtSignature?: string
  readonly functionCall?: FunctionCall
  readonly [field: string]: unknown
}

/** A call comes whole, or grows: `willContinue` until it is over, the arguments by their paths. */
interface FunctionCall {
  readonly id?: string
  readonly name?: string
  readonly args?: unknown
  readonly partialArgs?: ReadonlyArray<GeminiArgs.PartialArg>
  readonly willContinue?: boolean
}

interface WireUsage {
  readonly promptTokenCount?: number
  readonly cachedContentTokenCount?: number
  readonly candidatesTokenCount?: number
  readonly thoughtsTokenCount?: number
  readonly toolUsePromptTokenCount?: number
}

export interface State {
  readonly names: History.Names
  readonly calls: Set<string>
  /** The call that still grows. */
  open: { readonly id: string; args: Schema.Json } | undefined
  usage: Usage.TokenUsage | undefined
  responseId: string | undefined
  stop: string | undefined
  /** The prompt was refused before a model saw it. */
  blocked: boolean
}

export const initial = (request: ModelRequest): State => ({
  names: History.names(request.tools),
  calls: new Set(),
  open: undefined,
  usage: undefined,
  responseId: undefined,
  stop: undefined,
  blocked: false
})

const notice = (kind: string, detail: unknown): Chunk => ({ _tag: "Notice", kind, detail: detail as Schema.Json })

/** Fields of a response and of a candidate that are read, or say nothing of the answer. */
const known = new Set(["candidates", "usageMetadata", "responseId", "modelVersion", "createTime", "promptFeedback"])
const ofCandidate = new Set(["index", "content", "finishReason", "avgLogprobs", "tokenCount"])

export const step = (state: State, event: Event): readonly [State, ReadonlyArray<Chunk>] => {
  const out: Array<Chunk> = []
  if (event.responseId) state.responseId ??= event.responseId
  for (const candidate of event.candidates ?? []) {
    if ((candidate.index ?? 0) === 0) read(state, candidate, out)
    else out.push(notice("candidate", candidate))
  }
  if (event.promptFeedback !== undefined) {
    out.push(notice("promptFeedback", event.promptFeedback))
    if (event.promptFeedback.blockReason) {
      state.stop = event.promptFeedback.blockReason
      state.blocked = true
    }
  }
  for (const field of Object.keys(event)) if (!known.has(field)) out.push(notice(field, event[field]))
  count(state, event.usageMetadata, out)
  return [state, out]
}

const read = (state: State, candidate: Candidate, out: Array<Chunk>) => {
  for (const part of candidate.content?.parts ?? []) take(state, part, out)
  for (const field of Object.keys(candidate)) if (!ofCandidate.has(field)) out.push(notice(field, candidate[field]))
  if (candidate.finishReason) state.stop = candidate.finishReason
}

/** A signature comes with the part that it is for: before a call, behind a text. */
const take = (state: State, part: Part, out: Array<Chunk>) => {
  const { functionCall, text, thought, thoughtSignature: signature } = part
  const sign = () => {
    if (signature) out.push({ _tag: "ReasoningDelta", text: "", signature })
  }
  if (functionCall !== undefined) {
    sign()
    call(state, functionCall, out)
  } else if (typeof text === "string") {
    if (text !== "") out.push({ _tag: thought === true ? "ReasoningDelta" : "TextDelta", text })
    sign()
  } else {
    const [kind = "part"] = Object.keys(part).filter((field) => field !== "thought" && field !== "thoughtSignature")
    out.push(notice(kind, part))
  }
}

const call = (state: State, wire: FunctionCall, out: Array<Chunk>) => {
  if (wire.name) {
    close(state, out)
    const id = fresh(state, wire.id ?? "")
    state.open = { id, args: wire.args as Schema.Json ?? {} }
    out.push({ _tag: "ToolCallStart", id, name: state.names.ours(wire.name) })
  }
  const { open } = state
  if (open === undefined) {
    out.push(notice("functionCall", wire))
    return
  }
  for (const arg of wire.partialArgs ?? []) open.args = GeminiArgs.set(open.args, arg)
  if (wire.willContinue !== true) close(state, out)
}

const close = (state: State, out: Array<Chunk>) => {
  if (state.open === undefined) return
  const { args, id } = state.open
  out.push({ _tag: "ToolCallArgs", id, text: JSON.stringify(args) }, { _tag: "ToolCallEnd", id })
  state.open = undefined
}

/** Many calls have no id; one that is taken is no id either. */
const fresh = ({ calls }: State, id: string): string => {
  const base = id === "" ? `call_${calls.size + 1}` : id
  let own = base
  for (let n = 2; calls.has(own); n++) own = `${base}_${n}`
  calls.add(own)
  return own
}

/** Cached tokens are part of the prompt's, thought stands beside what was said; figures are cumulative. */
const count = (state: State, wire: WireUsage | undefined, out: Array<Chunk>) => {
  if (wire === undefined || (wire.promptTokenCount === undefined && wire.candidatesTokenCount === undefined)) return
  const prompt = (wire.promptTokenCount ?? 0) + (wire.toolUsePromptTokenCount ?? 0)
  const cacheRead = Math.min(prompt, wire.cachedContentTokenCount ?? 0)
  const reasoning = wire.thoughtsTokenCount ?? 0
  state.usage = { input: prompt - cacheRead, output: (wire.candidatesTokenCount ?? 0) + reasoning, cacheRead, cacheWrite: 0, reasoning }
  out.push({ _tag: "Usage", usage: state.usage, final: false })
}

/** The status of an `error` that comes in place of an event. */
export const failure = ({ error }: Event): { readonly status: number; readonly body: unknown } | undefined =>
  error === undefined || error === null ? undefined : { status: Number(error.code) >= 400 ? Number(error.code) : 500, body: { error } }

export const ended = (state: State): boolean => state.stop !== undefined
/** Usage may come behind the finish reason; the service then closes. */
export const over = (): boolean => false

const filtered: StopReason = "content_filter"
const stops: Readonly<Record<string, StopReason>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: filtered,
  RECITATION: filtered,
  BLOCKLIST: filtered,
  PROHIBITED_CONTENT: filtered,
  SPII: filtered,
  IMAGE_SAFETY: filtered,
  IMAGE_PROHIBITED_CONTENT: filtered,
  IMAGE_RECITATION: filtered,
  MODEL_ARMOR: filtered,
  JAILBREAK: filtered
}

export const end = (state: State): ReadonlyArray<Chunk> => {
  const out: Array<Chunk> = []
  close(state, out)
  if (state.usage !== undefined) out.push({ _tag: "Usage", usage: state.usage, final: true })
  const told = state.blocked ? filtered : stops[state.stop ?? ""] ?? "other"
  out.push({
    _tag: "Finish",
    reason: told === "stop" && state.calls.size > 0 ? "tool_calls" : told,
    raw: state.stop ?? "",
    ...(state.responseId === undefined ? {} : { responseId: state.responseId })
  })
  return out
}
