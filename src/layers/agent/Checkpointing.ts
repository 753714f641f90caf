/** Saves the files around an edit or a command; where that can't be had, the session says so once and goes on. */
import * as Effect from "effect/Effect"
import type { Session } from "../../domain/session/Session.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"
import { Checkpoints } from "../../services/Checkpoints.ts"
import type { SessionLog } from "../../services/EventLog.ts"

export const saveCheckpoint = Effect.fn("Agent.saveCheckpoint")(function*(log: SessionLog, session: Session) {
  const checkpoints = yield* Checkpoints
  const { dirty, wanted } = session.checkpoint
  const why = wanted === true && !dirty ? `before ${session.settings.mode === "plan" ? "planning" : "acting"}` : dirty ? "after an edit or a command" : "before an edit or a command"
  const event = yield* checkpoints.save({ session: session.id, seq: session.seq, why }).pipe(
    Effect.map(({ counts, id }): Settled => ({ _tag: "CheckpointSaved", id, why, counts })),
    Effect.catch(({ message }) => Effect.succeed<Settled>({ _tag: "CheckpointsOff", why: message }))
  )
  yield* log.append([event], session.seq)
})
