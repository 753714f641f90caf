/** What a client of a session receives, in order: its events, settled and live, and the requests that wait for a person. */
import * as Schema from "effect/Schema"
import { SessionEvent, type Followed } from "../session/SessionEvent.ts"
import { PendingRequest } from "./PendingRequest.ts"

/** A request began to wait; or it is answered or withdrawn, and no client can answer it any more. */
export const RequestEvent = Schema.TaggedUnion({
  Requested: { request: PendingRequest },
  Resolved: { id: Schema.String, session: Schema.optionalKey(Schema.String) }
}).annotate({ identifier: "RequestEvent" })
export type RequestEvent = typeof RequestEvent.Type

export type ClientEvent = Followed | RequestEvent

/** A piece of a streaming response (message/Part). */
const Part = Schema.TaggedUnion({
  Text: { text: Schema.String },
  Reasoning: { text: Schema.String, signature: Schema.optionalKey(Schema.String), encrypted: Schema.optionalKey(Schema.String) },
  ToolCall: {
    id: Schema.String,
    name: Schema.String,
    params: Schema.Record(Schema.String, Schema.Unknown),
    partial: Schema.Boolean,
    malformed: Schema.optionalKey(Schema.String),
    warnings: Schema.Array(Schema.String),
    appended: Schema.optionalKey(Schema.Struct({ param: Schema.String, text: Schema.String }))
  }
})

/** Client events on a wire. Live events (`Parsed`, `Discarded`, `Output`, `Notice`, `Saving`) may be missing for a client that lags. */
export const WireEvent = Schema.Union([
  Schema.TaggedStruct("Settled", { at: SessionEvent }),
  Schema.TaggedStruct("Parsed", { part: Part }),
  Schema.TaggedStruct("Discarded", { why: Schema.String }),
  Schema.TaggedStruct("Output", { call: Schema.String, text: Schema.String }),
  Schema.TaggedStruct("Notice", { text: Schema.String }),
  Schema.TaggedStruct("Saving", { saved: Schema.Int, total: Schema.Int }),
  ...Object.values(RequestEvent.cases)
]).annotate({ identifier: "ClientEvent" })
