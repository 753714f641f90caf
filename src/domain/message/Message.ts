/** A message as the model sees it, in provider-independent parts; every wire protocol encodes from these. */
import * as Schema from "effect/Schema"
import { Touch } from "../workspace/Touch.ts"

/** SHA-256 of a blob's bytes, in hex: how events refer to large values. */
export const BlobHash = Schema.String.annotate({ identifier: "BlobHash" })
export type BlobHash = typeof BlobHash.Type

/** What a tool's result may contain. */
export const ResultContent = Schema.TaggedUnion({
  Text: { text: Schema.String },
  Image: { mediaType: Schema.String, blob: BlobHash }
}).annotate({ identifier: "ResultContent" })
export type ResultContent = typeof ResultContent.Type

/**
 * The origin of a text in a user message that the user did not write: `current` is the current state, `mention` what the user
 * mentioned, `included` an automatically included file, `reminder` a note from us, `notice` a placeholder for something removed,
 * `summary` a compaction's summary of earlier turns, `carried` an edit or error of theirs that still matters.
 */
export const Origin = Schema.Literals(["current", "mention", "included", "reminder", "notice", "summary", "carried"])
export type Origin = typeof Origin.Type

/**
 * One part of a message. A text without an `origin` is the speaker's own. `touched` names the files that a text or a result shows.
 * - `Reasoning` stores what its provider needs to accept it back: `signature` (Anthropic) or `encrypted` (OpenAI),
 *   and the `model` that wrote it; another model never sees it.
 * - `ToolCall.params` is the JSON object that the model wrote.
 * - `Image` and `Document` name a blob; the request carries its bytes.
 */
export const Content = Schema.TaggedUnion({
  Text: { text: Schema.String, origin: Schema.optionalKey(Origin), touched: Schema.optionalKey(Schema.Array(Touch)) },
  Image: { mediaType: Schema.String, blob: BlobHash },
  Document: { mediaType: Schema.String, blob: BlobHash, name: Schema.optionalKey(Schema.String) },
  Reasoning: {
    text: Schema.String,
    model: Schema.String,
    signature: Schema.optionalKey(Schema.String),
    encrypted: Schema.optionalKey(Schema.String)
  },
  ToolCall: { id: Schema.String, name: Schema.String, params: Schema.Json },
  ToolResult: {
    id: Schema.String,
    name: Schema.String,
    content: Schema.Array(ResultContent),
    isError: Schema.Boolean,
    touched: Schema.optionalKey(Schema.Array(Touch))
  }
}).annotate({ identifier: "Content" })
export type Content = typeof Content.Type
export type ToolCall = Extract<Content, { readonly _tag: "ToolCall" }>
export type ToolResult = Extract<Content, { readonly _tag: "ToolResult" }>

export const Message = Schema.Struct({
  role: Schema.Literals(["user", "assistant"]),
  content: Schema.Array(Content)
}).annotate({ identifier: "Message" })
export type Message = typeof Message.Type

/** The text of a list of parts, joined; anything else is left out. */
export const text = (content: ReadonlyArray<Content | ResultContent>): string =>
  content.flatMap((part) => part._tag === "Text" ? [part.text] : []).join("\n")
