/** How a tool call ended, and what of it the session keeps. */
import * as Schema from "effect/Schema"
import { ResultContent } from "../message/Message.ts"
import { Touch } from "../workspace/Touch.ts"
import * as Normalize from "./Normalize.ts"

/** `interrupted`: we were told to stop. `unknown`: we died while it ran; neither is silently run again. */
export const Status = Schema.Literals(["succeeded", "failed", "denied", "interrupted", "unknown"])
export type Status = typeof Status.Type

/** One line of the plan that the model keeps. */
export const TodoItem = Schema.Struct({
  text: Schema.String,
  state: Schema.Literals(["pending", "in_progress", "done"])
}).annotate({ identifier: "TodoItem" })
export type TodoItem = typeof TodoItem.Type

/**
 * - `content` is what the model reads.
 * - `touched`, `todo`: facts for the session's fold. `ends`: the call ends the task with this result.
 * - `mistake`: the model wrote something that could not be done (wrong params, an edit that finds no place); three in a row end the task.
 * - `loads`: names of servers' tools that the model is told from now on.
 * - `unanswered`: the call asked a person and no one was there.
 * - `checked`: what a check after an edit said, behind its command (`$ npm run lint`).
 * - `display` is a unified diff or a line for people, where it says more than `content`.
 */
export const Outcome = Schema.Struct({
  status: Status,
  content: Schema.Array(ResultContent),
  touched: Schema.optionalKey(Schema.Array(Touch)),
  todo: Schema.optionalKey(Schema.Array(TodoItem)),
  ends: Schema.optionalKey(Schema.String),
  loads: Schema.optionalKey(Schema.Array(Schema.String)),
  mistake: Schema.optionalKey(Schema.Boolean),
  unanswered: Schema.optionalKey(Schema.Boolean),
  checked: Schema.optionalKey(Schema.String),
  display: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Outcome" })
export type Outcome = typeof Outcome.Type

const of = (status: Status) => (text: string): Outcome => ({ status, content: [{ _tag: "Text", text }] })

/** It did what was asked. */
export const succeeded = of("succeeded")
/** It did not; the text says why. */
export const failed = of("failed")
/** The model wrote something that could not be done. */
export const mistaken = (text: string): Outcome => ({ ...failed(text), mistake: true })
/** A rule or a person refused it. */
export const denied = of("denied")
/** It was stopped before it was done. */
export const interrupted = of("interrupted")
/** Nobody knows: the process died while it ran. */
export const unknown = of("unknown")

/** What a model is told of a call whose process died. */
export const lost = "dacapo died while this ran: it may have happened in part, whole, or not at all."

/** A value as JSON for the model, whatever it is, within the limits of structured results. */
export const structured = (value: unknown): Outcome => succeeded(JSON.stringify(Normalize.toSize(value, Normalize.limits.result)))
