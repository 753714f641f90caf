/**
 * What to count for a response: the provider's figures where they are plausible, else our own count. Servers are not
 * trusted blindly: budgets depend on these figures, and a negative count would act as credit.
 */
import type { TimedChunk } from "../message/Chunk.ts"
import * as Figures from "../provider/UsageChunk.ts"
import type { Model } from "../provider/Model.ts"
import * as Usage from "./Usage.ts"

/** Our own count of a response, in tokens. */
export interface Estimate {
  readonly input: number
  readonly output: number
}

/** A count this many times beyond what a model can read or write is wrong, even for an unknown model. */
const maxOverestimate = 10
/**
 * The number of our tokens from which a response is too long for any tokenizer to count almost none, and how many of
 * ours one token can hold.
 */
const longOutputTokens = 200
const maxUnderestimate = 20

/** The usage to count for a response; `estimated` if it is our own. */
export const usage = (reportedUsage: Usage.TokenUsage | undefined, estimate: Estimate, model: Model): Usage.TokenUsage =>
  reportedUsage !== undefined && isPlausible(reportedUsage, estimate, model) ? reportedUsage
    : { ...Usage.zero, ...estimate, estimated: true }

const isPlausible = (usage: Usage.TokenUsage, estimate: Estimate, { maxOutput, window }: Model): boolean => {
  const input = Usage.inputTotal(usage)
  return input > 0 &&
    input <= maxOverestimate * Math.max(window, estimate.input) &&
    usage.output <= maxOverestimate * Math.max(window, maxOutput, estimate.output) &&
    (estimate.output < longOutputTokens || usage.output * maxUnderestimate >= estimate.output)
}

/** The last usage reported in a recording; undefined if there was none, or no counts. */
export const reportedUsage = (recording: ReadonlyArray<TimedChunk>): Usage.TokenUsage | undefined =>
  recording.reduce<Usage.TokenUsage | undefined>((previous, { chunk }) => next(previous, chunk), undefined)

/** After one more chunk. */
export const next = (previous: Usage.TokenUsage | undefined, chunk: TimedChunk["chunk"]): Usage.TokenUsage | undefined =>
  chunk._tag === "Usage" ? chunk.usage
    : chunk._tag === "Notice" && chunk.kind === Figures.implausible ? undefined
    : previous

/** The notice to the user, once per session. */
export const warning = (provider: string): string =>
  `${provider} reports no token counts, or implausible ones. Usage and cost of such responses are estimated.`
