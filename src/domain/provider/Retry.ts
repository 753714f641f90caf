/** Whether and when an attempt that failed is made again: a table over what went wrong, and one pure rule. */
import * as Option from "effect/Option"
import type { ProviderError, ProviderReason } from "./ProviderError.ts"
import { isRetryable, retryAfter } from "./ProviderError.ts"

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

/** ms: the first pause, the longest of our own, and the longest that a server may ask for. */
export const base = 1_000
export const most = 30_000
export const patience = 300_000

/**
 * The pause before the next attempt, in ms, or none when this failure is the last word. `attempt` counts those that
 * failed, this one included; `random` lies in [0, 1) and comes from the session's seed, so that a replay waits the
 * same. The pause doubles from one second to thirty, its upper half by chance, and is never shorter than the server asks.
 */
export const decide = (error: ProviderError, attempt: number, random: number): Option.Option<number> => {
  const asked = retryAfter(error)
  if (!isRetryable(error) || asked > patience || attempt > (tries[error.reason._tag] ?? 0)) return Option.none()
  const pause = Math.min(most, base * 2 ** (attempt - 1))
  return Option.some(Math.max(asked, Math.round(pause * (0.5 + random / 2))))
}
