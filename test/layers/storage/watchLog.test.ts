import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as WatchLog from "../../../src/layers/storage/WatchLog.ts"
import * as Test from "../../../src/layers/Test.ts"
import { events, run } from "../agent/world.ts"

describe("a follower without the right to write", () => {
  it.effect("gets each event of a session once and in order, those before and those after it came", () =>
    Effect.gen(function*() {
      const early = yield* WatchLog.watch("00000000-0000-7000-8000-000000000001", 0).pipe(
        Stream.takeUntil(({ event }) => event._tag === "TaskFinished"),
        Stream.runCollect,
        Effect.forkChild({ startImmediately: true })
      )
      const { id } = yield* run("Look")
      const log = yield* events(id)
      assert.deepStrictEqual(yield* WatchLog.watch(id, 3).pipe(Stream.take(log.length - 3), Stream.runCollect), log.slice(3))
      assert.deepStrictEqual(yield* Fiber.join(early), log)
    }).pipe(Effect.provide(Test.layer({ turns: [{ text: "Done." }] }))))
})
