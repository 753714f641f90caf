/**
 * Closes what is open when a task is stopped, or when its loop has died: the request, every call without an outcome,
 * every reservation.
 */
import { optional } from "../Optional.ts"
import * as Outcome from "../tool/Outcome.ts"
import * as Budget from "./Budget.ts"
import * as ToolCalls from "./ToolCalls.ts"
import * as Session from "./Session.ts"
import type { Settled } from "./SessionEvent.ts"
import * as Usage from "./Usage.ts"
import type { TimedChunk } from "../message/Chunk.ts"
import type { Model } from "../provider/Model.ts"
import type { ProviderReason } from "../provider/ProviderError.ts"
import type { Amount } from "./Amount.ts"
import * as Metering from "./Metering.ts"

/**
 * Whether anything is open that only a working loop leaves open. A step returns when everything that it began has
 * ended: whatever is open between two steps was left behind by a loop that died.
 */
export const isOpen = ({ budget, calls, model }: Session.Session): boolean =>
  model === "requested" || budget.reservations.has("") || calls.some(({ state }) => state === "running")

/** Whether something ran that may have changed files since the last checkpoint. Subagents save theirs when they end. */
export const hasUnsavedFiles = ({ calls, checkpoint, parent }: Session.Session): boolean =>
  parent === undefined && checkpoint.disabledReason === undefined &&
  (checkpoint.isDirty || calls.some(({ call, state }) => state !== "done" && ToolCalls.hasRun(calls, call.id)))

/** Closes a task that was told to stop: the open request, and every call without an outcome. */
export const afterInterrupt = (session: Session.Session, partial: PartialResponse | null): ReadonlyArray<Settled> => [
  ...failedRequest(session, "Interrupted", partial),
  ...settlements(session, ([subagent]) => subagent === "", session.model === "requested" ? partial?.used : undefined),
  ...session.calls.filter(({ state }) => state !== "done").map(({ isRetry, call, state }) =>
    toolFinished(
      call.id,
      state === "lost" || isRetry === true ? Outcome.unknown(Outcome.lostMessage)
        : Outcome.interrupted("Interrupted by the user before it finished.")
    )
  )
]

/**
 * Closes a task whose loop died: the open request, and what it and its subagents held. Calls that were running then are
 * checked when the task continues (Step).
 */
export const afterCrash = (session: Session.Session, partial: PartialResponse | null): ReadonlyArray<Settled> => [
  ...failedRequest(session, "Crashed", partial),
  ...settlements(session)
]

/** Closes a task that failed because its loop died, in a process that lives: nothing of it continues. */
export const afterDefect = (session: Session.Session, partial: PartialResponse | null): ReadonlyArray<Settled> => [
  ...afterCrash(session, partial),
  ...unfinishedCalls(session)
]

/** Ends every call without an outcome when the conversation continues without it: a new task, a fork, a rewind. */
export const unfinishedCalls = ({ calls }: Session.Session): ReadonlyArray<Settled> =>
  calls.filter(({ state }) => state !== "done").map((call) => toolFinished(call.call.id, ToolCalls.finalOutcome(call)))

/** What had arrived of a response when it was cut off: its blob, its text, and its cost; `used` if that is certain. */
export interface PartialResponse {
  readonly blob: string
  readonly text: string
  readonly spent: Usage.Spending | undefined
  readonly used: Budget.Amount | undefined
}

const failedRequest = (session: Session.Session, why: "Interrupted" | "Crashed", partial: PartialResponse | null): ReadonlyArray<Settled> =>
  session.model !== "requested" ? [] : [{
    _tag: "ModelFailed",
    reason: { _tag: why },
    provider: Session.activeModel(session).model.provider,
    message: `${why} in the middle of a response.`,
    draft: partial?.blob ?? null,
    ...optional({ spent: partial?.spent }),
    ...(why === "Crashed" || partial === null || partial.text.trim() === "" ? {} : { said: partial.text })
  }]

type Reservation = readonly [child: string, held: Budget.Amount]

/** Any reservation: for a request, a summary, a synthesis, or a subagent. */
const settlements = (
  session: Session.Session,
  isIncluded: (reservation: Reservation) => boolean = () => true,
  used?: Budget.Amount
): ReadonlyArray<Settled> =>
  [...session.budget.reservations].filter(isIncluded).map(([subagent]) => Budget.settlement(session, subagent, used)!)

