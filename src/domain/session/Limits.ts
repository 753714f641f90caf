/** What a task may use. */
import * as Schema from "effect/Schema"

/** Absent: no limit. `usd` and `tokens` (of input and output) bound a session with its children, `taskUsd` and `taskTokens` each of its tasks, `dayUsd` all that the user spends in a day (UTC). `wallMs` counts from the task's first event, `waitMs` from when its provider was first waited for (absent: ten minutes); `mistakes` and `repeats` count in a row. `depth`: how many levels of children may still stand below. */
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
  mistakes: Schema.Int,
  repeats: Schema.Int
}).annotate({ identifier: "Limits" })
export type Limits = typeof Limits.Type

/** What holds where nothing is said: three mistakes in a row, or the same call three times, end a task. */
export const defaults: Limits = { mistakes: 3, repeats: 3 }

/** The field that holds the limit of a level of the budget; a parent's limit is its own. */
const fields = {
  session: { usd: "usd", tokens: "tokens" },
  task: { usd: "taskUsd", tokens: "taskTokens" },
  parent: undefined,
  day: { usd: "dayUsd", tokens: undefined }
} as const

/** The limits with one of the budget's levels set anew. */
export const raised = (limits: Limits, level: keyof typeof fields, unit: "usd" | "tokens", limit: number): Limits => {
  const field = fields[level]?.[unit]
  return field === undefined ? limits : { ...limits, [field]: limit }
}
