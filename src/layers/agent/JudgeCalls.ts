/** Decodes the calls of a response: what each would touch, and what rules, risk and mode decide about it. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as AfterHook from "../../domain/hook/AfterHook.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"
import type { Call } from "../../domain/session/Transcript.ts"
import type { Access } from "../../domain/tool/Access.ts"
import * as FollowUps from "../../domain/tool/FollowUps.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import { Approval, type Verdict } from "../../services/Approval.ts"
import type { SessionLog } from "../../services/EventLog.ts"
import { Tools, type ResolvedCall } from "../../services/Tools.ts"
import * as Digest from "../storage/Digest.ts"

export const judgeCalls = Effect.fn("Agent.judgeCalls")(function*(log: SessionLog, session: Session, calls: ReadonlyArray<Call>) {
  yield* log.append(yield* Effect.forEach(calls, (call) => judgeCall(session, call)), session.seq)
})

/**
 * The verdict on a call that was judged before others of its response ran, if they changed what it would touch: a name may be a link
 * by now. Undefined if everything is as it was judged.
 */
export const judgeAgain = Effect.fnUntraced(function*(session: Session, one: Call) {
  const ran = session.calls.some(({ outcome, proposal }) =>
    proposal !== undefined && proposal.kind !== "read" && outcome !== undefined && outcome.status !== "denied"
  )
  if (!ran || one.proposal === undefined || one.proposal.kind === "read") return undefined
  const event = yield* judgeCall(session, one)
  return event._tag === "ToolProposed" && event.action === one.proposal.action ? undefined : event
})

const judgeCall = Effect.fnUntraced(
  function*(session: Session, { call, hookAnswer, malformed }: Call): Effect.fn.Return<Settled, never, Approval | Tools> {
    const approval = yield* Approval
    const tools = yield* Tools
    if (malformed !== undefined) return callError(call.id, `This call was not run: ${malformed}. Send the complete call again.`)
    const resolved = tools.resolve(call, session)
    if (Result.isFailure(resolved)) return callError(call.id, resolved.failure)
    const { kind, name, tags } = resolved.success
    const targets = yield* tools.locate(call, resolved.success.access, session)
    // What a plugin declares is recorded as it is, so that a session replays without the plugin.
    const commands = tags.includes("plugin") ? []
      : FollowUps.followUps(session.settings.afterEdit ?? [], targets, session.cwd).map(({ command }) => command)
    const followUps = yield* tools.locate(call, commands, session)
    const access = [...targets, ...allowedFollowUps(approval, session, { ...resolved.success, access: targets }, followUps)]
    const verdict = approval.judge({ ...resolved.success, access }, session)
    return {
      _tag: "ToolProposed",
      call: call.id,
      access,
      kind,
      action: Digest.ofJson([name, call.params, access]),
      ...verdict,
      ...(isLooping(session) && verdict.decision === "allow" ? repeatVerdict : {}),
      ...hookVerdict(verdict, hookAnswer)
    }
  }
)

/** The commands that follow an edit, as far as rules allow them or someone is there to ask: the others are left out, not the edit. */
const allowedFollowUps = (
  { judge }: Approval["Service"],
  session: Session,
  edit: ResolvedCall,
  commands: ReadonlyArray<Access>
): ReadonlyArray<Access> => {
  const { onAsk } = session.settings
  return commands.filter((command) => {
    const { decision } = judge({ ...edit, access: [command], requestsApproval: false }, session)
    return decision === "allow" || (decision === "ask" && onAsk === "ask")
  })
}

/** The same calls as in the previous responses, which no question at the limit is about (Guard): each needs approval. */
const isLooping = ({ settings: { limits }, task }: Session): boolean => limits.askRepeats !== true && task.repeats > limits.repeats
const repeatVerdict = { decision: "ask", reason: "The model repeated this call several times in a row." } as const

/** A hook makes a verdict stricter. It replaces the user's answer only where the user permits that, and never for a high risk. */
const hookVerdict = ({ decision, risk }: Verdict, { decision: answer, reason }: NonNullable<Call["hookAnswer"]> = {}): Partial<Verdict> => {
  const why = AfterHook.verdictReason(reason ?? answer)
  return answer === "deny" && decision !== "deny" ? { decision: "deny", reason: why }
    : answer === "ask" && decision === "allow" ? { decision: "ask", reason: why }
    : answer === "allow" && decision === "ask" && risk !== "high" ? { decision: "allow", reason: why }
    : {}
}

const callError = (call: string, report: string): Settled => ({
  _tag: "ToolFinished",
  call,
  outcome: Outcome.mistaken(report)
})
