/** What a runner asks about its shards, and that asking never costs it their locks. */
import { describe, expect, it } from "@effect/vitest"
import * as PgClient from "@effect/sql-pg/PgClient"
import { RunnerAddress } from "effect/cluster/RunnerAddress"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as ShardId from "effect/cluster/ShardId"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SqlRunnerStorage from "effect/cluster/SqlRunnerStorage"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as ShardOwnership from "../../../src/layers/cluster/ShardOwnership.ts"
import * as Connection from "../../../src/layers/storage/postgres/Connection.ts"
import * as PostgresServer from "../storage/PostgresServer.ts"

const runner = RunnerAddress.make({ host: "127.0.0.1", port: 7801 })
const shards = [1, 2, 3, 4].map((id) => ShardId.make("default", id))

describe("the ownership of shards", () => {
  const withRefresh = (refresh: (shards: ReadonlyArray<ShardId.ShardId>) => Effect.Effect<Array<ShardId.ShardId>>) =>
    Layer.effect(
      RunnerStorage.RunnerStorage,
      Effect.map(RunnerStorage.makeMemory, (memory) => ({ ...memory, refresh: (_, shards) => refresh(Array.from(shards)) }))
    )

  it.effect("is asked for all sessions at once while the database answers the last question", () => {
    const latch = Latch.makeUnsafe()
    const asked: Array<ReadonlyArray<ShardId.ShardId>> = []
    const [first, second, third, fourth] = shards as [ShardId.ShardId, ShardId.ShardId, ShardId.ShardId, ShardId.ShardId]
    const locks = withRefresh((shards) => Effect.andThen(Effect.sync(() => void asked.push(shards)), Effect.as(latch.await, [first, third])))
    return Effect.gen(function*() {
      const isOwned = yield* ShardOwnership.make
      const one = yield* Effect.forkChild(isOwned(runner, first))
      yield* Effect.repeat(Effect.yieldNow, { until: () => asked.length === 1 })
      const others = yield* Effect.forkChild(Effect.all([second, third, third, fourth].map((shard) => isOwned(runner, shard)), { concurrency: "unbounded" }))
      yield* Effect.yieldNow
      latch.openUnsafe()
      expect(yield* Fiber.join(one)).toBe(true)
      expect(yield* Fiber.join(others)).toEqual([false, true, true, false])
      expect(asked).toEqual([[first], [second, third, fourth]])
    }).pipe(Effect.scoped, Effect.provide(locks))
  })

  it.effect("is not assumed while the database does not answer", () =>
    Effect.gen(function*() {
      const isOwned = yield* ShardOwnership.make
      expect(yield* isOwned(runner, shards[0]!)).toBe(false)
      expect(yield* isOwned(runner, shards[0]!)).toBe(false)
    }).pipe(Effect.scoped, Effect.provide(withRefresh(() => Effect.die("The connection is lost.")))))
})

describe.skipIf(!PostgresServer.isInstalled)("the locks of a runner in PostgreSQL", () => {
  it.live("stay its own when a session that asks for one gives up", () =>
    Effect.gen(function*() {
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => PostgresServer.start(["fsync=off"])),
        (server) => Effect.promise(() => server[Symbol.asyncDispose]())
      )
      const { url } = Connection.parse(server.address())!
      const locks = SqlRunnerStorage.layer.pipe(
        Layer.provide(ShardingConfig.layer({ shardsPerGroup: 4 })),
        Layer.provide(PgClient.layer(Connection.options(url, "public")))
      )
      yield* Effect.gen(function*() {
        const storage = yield* RunnerStorage.RunnerStorage
        const isOwned = yield* ShardOwnership.make
        expect(yield* storage.acquire(runner, shards)).toHaveLength(4)
        const asking = yield* Effect.forkChild(isOwned(runner, shards[0]!), { startImmediately: true })
        yield* Effect.yieldNow
        yield* Fiber.interrupt(asking)
        expect(yield* storage.refresh(runner, shards)).toHaveLength(4)
      }).pipe(Effect.provide(locks))
    }).pipe(Effect.scoped), 120_000)
})
