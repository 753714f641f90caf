/** How many sessions continue in one turn of the event loop after they have written at once. */
import * as Effect from "effect/Effect"
import { lines, summary } from "../../../src/layers/testing/conformance/storage.ts"
import type { Storage } from "../../../src/services/Storage.ts"

/** The most of `count` sessions that continue in the same turn. */
export const mostInOneTurn = Effect.fnUntraced(function*(storage: Storage["Service"], count: number) {
  let turn = 0
  const next = () => {
    turn++
    counting = setImmediate(next)
  }
  let counting = setImmediate(next)
  const turns = yield* Effect.forEach(
    Array.from({ length: count }, (_, i) => `session ${i}`),
    (session) => Effect.map(storage.append(session, lines(1), { sync: false, summary: summary(1) }), () => turn),
    { concurrency: "unbounded" }
  )
  clearImmediate(counting)
  return Math.max(...Map.groupBy(turns, (turn) => turn).values().map(({ length }) => length))
})
