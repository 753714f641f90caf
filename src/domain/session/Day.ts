/** The day of a moment, in UTC: what a daily limit and the statistics count by. */
import * as DateTime from "effect/DateTime"

/** `2026-11-22`, of ms since the epoch. */
export const of = (ms: number): string => DateTime.formatIsoDateUtc(DateTime.makeUnsafe(ms))
