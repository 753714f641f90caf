import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { ProviderError, type ProviderReason } from "../../../src/domain/provider/ProviderError.ts"
import * as Retry from "../../../src/layers/provider/Retry.ts"

const error = (reason: ProviderReason) => new ProviderError({ provider: "p", message: "", reason })

/** Attempts that fail in this order and then succeed; what was heard of retries, and how many attempts were made. */
const attempts = (failures: ReadonlyArray<ProviderReason>) => {
  const heard: Array<readonly [number, number]> = []
  let made = 0
  const attempt = Effect.suspend(() => {
    const failure = failures[made++]
    return failure === undefined ? Effect.succeed("answered") : Effect.fail(error(failure))
  })
  const run = Effect.retry(attempt, Retry.retrySchedule(() => 0, ({ attempt, delayMs }) => Effect.sync(() => heard.push([attempt, delayMs]))))
  return { run, heard, made: () => made }
}

describe("retries of an attempt", () => {
  it.effect("wait as the rule says and tell of each pause before it", () =>
    Effect.gen(function*() {
      const { heard, made, run } = attempts([{ _tag: "ServerFault" }, { _tag: "Connection" }, { _tag: "RateLimited", retryAfterMs: 9000 }])
      const fiber = yield* Effect.forkChild(run, { startImmediately: true })
      yield* TestClock.adjust(499)
      assert.deepStrictEqual([made(), heard], [1, [[1, 500]]])
      yield* TestClock.adjust(1)
      assert.strictEqual(made(), 2)
      yield* TestClock.adjust(1000)
      yield* TestClock.adjust(9000)
      assert.strictEqual(yield* Fiber.join(fiber), "answered")
      assert.deepStrictEqual(heard, [[1, 500], [2, 1000], [3, 9000]])
    }))

  it.effect("end after the last try with the last error", () =>
    Effect.gen(function*() {
      const { made, run } = attempts(Array.from({ length: 9 }, () => ({ _tag: "EmptyAnswer" as const })))
      const fiber = yield* Effect.forkChild(run, { startImmediately: true })
      yield* TestClock.adjust("1 hour")
      assert.isTrue(Exit.isFailure(yield* Fiber.await(fiber)))
      assert.strictEqual(made(), 4)
    }))

  it.effect("stop at once when the server asks for too long, and when they are interrupted", () =>
    Effect.gen(function*() {
      const long = attempts([{ _tag: "RateLimited", retryAfterMs: 86_400_000 }])
      assert.isTrue(Exit.isFailure(yield* Effect.exit(long.run)))
      const { made, run } = attempts([{ _tag: "Overloaded", retryAfterMs: 30_000 }])
      const fiber = yield* Effect.forkChild(run, { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(made(), 1)
    }))
})
