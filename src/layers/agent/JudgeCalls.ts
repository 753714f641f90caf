/** Understands the calls of a response: what each would touch, and what rules, risk and mode say of it. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Calls from "../../domain/session/ToolCalls.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"
import * as Step from "../../domain/session/Step.ts"
import type { Call } from "../../domain/session/Transcript.ts"
import type { Access } from "../../domain/tool/Access.ts"
import * as AfterEdit from "../../domain/tool/AfterEdit.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import { Approval } from "../../services/Approval.ts"
import type { SessionLog } from "../../services/EventLog.ts"
import { Tools, type Understood } from "../../services/Tools.ts"
import * as Digest from "../storage/Digest.ts"
import { runTools } from "./RunTools.ts"

export const propose = Effect.fn("Agent.propose")(function*(log: SessionLog, session: Session, calls: ReadonlyArray<Call>) {
  const approval = yield* Approval
  const tools = yield* Tools
  const judge = Effect.fnUntraced(function*({ call, malformed }: Call): Effect.fn.Return<Settled> {
    if (malformed !== undefined) return mistaken(call.id, `This call was not run: ${malformed}. Write it again, whole.`)
    const understood = tools.understand(call, session)
    if (Result.isFailure(understood)) return mistaken(call.id, understood.failure)
    const { kind, name } = understood.success
    const own = yield* tools.locate(call, understood.success.access)
    const access = [...own, ...following(approval, session, { ...understood.success, access: own })]
    const verdict = approval.judge({ ...understood.success, access }, session)
    return {
      _tag: "ToolProposed",
      call: call.id,
      access,
      kind,
      action: Digest.ofJson([name, call.params, access]),
      ...verdict,
      ...(looping(session) && verdict.decision === "allow" ? again : {})
    }
  })
  const proposed = yield* Effect.forEach(calls, judge)
  const understood = after(session, proposed)
  const next = understood === undefined ? undefined : Step.next(understood)
  if (understood !== undefined && next?._tag === "Run") return yield* runTools(log, understood, next.calls, proposed)
  yield* log.append(proposed, session.seq)
})

/** The session that knows what is proposed, where every call was understood: what may run at once is started in the same breath. */
const after = (session: Session, events: ReadonlyArray<Settled>): Session | undefined =>
  events.every((event) => event._tag === "ToolProposed")
    ? { ...session, calls: events.reduce(Calls.propose, session.calls) }
    : undefined

/** The commands that follow an edit, as far as rules allow them or someone is there to ask: the others are left out, not the edit. */
const following = ({ judge }: Approval["Service"], session: Session, edit: Understood): ReadonlyArray<Access> => {
  const { cwd, settings: { afterEdit = [], onAsk } } = session
  return AfterEdit.follows(afterEdit, edit.access, cwd).map(({ command }) => command).filter((command) => {
    const { decision } = judge({ ...edit, access: [command], asks: false }, session)
    return decision === "allow" || (decision === "ask" && onAsk === "ask")
  })
}

/** The same calls as in the responses before: the user is asked whether that makes sense. */
const looping = ({ settings, task }: Session): boolean => task.repeats > settings.limits.repeats
const again = { decision: "ask", reason: "The model made this same call several times in a row." } as const

const mistaken = (call: string, report: string): Settled => ({
  _tag: "ToolFinished",
  call,
  outcome: Outcome.mistaken(report)
})
