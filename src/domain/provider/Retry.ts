/**
 * Whether and when an attempt that failed is made again: a table over what went wrong, and one pure rule. Every pause
 * of ours has its name here.
 */
import * as Option from "effect/Option"
import type { ProviderError, ProviderReason } from "./ProviderError.ts"
import { retryAfter } from "./ProviderError.ts"

const before = 5
const within = 3

/** How many times one more attempt is made after each kind of failure. */
const tries: Partial<Record<ProviderReason["_tag"], number>> = {
  RateLimited: before,
  Overloaded: before,
  ServerFault: before,
  Connection: before,
  StreamBroken: within,
  Idle: within,
  EmptyAnswer: within,
  BadAnswer: within
}

/** ms: the first pause, the longest of our own, and the longest that a server may ask for without a person's consent. */
export const base = 1_000
export const most = 30_000
export const patience = 300_000

/** ms: how often a provider is asked once all tries are used up, and for how long where no limit says so. */
export const waitEvery = 30_000
export const waitMost = 600_000

/** Failures in a row after which an endpoint is left alone, and for how long, in ms. */
export const breakAfter = 5
export const breakFor = 30_000

/** ms of silence that break an answer: a local model may think for long before its first word. */
export const idle = { remote: 120_000, local: 600_000 }

/** A fault of the moment, which may be waited out: nothing was answered, and nothing is wrong with what was asked. */
export const isTransient = (reason: ProviderReason): boolean => tries[reason._tag] === before && !isLasting(reason)

const isLasting = (reason: ProviderReason): boolean => "lasting" in reason && reason.lasting === true

/**
 * The pause before the next attempt, in ms, or none when this failure is the last word. `attempt` counts those that
 * failed, this one included; `random` lies in [0, 1) and comes from the session's seed, so that a replay waits the
 * same. The pause doubles from one second to thirty, its upper half by chance, and is never shorter than the server asks.
 * `waiting`: this was one of the single tries of a task that waits for its provider.
 */
export const decide = (error: ProviderError, attempt: number, random: number, waiting = false): Option.Option<number> => {
  const asked = retryAfter(error)
  if (isLasting(error.reason) || asked > patience || attempt > (tries[error.reason._tag] ?? 0) || (waiting && isTransient(error.reason))) return Option.none()
  const pause = Math.min(most, base * 2 ** (attempt - 1))
  return Option.some(Math.max(asked, Math.round(pause * (0.5 + random / 2))))
}
