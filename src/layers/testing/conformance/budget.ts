/**
 * The contract of every Budget, as cases that any test runner can run: a case fails with an assertion.
 *
 *     for (const { name, run } of BudgetConformance.cases(MyBudget.layer, { first, second })) it.live(name, () => run)
 */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import { zero } from "../../../domain/session/Budget.ts"
import type { Session } from "../../../domain/session/Session.ts"
import { Budget } from "../../../services/Budget.ts"
import { type Case, over } from "./ServiceCase.ts"

/** `layer` has one level above `first` and `second`, two sessions, with a limit of 10 USD and 1000 tokens. */
export const cases = <E>(
  layer: Layer.Layer<Budget, E>,
  { first, second }: { readonly first: Session; readonly second: Session }
): ReadonlyArray<Case> => {
  const check = over(Budget, layer)
  const amount = { usd: 6, tokens: 600 }
  return [
    check("shows what is left of a reservation to everyone", ({ parentLevels, reserve }) =>
      Effect.gen(function*() {
        assert.equal(yield* reserve(first, amount), true)
        const [level] = yield* parentLevels(second)
        assert.deepEqual([level?.level, level?.usd, level?.tokens], ["parent", { limit: 10, left: 4 }, { limit: 1000, left: 400 }])
      })),
    check("reserves nothing that it can't cover", ({ parentLevels, reserve }) =>
      Effect.gen(function*() {
        yield* reserve(first, amount)
        assert.equal(yield* reserve(second, amount), false)
        assert.equal((yield* parentLevels(first))[0]?.usd?.left, 4)
      })),
    check("settles at what was used, once", ({ parentLevels, reserve, settle }) =>
      Effect.gen(function*() {
        yield* reserve(first, amount)
        yield* settle(first, amount, { usd: 1, tokens: 100 })
        yield* settle(first, amount, { usd: 1, tokens: 100 })
        assert.equal((yield* parentLevels(second))[0]?.usd?.left, 9)
      })),
    check("counts all of a reservation whose cost is unknown", ({ parentLevels, release, reserve }) =>
      Effect.gen(function*() {
        yield* reserve(first, amount)
        yield* release(first)
        assert.equal((yield* parentLevels(second))[0]?.usd?.left, 4)
      })),
    check("waits for a release, if another session holds something", ({ awaitRelease, reserve, settle }) =>
      Effect.gen(function*() {
        assert.equal(yield* awaitRelease(second), false)
        yield* reserve(first, amount)
        const waiting = yield* Effect.forkChild(awaitRelease(second), { startImmediately: true })
        yield* settle(first, amount, zero)
        assert.equal(yield* Fiber.join(waiting), true)
      }))
  ]
}
