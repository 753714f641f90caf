/** Permission modes: how much may happen without asking (safety.md §3). */
import * as Schema from "effect/Schema"

export const Mode = Schema.Literals(["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"])
  .annotate({ identifier: "Mode" })
export type Mode = typeof Mode.Type

/**
 * What each mode permits is a subset of what modes of a higher rank permit. `plan` and `dontAsk` are not subsets of
 * each other: one asks about a page that the other refuses, and the other makes edits that a rule allows.
 */
const rank: Readonly<Record<Mode, number>> = { plan: 0, dontAsk: 0, default: 1, acceptEdits: 2, auto: 3, bypassPermissions: 4 }

/** `mode`, unless `requestedMode` permits less. */
export const stricterMode = (mode: Mode, requestedMode: Mode | undefined): Mode =>
  requestedMode !== undefined && rank[requestedMode] < rank[mode] ? requestedMode : mode
