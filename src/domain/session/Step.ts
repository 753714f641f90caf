/** What to do next, as a pure function of what has happened. */
import * as Data from "effect/Data"
import type * as Budget from "./Budget.ts"
import * as Guard from "./Guard.ts"
import type { Limits } from "./Limits.ts"
import type { Session } from "./Session.ts"
import * as Setback from "./RequestFailure.ts"
import * as Outcome from "../tool/Outcome.ts"
import type { Call } from "./Transcript.ts"

/**
 * - `Rest`: the task is over, or none has begun.
 * - `CallModel`: gather, plan, request, parse.
 * - `Propose`: understand the calls of a response: params, access, rules, risk.
 * - `Ask`: one question to the user. `Checkpoint`: save the files before what may change them.
 * - `Run`: start these calls, side by side. `Close`: end a call that will not run.
 * - `Probe`: we died while an edit ran: see whether it was done.
 * - `Compact`: make the conversation smaller, because the user asked.
 * - `AskForMore`: the budget does not pay the next request; the user may raise it.
 * - `Remind`: tell the model what was wrong with its answer.
 * - A `Setback`: what follows when a request has no answer.
 */
export type Step = Setback.Setback | Data.TaggedEnum<{
  Rest: {}
  CallModel: {}
  Compact: {}
  Propose: { readonly calls: ReadonlyArray<Call> }
  Ask: { readonly call: Call }
  Checkpoint: {}
  Run: { readonly calls: ReadonlyArray<Call> }
  Close: { readonly call: Call; readonly outcome: Outcome.Outcome }
  Probe: { readonly call: Call }
  AskForMore: { readonly refusal: Budget.Refusal }
  Remind: { readonly text: string }
  Finish: { readonly result: string }
}>
export const Step = Data.taggedEnum<Step>()

/** What to do now: a pure function of what has happened, and of the limits. */
export const next = (session: Session, limits: Limits = session.settings.limits): Step => {
  const { calls, checkpoint, gauge, model, task } = session
  const saves = checkpoint.off === undefined
  if (task.state !== "running") {
    return saves && (checkpoint.wanted === true || (task.state === "failed" && checkpoint.dirty)) ? Step.Checkpoint()
      : gauge.asked ? Step.Compact()
      : Step.Rest()
  }
  if (model === "responded") {
    if (saves && checkpoint.due) return Step.Checkpoint()
    const fresh = calls.filter(({ state }) => state === "new")
    if (fresh.length > 0) return Step.Propose({ calls: fresh })
    const open = calls.find(({ state }) => state !== "done")
    if (open !== undefined) return forCall(session, open)
  }
  const step = whatNow(session, limits)
  const ends = step._tag === "Finish" || step._tag === "Fail"
  const saved = ends ? !checkpoint.dirty : step._tag !== "CallModel" || checkpoint.wanted !== true
  return saves && !saved ? Step.Checkpoint() : step
}

/** With no call open: the end, a word to the model, or the next request. */
const whatNow = (session: Session, limits: Limits): Step => {
  const { calls, model, said } = session
  if (model === "responded" && said.length === 0) {
    const end = calls.find(({ outcome }) => outcome?.ends !== undefined)
    if (end !== undefined) return Step.Finish({ result: end.outcome!.ends! })
    if (calls.length === 0) return withoutCall(session)
  }
  if (session.setback !== undefined) return Setback.next(session, session.setback)
  const reached = Guard.check(session, limits)
  if (reached !== undefined) return Step.Fail(reached)
  if (session.gauge.asked) return Step.Compact()
  const { exhausted } = session.budget
  return exhausted === undefined ? Step.CallModel() : Step.AskForMore({ refusal: exhausted })
}

const forCall = (session: Session, open: Call): Step => {
  switch (open.state) {
    case "denied":
      return Step.Close({
        call: open,
        outcome: open.again === true ? unknown : Outcome.denied(`Denied. ${open.words ?? ""}`.trim())
      })
    case "lost":
      return open.proposed?.kind === "edit" && open.intends !== undefined ? Step.Probe({ call: open })
        : session.settings.onAsk === "ask" ? Step.Ask({ call: open })
        : Step.Close({ call: open, outcome: unknown })
    case "proposed":
    case "asked":
      return Step.Ask({ call: open })
    default:
      return open.proposed?.kind !== "read" && !session.checkpoint.fresh
        ? Step.Checkpoint()
        : Step.Run({ calls: sideBySide(session.calls, open) })
  }
}

/** Nothing runs twice unless someone says so. */
const unknown = Outcome.unknown(`${Outcome.lost} Look before you repeat it.`)

/** Reads that stand together run together; an edit or a command runs alone. */
const sideBySide = (calls: ReadonlyArray<Call>, first: Call): ReadonlyArray<Call> => {
  const from = calls.indexOf(first)
  const end = calls.findIndex((call, i) => i >= from && !(call.state === "allowed" && call.proposed?.kind === "read"))
  return first.proposed?.kind === "read" ? calls.slice(from, end === -1 ? undefined : end) : [first]
}

/** A response without a call ends the task with its text, unless it was cut or meant to make a call. */
const withoutCall = ({ messages, nearMiss, stop }: Session): Step => {
  if (stop === "length") return Step.Remind({ text: "Your answer was cut at the output limit. Go on where it stopped." })
  if (nearMiss !== undefined) return Step.Remind({ text: nearMiss })
  const last = messages.at(-1)
  const result = last?.content.flatMap((part) => part._tag === "Text" ? [part.text] : []).join("\n") ?? ""
  return Step.Finish({ result })
}
