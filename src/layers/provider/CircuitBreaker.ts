/**
 * A circuit breaker per endpoint: after five failures in a row it is left alone for half a minute, and then one request
 * is let through to see. What says nothing about the endpoint's health (a wrong key, a rate limit) counts for it.
 */
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { ProviderError, type ProviderReason } from "../../domain/provider/ProviderError.ts"
import { breakAfter, breakFor, waitEvery } from "../../domain/provider/Retry.ts"
import * as RetryAfter from "../../domain/provider/RetryAfter.ts"
import type { Begun } from "./ResponseStart.ts"

/** Failures that speak of the endpoint, and carry how long it is left alone. */
type Sick = Extract<ProviderReason, { readonly _tag: "Overloaded" | "ServerFault" | "Connection" }>
const sick = (reason: ProviderReason): reason is Sick => reason._tag === "Overloaded" || reason._tag === "ServerFault" || reason._tag === "Connection"

const outcome = (exit: Exit.Exit<unknown, ProviderError>): CircuitBreaker.Outcome =>
  exit._tag === "Success" ? CircuitBreaker.success
  : Option.match(Cause.findErrorOption(exit.cause), {
    onNone: () => CircuitBreaker.ignored,
    onSome: ({ reason }) => sick(reason) || reason._tag === "Idle" ? CircuitBreaker.failure() : CircuitBreaker.success
  })

export const make = Effect.gen(function*() {
  const breaker = yield* CircuitBreaker.make({ tripPolicy: CircuitBreaker.consecutive(breakAfter), openDuration: breakFor })
  const last = new Map<string, ProviderError>()

  /** The failure that opened the circuit says how long it stays open: nobody asks in vain meanwhile. */
  const told = (key: string) => (error: ProviderError) =>
    Effect.gen(function*() {
      last.set(key, error)
      const state = yield* Effect.option(breaker.state(key))
      if (Option.isNone(state) || state.value._tag !== "Open" || !sick(error.reason)) return error
      return later(error, error.reason, Duration.toMillis(state.value.retryAfter))
    })

  return (provider: string, key: string) => (begun: Begun): Begun =>
    breaker.execute(begun, { key, classify: outcome }).pipe(
      Effect.catch((error): Effect.Effect<never, ProviderError> =>
        error._tag === "ProviderError"
          ? Effect.flatMap(told(key)(error), Effect.fail)
          : Effect.fail(refused(provider, error.reason, last.get(key))))
    )
})

const later = (error: ProviderError, reason: Sick, ms: number) =>
  new ProviderError({
    ...error,
    message: `${error.message} It failed ${breakAfter} times in a row, and is left alone for ${RetryAfter.words(ms)}.`,
    reason: { ...reason, retryAfterMs: Math.max(ms, reason.retryAfterMs ?? 0) }
  })

const refused = (provider: string, reason: CircuitBreaker.CircuitBreakerErrorReason, last: ProviderError | undefined) => {
  const retryAfterMs = reason._tag === "CircuitOpen" ? Duration.toMillis(reason.retryAfter) : waitEvery
  return new ProviderError({
    provider,
    message: `${last === undefined ? "" : `${last.message} `}${provider} is left alone for now, and asked again in ${RetryAfter.words(retryAfterMs)}.`,
    reason: { _tag: "Overloaded", retryAfterMs }
  })
}
