/** What can be wrong with a session's log or its storage; every case ends with exit code 59 except `NotFound`, `Exists` and
 * `Server` (42). */
import * as Schema from "effect/Schema"

/**
 * - `Locked`: another process writes this session: its pid on its machine (0 if unknown), and its name if it is a runner of a cluster.
 * - `Exists`: a session can begin only once.
 * - `Corrupt`: the chain breaks at `seq`.
 * - `Newer`: written by a newer dacapo. `Disk`: full, read-only or unreadable.
 * - `Server`: the server that writes this session can't be reached, or refused the request.
 */
export const LogReason = Schema.TaggedUnion({
  NotFound: { near: Schema.Array(Schema.String) },
  Locked: { pid: Schema.Int, holder: Schema.optionalKey(Schema.String) },
  Exists: {},
  Corrupt: { seq: Schema.Int },
  Newer: { version: Schema.Int },
  Disk: { code: Schema.String },
  Server: {}
})
export type LogReason = typeof LogReason.Type

export class LogError extends Schema.TaggedError<LogError>()("LogError", {
  session: Schema.String,
  message: Schema.String,
  reason: LogReason
}) {}

/** The log has grown since `after`: read the state again and decide again. */
export class Stale extends Schema.TaggedError<Stale>()("Stale", { after: Schema.Int }) {}

/** The reader can consult the list, or may have meant one of `near`. */
export const notFound = (session: string, near: ReadonlyArray<string>): LogError =>
  new LogError({
    session,
    message: `There is no session ${session}. Run \`dacapo sessions list\` to see the available sessions.`,
    reason: { _tag: "NotFound", near }
  })

export const alreadyExists = (session: string): LogError =>
  new LogError({
    session,
    message: `There is already a session ${session}. Continue it with \`dacapo --resume ${session}\`.`,
    reason: { _tag: "Exists" }
  })

/** Nobody writes a session after it was closed: by then it may be another process's. */
export const closed = (session: string): LogError =>
  new LogError({
    session,
    message: `Session ${session} was closed before this could be written.`,
    reason: { _tag: "Locked", pid: 0 }
  })

/** A session has events 0 to `events` − 1. */
export const noEvent = (session: string, seq: number, events: number): LogError =>
  new LogError({
    session,
    message: `Session ${session} has no event ${seq}: its events are numbered 0 to ${
      events - 1
    }. Run \`dacapo sessions show ${session} --output-format events\` to see them.`,
    reason: { _tag: "NotFound", near: [] }
  })
