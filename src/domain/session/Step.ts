/** The next step, as a pure function of what has happened. */
import * as Data from "effect/Data"
import * as Schema from "effect/Schema"
import type * as Budget from "./Budget.ts"
import * as FallbackChain from "./FallbackChain.ts"
import * as HookPoint from "../hook/HookPoint.ts"
import * as Interruption from "./Interruption.ts"
import * as Guard from "./Guard.ts"
import type { Limits } from "./Limits.ts"
import type { Session } from "./Session.ts"
import { RaisableLimit } from "./Task.ts"
import * as ToolCalls from "./ToolCalls.ts"
import * as RequestFailure from "./RequestFailure.ts"
import * as Outcome from "../tool/Outcome.ts"
import type { Call } from "./Transcript.ts"

/**
 * - `Rest`: the task is over, or none has begun.
 * - `Recover`: the loop before this one died; close what it left open.
 * - `CallModel`: gather, plan, request, parse.
 * - `RunHooks`: run the hooks that are due at this moment.
 * - `Propose`: decode the calls of a response: params, access, rules, risk.
 * - `Ask`: one question to the user. `Checkpoint`: save the files before anything may change them.
 * - `Run`: start these calls, side by side. `Close`: end a call that will not run.
 * - `Probe`: the process died while an edit ran: check whether it was made.
 * - `Compact`: shrink the conversation, because the user asked.
 * - `AskForMore`: the budget does not cover the next request; the user may raise it.
 * - `AskAtLimit`: the task reached a limit, and the user decides whether it continues.
 * - `Remind`: tell the model what was wrong with its response.
 * - A `RequestFailure`: what follows when a request has no response.
 */
export type Step =
  | RequestFailure.RequestFailure
  | Data.TaggedEnum<{
    Rest: {}
    Recover: {}
    CallModel: {}
    Compact: {}
    RunHooks: { readonly point: HookPoint.HookPoint }
    Propose: { readonly calls: ReadonlyArray<Call> }
    Ask: { readonly call: Call }
    Checkpoint: {}
    Run: { readonly calls: ReadonlyArray<Call> }
    Close: { readonly call: Call; readonly outcome: Outcome.Outcome }
    Probe: { readonly call: Call }
    AskForMore: { readonly refusal: Budget.Refusal }
    AskAtLimit: { readonly limit: RaisableLimit; readonly message: string }
    Remind: { readonly text: string }
    Finish: { readonly result: string }
  }>
export const Step = Data.taggedEnum<Step>()

/** The next step: a pure function of what has happened, and of the limits. */
export const next = (session: Session, limits: Limits = session.settings.limits): Step => {
  const { calls, checkpoint, windowUsage, model, task } = session
  if (Interruption.isOpen(session)) return Step.Recover()
  const hasCheckpoints = checkpoint.disabledReason === undefined
  const [point] = session.hooks.due
  if (point !== undefined && (task.state === "running" || windowUsage.isRequested)) return Step.RunHooks({ point })
  if (task.state !== "running") {
    return hasCheckpoints && (checkpoint.isRequested === true || (task.state === "failed" && checkpoint.isDirty)) ? Step.Checkpoint()
      : windowUsage.isRequested ? Step.Compact()
      : Step.Rest()
  }
  if (model === "responded") {
    if (hasCheckpoints && checkpoint.isDue) return Step.Checkpoint()
    const newCalls = calls.filter(({ state }) => state === "new")
    if (newCalls.length > 0) return Step.Propose({ calls: newCalls })
    const openCall = calls.find(isOpenCall)
    if (openCall !== undefined) return forCall(session, openCall)
  }
  const step = withStopHooks(session, forTask(session, limits))
  const isEnd = step._tag === "Finish" || step._tag === "Fail" || step._tag === "AskAtLimit"
  const isSaved = isEnd ? !checkpoint.isDirty : step._tag !== "CallModel" || checkpoint.isRequested !== true
  return hasCheckpoints && !isSaved ? Step.Checkpoint() : step
}

/** A task with hooks for its end runs them before it ends. */
const withStopHooks = (session: Session, step: Step): Step => {
  if (step._tag !== "Finish" || session.hooks.isStopChecked) return step
  const point = HookPoint.stopPoint(session, step.result)
  return HookPoint.hooksFor(session, point).length === 0 ? step : Step.RunHooks({ point })
}

