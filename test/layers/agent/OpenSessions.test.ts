import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as OpenSessions from "../../../src/layers/agent/OpenSessions.ts"

/** Sessions of nothing, that tell which of them are open. */
const sessions = Effect.gen(function*() {
  const open = new Set<string>()
  const { get } = yield* OpenSessions.make((id: string) =>
    Effect.acquireRelease(Effect.sync(() => void open.add(id)), () => Effect.sync(() => void open.delete(id))))
  return { open, get, use: (id: string) => Effect.scoped(get(id)) }
})

const names = (count: number) => Array.from({ length: count }, (_, i) => `s${i}`)

describe("open sessions", () => {
  it.effect("are the last ones that were used, however many there were", () =>
    Effect.gen(function*() {
      const { open, use } = yield* sessions
      yield* Effect.forEach(names(500), use)
      assert.deepStrictEqual([...open], names(500).slice(-OpenSessions.maxIdle))
    }))

  it.effect("are also those that are in use, until they are not", () =>
    Effect.gen(function*() {
      const { get, open, use } = yield* sessions
      yield* Effect.scoped(Effect.gen(function*() {
        yield* get("busy")
        yield* Effect.forEach(names(100), use)
        assert.isTrue(open.has("busy"))
      }))
      assert.isFalse(open.has("busy"))
      assert.strictEqual(open.size, OpenSessions.maxIdle)
    }))

  it.effect("stay open while they are used again and again", () =>
    Effect.gen(function*() {
      const { open, use } = yield* sessions
      yield* use("again")
      yield* Effect.forEach(names(100), (id) => Effect.andThen(use(id), use("again")))
      assert.isTrue(open.has("again"))
    }))

  it.effect("are all closed with their layer", () =>
    Effect.gen(function*() {
      const open = yield* Effect.scoped(Effect.gen(function*() {
        const { open, use } = yield* sessions
        yield* Effect.forEach(names(10), use, { concurrency: "unbounded" })
        assert.strictEqual(open.size, 10)
        return open
      }))
      assert.strictEqual(open.size, 0)
    }))
})
