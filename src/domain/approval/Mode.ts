/** Permission modes: how much may happen without a question (safety.md §3). */
import * as Schema from "effect/Schema"

export const Mode = Schema.Literals(["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"])
  .annotate({ identifier: "Mode" })
export type Mode = typeof Mode.Type

/**
 * What each lets happen is part of what those of a higher rank let happen. Of `plan` and `dontAsk` neither is a part of the
 * other: the one asks about a page that the other refuses, and the other makes edits that a rule allows.
 */
const rank: Readonly<Record<Mode, number>> = { plan: 0, dontAsk: 0, default: 1, acceptEdits: 2, auto: 3, bypassPermissions: 4 }

/** `mode`, unless what is `asked` for lets less happen. */
export const tightened = (mode: Mode, asked: Mode | undefined): Mode => asked !== undefined && rank[asked] < rank[mode] ? asked : mode
