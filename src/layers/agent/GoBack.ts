/** Takes a session back to one of its moments: its files, its conversation, or both. One event tells it, and can be undone by another. */
import * as Effect from "effect/Effect"
import * as Moment from "../../domain/session/Moment.ts"
import type { SessionEvent } from "../../domain/session/SessionEvent.ts"
import { CheckpointError } from "../../domain/workspace/Checkpoint.ts"
import type { Back, WentBack } from "../../services/Agent.ts"
import { Checkpoints } from "../../services/Checkpoints.ts"
import type { SessionLog } from "../../services/EventLog.ts"

/** `events` are all of the log. */
export const goBack = Effect.fn("Agent.goBack")(function*(log: SessionLog, events: ReadonlyArray<SessionEvent>, back: Back) {
  const { conversation, files, to } = back
  const { before, ...went } = files ? yield* restore(log.id, events, back) : nothing
  yield* log.append([{ _tag: "Rewound", to, files, conversation, ...(before === undefined ? {} : { before }) }])
  return went satisfies WentBack
})

const nothing: WentBack & { readonly before?: string } = { changes: [], kept: [] }

const restore = Effect.fnUntraced(function*(session: string, events: ReadonlyArray<SessionEvent>, { remove, to }: Back) {
  const checkpoints = yield* Checkpoints
  const saved = Moment.files(events, to)
  if (saved._tag === "Now") return nothing
  if (saved._tag === "Unknown") {
    return yield* new CheckpointError({ reason: "NotFound", message: `No checkpoint shows the files as they were at event ${to}: something changed them before one was saved.` })
  }
  const made = yield* since(events, to)
  const preview = yield* checkpoints.preview(saved.id)
  const gone = preview.flatMap(({ kind, path }) => kind === "deleted" ? [path] : [])
  const removed = new Set(gone.filter((path) => made.has(path) || remove.includes(path)))
  const { before, changes } = yield* checkpoints.restore(saved.id, { session, seq: events.length - 1, remove: [...removed] })
  return { before, changes, kept: gone.filter((path) => !removed.has(path)) }
})

/** Files that our tools and commands made after a moment. */
const since = Effect.fnUntraced(function*(events: ReadonlyArray<SessionEvent>, to: number) {
  const checkpoints = yield* Checkpoints
  const pairs = yield* Effect.forEach(Moment.ours(events, to), ([from, to]) => checkpoints.changes(from, to))
  const touched = events.slice(to + 1).flatMap(({ event }) =>
    event._tag === "FileTouched" && event.by === "agent" && event.kind === "created" ? [event.path] : [])
  return new Set([...pairs.flat().flatMap(({ kind, path }) => kind === "created" ? [path] : []), ...touched])
})
