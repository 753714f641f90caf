/**
 * One request's hold on its connection. A connection serves the next request only when the answer was read to the end
 * of its body, which is a few bytes behind the end of what the model said: those are read aside, and nobody waits.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

export interface Call {
  /** Aborts when the scope closes, unless the answer was over. */
  readonly signal: AbortSignal
  /** Says that all was said: what is left of the body is to be read, not cut off. */
  readonly isOver: (body: ReadableStream<Uint8Array>) => void
}

/** How long a server may take to end a body in which all was said. */
const patience = "1 second"

export const make: Effect.Effect<Call, never, Scope.Scope> = Effect.gen(function*() {
  const controller = new AbortController()
  let rest: ReadableStream<Uint8Array> | undefined
  const abort = Effect.sync(() => controller.abort())
  yield* Effect.addFinalizer(() =>
    rest === undefined ? abort : Effect.forkDetach(
      drain(rest).pipe(Effect.timeout(patience), Effect.catch(() => abort)),
      { startImmediately: true }
    )
  )
  return { signal: controller.signal, isOver: (body) => { rest = body } }
})

const drain = (body: ReadableStream<Uint8Array>) => Stream.runDrain(Stream.fromReadableStream({ evaluate: () => body, onError: () => "gone" as const }))
