/** How a tool call ended, and what the session keeps of it. */
import * as Schema from "effect/Schema"
import { ResultContent } from "../message/Message.ts"
import { Spending } from "../session/Usage.ts"
import { Touch } from "../workspace/Touch.ts"
import * as Normalize from "./Normalize.ts"
import { ResultView } from "./ResultView.ts"

/** `interrupted`: the user stopped it. `unknown`: the process died while it ran. Neither is silently run again. */
export const Status = Schema.Literals(["succeeded", "failed", "denied", "interrupted", "unknown"])
export type Status = typeof Status.Type

/** One item of the model's to-do list. */
export const TodoItem = Schema.Struct({
  text: Schema.String,
  state: Schema.Literals(["pending", "in_progress", "done"])
}).annotate({ identifier: "TodoItem" })
export type TodoItem = typeof TodoItem.Type

/**
 * - `content` is what the model reads.
 * - `touched`, `todo`: facts for the session's fold. `ends`: the call ends the task with this result.
 * - `mistake`: the model requested something impossible (invalid params, an edit that matches nothing); three in a row
 *   end the task.
 * - `loads`: names of MCP tools to declare to the model from now on.
 * - `unanswered`: the call asked a person and no one was there.
 * - `checked`: the output of a check after an edit, preceded by its command (`$ npm run lint`).
 * - `spent`: what a model used that the tool itself asked.
 * - `display` is a unified diff or a line for people, if it says more than `content`.
 * - `view` is the result as data that people see instead of `content`.
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
  spent: Schema.optionalKey(Spending),
  display: Schema.optionalKey(Schema.String),
  view: Schema.optionalKey(ResultView)
}).annotate({ identifier: "Outcome" })
export type Outcome = typeof Outcome.Type

const of = (status: Status) => (text: string): Outcome => ({ status, content: [{ _tag: "Text", text }] })

/** It succeeded. */
export const succeeded = of("succeeded")
/** It failed; the text says why. */
export const failed = of("failed")
/** The model requested something impossible. */
export const mistaken = (text: string): Outcome => ({ ...failed(text), mistake: true })
/** A rule or a person denied it. */
export const denied = of("denied")
/** It was stopped before it was done. */
export const interrupted = of("interrupted")
/** Unknown: the process died while it ran. */
export const unknown = of("unknown")

/** What the model reads about a call whose process died. */
export const lostMessage = "dacapo stopped while this call was running: it may have completed fully, partly, or not at all."

/** A value as JSON for the model, whatever it is, within the limits of structured results. */
export const structured = (value: unknown): Outcome => succeeded(JSON.stringify(Normalize.toSize(value, Normalize.limits.result)))
