/** A pause that is too long to be slept through in silence: the user says whether it is worth waiting for. */
import * as Effect from "effect/Effect"
import * as RetryAfter from "../../domain/provider/RetryAfter.ts"
import type { Session } from "../../domain/session/Session.ts"
import { Approver } from "../../services/Approver.ts"
import type { SessionLog } from "../../services/EventLog.ts"

interface Wait {
  readonly delayMs: number
  readonly message: string
}

/** The answers that can be chosen; other words stop the task, too: who wants another model can say so then. */
export const answers = { wait: "Wait", stop: "Stop" } as const

export const askToWait = Effect.fn("Agent.askToWait")(function*(log: SessionLog, session: Session, { delayMs, message }: Wait) {
  const approver = yield* Approver
  const words = RetryAfter.words(delayMs)
  const reply = yield* approver.question(`${message} Shall I wait ${words}? Ctrl-C ends the pause at any time.`, Object.values(answers))
  const waits = reply.by === "user" && reply.words.trim().toLowerCase() === answers.wait.toLowerCase()
  yield* log.append([
    waits
      ? { _tag: "ModelWaiting", message, delayMs }
      : { _tag: "TaskFailed", reason: "provider", message: `${message} The session is kept: go on with it then, or with another model.` }
  ], session.seq)
})
