/**
 * Retries of an attempt, as a Schedule over the error of the attempt before. It is the attempt that is retried,
 * whole, by who knows what to discard: `Stream.retry` forgets its budget at the first chunk.
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { ProviderError } from "../../domain/provider/ProviderError.ts"
import { decide } from "../../domain/provider/Retry.ts"

/** One retry that is about to come: `delayMs` passes before the next attempt. */
export interface Retrying {
  readonly error: ProviderError
  readonly attempt: number
  readonly delayMs: number
}

/**
 * The rule of domain/provider/Retry as a Schedule. `random` gives a number in [0, 1) for each attempt, from the
 * session's seed; `onRetry` hears of every retry before its pause, so that each becomes an event; `waiting` as there.
 * Another error than a provider's is final.
 */
export const attempts = <E = never, R = never>(
  random: (attempt: number) => number,
  onRetry: (retrying: Retrying) => Effect.Effect<void, E, R> = () => Effect.void,
  waiting = false
): Schedule.Schedule<number, ProviderError | E, E, R> =>
  Schedule.fromStepWithMetadata(Effect.succeed(({ attempt, input }: Schedule.InputMetadata<ProviderError | E>) =>
    input instanceof ProviderError
      ? Option.match(decide(input, attempt, random(attempt), waiting), {
        onNone: () => Cause.done(attempt),
        onSome: (delayMs) =>
          Effect.as(onRetry({ error: input, attempt, delayMs }), [attempt, Duration.millis(delayMs)] as [number, Duration.Duration])
      })
      : Cause.done(attempt)
  ))
