/** What the next owner of a session does first: its unfinished task continues, and what a dead loop left open is closed. */
import * as Effect from "effect/Effect"
import * as Interruption from "../../domain/session/Interruption.ts"
import { Agent } from "../../services/Agent.ts"

/** A session in which nothing is left over gets no event. */
export const continueSession = Effect.fnUntraced(function*(id: string) {
  const agent = yield* Agent
  const state = yield* agent.state(id)
  const isRunning = state.task.state === "running"
  if (isRunning || Interruption.isOpen(state)) yield* agent.resume(id, { overrides: {}, shouldContinue: isRunning })
})
