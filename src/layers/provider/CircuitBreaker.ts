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
import type { EndpointNotes } from "./EndpointNotes.ts"
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

/** An endpoint: requests with the same `key` share a breaker. */
export interface Endpoint {
  readonly provider: string
  readonly address: string
  readonly key: string
  /** The error without secrets. */
  readonly explain: (error: ProviderError) => ProviderError
}

/** The breakers of one process. An open one is noted, so that `dacapo doctor` can show it. */
export const make = Effect.fnUntraced(function*(notes: EndpointNotes) {
  const breaker = yield* CircuitBreaker.make({ tripPolicy: CircuitBreaker.consecutive(breakAfter), openDuration: breakMs })
  const lastErrors = new Map<string, ProviderError>()
  const opened = new Set<string>()

  /** The failure that opens the circuit says for how long, so that no retry comes too early. */
  const withPause = ({ address, explain, key, provider }: Endpoint) => (error: ProviderError) =>
    Effect.gen(function*() {
      lastErrors.set(key, error)
      const state = yield* Effect.option(breaker.state(key))
      if (Option.isNone(state) || state.value._tag !== "Open" || !isOutage(error.reason)) return error
      const pauseMs = Duration.toMillis(state.value.retryAfter)
      opened.add(key)
      yield* notes.save({ kind: "circuit", provider, address }, explain(error).message, pauseMs)
      return opening(error, error.reason, pauseMs)
    })

  /** A response closes the circuit. */
  const closed = ({ address, key, provider }: Endpoint) =>
    opened.delete(key) ? notes.remove({ kind: "circuit", provider, address }) : Effect.void

  return (endpoint: Endpoint) => (start: ResponseStart): ResponseStart =>
    breaker.execute(start, { key: endpoint.key, classify: outcome }).pipe(
      Effect.tap(Effect.suspend(() => closed(endpoint))),
      Effect.catch((error): Effect.Effect<never, ProviderError> =>
        error._tag === "ProviderError"
          ? Effect.flatMap(withPause(endpoint)(error), Effect.fail)
          : Effect.fail(refusal(endpoint.provider, error.reason, lastErrors.get(endpoint.key)))
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
