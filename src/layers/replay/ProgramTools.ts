/**
 * Calls of tools whose code a replay does not have: those of the program that recorded the session, and of its plugins. The code is
 * needed for one thing only, to say what a call would touch; where it is missing, that is taken from the log like an outcome.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Message from "../../domain/message/Message.ts"
import type { ToolCall } from "../../domain/message/Message.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"
import type { Access } from "../../domain/tool/Access.ts"
import { Approval } from "../../services/Approval.ts"
import { type ResolvedCall, Tools } from "../../services/Tools.ts"
import { builtin } from "../tool/builtin.ts"
import type { ReplayLog } from "./ReplayLog.ts"

type Proposal = Extract<Settled, { readonly _tag: "ToolProposed" }>

/** The tag of a call that was resolved from its proposal. No tool has it. */
const tagOf = ({ call }: Proposal): string => `recorded proposal of ${call}`

const builtinNames: ReadonlySet<string> = new Set(builtin.flatMap(({ aliases = [], name }) => [name, ...aliases]))

/** `resolve` for tools that exist here, for the code of plugins, and for tools that only the log knows. */
export const resolve = (log: ReplayLog, live: Tools["Service"]): Tools["Service"]["resolve"] => (call, session) => {
  const resolved = live.resolve(call, session)
  if (isPluginCode(call, session)) return Result.flatMap(resolved, (one) => declaredByPlugin(log, one, call, session))
  if (Result.isSuccess(resolved) || isKnown(live, call, session)) return resolved
  const proposal = proposalOf(log, call, session)
  if (proposal === undefined) return resolved
  log.programTools.add(call.name)
  return Result.succeed({
    name: call.name,
    kind: proposal.kind,
    tags: [tagOf(proposal)],
    access: withoutFollowUps(proposal, session),
    requestsApproval: false
  })
}

const isPluginCode = ({ name }: ToolCall, { offer }: Session): boolean =>
  offer.custom?.some((tool) => tool.run._tag === "Code" && tool.name === name) === true

/** What the code of a plugin declared when it was called, or why it failed. The offer has its schema; rules judge the call anew. */
const declaredByPlugin = (
  log: ReplayLog,
  resolved: ResolvedCall,
  call: ToolCall,
  session: Session
): Result.Result<ResolvedCall, string> => {
  const next = log.events.slice(session.seq + 1).find(({ event }) => isStep(event) && event.call === call.id)?.event
  if (next?._tag === "ToolFinished") return Result.fail(Message.text(next.outcome.content))
  // A call that is judged again before it starts, without another verdict, is as it was.
  const proposal = proposalOf(log, call, session)
  return Result.succeed(proposal === undefined ? resolved : { ...resolved, access: proposal.access })
}

const isStep = (event: Settled) => event._tag === "ToolProposed" || event._tag === "ToolStarted" || event._tag === "ToolFinished"

/** A tool of this name that refuses a call is a difference, and shown as one. */
const isKnown = (live: Tools["Service"], { name }: ToolCall, session: Session): boolean =>
  builtinNames.has(name) || session.offer.tools.some((tool) => tool.name === name) ||
  live.specs(session).some((spec) => spec.name === name || spec.aliases.includes(name))

/** The next proposal of a call, or the one that was made. */
const proposalOf = ({ events }: ReplayLog, { id }: ToolCall, { seq }: Session): Proposal | undefined => {
  const proposals = events.flatMap(({ event, seq }) => event._tag === "ToolProposed" && event.call === id ? [{ event, seq }] : [])
  return (proposals.find((one) => one.seq > seq) ?? proposals.at(-1))?.event
}

/** What follows an edit is added by whoever judges the call. */
const withoutFollowUps = ({ access, kind }: Proposal, { settings: { afterEdit = [] } }: Session): ReadonlyArray<Access> =>
  kind === "edit" && afterEdit.length > 0 ? access.filter(({ _tag }) => _tag !== "Command") : access

/** Judges such a call as it was judged, and every other one anew. */
export const approval = (log: ReplayLog): Layer.Layer<Approval, never, Approval> =>
  Layer.effect(
    Approval,
    Effect.map(Approval, (live) =>
      Approval.of({
        explain: live.explain,
        editScope: live.editScope,
        judge: (call, session) => {
          const proposal = recordedProposal(log, call)
          if (proposal === undefined) return live.judge(call, session)
          const { access, decision, offer, reason, risk, rule } = proposal
          const isWhole = call.access.length === access.length
          const isRecorded = call.access.every((one) => access.some((recorded) => isSame(one, recorded)))
          const verdict = { risk, reason, offer, ...(rule === undefined ? {} : { rule }) }
          return { ...verdict, decision: !isRecorded ? "deny" : isWhole ? decision : "allow" }
        }
      }))
  )

const recordedProposal = ({ events }: ReplayLog, { access, tags: [tag] }: ResolvedCall): Proposal | undefined => {
  const proposals = events.flatMap(({ event }) => event._tag === "ToolProposed" && tagOf(event) === tag ? [event] : [])
  return proposals.find((one) => access.every((part) => one.access.some((recorded) => isSame(part, recorded)))) ?? proposals.at(-1)
}

const isSame = (a: Access, b: Access): boolean => JSON.stringify(a) === JSON.stringify(b)
