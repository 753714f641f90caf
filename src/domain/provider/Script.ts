/**
 * A scripted model: a file of turns. The turn to play is the number of responses in the request's history, so that a session
 * resumed in another process continues with the right turn.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Chunk, StopReason } from "../message/Chunk.ts"
import * as Message from "../message/Message.ts"
import * as XmlHistory from "../message/XmlHistory.ts"
import { StopReason as Stop } from "../message/Chunk.ts"
import { Price, type TokenUsage } from "../session/Usage.ts"
import { Model } from "./Model.ts"
import type { ModelRequest } from "./ModelRequest.ts"
import { ProviderReason } from "./ProviderError.ts"

/** What a turn expects of its request; each text must occur. */
export const Expectation = Schema.Struct({
  /** In the newest user message, results included. */
  contains: Schema.optionalKey(Schema.Array(Schema.String)),
  /** In the last tool result; with XML tools in the newest user message. */
  lastResult: Schema.optionalKey(Schema.String),
  /** In the system prompt. */
  system: Schema.optionalKey(Schema.Array(Schema.String))
})

/**
 * One response. `calls` are sent natively if the request has tools, else as XML text; `xml` is sent as it is. `chunkSize` is in
 * characters, `delayMs` precedes each chunk, and after the first `holds` chunks the response hangs. `error` fails the attempt
 * after the turn's text; with `times` it fails that many times, and then the turn plays
 * without it.
 */
export const Turn = Schema.Struct({
  text: Schema.optionalKey(Schema.String),
  reasoning: Schema.optionalKey(Schema.String),
  signature: Schema.optionalKey(Schema.String),
  calls: Schema.optionalKey(Schema.Array(Schema.Struct({
    name: Schema.String,
    params: Schema.Json,
    id: Schema.optionalKey(Schema.String)
  }))),
  xml: Schema.optionalKey(Schema.String),
  usage: Schema.optionalKey(Schema.Struct({
    input: Schema.optionalKey(Schema.Int),
    output: Schema.optionalKey(Schema.Int),
    cacheRead: Schema.optionalKey(Schema.Int),
    cacheWrite: Schema.optionalKey(Schema.Int),
    reasoning: Schema.optionalKey(Schema.Int)
  })),
  stop: Schema.optionalKey(Stop),
  delayMs: Schema.optionalKey(Schema.Finite),
  chunkSize: Schema.optionalKey(Schema.Int),
  holds: Schema.optionalKey(Schema.Int),
  error: Schema.optionalKey(Schema.Struct({
    reason: ProviderReason,
    message: Schema.optionalKey(Schema.String),
    status: Schema.optionalKey(Schema.Int),
    times: Schema.optionalKey(Schema.Int)
  })),
  expect: Schema.optionalKey(Expectation)
}).annotate({ identifier: "ScriptedTurn" })
export type Turn = typeof Turn.Type

/** `model` overrides the defaults of the scripted model. */
export const Script = Schema.Struct({
  model: Schema.optionalKey(Schema.Struct({
    name: Schema.optionalKey(Schema.String),
    window: Schema.optionalKey(Schema.Int),
    maxOutput: Schema.optionalKey(Schema.Int),
    nativeTools: Schema.optionalKey(Schema.Boolean),
    reasoning: Schema.optionalKey(Schema.Boolean),
    images: Schema.optionalKey(Schema.Boolean),
    effort: Model.fields.effort,
    price: Schema.optionalKey(Price)
  })),
  turns: Schema.Array(Turn),
  /** The response to each request for a summary of earlier turns, and to one for a synthesis of several reports. */
  summary: Schema.optionalKey(Turn),
  synthesis: Schema.optionalKey(Turn),
  /** The turns of subagents: of sessions whose first message contains `prompt`. */
  children: Schema.optionalKey(Schema.Array(Schema.Struct({ prompt: Schema.String, turns: Schema.Array(Turn) })))
}).annotate({ identifier: "Script" })
export type Script = typeof Script.Type

export const model = (id: string, script: Script): Model => ({
  provider: "scripted",
  id,
  name: "Scripted",
  window: 200_000,
  maxOutput: 32_000,
  nativeTools: true,
  reasoning: true,
  images: true,
  documents: true,
  temperature: true,
  ...script.model
})

/** The number of previous responses: as the request says, or as many as its history contains. */
export const place = ({ messages, place }: ModelRequest): number => place ?? messages.filter(({ role }) => role === "assistant").length

const synthesis: Turn = { text: "The reports are as the overview says." }
const summary: Turn = { text: "## Goal\nAs the user says above.\n## Next step\nGo on." }

/** The turn for this request, or what is wrong with the request. */
export const turn = (script: Script, request: ModelRequest): Result.Result<Turn, string> => {
  if (request.purpose === "summary") return Result.succeed(script.summary ?? summary)
  if (request.purpose === "synthesis") return Result.succeed(script.synthesis ?? synthesis)
  const index = place(request)
  const turns = subagent(script, request)?.turns ?? script.turns
  const next = turns[index]
  if (next === undefined) {
    return Result.fail(
      `The script has ${turns.length} turns and was asked for number ${index + 1}. The request ends with: ${clip(newest(request))}`
    )
  }
  const problem = next.expect === undefined ? undefined : unmetExpectation(next.expect, request)
  return problem === undefined ? Result.succeed(next) : Result.fail(`Turn ${index + 1} of the script expected ${problem}`)
}

