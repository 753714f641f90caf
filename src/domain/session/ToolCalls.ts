/** The calls of the last response, updated by events. */
import type * as Schema from "effect/Schema"
import { optional } from "../Optional.ts"
import type { TerminalCommand } from "../tool/Access.ts"
import * as Outcome from "../tool/Outcome.ts"
import type { SubagentReport } from "../subagent/Subagent.ts"
import type { Settled } from "./SessionEvent.ts"
import type { Call, Subagent } from "./Transcript.ts"

/** Whether a call that ends now was an edit or a command that had started. */
export const hasRun = (calls: ReadonlyArray<Call>, id: string): boolean =>
  calls.some(({ isRetry, call, proposal, state }) =>
    call.id === id && (state === "running" || state === "lost" || isRetry === true) && proposal?.kind !== "read"
  )

/** The session's commands with a terminal, after one more call was judged. */
export const withTerminalCommand = (
  commands: ReadonlyMap<string, TerminalCommand>,
  { access, call }: Extract<Settled, { readonly _tag: "ToolProposed" }>
): ReadonlyMap<string, TerminalCommand> => {
  const started = access.find((one) => one._tag === "Command" && one.terminal === true && one.input === undefined)
  return started?._tag !== "Command" ? commands
    : new Map([...commands, [call, { command: started.command, ...optional({ cwd: started.cwd }) }]])
}

/** Whether one of them was a command that ran: what changed meanwhile is its doing, not the user's. */
export const hasRunCommand = (calls: ReadonlyArray<Call>): boolean =>
  calls.some(({ outcome, proposal }) => proposal?.kind === "command" && outcome !== undefined && outcome.status !== "denied")

/**
 * The process that ran them is gone: a read runs again, subagents resume where they are, and for an edit or a command
 * it is unknown how far it came.
 */
export const markLost = (call: Call): Call =>
  call.state !== "running" ? call : { ...call, state: call.proposal?.kind === "read" || call.subagents !== undefined ? "allowed" : "lost" }

/** The call as the user changed it, to be judged again. */
export const withParams = (params: Schema.Json) => ({ call }: Call): Partial<Call> => ({
  call: { ...call, params },
  isEdited: true,
  state: "new"
})

/** A call with one more subagent. */
export const withSubagent = (subagent: Subagent) => ({ subagents = [] }: Call): Partial<Call> => ({ subagents: [...subagents, subagent] })

/** A call of which one subagent has ended. */
export const withReport = (session: string, report: SubagentReport) => ({ subagents = [] }: Call): Partial<Call> => ({
  subagents: subagents.map((subagent) => subagent.session === session ? { ...subagent, report } : subagent)
})

/** The outcome of a call that was denied, with the reason or the user's message. */
export const deniedOutcome = (feedback = ""): Outcome.Outcome => Outcome.denied(feedback === "" ? "Denied." : `Denied: ${feedback}`)

/** The outcome of an open call when the conversation continues without it. */
export const finalOutcome = ({ isRetry, state, feedback }: Call): Outcome.Outcome =>
  state === "lost" || isRetry === true ? Outcome.unknown(Outcome.lostMessage)
    : state === "denied" ? deniedOutcome(feedback)
    : Outcome.interrupted("Cancelled: the conversation continued without this call.")

/** Without checkpoints, calls that a rule allowed are confirmed once. */
export const requireApproval = (call: Call): Call =>
  call.state === "allowed" && call.proposal?.decision === "allow" && call.proposal.kind !== "read"
    ? { ...call, state: "proposed" }
    : call

/** The calls with one of them decoded. */
export const propose = (calls: ReadonlyArray<Call>, { call, ...proposal }: Omit<ToolProposed, "_tag">): ReadonlyArray<Call> =>
  update(calls, call, () => ({
    proposal,
    state: proposal.decision === "allow" ? "allowed" : proposal.decision === "deny" ? "denied" : "proposed",
    ...(proposal.decision === "deny" ? { feedback: proposal.reason } : {})
  }))

type ToolProposed = Extract<Settled, { readonly _tag: "ToolProposed" }>

/** The calls with one of them changed. */
export const update = (
  calls: ReadonlyArray<Call>,
  id: string,
  f: (call: Call) => Partial<Call>
): ReadonlyArray<Call> => calls.map((call) => call.call.id === id ? { ...call, ...f(call) } : call)

/**
 * A denial also skips the edits and commands after it; reads still run, and the user's message is passed on once.
 * Declining to run something again is not a denial.
 */
export const denyCall = (
  calls: ReadonlyArray<Call>,
  id: string,
  feedback: string | undefined
): ReadonlyArray<Call> => {
  const index = calls.findIndex(({ call }) => call.id === id)
  if (calls[index]?.isRetry === true) return update(calls, id, () => ({ state: "denied" }))
  return calls.map((call, i) =>
    i === index ? { ...call, state: "denied", ...optional({ feedback }) }
      : i > index && call.state !== "done" && call.proposal !== undefined && call.proposal.kind !== "read"
      ? { ...call, state: "denied", feedback: "Skipped because the user denied an earlier call in this response." }
      : call
  )
}

/** Responses in a row in which a call was a mistake and none succeeded: several mistakes in one response count once. */
export const countMistakes = (calls: ReadonlyArray<Call>, count: number, { mistake, status }: Outcome.Outcome): number =>
  status === "succeeded" ? 0
    : mistake === true && !calls.some(({ outcome }) => outcome?.mistake === true || outcome?.status === "succeeded") ? count + 1
    : count
