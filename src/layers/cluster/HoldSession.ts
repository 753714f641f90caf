/** What the owner of a session does while it has the session: its lease is held, and what the last owner left unfinished continues. */
import * as Effect from "effect/Effect"
import * as Interruption from "../../domain/session/Interruption.ts"
import { Agent, type SessionOptions } from "../../services/Agent.ts"
import { EventLog } from "../../services/EventLog.ts"

/**
 * Until the scope closes, which has to outlive the session's services. A subagent that ends with them settles its budget in the session:
 * it would take a lease that was given back already, and on a runner that was paused take it from the session's next owner.
 */
export const holdSession = (id: string) => Effect.asVoid(Effect.flatMap(EventLog, ({ open }) => open(id)))

/**
 * The unfinished task continues, and what a dead loop left open is closed. A session in which nothing is left over gets no event, unless
 * `overrides` changes its settings.
 */
export const continueSession = Effect.fnUntraced(function*(id: string, overrides: Partial<Omit<SessionOptions, "cwd">> = {}) {
  const agent = yield* Agent
  const state = yield* agent.state(id)
  const isRunning = state.task.state === "running"
  if (!isRunning && !Interruption.isOpen(state) && Object.keys(overrides).length === 0) return
  yield* agent.resume(id, { overrides, shouldContinue: isRunning })
})
