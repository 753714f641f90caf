/** What can be wrong with a session's log or the place that keeps it; every case ends with exit code 59 but `NotFound` (42). */
import * as Schema from "effect/Schema"

/**
 * - `Locked`: another process writes this session (its pid). `Corrupt`: the chain breaks at `seq`.
 * - `Newer`: written by a newer dacapo. `Disk`: full, read-only or unreadable.
 */
export const LogReason = Schema.TaggedUnion({
  NotFound: { near: Schema.Array(Schema.String) },
  Locked: { pid: Schema.Int },
  Corrupt: { seq: Schema.Int },
  Newer: { version: Schema.Int },
  Disk: { code: Schema.String }
})
export type LogReason = typeof LogReason.Type

export class LogError extends Schema.TaggedError<LogError>()("LogError", {
  session: Schema.String,
  message: Schema.String,
  reason: LogReason
}) {}

/** The log has moved on since `after`: read the state again and decide again. */
export class Stale extends Schema.TaggedError<Stale>()("Stale", { after: Schema.Int }) {}

/** The reader can look at the list, or mean one of `near`. */
export const notFound = (session: string, near: ReadonlyArray<string>): LogError =>
  new LogError({
    session,
    message: `There is no session ${session}. \`dacapo sessions list\` shows those that there are.`,
    reason: { _tag: "NotFound", near }
  })

/** A session has events 0 to `events` − 1. */
export const noEvent = (session: string, seq: number, events: number): LogError =>
  new LogError({
    session,
    message: `Session ${session} has no event ${seq}: its events are 0 to ${events - 1}. \`dacapo sessions show ${session} --output-format events\` shows them.`,
    reason: { _tag: "NotFound", near: [] }
  })