/** The script of the subagent, if the session is one. */
const subagent = ({ children = [] }: Script, { messages: [first] }: ModelRequest) => {
  const firstMessage = Message.text(first?.content ?? [])
  return children.find(({ prompt }) => firstMessage.includes(prompt))
}

/** A key for the turn of a request, unique within a script. */
export const key = (script: Script, request: ModelRequest): string =>
  `${request.purpose ?? subagent(script, request)?.prompt ?? ""}/${place(request)}`

const clip = (text: string): string => text.length <= 400 ? text : `${text.slice(0, 200)} … ${text.slice(-200)}`

const lastOfUser = (request: ModelRequest) => request.messages.findLast(({ role }) => role === "user")?.content ?? []

const resultTexts = (request: ModelRequest): ReadonlyArray<string> =>
  lastOfUser(request).flatMap((part) => part._tag === "ToolResult" ? [Message.text(part.content)] : [])

const newest = (request: ModelRequest): string => [...resultTexts(request), Message.text(lastOfUser(request))].join("\n")

const unmetExpectation = (
  { contains = [], lastResult, system = [] }: typeof Expectation.Type,
  request: ModelRequest
): string | undefined => {
  const newestText = newest(request)
  const missing = contains.find((text) => !newestText.includes(text))
  if (missing !== undefined) return `${JSON.stringify(missing)} in the newest message, which is: ${clip(newestText)}`
  const result = resultTexts(request).at(-1) ?? newestText
  if (lastResult !== undefined && !result.includes(lastResult))
    return `${JSON.stringify(lastResult)} in the last result, which is: ${clip(result)}`
  const missingSystem = system.find((text) => !request.system.includes(text))
  return missingSystem === undefined ? undefined : `${JSON.stringify(missingSystem)} in the system prompt.`
}

/** All chunks of a turn. */
export const chunks = (turn: Turn, request: ModelRequest): ReadonlyArray<Chunk> => {
  const native = request.tools.length > 0
  const size = turn.chunkSize ?? 20
  const calls = turn.calls ?? []
  const xmlCalls = native ? [] : calls.map(({ name, params }) => XmlHistory.call(name, params))
  const texts = [turn.text, turn.xml, ...xmlCalls].filter((text) => text !== undefined && text !== "") as ReadonlyArray<string>
  return [
    ...pieces(turn.reasoning ?? "", size).map((text): Chunk => ({ _tag: "ReasoningDelta", text })),
    ...(turn.signature === undefined ? [] : [{ _tag: "ReasoningDelta" as const, text: "", signature: turn.signature }]),
    ...pieces(texts.join("\n\n"), size).map((text): Chunk => ({ _tag: "TextDelta", text })),
    ...(native ? calls.flatMap((call, i) => callChunks(call, call.id ?? `call_${place(request) + 1}_${i + 1}`, size)) : []),
    { _tag: "Usage", usage: usage(turn, request, texts), final: true },
    { _tag: "Finish", reason: turn.stop ?? stop(native && calls.length > 0), raw: "scripted", responseId: `scripted_${place(request) + 1}` }
  ]
}

const stop = (hasCalls: boolean): StopReason => hasCalls ? "tool_calls" : "stop"

const callChunks = (call: NonNullable<Turn["calls"]>[number], id: string, size: number): ReadonlyArray<Chunk> => [
  { _tag: "ToolCallStart", id, name: call.name },
  ...pieces(JSON.stringify(call.params), size).map((text): Chunk => ({ _tag: "ToolCallArgs", id, text })),
  { _tag: "ToolCallEnd", id }
]

/** The usage of the turn, or an estimate of four characters per token. */
const usage = (turn: Turn, request: ModelRequest, texts: ReadonlyArray<string>): TokenUsage => {
  const promptLength = request.system.length + JSON.stringify(request.messages).length
  const outputLength = texts.join("").length + JSON.stringify(turn.calls ?? []).length + (turn.reasoning?.length ?? 0)
  const estimate = {
    input: Math.ceil(promptLength / 4),
    output: Math.ceil(outputLength / 4),
    cacheRead: 0,
    cacheWrite: 0,
    reasoning: Math.ceil((turn.reasoning?.length ?? 0) / 4)
  }
  return turn.usage === undefined ? { ...estimate, estimated: true } : { ...estimate, cacheRead: 0, reasoning: 0, ...turn.usage }
}

/** Splits by code points, so that no piece ends inside of a character. */
const pieces = (text: string, size: number): ReadonlyArray<string> => {
  const characters = [...text]
  const length = Math.max(1, size)
  return Array.from({ length: Math.ceil(characters.length / length) }, (_, i) => characters.slice(i * length, (i + 1) * length).join(""))
}
