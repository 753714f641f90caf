/** Answers the writes of a batch that is stored. */
import * as Effect from "effect/Effect"
import { yieldToEventLoop } from "../workspace/YieldToEventLoop.ts"

/** Answers in one turn of the event loop: the sessions that wait for them continue at once, each for some ms. */
const perTurn = 4

/** Answers each of a batch, in order. Between a few of them everything else has its turn. */
export const answerInTurns = <A>(batch: ReadonlyArray<A>, answer: (item: A) => Effect.Effect<unknown>): Effect.Effect<void> =>
  Effect.andThen(
    Effect.forEach(batch.slice(0, perTurn), answer, { discard: true }),
    Effect.suspend(() =>
      batch.length <= perTurn ? Effect.void : Effect.andThen(Effect.promise(yieldToEventLoop), answerInTurns(batch.slice(perTurn), answer))
    )
  )
