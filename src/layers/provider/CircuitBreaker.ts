/**
 * A circuit breaker per endpoint: after five failures in a row no request is sent for half a minute, then a single one
 * tests the endpoint. A failure that says nothing about its health (a wrong key, a rate limit) counts as a success.
 */
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { ProviderError, type ProviderReason } from "../../domain/provider/ProviderError.ts"
import { breakAfter, breakMs, durationText, waitIntervalMs } from "../../domain/provider/Retry.ts"
import type { ResponseStart } from "./ResponseStart.ts"

/** Failures of the endpoint itself, which carry how long it is left alone. */
type Outage = Extract<ProviderReason, { readonly _tag: "Overloaded" | "ServerFault" | "Connection" }>
const isOutage = (reason: ProviderReason): reason is Outage =>
  reason._tag === "Overloaded" || reason._tag === "ServerFault" || reason._tag === "Connection"

const outcome = (exit: Exit.Exit<unknown, ProviderError>): CircuitBreaker.Outcome =>
  exit._tag === "Success" ? CircuitBreaker.success
    : Option.match(Cause.findErrorOption(exit.cause), {
      onNone: () => CircuitBreaker.ignored,
      onSome: ({ reason }) => isOutage(reason) || reason._tag === "Idle" ? CircuitBreaker.failure() : CircuitBreaker.success
    })

/** The breakers of one process, by the key of an endpoint. */
export const make = Effect.gen(function*() {
  const breaker = yield* CircuitBreaker.make({ tripPolicy: CircuitBreaker.consecutive(breakAfter), openDuration: breakMs })
  const lastErrors = new Map<string, ProviderError>()

  /** The failure that opens the circuit says for how long, so that no retry comes too early. */
  const withPause = (key: string) => (error: ProviderError) =>
    Effect.gen(function*() {
      lastErrors.set(key, error)
      const state = yield* Effect.option(breaker.state(key))
      if (Option.isNone(state) || state.value._tag !== "Open" || !isOutage(error.reason)) return error
      return opening(error, error.reason, Duration.toMillis(state.value.retryAfter))
    })

  return (provider: string, key: string) => (start: ResponseStart): ResponseStart =>
    breaker.execute(start, { key, classify: outcome }).pipe(
      Effect.catch((error): Effect.Effect<never, ProviderError> =>
        error._tag === "ProviderError"
          ? Effect.flatMap(withPause(key)(error), Effect.fail)
          : Effect.fail(refusal(provider, error.reason, lastErrors.get(key)))
      )
    )
})

const opening = (error: ProviderError, reason: Outage, pauseMs: number) =>
  new ProviderError({
    ...error,
    message: `${error.message} It failed ${breakAfter} times in a row: pausing ${durationText(pauseMs)}.`,
    reason: { ...reason, retryAfterMs: Math.max(pauseMs, reason.retryAfterMs ?? 0) }
  })

const refusal = (provider: string, reason: CircuitBreaker.CircuitBreakerErrorReason, last: ProviderError | undefined) => {
  const retryAfterMs = reason._tag === "CircuitOpen" ? Duration.toMillis(reason.retryAfter) : waitIntervalMs
  const lastMessage = last === undefined ? "" : `${last.message} `
  return new ProviderError({
    provider,
    message: `${lastMessage}${provider} keeps failing; the next request is sent to it in ${durationText(retryAfterMs)}.`,
    reason: { _tag: "Overloaded", retryAfterMs }
  })
}
