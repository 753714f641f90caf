/** What a task may use. */
import * as Schema from "effect/Schema"

/** Absent: no limit. `wallMs` counts from the task's first event, `waitMs` from when its provider was first waited for (absent: ten minutes); `mistakes` and `repeats` count in a row. */
export const Limits = Schema.Struct({
  turns: Schema.optionalKey(Schema.Int),
  wallMs: Schema.optionalKey(Schema.Finite),
  usd: Schema.optionalKey(Schema.Finite),
  waitMs: Schema.optionalKey(Schema.Finite),
  mistakes: Schema.Int,
  repeats: Schema.Int
}).annotate({ identifier: "Limits" })
export type Limits = typeof Limits.Type

export const defaults: Limits = { mistakes: 3, repeats: 3 }