/** With no call open: the end, a note to the model, or the next request. */
const forTask = (session: Session, limits: Limits): Step => {
  const { calls, model, pendingContent } = session
  if (model === "responded" && pendingContent.length === 0) {
    const end = calls.find(({ outcome }) => outcome?.ends !== undefined)
    if (end !== undefined) return Step.Finish({ result: end.outcome!.ends! })
    if (calls.length === 0) return forTextResponse(session)
  }
  if (session.requestFailure !== undefined) return RequestFailure.next(session, session.requestFailure)
  const limitReached = Guard.checkLimits(session, limits)
  if (limitReached !== undefined) return atLimit(limitReached, limits)
  if (session.windowUsage.isRequested) return Step.Compact()
  const fallbackEnd = FallbackChain.end(session)
  if (fallbackEnd !== undefined) return Step.FallBack({ event: fallbackEnd })
  const { refusal } = session.budget
  return refusal === undefined ? Step.CallModel() : Step.AskForMore({ refusal: refusal })
}

const isRaisable = Schema.is(RaisableLimit)

const atLimit = ({ message, reason }: Guard.LimitReached, { ask }: Limits): Step =>
  ask === true && isRaisable(reason) ? Step.AskAtLimit({ limit: reason, message }) : Step.Fail({ reason, message })

/** A call that was proposed and has no outcome. */
type OpenCall = Call & { readonly state: Exclude<Call["state"], "new" | "done"> }
const isOpenCall = (call: Call): call is OpenCall => call.state !== "new" && call.state !== "done"

const forCall = (session: Session, openCall: OpenCall): Step => {
  switch (openCall.state) {
    case "denied":
      return Step.Close({
        call: openCall,
        outcome: openCall.isRetry === true ? unknownOutcome : ToolCalls.deniedOutcome(openCall.feedback)
      })
    case "lost":
      return openCall.proposal?.kind === "edit" && openCall.intents !== undefined ? Step.Probe({ call: openCall })
        : session.settings.onAsk === "ask" ? Step.Ask({ call: openCall })
        : Step.Close({ call: openCall, outcome: unknownOutcome })
    case "proposed":
    case "asked":
      return Step.Ask({ call: openCall })
    case "allowed":
      return openCall.proposal?.kind !== "read" && !session.checkpoint.isFresh
        ? Step.Checkpoint()
        : Step.Run({ calls: parallelCalls(session.calls, openCall) })
    case "running": // Started by an earlier loop, for this one has not started it.
      return Step.Recover()
  }
}

/** Nothing runs twice unless someone asks for it. */
const unknownOutcome = Outcome.unknown(`${Outcome.lostMessage} Check the current state before you repeat it.`)

/** Adjacent reads run side by side; an edit or a command runs alone. */
const parallelCalls = (calls: ReadonlyArray<Call>, first: Call): ReadonlyArray<Call> => {
  const from = calls.indexOf(first)
  const end = calls.findIndex((call, i) => i >= from && !(call.state === "allowed" && call.proposal?.kind === "read"))
  return first.proposal?.kind === "read" ? calls.slice(from, end === -1 ? undefined : end) : [first]
}

/**
 * A response without a call ends the task with its text, unless it was cut off or was meant to make a call. A response
 * with only reasoning answers nothing: the model is asked for its answer once, and a second such response fails the
 * task. A refusal counts as an answer.
 */
const forTextResponse = ({ messages, nearMiss, stop }: Session): Step => {
  if (stop === "length") return Step.Remind({ text: "Your response was cut off at the output limit. Continue where it stopped." })
  if (nearMiss !== undefined) return Step.Remind({ text: nearMiss })
  const result = messages.at(-1)?.content.flatMap((part) => part._tag === "Text" ? [part.text] : []).join("\n") ?? ""
  return result.trim() !== "" || stop === "refusal" ? Step.Finish({ result })
    : isReminder(messages.at(-2)) && isBlank(messages.at(-3))
    ? Step.Fail({
      reason: "provider",
      message: "The model sent only reasoning twice, without a response. Ask again, or choose another model (--model)."
    })
    : Step.Remind({ text: "Your last response contained only reasoning, which the user can't see. Respond now, or call a tool." })
}

type Message = Session["messages"][number]

const isBlank = (message: Message | undefined): boolean =>
  message?.content.every((part) => part._tag === "Reasoning" || (part._tag === "Text" && part.text.trim() === "")) === true

const isReminder = (message: Message | undefined): boolean =>
  message?.content.some((part) => part._tag === "Text" && part.origin === "reminder") === true
