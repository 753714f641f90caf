/**
 * Retries of an attempt, as a Schedule over the errors of the previous ones. The complete attempt is retried, by the caller who
 * knows what to discard: `Stream.retry` resets its budget at the first chunk.
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { ProviderError } from "../../domain/provider/ProviderError.ts"
import { retryPause } from "../../domain/provider/Retry.ts"

/** A retry that is about to happen: the next attempt starts after `delayMs`. */
export interface RetryNotice {
  readonly error: ProviderError
  readonly attempt: number
  readonly delayMs: number
}

/**
 * The rule of domain/provider/Retry as a Schedule. `random` returns a number in [0, 1) for each attempt, from the session's
 * seed. `onRetry` runs before the pause of each retry, so that each becomes an event. `isWaiting` is passed on to the rule. An
 * error that is not a provider's is final.
 */
export const retrySchedule = <E = never, R = never>(
  random: (attempt: number) => number,
  onRetry: (retrying: RetryNotice) => Effect.Effect<void, E, R> = () => Effect.void,
  isWaiting = false
): Schedule.Schedule<number, ProviderError | E, E, R> =>
  Schedule.fromStepWithMetadata(
    Effect.succeed(({ attempt, input }: Schedule.InputMetadata<ProviderError | E>) =>
      input instanceof ProviderError
        ? Option.match(retryPause(input, attempt, random(attempt), isWaiting), {
          onNone: () => Cause.done(attempt),
          onSome: (delayMs) =>
            Effect.as(onRetry({ error: input, attempt, delayMs }), [attempt, Duration.millis(delayMs)] as [number, Duration.Duration])
        })
        : Cause.done(attempt)
    )
  )
