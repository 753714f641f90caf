/** What several processes on one data folder promise each other: shown with real ones. */
import { assert, describe, it } from "@effect/vitest"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { Storage } from "../../../src/services/Storage.ts"
import { builtin } from "../../../src/layers/storage/builtin.ts"
import { lines, summary } from "../../../src/layers/testing/conformance/storage.ts"

const program = fileURLToPath(new URL("other.ts", import.meta.url))
const options = { sync: false, summary: summary(1) }

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "dacapo-storage-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

interface Other {
  readonly child: ChildProcess
  /** The next line that it says; undefined when it has ended. */
  readonly heard: Effect.Effect<string | undefined>
  readonly end: (signal: NodeJS.Signals) => Effect.Effect<void>
}

const other = (...args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync((): Other => {
      const child = spawn(process.execPath, [program, ...args], { stdio: ["pipe", "pipe", "inherit"] })
      const ended = once(child, "close")
      const said = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
      return {
        child,
        heard: Effect.promise(() => said.next().then(({ value }) => value as string | undefined)),
        end: (signal) => Effect.promise(async () => {
          child.kill(signal)
          await ended
        })
      }
    }),
    ({ end }) => end("SIGKILL")
  )

const reason = (effect: Effect.Effect<unknown, { readonly reason: unknown }>) =>
  Effect.map(Effect.flip(effect), (error) => error.reason)

for (const backend of builtin.filter(({ durable }) => durable)) {
  describe(`processes on one ${backend.name} store`, () => {
    const open = (path: string) => Effect.map(Layer.build(backend.layer(path)), Context.get(Storage))

    it.live("leave a session to the one that leases it, until that one dies", () =>
      Effect.scoped(Effect.gen(function*() {
        const path = yield* folder
        const storage = yield* open(path)
        const { child, end, heard } = yield* other("hold", backend.name, path, "a")
        assert.strictEqual(yield* heard, "held")
        assert.deepStrictEqual(yield* reason(Effect.scoped(storage.lease("a"))), { _tag: "Locked", pid: child.pid })
        yield* Effect.scoped(storage.lease("b"))
        yield* end("SIGKILL")
        yield* storage.lease("a")
      })))

    it.live("leave a session to the next one when the one before ends by itself", () =>
      Effect.scoped(Effect.gen(function*() {
        const path = yield* folder
        const storage = yield* open(path)
        const { child, heard } = yield* other("hold", backend.name, path, "a")
        assert.strictEqual(yield* heard, "held")
        child.stdin!.end()
        assert.strictEqual(yield* heard, undefined)
        yield* storage.lease("a")
      })))

    it.live("find every acknowledged event after one was killed while it wrote", () =>
      Effect.scoped(Effect.gen(function*() {
        const path = yield* folder
        for (const kill of [1, 7, 51, 333]) {
          const session = `killed-after-${kill}`
          const { end, heard } = yield* other("append", backend.name, path, session)
          let last = -1
          while (last < kill) last = Number(yield* heard)
          yield* end("SIGKILL")
          const found = yield* Effect.scoped(Effect.gen(function*() {
            const storage = yield* open(path)
            yield* storage.lease(session)
            return yield* storage.read(session, 0)
          }))
          assert.isAtLeast(found.length, last + 1)
          assert.deepStrictEqual(found, lines(found.length))
        }
      })))
  })
}

describe("a lock that another process holds", () => {
  it.live("is waited for without blocking the event loop", () =>
    Effect.scoped(Effect.gen(function*() {
      const path = yield* folder
      const storage = yield* Effect.map(Layer.build(builtin.find(({ name }) => name === "sqlite")!.layer(path)), Context.get(Storage))
      yield* storage.append("a", lines(1), options)
      const { child, heard } = yield* other("lock", "sqlite", path, "a")
      assert.strictEqual(yield* heard, "locked")
      const delay = monitorEventLoopDelay({ resolution: 1 })
      delay.enable()
      const append = yield* Effect.forkChild(storage.append("a", lines(1, 1), options), { startImmediately: true })
      while (delay.count < 100) yield* Effect.sleep("1 millis")
      delay.disable()
      assert.isUndefined(append.pollUnsafe())
      child.stdin!.end()
      yield* Fiber.join(append)
      assert.deepStrictEqual(yield* storage.read("a", 0), lines(2))
      assert.isBelow(delay.percentile(99) / 1e6, 50)
    })))
})
