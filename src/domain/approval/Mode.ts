/** Permission modes: how much may happen without a question (safety.md §3). */
import * as Schema from "effect/Schema"

export const Mode = Schema.Literals(["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"])
  .annotate({ identifier: "Mode" })
export type Mode = typeof Mode.Type
