/** Runs the hooks for the end of a session, when the program that worked with it closes it. */
import * as Effect from "effect/Effect"
import { hooksFor, type HookPoint } from "../../domain/hook/HookPoint.ts"
import { EventLog } from "../../services/EventLog.ts"
import { runHooks } from "./RunHooks.ts"

/** `reason` as hooks are told it. */
export const endSession = Effect.fn("Agent.endSession")(function*(id: string, reason: "clear" | "exit" | "other") {
  const log = yield* (yield* EventLog).open(id)
  const session = yield* log.state
  const point: HookPoint = { event: "SessionEnd", source: reason }
  // Whatever is appended meanwhile, the session ends.
  if (hooksFor(session, point).length > 0) yield* Effect.catchTag(runHooks(log, session, point), "Stale", () => Effect.void)
}, Effect.scoped)
