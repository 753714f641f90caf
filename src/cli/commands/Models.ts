/** `efferent models [word]`: what is known, what it holds and what it costs. */
import * as Effect from "effect/Effect"
import type { Run } from "../Commands.ts"
export const run: Run = Effect.fnUntraced(function*() {
  return yield* Effect.succeed(0)
})
