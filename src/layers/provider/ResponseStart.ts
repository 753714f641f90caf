/** An answer up to its first chunks as one effect: what guards an endpoint judges by that, and the rest just flows. */
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Chunk } from "../../domain/message/Chunk.ts"
import type { ProviderError } from "../../domain/provider/ProviderError.ts"

export type Answer = Stream.Stream<Chunk, ProviderError>

/** Succeeds when the first chunks are there, and then gives the whole answer; fails where the answer fails before. */
export type Begun = Effect.Effect<Answer, ProviderError, Scope.Scope>

export const of = (answer: Answer): Begun =>
  Effect.gen(function*() {
    const pull = yield* Stream.toPull(answer)
    return yield* Pull.matchEffect(pull, {
      onSuccess: (first) => {
        let given = false
        const rest = Effect.suspend(() => {
          if (given) return pull
          given = true
          return Effect.succeed(first)
        })
        return Effect.succeed(Stream.fromPull(Effect.succeed(rest)))
      },
      onFailure: (cause) => Effect.failCause(cause),
      onDone: () => Effect.succeed(Stream.empty)
    })
  })
