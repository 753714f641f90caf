/**
 * Whether and when a failed request is retried: a table over the reasons, and one pure rule. The pauses of all retries are
 * named here.
 */
import * as Option from "effect/Option"
import type { Headers } from "./Protocol.ts"
import type { ProviderError, ProviderReason } from "./ProviderError.ts"
import { retryAfterMsOf } from "./ProviderError.ts"

const retriesBeforeResponse = 5
const retriesWithinResponse = 3

/** The maximum number of retries by the reason of the failure. */
const maxRetries: Partial<Record<ProviderReason["_tag"], number>> = {
  RateLimited: retriesBeforeResponse,
  Overloaded: retriesBeforeResponse,
  ServerFault: retriesBeforeResponse,
  Connection: retriesBeforeResponse,
  StreamBroken: retriesWithinResponse,
  Idle: retriesWithinResponse,
  EmptyAnswer: retriesWithinResponse,
  BadAnswer: retriesWithinResponse
}

/** The first pause, the longest of our own, and the longest that a server can ask for without the user's consent. */
export const firstPauseMs = 1_000
export const maxPauseMs = 30_000
export const maxServerPauseMs = 300_000

/** After the last retry: how often a waiting task tries again, and for how long by default. */
export const waitIntervalMs = 30_000
export const maxWaitMs = 600_000

/** How long a fallback model is used before the session's own is tried again. */
export const fallbackMs = 600_000

/** The circuit breaker: how many failures in a row open it, and for how long. */
export const breakAfter = 5
export const breakMs = 30_000

/** The idle timeout of a response: a local model may take long before its first token. */
export const idleTimeoutMs = { remote: 120_000, local: 600_000 }

/** A temporary fault, which can be waited out: no response began, and the request itself is valid. */
export const isTransient = (reason: ProviderReason): boolean => maxRetries[reason._tag] === retriesBeforeResponse && !isLasting(reason)

const isLasting = (reason: ProviderReason): boolean => "lasting" in reason && reason.lasting === true

/**
 * The pause before the next attempt, in ms, or none if there is no retry. `attempt` counts the failed attempts, including this
 * one; `random` is in [0, 1) and comes from the session's seed, so that a replay pauses the same. The pause doubles from one
 * second to thirty, is between half and all of that at random, and is never shorter than the server asks.
 * `isWaiting`: this was one of the single attempts of a task that waits for its provider.
 */
export const retryPause = (error: ProviderError, attempt: number, random: number, isWaiting = false): Option.Option<number> => {
  const serverPauseMs = retryAfterMsOf(error)
  const isExhausted = attempt > (maxRetries[error.reason._tag] ?? 0) || (isWaiting && isTransient(error.reason))
  if (isLasting(error.reason) || serverPauseMs > maxServerPauseMs || isExhausted) return Option.none()
  const pauseMs = Math.min(maxPauseMs, firstPauseMs * 2 ** (attempt - 1))
  return Option.some(Math.max(serverPauseMs, Math.round(pauseMs * (0.5 + random / 2))))
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `1h2m3.5s`, `120ms`, `6m0s` in ms. */
const duration = (text: string): number | undefined => {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return undefined
  let total = 0
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) total += Number(amount) * units[unit!]!
  return total
}

/** Seconds, a duration, a date (HTTP or RFC 3339), or a Unix time in seconds or ms: all as ms from `now`. */
const wait = (text: string, now: number): number | undefined => {
  const value = text.trim()
  if (/^\d+(\.\d+)?$/.test(value)) {
    const number = Number(value)
    return number > 1e11 ? number - now : number > 1e9 ? number * 1000 - now : number * 1000
  }
  const span = duration(value)
  if (span !== undefined) return span
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : date - now
}

/** Rate limit headers: when a bucket resets, and how much of it remains. */
const buckets: ReadonlyArray<readonly [reset: string, remaining: string]> = [
  ["x-ratelimit-reset-requests", "x-ratelimit-remaining-requests"],
  ["x-ratelimit-reset-tokens", "x-ratelimit-remaining-tokens"],
  ["anthropic-ratelimit-requests-reset", "anthropic-ratelimit-requests-remaining"],
  ["anthropic-ratelimit-tokens-reset", "anthropic-ratelimit-tokens-remaining"],
  ["anthropic-ratelimit-input-tokens-reset", "anthropic-ratelimit-input-tokens-remaining"],
  ["anthropic-ratelimit-output-tokens-reset", "anthropic-ratelimit-output-tokens-remaining"],
  ["x-ratelimit-reset", "x-ratelimit-remaining"],
  ["ratelimit-reset", "ratelimit-remaining"]
]

/**
 * How long to wait, in ms, according to the headers: `retry-after-ms`, then `retry-after`, then the latest reset of an empty
 * bucket. At that time the bucket is full, but requests succeed long before, so that wait is capped. A time in the past is 0.
 * Dates are relative to the server's clock, which its `date` header shows; `clock`, ours in ms since the epoch, is used only
 * without that header.
 */
export const retryAfterHeader = (headers: Headers, clock: number): number | undefined => {
  const date = Date.parse(headers["date"] ?? "")
  const now = Number.isNaN(date) ? clock : date
  const exact = Number(headers["retry-after-ms"] ?? "x")
  const serverPauseMs = Number.isFinite(exact) ? exact : wait(headers["retry-after"] ?? "", now)
  if (serverPauseMs !== undefined) return Math.max(0, Math.ceil(serverPauseMs))
  const resets = buckets.flatMap(([reset, remaining]) => {
    const remainingCount = headers[remaining]
    const at = headers[reset] === undefined ? undefined : wait(headers[reset], now)
    return at === undefined || (remainingCount !== undefined && Number(remainingCount) > 0) ? [] : [at]
  })
  return resets.length === 0 ? undefined : Math.min(maxServerPauseMs, Math.max(0, Math.ceil(Math.max(...resets))))
}

/** Google's error details contain `retryDelay: "21s"`; other messages say "try again in 1.2s". */
export const retryAfterInBody = (body: unknown, message: string): number | undefined => {
  const delay = /"retryDelay"\s*:\s*"([^"]+)"/.exec(typeof body === "string" ? body : JSON.stringify(body) ?? "")?.[1]
    ?? /(?:try again|retry) (?:in|after) (\d[\w.]*)/i.exec(message)?.[1]?.replace(/\.$/, "")
  return delay === undefined ? undefined : duration(delay)
}

/** `90 s`, `6 min`, `24 h`. */
export const durationText = (ms: number): string =>
  ms < 120_000 ? `${Math.ceil(ms / 1000)} s` : ms < 7_200_000 ? `${Math.ceil(ms / 60_000)} min` : `${Math.ceil(ms / 3_600_000)} h`
