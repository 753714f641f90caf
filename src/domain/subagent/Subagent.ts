/** Work that a session gives away: what a child session is asked, and what it reports. */
import * as Schema from "effect/Schema"
import { Amount } from "../session/Amount.ts"

/** What one child is to do. A model writes it: each field says so itself. */
export const Task = Schema.Struct({
  prompt: Schema.String.annotate({ description: "Everything it needs to know: it sees nothing of this conversation." }),
  name: Schema.optionalKey(Schema.String.annotate({ description: "Two or three words that tell it from the others." })),
  agent: Schema.optionalKey(Schema.String.annotate({ description: "The agent that does it, where agents are listed; left out, one like you." })),
  mode: Schema.optionalKey(Schema.Literals(["read", "edit"]).annotate({ description: "read (unless said): it only looks. edit: it may change files and run commands." })),
  tools: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "The only tools that it may use; left out, all of its mode." })),
  model: Schema.optionalKey(Schema.String.annotate({ description: "provider/model; left out, yours." })),
  budget: Schema.optionalKey(Schema.Finite.annotate({ description: "USD that it may spend, of what you have left." })),
  timeout: Schema.optionalKey(Schema.Finite.annotate({ description: "Seconds until it is stopped; 600 unless said." }))
}).annotate({ identifier: "ChildTask" })
export type Task = typeof Task.Type

/** How a child ended. */
export const Status = Schema.Literals(["finished", "failed", "timed out", "interrupted"])
export type Status = typeof Status.Type

/**
 * - `result` is what it came to, or why it came to nothing.
 * - `calls` and `errors` count its tool calls, and those that did not succeed; `evidence` says what the others touched.
 * - `changed` are files that it changed.
 */
export const Report = Schema.Struct({
  name: Schema.String,
  status: Status,
  result: Schema.String,
  calls: Schema.Int,
  errors: Schema.Int,
  evidence: Schema.Array(Schema.String),
  changed: Schema.Array(Schema.String),
  spent: Amount
}).annotate({ identifier: "ChildReport" })
export type Report = typeof Report.Type

/** Levels of children below a session that nobody started, where nothing is said. */
const deepest = 2

/** How many levels of children may stand below a session; 0: it does its task itself. */
export const depth = (limits: { readonly depth?: number }, parent: string | undefined): number =>
  limits.depth ?? (parent === undefined ? deepest : 0)

/** Whether it may change something. */
export const edits = ({ mode }: Task): boolean => mode === "edit"

/** What it is called: its name, else the beginning of what it is asked. */
export const nameOf = ({ name, prompt }: Task): string => {
  const said = (name ?? "").trim() === "" ? prompt : name!
  return said.trim().split("\n", 1)[0]!.slice(0, 60)
}

/** The words that a child is given: who reads its answer is another model, and sees nothing else of its work. */
export const words = ({ prompt }: Task): string =>
  `${prompt.trim()}\n\nAnother agent gives you this task, and reads nothing of your work but your result. Let the result stand alone: what you found or did, as short points with paths and line numbers; what you confirmed and what you could not find.`
