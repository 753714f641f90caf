/**
 * What a provider's stream emits, independent of the wire. Schema values: recordings store every chunk of a response
 * and decode them again at replay; nothing decodes a chunk while it streams.
 */
import * as Schema from "effect/Schema"
import { TokenUsage } from "../session/Usage.ts"

/** Why a response ended. `raw` is the provider's own term for it. */
export const StopReason = Schema.Literals(["stop", "length", "tool_calls", "content_filter", "refusal", "other"])
export type StopReason = typeof StopReason.Type

/**
 * - `ToolCallArgs.text` is the next fragment of the arguments as JSON text.
 * - `Usage` is cumulative: a later one replaces an earlier one; `final` marks the provider's last report.
 * - `Notice` preserves what we do not use (a ping, a server tool, a citation).
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

/** A part of a provider's event that is kept as it is. */
export const notice = (kind: string, detail: unknown): Chunk => ({ _tag: "Notice", kind, detail: detail as Schema.Json })

/** A chunk and when it arrived, in ms since the request went out: stamped where it crosses the boundary. */
export const TimedChunk = Schema.Struct({ at: Schema.Int, chunk: Chunk })
export type TimedChunk = typeof TimedChunk.Type

type Delta = Extract<Chunk, { readonly text: string }>

/** Whether a delta can be merged with the one directly after it: reasoning only while neither is sealed. */
const canJoin = (last: Chunk | undefined, next: Chunk): last is Delta =>
  last?._tag === "TextDelta" ? next._tag === "TextDelta"
    : last?._tag === "ReasoningDelta" ? next._tag === "ReasoningDelta" && isOpen(last) && isOpen(next)
    : last?._tag === "ToolCallArgs" && next._tag === "ToolCallArgs" && last.id === next.id

const isOpen = ({ encrypted, signature }: Extract<Chunk, { readonly _tag: "ReasoningDelta" }>): boolean =>
  signature === undefined && encrypted === undefined

/**
 * Merges neighbouring deltas that arrived at the same moment: the chunking does not change the content, and each chunk
 * has a cost in every stage.
 */
export const joinChunks = (chunks: ReadonlyArray<Chunk>): ReadonlyArray<Chunk> => {
  const chunksSoFar: Array<Chunk> = []
  for (const chunk of chunks) {
    const last = chunksSoFar.at(-1)
    if (canJoin(last, chunk)) chunksSoFar[chunksSoFar.length - 1] = { ...last, text: last.text + (chunk as Delta).text }
    else chunksSoFar.push(chunk)
  }
  return chunksSoFar
}
