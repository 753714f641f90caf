/** Saves the files around an edit or a command; if that fails, the session reports it once and continues. */
import * as Effect from "effect/Effect"
import { optional } from "../../domain/Optional.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { SessionEvent, Settled } from "../../domain/session/SessionEvent.ts"
import { Checkpoints, type StorePacks } from "../../services/Checkpoints.ts"
import type { SessionLog } from "../../services/EventLog.ts"
import * as Interruption from "../../domain/session/Interruption.ts"
import * as Rewind from "../../domain/session/Rewind.ts"
import { CheckpointError } from "../../domain/workspace/Checkpoint.ts"
import { retryStale } from "./RetryStale.ts"
import type { RewindOptions, RewindResult } from "../../services/Agent.ts"

export const saveCheckpoint = Effect.fn("Agent.saveCheckpoint")(function*(log: SessionLog, session: Session) {
  const { checkpoint: { isDirty, isRequested, stored }, settings: { mode, storeFiles } } = session
  const why = isDirty ? afterChange
    : isRequested !== true ? "before an edit or a command"
    : storeFiles === true && stored === undefined ? "the files that the log carries from now on"
    : `before ${mode === "plan" ? "planning" : "acting"}`
  yield* log.append([yield* takeCheckpoint(log, session, why)], session.seq)
})

const afterChange = "after an edit or a command"

/**
 * Where the log carries the files: the checkpoint to append together with the end of a call that may have changed them, or with a
 * rewind. Nothing that the log says was done is then newer than the files that it carries.
 */
export const joinCheckpoint = Effect.fn("Agent.joinCheckpoint")(
  function*(log: SessionLog, joins: NonNullable<StorePacks["joins"]>) {
    const session = yield* log.state
    return session.settings.storeFiles !== true || session.checkpoint.disabledReason !== undefined ? []
      : [yield* takeCheckpoint(log, session, joins === "rewind" ? "after a rewind" : afterChange, joins)]
  }
)

const takeCheckpoint = Effect.fnUntraced(
  function*(log: SessionLog, session: Session, why: string, joins?: StorePacks["joins"]): Effect.fn.Return<Settled, never, Checkpoints> {
    const { checkpoint: { stored }, id: sessionId, seq, settings: { storeFiles } } = session
    const store: StorePacks | undefined = storeFiles === true ? { since: stored, put: log.putBlob, ...optional({ joins }) } : undefined
    const onProgress = (saved: number, total: number) => log.emit({ _tag: "Saving", saved, total })
    onProgress(0, 0)
    return yield* (yield* Checkpoints).save({ session: sessionId, seq, why, onProgress, ...optional({ store }) }).pipe(
      Effect.map(({ counts, id, pack, repository }): Settled => ({
        _tag: "CheckpointSaved",
        id,
        why,
        counts,
        ...optional({ pack, repository })
      })),
      Effect.catch(({ message }) => Effect.succeed<Settled>({ _tag: "CheckpointsOff", why: message }))
    )
  }
)

// Rewinds a session to an earlier moment: its files, its conversation, or both. One event records it, and another can undo it.

/** `events` are all of the log. */
export const rewindSession = Effect.fn("Agent.goBack")(
  function*(log: SessionLog, events: ReadonlyArray<SessionEvent>, options: RewindOptions) {
    const { conversation, files, to } = options
    const { before, ...result } = files ? yield* restore(log.id, events, options) : noChanges
    const joined = files ? yield* joinCheckpoint(log, "rewind") : []
    // The state may lack an event whose append was not acknowledged, such as the outcome of a call.
    yield* retryStale(Effect.flatMap(log.state, (session) => {
      const unfinished = conversation ? Interruption.unfinishedCalls(session) : []
      return log.append([{ _tag: "Rewound", to, files, conversation, ...optional({ before }) }, ...unfinished, ...joined], session.seq)
    }))
    return result satisfies RewindResult
  }
)

const noChanges: RewindResult & { readonly before?: string } = { changes: [], remaining: [] }

const restore = Effect.fnUntraced(function*(session: string, events: ReadonlyArray<SessionEvent>, { remove, to }: RewindOptions) {
  const checkpoints = yield* Checkpoints
  const checkpoint = Rewind.filesAt(events, to)
  if (checkpoint._tag === "Now") return noChanges
  if (checkpoint._tag === "Unknown") {
    return yield* new CheckpointError({
      reason: "NotFound",
      message: `No checkpoint shows the files as they were at event ${to}: something changed them before one was saved.`
    })
  }
  const createdPaths = yield* createdSince(events, to)
  const preview = yield* checkpoints.preview(checkpoint.id)
  const deletions = preview.flatMap(({ kind, path }) => kind === "deleted" ? [path] : [])
  const removedPaths = new Set(deletions.filter((path) => createdPaths.has(path) || remove.includes(path)))
  const { before, changes } = yield* checkpoints.restore(checkpoint.id, { session, seq: events.length - 1, remove: [...removedPaths] })
  return { before, changes, remaining: deletions.filter((path) => !removedPaths.has(path)) }
})

/** Files that our tools and commands created after a moment. */
const createdSince = Effect.fnUntraced(function*(events: ReadonlyArray<SessionEvent>, to: number) {
  const checkpoints = yield* Checkpoints
  const pairs = yield* Effect.forEach(Rewind.agentChanges(events, to), ([from, to]) => checkpoints.changes(from, to))
  const touched = events.slice(to + 1).flatMap(({ event }) =>
    event._tag === "FileTouched" && event.by === "agent" && event.kind === "created" ? [event.path] : []
  )
  return new Set([...pairs.flat().flatMap(({ kind, path }) => kind === "created" ? [path] : []), ...touched])
})
