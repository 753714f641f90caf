/** The calls of the last response, as events move them on. */
import type * as Schema from "effect/Schema"
import * as Outcome from "../tool/Outcome.ts"
import type { Report } from "../subagent/Subagent.ts"
import type { Settled } from "./SessionEvent.ts"
import type { Call, Child } from "./Transcript.ts"

/** Whether a call that ends now was an edit or a command that had started. */
export const ran = (calls: ReadonlyArray<Call>, id: string): boolean =>
  calls.some(({ again, call, proposed, state }) =>
    call.id === id && (state === "running" || state === "lost" || again === true) && proposed?.kind !== "read")

/** Whether one of them was a command that ran: what changed meanwhile is its work, and not the user's. */
export const commanded = (calls: ReadonlyArray<Call>): boolean =>
  calls.some(({ outcome, proposed }) => proposed?.kind === "command" && outcome !== undefined && outcome.status !== "denied")

/**
 * Nobody runs any more: a read runs again, children are taken up where they are, and nobody knows how far an edit or a
 * command came.
 */
export const lost = (call: Call): Call =>
  call.state !== "running" ? call : { ...call, state: call.proposed?.kind === "read" || call.children !== undefined ? "allowed" : "lost" }

/** The call as the user changed it, to be judged anew. */
export const edited = (params: Schema.Json) => ({ call }: Call): Partial<Call> => ({ call: { ...call, params }, edited: true, state: "new" })

/** A call with one more child. */
export const begun = (child: Child) => ({ children = [] }: Call): Partial<Call> => ({ children: [...children, child] })

/** A call of which one child has ended. */
export const reported = (session: string, report: Report) => ({ children = [] }: Call): Partial<Call> => ({
  children: children.map((child) => child.session === session ? { ...child, report } : child)
})

/** What was lost before the user turned to something else stays unknown. */
export const givenUp = (call: Call): Call =>
  call.state !== "lost" ? call : { ...call, state: "done", outcome: Outcome.unknown(Outcome.lost) }

/** Without checkpoints, what a rule allowed is asked about once. */
export const askAgain = (call: Call): Call =>
  call.state === "allowed" && call.proposed?.decision === "allow" && call.proposed.kind !== "read"
    ? { ...call, state: "proposed" }
    : call

/** The calls with one of them understood. */
export const propose = (calls: ReadonlyArray<Call>, { call, ...proposed }: Omit<ToolProposed, "_tag">): ReadonlyArray<Call> =>
  update(calls, call, () => ({
    proposed,
    state: proposed.decision === "allow" ? "allowed" : proposed.decision === "deny" ? "denied" : "proposed",
    ...(proposed.decision === "deny" ? { words: proposed.reason } : {})
  }))

type ToolProposed = Extract<Settled, { readonly _tag: "ToolProposed" }>

/** The calls with one of them changed. */
export const update = (
  calls: ReadonlyArray<Call>,
  id: string,
  f: (call: Call) => Partial<Call>
): ReadonlyArray<Call> => calls.map((call) => call.call.id === id ? { ...call, ...f(call) } : call)

/**
 * A refusal takes with it the edits and commands behind it; reads still run, and the user's words are said once. Not to
 * run something again is no refusal.
 */
export const refuse = (
  calls: ReadonlyArray<Call>,
  id: string,
  words: string | undefined
): ReadonlyArray<Call> => {
  const place = calls.findIndex(({ call }) => call.id === id)
  if (calls[place]?.again === true) return update(calls, id, () => ({ state: "denied" }))
  return calls.map((call, i) =>
    i === place ? { ...call, state: "denied", ...(words === undefined ? {} : { words }) }
    : i > place && call.state !== "done" && call.proposed !== undefined && call.proposed.kind !== "read"
    ? { ...call, state: "denied", words: "Not asked: the user refused a call before it." }
    : call
  )
}

/** Responses in a row in which a call was a mistake and none succeeded: several mistakes of one response are one. */
export const mistakes = (calls: ReadonlyArray<Call>, before: number, { mistake, status }: Outcome.Outcome): number =>
  status === "succeeded" ? 0
  : mistake === true && !calls.some(({ outcome }) => outcome?.mistake === true || outcome?.status === "succeeded") ? before + 1
  : before