const toolFinished = (call: string, outcome: Outcome.Outcome): Settled => ({ _tag: "ToolFinished", call, outcome })

// The value of an incomplete response: the text that had arrived, and its cost.

/** What had arrived, as far as it determines the cost. `characters` are UTF-16 units of text. */
export interface PartialUsage {
  readonly chunks: number
  readonly characters: number
  /** The provider's last report, and whether it was final. */
  readonly usage: Usage.TokenUsage | undefined
  readonly isFinal: boolean
  /** Reasoning arrived, which may weigh more than what is shown of it. */
  readonly hasReasoning: boolean
}

export const emptyUsage: PartialUsage = { chunks: 0, characters: 0, usage: undefined, isFinal: false, hasReasoning: false }

export const addChunk = ({ characters, chunks, hasReasoning, isFinal, usage }: PartialUsage, { chunk }: TimedChunk): PartialUsage => ({
  chunks: chunks + 1,
  characters: characters + ("text" in chunk ? chunk.text.length : 0),
  usage: Metering.next(usage, chunk),
  isFinal: chunk._tag === "Usage" ? chunk.final : isFinal,
  hasReasoning: hasReasoning || chunk._tag === "ReasoningDelta"
})

/** The complete recording. */
export const measureRecording = (recording: ReadonlyArray<TimedChunk>): PartialUsage => recording.reduce(addChunk, emptyUsage)

const unchargedReasons: ReadonlySet<ProviderReason["_tag"]> = new Set([
  "Auth",
  "BadRequest",
  "ContextOverflow",
  "Overloaded",
  "Quota",
  "RateLimited",
  "UnknownModel"
])

/** Whether an attempt was rejected before its first chunk, which is not charged. */
export const isUncharged = ({ chunks }: PartialUsage, { _tag }: ProviderReason): boolean => chunks === 0 && unchargedReasons.has(_tag)

/** An estimate of the output, for responses without usage: four characters per token. */
export const outputEstimate = ({ characters }: PartialUsage): number => Math.ceil(characters / 4)

export const responseText = (recording: ReadonlyArray<TimedChunk>): string =>
  recording.map(({ chunk }) => chunk._tag === "TextDelta" ? chunk.text : "").join("")

/** The usage to count, and whether the provider reported it: before its final report the output can be anything. */
const meterPartial = (
  partial: PartialUsage,
  requestTokens: number,
  model: Model
): { readonly usage: Usage.TokenUsage; readonly isReported: boolean } => {
  const outputTokens = outputEstimate(partial)
  const reportedUsage = partial.usage === undefined || partial.isFinal ? partial.usage
    : { ...partial.usage, output: Math.max(partial.usage.output, outputTokens) }
  const usage = Metering.usage(reportedUsage, { input: requestTokens, output: outputTokens }, model)
  return { usage: partial.isFinal ? usage : { ...usage, estimated: true }, isReported: usage === reportedUsage }
}

/**
 * `requestTokens` is our count of the request, in tokens; what the provider has reported so far takes precedence. Undefined if
 * nothing had arrived.
 */
export const partialCost = (partial: PartialUsage, requestTokens: number, model: Model): Usage.Spending | undefined => {
  if (partial.chunks === 0) return undefined
  const { usage } = meterPartial(partial, requestTokens, model)
  return { usage, cost: model.price === undefined ? null : Usage.cost(usage, model.price) }
}

/**
 * What a budget may count instead of everything that was reserved, because the provider reported it: the total in its
 * final report; before that, its input, with the larger of the reported output and what arrived. Undefined if no
 * plausible report came, or reasoning may hide the cost.
 */
export const reportedAmount = (partial: PartialUsage, requestTokens: number, model: Model): Amount | undefined => {
  if (partial.usage === undefined || (partial.hasReasoning && !partial.isFinal)) return undefined
  if (!meterPartial(partial, requestTokens, model).isReported) return undefined
  const { cost, usage } = partialCost(partial, requestTokens, model)!
  return { usd: cost ?? 0, tokens: Usage.inputTotal(usage) + usage.output }
}
