/** Runs the hooks for the end of a session, however the program that worked with it ends. */
import * as Effect from "effect/Effect"
import { hooksFor, type HookPoint } from "../../domain/hook/HookPoint.ts"
import { Agent } from "../../services/Agent.ts"
import { EventLog } from "../../services/EventLog.ts"
import { runHooks } from "./RunHooks.ts"

/** `reason` as hooks are told it. A task that still runs is interrupted first: nothing follows the end. */
export const endSession = Effect.fn("Agent.endSession")(function*(id: string, reason: "clear" | "exit" | "other") {
  const agent = yield* Agent
  const point: HookPoint = { event: "SessionEnd", source: reason }
  if (hooksFor(yield* agent.state(id), point).length === 0) return
  if ((yield* agent.state(id)).task.state === "running") yield* agent.interrupt(id, "The process was told to stop.")
  const log = yield* (yield* EventLog).open(id)
  // Whatever is appended meanwhile, the session ends.
  yield* Effect.catchTag(runHooks(log, yield* log.state, point), "Stale", () => Effect.void)
}, Effect.scoped)
