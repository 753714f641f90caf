/** When a server wants to be asked again, in all the spellings that providers use. */
import type { Headers } from "./Protocol.ts"
import { patience } from "./Retry.ts"

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `1h2m3.5s`, `120ms`, `6m0s` in ms. */
const duration = (text: string): number | undefined => {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return undefined
  let total = 0
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) total += Number(amount) * units[unit!]!
  return total
}

/** Seconds, a duration, a date (HTTP or RFC 3339), or Unix time in seconds or ms: all as ms from `now`. */
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

/** Headers that name when one of several buckets is full again, and the one that says whether it is empty. */
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
 * How long to wait, in ms, as far as the headers say: `retry-after-ms`, then `retry-after`, then the latest reset of
 * a bucket that is empty. That is when it is full again, and it holds something long before: of such a wait no more
 * counts than anyone sleeps through. A moment that has passed is 0.
 */
export const parse = (headers: Headers, now: number): number | undefined => {
  const exact = Number(headers["retry-after-ms"] ?? "x")
  const asked = Number.isFinite(exact) ? exact : wait(headers["retry-after"] ?? "", now)
  if (asked !== undefined) return Math.max(0, Math.ceil(asked))
  const resets = buckets.flatMap(([reset, remaining]) => {
    const left = headers[remaining]
    const at = headers[reset] === undefined ? undefined : wait(headers[reset], now)
    return at === undefined || (left !== undefined && Number(left) > 0) ? [] : [at]
  })
  return resets.length === 0 ? undefined : Math.min(patience, Math.max(0, Math.ceil(Math.max(...resets))))
}

/** Google's error details carry `retryDelay: "21s"`; others say "try again in 1.2s" in words. */
export const inBody = (body: unknown, message: string): number | undefined => {
  const delay = /"retryDelay"\s*:\s*"([^"]+)"/.exec(typeof body === "string" ? body : JSON.stringify(body) ?? "")?.[1]
    ?? /(?:try again|retry) (?:in|after) (\d[\w.]*)/i.exec(message)?.[1]?.replace(/\.$/, "")
  return delay === undefined ? undefined : duration(delay)
}

/** `90 s`, `6 min`, `24 h`: for people. */
export const words = (ms: number): string =>
  ms < 120_000 ? `${Math.ceil(ms / 1000)} s` : ms < 7_200_000 ? `${Math.ceil(ms / 60_000)} min` : `${Math.ceil(ms / 3_600_000)} h`
