/** One question to whoever answers; the answer is an event before anything follows from it. */
import * as Effect from "effect/Effect"
import type { Session } from "../../domain/session/Session.ts"
import type { Call } from "../../domain/session/Transcript.ts"
import { lost } from "../../domain/tool/Outcome.ts"
import { Approval } from "../../services/Approval.ts"
import { Approver } from "../../services/Approver.ts"
import type { SessionLog } from "../../services/EventLog.ts"
import { Tools } from "../../services/Tools.ts"

export const ask = Effect.fn("Agent.ask")(function*(log: SessionLog, session: Session, { again, call, proposed, state }: Call) {
  const approval = yield* Approval
  const approver = yield* Approver
  const tools = yield* Tools
  const { access, action, risk } = proposed!
  // What is allowed for always says nothing about what may have happened already.
  const repeat = again === true || state === "lost"
  const { offer, reason } = repeat ? { offer: [], reason: `${lost} Run it again?` } : proposed!
  if (state !== "asked") yield* log.append([{ _tag: "ApprovalAsked", call: call.id, action }], session.seq)
  const diff = yield* tools.preview(call, session)
  const parts = approval.explain(access, session)
  const answer = yield* approver.ask({
    call,
    action,
    access,
    risk,
    reason,
    offer,
    ...(diff === null ? {} : { diff }),
    ...(parts.length === 0 ? {} : { parts }),
    ...(session.parent === undefined ? {} : { from: session.title })
  })
  const { by, decision, params, scope, words } = answer
  yield* log.append([
    {
      _tag: "ApprovalDecided",
      call: call.id,
      decision,
      scope,
      by,
      ...(words === undefined ? {} : { words }),
      ...(params === undefined || decision === "deny" ? {} : { params }),
      ...(scope === "once" || decision === "deny" ? {} : { rules: offer })
    },
    ...(by === "nobody" && session.settings.onAsk === "exit"
      ? [{ _tag: "TaskFailed", reason: "approval", message: `${call.name} needs an approval and no one can answer: ${reason}` } as const]
      : [])
  ])
})
