import * as Effect from "effect/Effect"
import { Stale } from "../../domain/session/LogError.ts"

/** What was decided from an outdated state is decided again. */
export const retryStale = <A, E, R>(effect: Effect.Effect<A, E | Stale, R>): Effect.Effect<A, Exclude<E, Stale>, R> =>
  Effect.retry(effect, { while: (error) => error instanceof Stale }) as Effect.Effect<A, Exclude<E, Stale>, R>
