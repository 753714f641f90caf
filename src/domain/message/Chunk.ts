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
