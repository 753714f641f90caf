/** The PostgreSQL store against a real server, which is also crashed, and against writers that have lost their lease. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Storage } from "../../../src/services/Storage.ts"
import * as Postgres from "../../../src/layers/storage/postgres/Postgres.ts"
import * as conformance from "../../../src/layers/testing/conformance/storage.ts"
import * as PostgresServer from "./PostgresServer.ts"
import { mostInOneTurn } from "./turns.ts"

describe.skipIf(!PostgresServer.isInstalled)("the postgres store", () => {
  let server: PostgresServer.Server
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  const place = Effect.sync(() => server.address())
  const open = (address: string) => Effect.map(Layer.build(Postgres.layerAt(address)), Context.get(Storage))
  const options = { sync: true, summary: conformance.summary(1) }

  for (const { name, run } of conformance.cases({ backend: Postgres.Postgres, place })) it.live(name, () => run)

  it.live("refuses an append by a process whose session another one has taken over", () =>
    Effect.gen(function*() {
      const address = server.address()
      const log = conformance.lines(4)
      const sleeper = yield* open(address)
      const scope = yield* Scope.make()
      yield* Scope.provide(sleeper.lease("a"), scope)
      yield* sleeper.append("a", log.slice(0, 2), options)
      yield* PostgresServer.query(address, "UPDATE session SET beat = beat - interval '1 hour', holder = replace(holder, '\"host\":\"', '\"host\":\"elsewhere ')")
      const heir = yield* open(address)
      yield* Effect.scoped(Effect.gen(function*() {
        yield* heir.lease("a")
        const refused = yield* Effect.result(sleeper.append("a", log.slice(2, 3), options))
        assert.strictEqual(Result.isFailure(refused) ? refused.failure.reason._tag : "stored", "Locked")
        yield* heir.putDraft("a", new TextEncoder().encode("the heir's"))
        for (const late of [new TextEncoder().encode("late"), null]) {
          assert.strictEqual((yield* Effect.flip(sleeper.putDraft("a", late))).reason._tag, "Locked")
        }
        yield* heir.putDraft("a", new TextEncoder().encode(" own"))
        assert.strictEqual(new TextDecoder().decode((yield* heir.getDraft("a"))!), "the heir's own")
        yield* heir.append("a", log.slice(2), options)
      }))
      // What the sleeper gives back was not its own any more.
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* heir.read("a", 0), log)
    }).pipe(Effect.scoped))

  it.live("tells a watcher of each append at once, and continues after the server crashed, with no gap and no repeat", () =>
    Effect.gen(function*() {
      const address = server.address()
      const [writer, reader] = [yield* open(address), yield* open(address)]
      const log = conformance.lines(40)
      const arrivals = yield* Queue.unbounded<{ readonly seq: number; readonly at: number }>()
      yield* writer.append("a", log.slice(0, 1), options)
      let next = 0
      yield* reader.watch("a").pipe(
        Stream.mapEffect(() => Effect.retry(reader.read("a", next), Schedule.spaced("200 millis"))),
        Stream.runForEach((added) => Effect.gen(function*() {
          next += added.length
          for (const { seq } of added) yield* Queue.offer(arrivals, { seq, at: performance.now() })
        })),
        Effect.forkScoped({ startImmediately: true })
      )
      assert.strictEqual((yield* Queue.take(arrivals)).seq, 0)
      const delays: Array<number> = []
      for (const line of log.slice(1)) {
        if (line.seq === 20) {
          yield* Effect.promise(() => server.crash())
          yield* Effect.promise(() => server.start())
        }
        yield* Effect.retry(writer.append("a", [line], options), { while: ({ reason }) => reason._tag === "Disk" })
        const from = performance.now()
        const { at, seq } = yield* Queue.take(arrivals)
        assert.strictEqual(seq, line.seq)
        delays.push(at - from)
      }
      // A poll would take 5 s while it listens; the machine may be slow, but not for every one of them.
      assert.isBelow(Math.min(...delays), 1_000)
    }).pipe(Effect.scoped), 120_000)

  it.live("loses no acknowledged line, and stores none twice, while the server crashes", () =>
    Effect.gen(function*() {
      const address = server.address()
      const store = yield* open(address)
      const log = conformance.lines(400)
      const ids = ["a", "b", "c", "d"]
      const acknowledged = new Map<string, number>()
      const writers = yield* Effect.forkChild(Effect.forEach(ids, (id) =>
        Effect.forEach(log, (line, i) =>
          Effect.tap(store.append(id, [line], options), () => Effect.sync(() => acknowledged.set(id, i + 1))), { discard: true }), {
        concurrency: "unbounded",
        discard: true
      }))
      for (let crash = 0; crash < 3; crash++) {
        const before = acknowledged.get("a") ?? 0
        while ((acknowledged.get("a") ?? 0) < Math.min(before + 50, log.length)) yield* Effect.sleep("5 millis")
        yield* Effect.promise(() => server.crash())
        yield* Effect.promise(() => server.start())
      }
      yield* Fiber.join(writers)
      for (const id of ids) assert.deepStrictEqual(yield* store.read(id, 0), log)
    }).pipe(Effect.scoped))

  it.live("lets sessions that write at once continue a few at a time: between them everything else has its turn", () =>
    Effect.gen(function*() {
      const storage = yield* open(server.address())
      assert.isAtMost(yield* mostInOneTurn(storage, 64), 8)
    }).pipe(Effect.scoped))

  it.live("says what is wrong with an address, without its password", () =>
    Effect.gen(function*() {
      const failure = (address: string) => Effect.map(Effect.flip(Effect.scoped(open(address))), ({ message }) => message)
      const unreachable = yield* failure("postgres://ada:hunter2@127.0.0.1:1/sessions")
      assert.include(unreachable, "postgres://127.0.0.1:1/sessions")
      assert.notInclude(unreachable, "hunter2")
      const refused = yield* failure(server.address().replace("loopback", "guess"))
      assert.match(refused, /password authentication failed/)
      assert.notInclude(refused, "guess")
      assert.match(yield* failure("postgres://127.0.0.1/x?schema=a;b"), /schema/)
    }))

  it.live("is not opened by an older dacapo", () =>
    Effect.gen(function*() {
      const address = server.address()
      yield* Effect.scoped(open(address))
      yield* PostgresServer.query(address, "INSERT INTO migration VALUES (999)")
      const error = yield* Effect.flip(Effect.scoped(open(address)))
      assert.deepStrictEqual(error.reason, { _tag: "Newer", version: 999 })
    }))
})
