/**
 * The operations of the control protocol: all that a client (a program, an editor, a page) can ask of a session. Each has one
 * response; what happens in the session arrives as client events (ClientEvent).
 */
import * as Schema from "effect/Schema"
import { Mode } from "../approval/Mode.ts"
import { efforts } from "../provider/ModelRequest.ts"
import { Delivery, SessionEvent } from "../session/SessionEvent.ts"
import { TodoItem } from "../tool/Outcome.ts"
import { Change } from "../workspace/Checkpoint.ts"

const session = { session: Schema.String }

/** An image beside a text, as base64. */
export const Image = Schema.Struct({ mediaType: Schema.String, data: Schema.String }).annotate({ identifier: "AttachedImage" })
export type Image = typeof Image.Type

export const Operation = Schema.TaggedUnion({
  /**
   * Starts a session; what is absent comes from the settings. Nothing runs until the first message. Without `cwd` it works in the
   * server's folder, or in a new one of its own if it runs in a cluster.
   */
  Start: {
    cwd: Schema.optionalKey(Schema.String),
    model: Schema.optionalKey(Schema.String),
    mode: Schema.optionalKey(Mode),
    name: Schema.optionalKey(Schema.String)
  },
  /**
   * Begins a task, steers the running one, or waits for its end. A client that does not know whether its message arrived sends it
   * again with the same `key`: it is recorded once.
   */
  Say: {
    ...session,
    text: Schema.String,
    images: Schema.optionalKey(Schema.Array(Image)),
    delivery: Schema.optionalKey(Delivery),
    key: Schema.optionalKey(Schema.String)
  },
  /**
   * Answers the approval `request`, if it is still pending and its action is `action`. `params`: the call with these params is
   * proposed and judged again. Scope `session` and `always` add the rules that the request offered to the session, and `always`
   * saves them for its folder as well, where the session runs.
   */
  Answer: {
    ...session,
    request: Schema.String,
    action: Schema.String,
    decision: Schema.Literals(["allow", "deny"]),
    scope: Schema.Literals(["once", "session", "always"]),
    words: Schema.optionalKey(Schema.String),
    params: Schema.optionalKey(Schema.Json)
  },
  /** Answers the question `request`; without a text nobody answers it. */
  Reply: { ...session, request: Schema.String, text: Schema.optionalKey(Schema.String) },
  /** Continues an unfinished task. */
  Continue: session,
  /** Stops whatever runs. */
  Interrupt: { ...session, why: Schema.optionalKey(Schema.String) },
  SetMode: { ...session, mode: Mode },
  /** `provider/model[:effort]`, from the next request on. */
  SetModel: { ...session, model: Schema.String },
  SetEffort: { ...session, effort: Schema.Literals(efforts) },
  /** The to-do list as the user wants it; the model learns of it with the next request. */
  SetTodo: { ...session, items: Schema.Array(TodoItem) },
  Compact: { ...session, instructions: Schema.optionalKey(Schema.String) },
  /** Back to the moment after the event `to`, once nothing runs; `remove` are files created since that the user gives up. */
  Rewind: {
    ...session,
    to: Schema.Int,
    files: Schema.Boolean,
    conversation: Schema.Boolean,
    remove: Schema.optionalKey(Schema.Array(Schema.String))
  },
  /** A new session with the events up to `at` (default: the last). */
  Fork: { ...session, at: Schema.optionalKey(Schema.Int) },
  /** The settled events `from` up to `to` (default: the last), both inclusive. */
  Replay: { ...session, from: Schema.Int, to: Schema.optionalKey(Schema.Int) }
}).annotate({ identifier: "Operation" })
export type Operation = typeof Operation.Type
export type Start = Extract<Operation, { readonly _tag: "Start" }>

/**
 * The response: `session` is the one operated on, or the new one of Start and Fork; `events` those of Replay; `changes` are the
 * files that a Rewind changed, `remaining` those created since and still there.
 */
export const OperationResult = Schema.Struct({
  session: Schema.String,
  events: Schema.optionalKey(Schema.Array(SessionEvent)),
  changes: Schema.optionalKey(Schema.Array(Change)),
  remaining: Schema.optionalKey(Schema.Array(Schema.String))
}).annotate({ identifier: "OperationResult" })
export type OperationResult = typeof OperationResult.Type
