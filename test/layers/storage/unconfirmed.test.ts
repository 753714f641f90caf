/** An append that is stored and not acknowledged: the log reads it back, and goes no other way than the store. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { LogError } from "../../../src/domain/session/LogError.ts"
import type { Settled } from "../../../src/domain/session/SessionEvent.ts"
import * as HashChain from "../../../src/layers/storage/HashChain.ts"
import * as SessionLogLive from "../../../src/layers/storage/SessionLogLive.ts"
import type { Line } from "../../../src/services/Storage.ts"

const named = (name: string): Settled => ({ _tag: "SessionNamed", name })
const lost = new LogError({ session: "a", message: "The connection was lost.", reason: { _tag: "Disk", code: "EIO" } })

/** A store that stores and fails, and can be unreadable: `next` says what the next append and the next read do. */
const opened = Effect.fnUntraced(function*(next: { append: "acknowledged" | "lost" | "refused"; isReadable: boolean }) {
  const lines: Array<Line> = []
  const log = yield* SessionLogLive.make({
    id: "a",
    past: [],
    time: () => Effect.succeed(1),
    persist: (appended) =>
      Effect.suspend(() => {
        if (next.append === "refused") return Effect.fail(lost)
        const error = HashChain.chainError("a", lines.at(-1) ?? HashChain.start, appended)
        if (error !== undefined) return Effect.fail(error)
        lines.push(...appended)
        return next.append === "lost" ? Effect.fail(lost) : Effect.void
      }),
    read: (from) =>
      Effect.suspend(() => next.isReadable ? HashChain.verify("a", lines.slice(from), lines[from]?.prev, from) : Effect.fail(lost)),
    getBlob: () => Effect.fail(lost),
    putDraft: () => Effect.void,
    getDraft: Effect.succeed(null)
  })
  const stored = () => lines.map(({ body }) => (JSON.parse(body) as { readonly event: { readonly name: string } }).event.name)
  return { log, stored }
})

it.effect("an append whose acknowledgement is lost has succeeded", () =>
  Effect.gen(function*() {
    const next = { append: "lost" as "acknowledged" | "lost" | "refused", isReadable: true }
    const { log, stored } = yield* opened(next)
    yield* log.append([named("one")])
    next.append = "acknowledged"
    yield* log.append([named("two")], 0)
    expect(stored()).toEqual(["one", "two"])
    expect((yield* log.state).seq).toBe(1)
  }))

it.effect("an append that is neither acknowledged nor readable is cleared up by the next one", () =>
  Effect.gen(function*() {
    const next = { append: "lost" as "acknowledged" | "lost" | "refused", isReadable: false }
    const { log, stored } = yield* opened(next)
    expect(Exit.isFailure(yield* Effect.exit(log.append([named("one")])))).toBe(true)
    next.append = "acknowledged"
    expect(Exit.isFailure(yield* Effect.exit(log.append([named("two")])))).toBe(true)
    next.isReadable = true
    const stale = yield* Effect.flip(log.append([named("two")], -1))
    expect(stale).toMatchObject({ _tag: "Stale", after: -1 })
    yield* log.append([named("two")], 0)
    expect(stored()).toEqual(["one", "two"])
  }))

it.effect("an append that was refused has failed, and may be repeated", () =>
  Effect.gen(function*() {
    const next = { append: "refused" as "acknowledged" | "lost" | "refused", isReadable: true }
    const { log, stored } = yield* opened(next)
    expect(yield* Effect.flip(log.append([named("one")]))).toBe(lost)
    next.append = "acknowledged"
    yield* log.append([named("one")])
    expect(stored()).toEqual(["one"])
  }))
