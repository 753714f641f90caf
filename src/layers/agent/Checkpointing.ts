/** Saves the files around an edit or a command; if that fails, the session reports it once and continues. */
import * as Effect from "effect/Effect"
import { optional } from "../../domain/Optional.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { SessionEvent, Settled } from "../../domain/session/SessionEvent.ts"
import { Checkpoints } from "../../services/Checkpoints.ts"
import type { SessionLog } from "../../services/EventLog.ts"
import * as Interruption from "../../domain/session/Interruption.ts"
import * as Rewind from "../../domain/session/Rewind.ts"
import { CheckpointError } from "../../domain/workspace/Checkpoint.ts"
import type { RewindOptions, RewindResult } from "../../services/Agent.ts"

export const saveCheckpoint = Effect.fn("Agent.saveCheckpoint")(function*(log: SessionLog, session: Session) {
  const checkpoints = yield* Checkpoints
  const { isDirty, isRequested } = session.checkpoint
  const why = isRequested === true && !isDirty ? `before ${session.settings.mode === "plan" ? "planning" : "acting"}`
    : isDirty ? "after an edit or a command" : "before an edit or a command"
  const onProgress = (saved: number, total: number) => log.emit({ _tag: "Saving", saved, total })
  onProgress(0, 0)
  const event = yield* checkpoints.save({ session: session.id, seq: session.seq, why, onProgress }).pipe(
    Effect.map(({ counts, id }): Settled => ({ _tag: "CheckpointSaved", id, why, counts })),
    Effect.catch(({ message }) => Effect.succeed<Settled>({ _tag: "CheckpointsOff", why: message }))
  )
  yield* log.append([event], session.seq)
})

// Rewinds a session to an earlier moment: its files, its conversation, or both. One event records it, and another can undo it.

/** `events` are all of the log. */
export const rewindSession = Effect.fn("Agent.goBack")(
  function*(log: SessionLog, events: ReadonlyArray<SessionEvent>, options: RewindOptions) {
    const { conversation, files, to } = options
    const { before, ...result } = files ? yield* restore(log.id, events, options) : noChanges
    const unfinished = conversation ? Interruption.unfinishedCalls(yield* log.state) : []
    yield* log.append([{ _tag: "Rewound", to, files, conversation, ...optional({ before }) }, ...unfinished])
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
