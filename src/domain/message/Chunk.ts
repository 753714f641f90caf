/**
 * What a provider's stream emits, neutral over all wires. Schema values: recordings keep every chunk of a
 * response and decode them again at replay; nothing decodes a chunk while it streams.
 */
import * as Schema from "effect/Schema"
import { TokenUsage } from "../session/Usage.ts"

/** Why a response ended. `raw` is the provider's own word for it. */
export const StopReason = Schema.Literals(["stop", "length", "tool_calls", "content_filter", "refusal", "other"])
export type StopReason = typeof StopReason.Type

/**
 * - `ToolCallArgs.text` is the next fragment of the arguments as JSON text.
 * - `Usage` is cumulative: a later one replaces an earlier one; `final` marks the provider's last word.
 * - `Notice` keeps what we do not use (a ping, a server tool, a citation): kept, not lost.
 */
export const Chunk = Schema.TaggedUnion({
  TextDelta: { text: Schema.String },
  ReasoningDelta: {
    text: Schema.String,
    signature: Schema.optionalKey(Schema.String),
    encrypted: Schema.optionalKey(Schema.String)
  },
  ToolCallStart: { id: Schema.String, name: Schema.String },
  ToolCallArgs: { id: Schema.String, text: Schema.String },
  ToolCallEnd: { id: Schema.String },
  Usage: { usage: TokenUsage, final: Schema.Boolean },
  Finish: { reason: StopReason, raw: Schema.String, responseId: Schema.optionalKey(Schema.String) },
  Notice: { kind: Schema.String, detail: Schema.Json }
}).annotate({ identifier: "Chunk" })
export type Chunk = typeof Chunk.Type

/** A chunk and when it arrived, in ms since the request went out: stamped where it crosses the boundary. */
export const Timed = Schema.Struct({ at: Schema.Int, chunk: Chunk })
export type Timed = typeof Timed.Type

type Delta = Extract<Chunk, { readonly text: string }>

/** Whether a delta says what another says that comes directly behind it: thoughts only while neither is sealed. */
const goesOn = (last: Chunk | undefined, next: Chunk): last is Delta =>
  last?._tag === "TextDelta" ? next._tag === "TextDelta"
  : last?._tag === "ReasoningDelta" ? next._tag === "ReasoningDelta" && isOpen(last) && isOpen(next)
  : last?._tag === "ToolCallArgs" && next._tag === "ToolCallArgs" && last.id === next.id

const isOpen = ({ encrypted, signature }: Extract<Chunk, { readonly _tag: "ReasoningDelta" }>): boolean =>
  signature === undefined && encrypted === undefined

/** What came at one moment with neighbouring deltas as one: any chunking says the same, and each chunk costs its way through all of us. */
export const joined = (chunks: ReadonlyArray<Chunk>): ReadonlyArray<Chunk> => {
  const whole: Array<Chunk> = []
  for (const chunk of chunks) {
    const last = whole.at(-1)
    if (goesOn(last, chunk)) whole[whole.length - 1] = { ...last, text: last.text + (chunk as Delta).text }
    else whole.push(chunk)
  }
  return whole
}
