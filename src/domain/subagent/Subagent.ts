/** Delegated work: what a subagent is asked, and what it reports. */
import * as Schema from "effect/Schema"
import { Amount } from "../session/Amount.ts"

/** The task of one subagent, written by a model: each field describes itself. */
export const SubagentTask = Schema.Struct({
  prompt: Schema.String.annotate({
    description: "All it needs to know: it does not see this conversation."
  }),
  name: Schema.optionalKey(Schema.String.annotate({ description: "Two or three words." })),
  agent: Schema.optionalKey(Schema.String.annotate({ description: "From the list of agents. Default: an agent like you." })),
  mode: Schema.optionalKey(
    Schema.Literals(["read", "edit"]).annotate({ description: "Default: read. edit changes files and runs commands." })
  ),
  tools: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({ description: "Default: all tools of its mode." })
  ),
  model: Schema.optionalKey(Schema.String.annotate({ description: "provider/model. Default: yours." })),
  budget: Schema.optionalKey(Schema.Finite.annotate({ description: "USD, out of your budget." })),
  timeout: Schema.optionalKey(Schema.Finite.annotate({ description: "Seconds. Default: 600." }))
}).annotate({ identifier: "ChildTask" })
export type SubagentTask = typeof SubagentTask.Type

/** How a subagent ended. */
export const SubagentStatus = Schema.Literals(["finished", "failed", "timed out", "interrupted"])
export type SubagentStatus = typeof SubagentStatus.Type

/**
 * - `result` is its outcome, or why there is none.
 * - `calls` and `errors` count its tool calls, and the unsuccessful ones; `evidence` says what the others touched.
 * - `changed` are files that it changed.
 */
export const SubagentReport = Schema.Struct({
  name: Schema.String,
  status: SubagentStatus,
  result: Schema.String,
  calls: Schema.Int,
  errors: Schema.Int,
  evidence: Schema.Array(Schema.String),
  changed: Schema.Array(Schema.String),
  spent: Amount
}).annotate({ identifier: "ChildReport" })
export type SubagentReport = typeof SubagentReport.Type

/** The default number of subagent levels below a top-level session. */
const maxDepth = 2

/** How many levels of subagents may follow below a session; 0: it does its task itself. */
export const depth = (limits: { readonly depth?: number }, parent: string | undefined): number =>
  limits.depth ?? (parent === undefined ? maxDepth : 0)

/** Whether it may change anything. */
export const canEdit = ({ mode }: SubagentTask): boolean => mode === "edit"

/** Its display name: its name, else the beginning of its prompt. */
export const nameOf = ({ name, prompt }: SubagentTask): string => {
  const title = (name ?? "").trim() === "" ? prompt : name!
  return title.trim().split("\n", 1)[0]!.slice(0, 60)
}

/** The prompt of a subagent: another model reads its result, and sees nothing else of its work. */
export const taskPrompt = ({ prompt }: SubagentTask): string =>
  `${prompt.trim()}\n\nAnother agent delegated this task to you and will read only your result. Make it self-contained: what you found or did, as short points with paths and line numbers, what you verified, and what you could not find.`
