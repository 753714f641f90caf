/** Recovers a session after a process, or a loop, died: logs that, and closes what it left open. */
import * as Effect from "effect/Effect"
import * as Interruption from "../../domain/session/Interruption.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { SessionSettings } from "../../domain/session/SessionEvent.ts"
import { Environment } from "../../services/Environment.ts"
import type { SessionLog } from "../../services/EventLog.ts"
import { settleDraft } from "./CallModel.ts"
import { reportToParents } from "./BudgetReservation.ts"

/** `goOn`: an unfinished task continues. */
export interface Options {
  readonly settings: SessionSettings
  readonly shouldContinue: boolean
}

export const recover = Effect.fn("Agent.recover")(function*(log: SessionLog, session: Session, { shouldContinue, settings }: Options) {
  const { version } = yield* Environment
  const draft = yield* settleDraft(log, session)
  yield* log.append([{ _tag: "Resumed", settings, version, goOn: shouldContinue }, ...Interruption.afterCrash(session, draft)], session.seq)
  if (draft !== null) yield* log.saveDraft(null)
  yield* reportToParents(session)
})
