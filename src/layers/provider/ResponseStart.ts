/**
 * A response up to its first chunks, as one effect: the guards of an endpoint judge it by these, and the rest streams
 * through.
 */
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Chunk } from "../../domain/message/Chunk.ts"
import type { ProviderError } from "../../domain/provider/ProviderError.ts"

/** The streamed response to one request. */
export type Response = Stream.Stream<Chunk, ProviderError>

/** Succeeds with the complete response once its first chunks have arrived; fails if it fails before that. */
export type ResponseStart = Effect.Effect<Response, ProviderError, Scope.Scope>

/** Applies guards, such as a circuit breaker, to the start of a response. */
export const guarded = (guard: (start: ResponseStart) => ResponseStart) => (response: Response): Response =>
  Stream.unwrap(guard(startOf(response)))

const startOf = (response: Response): ResponseStart =>
  Effect.gen(function*() {
    const pull = yield* Stream.toPull(response)
    return yield* Pull.matchEffect(pull, {
      onSuccess: (first) => {
        let isFirst = true
        const next = Effect.suspend(() => {
          if (!isFirst) return pull
          isFirst = false
          return Effect.succeed(first)
        })
        return Effect.succeed(Stream.fromPull(Effect.succeed(next)))
      },
      onFailure: (cause) => Effect.failCause(cause),
      onDone: () => Effect.succeed(Stream.empty)
    })
  })
