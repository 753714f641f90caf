/** The limits of a task. */
import * as Schema from "effect/Schema"

/**
 * Absent: no limit. `usd` and `tokens` (input plus output) limit a session with its subagents, `taskUsd` and
 * `taskTokens` each of its tasks, `dayUsd` everything the user spends in a day (UTC). `wallMs` counts from the task's
 * first event, `waitMs` from when its provider was first waited for (default: ten minutes); `mistakes` and `repeats`
 * count in a row. `depth`: how many more levels of subagents may follow. `ask`: someone is there to decide whether a task continues
 * at its limits of turns, time and mistakes, with `askRepeats` also of repeats; otherwise it ends.
 */
export const Limits = Schema.Struct({
  turns: Schema.optionalKey(Schema.Int),
  wallMs: Schema.optionalKey(Schema.Finite),
  usd: Schema.optionalKey(Schema.Finite),
  tokens: Schema.optionalKey(Schema.Int),
  taskUsd: Schema.optionalKey(Schema.Finite),
  taskTokens: Schema.optionalKey(Schema.Int),
  dayUsd: Schema.optionalKey(Schema.Finite),
  waitMs: Schema.optionalKey(Schema.Finite),
  depth: Schema.optionalKey(Schema.Int),
  ask: Schema.optionalKey(Schema.Boolean),
  askRepeats: Schema.optionalKey(Schema.Boolean),
  mistakes: Schema.Int,
  repeats: Schema.Int
}).annotate({ identifier: "Limits" })
export type Limits = typeof Limits.Type

/** The defaults: three mistakes in a row, or the same call three times in a row, end a task. */
export const defaults: Limits = { mistakes: 3, repeats: 3 }

/** The field that holds the limit of a budget level; a parent's limit is held by the parent. */
const fields = {
  session: { usd: "usd", tokens: "tokens" },
  task: { usd: "taskUsd", tokens: "taskTokens" },
  parent: undefined,
  day: { usd: "dayUsd", tokens: undefined }
} as const

/** The limits with a new value for one of the budget's levels. */
export const withLimit = (limits: Limits, level: keyof typeof fields, unit: "usd" | "tokens", limit: number): Limits => {
  const field = fields[level]?.[unit]
  return field === undefined ? limits : { ...limits, [field]: limit }
}
