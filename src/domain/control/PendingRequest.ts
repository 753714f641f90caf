/** What waits for a person: an approval of a tool call, or a question of the model. */
import * as Schema from "effect/Schema"
import { Content } from "../message/Message.ts"
import { Access } from "../tool/Access.ts"

/** `session` is the one that asks, a subagent's too; absent if the request belongs to none. */
const identity = { id: Schema.String, session: Schema.optionalKey(Schema.String) }

export const PendingRequest = Schema.TaggedUnion({
  /**
   * `action` is the hash of exactly what would be done: an answer names it. `offer` are the rules that "always" would add, `diff`
   * is what an edit would change, `from` the name of the subagent that asks.
   */
  Approval: {
    ...identity,
    call: Content.cases.ToolCall,
    action: Schema.String,
    access: Schema.Array(Access),
    risk: Schema.Literals(["low", "medium", "high"]),
    reason: Schema.String,
    offer: Schema.Array(Schema.String),
    diff: Schema.optionalKey(Schema.String),
    from: Schema.optionalKey(Schema.String)
  },
  /** `options` are suggested answers; any other text is one as well. */
  Question: { ...identity, text: Schema.String, options: Schema.Array(Schema.String) }
}).annotate({ identifier: "PendingRequest" })
export type PendingRequest = typeof PendingRequest.Type
export type PendingApproval = Extract<PendingRequest, { readonly _tag: "Approval" }>
export type PendingQuestion = Extract<PendingRequest, { readonly _tag: "Question" }>
