/** Runs the hooks that are due at a moment of the session, and logs their answer. */
import * as Effect from "effect/Effect"
import type { HookRecord } from "../../domain/hook/HookAnswer.ts"
import * as HookInput from "../../domain/hook/HookInput.ts"
import { type HookPoint, hooksFor } from "../../domain/hook/HookPoint.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"
import type { SessionLog } from "../../services/EventLog.ts"
import { Hooks } from "../../services/extension/Hooks.ts"

export const runHooks = Effect.fn("Agent.runHooks")(function*(log: SessionLog, session: Session, point: HookPoint) {
  const hooks = yield* Hooks
  const tool = session.calls.find(({ call }) => call.id === point.call)?.call.name
  const outcome = yield* hooks.answer({
    point,
    hooks: hooksFor(session, point),
    cwd: session.cwd,
    input: HookInput.of(session, point),
    ...(tool === undefined ? {} : { tool })
  })
  if (outcome.notice !== undefined) log.emit({ _tag: "Notice", text: outcome.notice })
  yield* log.append([{ _tag: "HookRan", ...outcome }, ...endOf(outcome)], session.seq)
})

/** A task ends where a hook says so, or refuses the prompt. */
const endOf = ({ decision, hook, reason, stop }: HookRecord): ReadonlyArray<Settled> => {
  const message = stop ?? (hook === "UserPromptSubmit" && decision === "deny" ? reason ?? "A hook blocked this prompt." : undefined)
  return message === undefined ? [] : [{ _tag: "TaskFailed", reason: "hook", message }]
}
