/** The entity of a session: work is done once and to its end, whatever becomes of the store and of the shard. */
import { describe, expect, it } from "@effect/vitest"
import * as MessageStorage from "effect/cluster/MessageStorage"
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import * as Runners from "effect/cluster/Runners"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as Sharding from "effect/cluster/Sharding"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Operation } from "../../../src/domain/control/Operation.ts"
import { RequestFailed } from "../../../src/domain/control/RequestFailed.ts"
import { alreadyExists, LogError } from "../../../src/domain/session/LogError.ts"
import * as ClusterClient from "../../../src/layers/cluster/ClusterClient.ts"
import * as ClusterLive from "../../../src/layers/cluster/ClusterLive.ts"
import * as Connection from "../../../src/layers/storage/postgres/Connection.ts"
import * as SessionEntityLive from "../../../src/layers/cluster/SessionEntityLive.ts"
import { type RunningSession, SessionHost } from "../../../src/services/cluster/SessionHost.ts"

const storeIsAway = new RequestFailed({
  reason: "Failed",
  message: "The store is away.",
  error: new LogError({ session: "a", message: "The store is away.", reason: { _tag: "Disk", code: "57P01" } })
})

interface Notes {
  /** What happened to the session, in order. */
  readonly done: Array<string>
  /** Whether the shard is still this runner's. */
  ownsShard: boolean
  /** What the store of locks waits for when it is asked about the shard of a session. */
  readonly locksReady?: Effect.Effect<void>
}

/** One runner in memory, whose sessions do what `session` says. */
const cluster = (notes: Notes, session: (opening: number) => Partial<RunningSession>, ready: Effect.Effect<void, RequestFailed> = Effect.void, idle: Duration.Input = "1 minute") => {
  let openings = 0
  const host = Layer.succeed(SessionHost, {
    open: (id) =>
      Effect.andThen(ready, Effect.acquireRelease(
        Effect.sync(() => {
          notes.done.push(`open ${id}`)
          return {
            run: ({ _tag }: Operation) => Effect.sync(() => (notes.done.push(_tag), { session: id })),
            settled: () => Effect.sync(() => void notes.done.push("settled")),
            events: () => Stream.empty,
            ...session(++openings)
          }
        }),
        () => Effect.sync(() => void notes.done.push(`close ${id}`))
      ))
  })
  const locks = Layer.effect(
    RunnerStorage.RunnerStorage,
    Effect.map(RunnerStorage.makeMemory, (memory) => ({
      ...memory,
      refresh: (address: Parameters<typeof memory.refresh>[0], shards: Parameters<typeof memory.refresh>[1]) =>
        Effect.andThen(
          Array.from(shards).length === 1 ? notes.locksReady ?? Effect.void : Effect.void,
          Effect.suspend(() => notes.ownsShard ? memory.refresh(address, shards) : Effect.succeed([]))
        )
    }))
  )
  return SessionEntityLive.layer(idle).pipe(
    Layer.provideMerge(Sharding.layer),
    Layer.provide(host),
    Layer.provideMerge(Layer.mergeAll(Runners.layerNoop, locks)),
    Layer.provideMerge(MessageStorage.layerMemory),
    Layer.provide(RunnerHealth.layerNoop),
    Layer.provide(ShardingConfig.layer({ shardLockRefreshInterval: "50 millis" }))
  )
}

const say = { _tag: "Say", session: "a", text: "Go", key: "first" } as const

/** A settled event for a client. */
const settled = (seq: number) => ({
  _tag: "Settled" as const,
  at: { v: 1 as const, seq, time: 0, prev: "", hash: `${seq}`, event: { _tag: "Reminded" as const, text: "" } }
})

describe("the entity of a session", () => {
  it.live("opens the session with its first message, and answers work when nothing runs any more", () => {
    const notes: Notes = { done: [], ownsShard: true }
    return Effect.gen(function*() {
      const client = yield* ClusterClient.make
      expect(yield* client.run("a", { _tag: "Interrupt", session: "a" }, "")).toEqual({ session: "a" })
      yield* client.run("a", say, "first")
      yield* client.run("a", say, "first")
      // Sent twice, it is one message of the cluster, and an operation for each answer.
      yield* Effect.repeat(Effect.yieldNow, { until: () => notes.done.includes("settled") })
      expect(notes.done.filter((one) => one === "settled")).toHaveLength(1)
      expect(notes.done.filter((one) => one === "open a")).toHaveLength(1)
    }).pipe(Effect.provide(cluster(notes, () => ({}))))
  })

  it.live("opens a session that another runner began a moment before", () => {
    const notes: Notes = { done: [], ownsShard: true }
    let tries = 0
    const begun = new RequestFailed({ reason: "Failed", message: "It exists.", error: alreadyExists("a") })
    const ready = Effect.suspend(() => ++tries === 1 ? Effect.fail(begun) : Effect.void)
    return Effect.gen(function*() {
      const client = yield* ClusterClient.make
      expect(yield* client.run("a", { _tag: "Start" }, "")).toEqual({ session: "a" })
      expect([tries, notes.done[0]]).toEqual([2, "open a"])
    }).pipe(Effect.provide(cluster(notes, () => ({}), ready)))
  })

  it.live("closes a session that nobody asks for, and opens it again", () => {
    const notes: Notes = { done: [], ownsShard: true }
    return Effect.gen(function*() {
      const client = yield* ClusterClient.make
      yield* client.run("a", say, "first")
      yield* Effect.repeat(Effect.sleep("50 millis"), { until: () => notes.done.includes("close a") })
      yield* client.run("a", { ...say, key: "second" }, "second")
      yield* Effect.repeat(Effect.sleep("10 millis"), { until: () => notes.done.filter((one) => one === "settled").length === 2 })
      expect(notes.done.filter((one) => one === "open a")).toHaveLength(2)
    }).pipe(Effect.provide(cluster(notes, () => ({}), Effect.void, "10 millis")))
  }, 30_000)

  it.live("opens the session again where its store failed in the middle of work", () => {
    const notes: Notes = { done: [], ownsShard: true }
    const failsFirst = (opening: number): Partial<RunningSession> => opening === 1 ? { settled: () => Effect.fail(storeIsAway) } : {}
    return Effect.gen(function*() {
      const client = yield* ClusterClient.make
      yield* client.run("a", { _tag: "Continue", session: "a" }, "again")
      yield* Effect.repeat(Effect.sleep("10 millis"), { until: () => notes.done.includes("settled") })
      expect(notes.done).toEqual(["open a", "Continue", "close a", "open a", "Continue", "settled"])
    }).pipe(Effect.provide(cluster(notes, failsFirst)))
  })

  it.live("continues to open a session when the request that began it gives up", () => {
    const notes: Notes = { done: [], ownsShard: true }
    const latch = Latch.makeUnsafe()
    let attempts = 0
    const ready = Effect.andThen(Effect.sync(() => void attempts++), latch.await)
    return Effect.gen(function*() {
      const client = yield* ClusterClient.make
      const impatient = yield* Effect.forkChild(client.run("a", { _tag: "Compact", session: "a" }, ""))
      yield* Effect.repeat(Effect.sleep("5 millis"), { until: () => attempts === 1 })
      yield* Fiber.interrupt(impatient)
      latch.openUnsafe()
      yield* client.run("a", { _tag: "Interrupt", session: "a" }, "")
      expect(attempts).toBe(1)
      expect(notes.done.filter((one) => one === "open a")).toHaveLength(1)
    }).pipe(Effect.provide(cluster(notes, () => ({}), ready)))
  })

  it.live("does not open a session whose shard it has lost", () => {
    const notes: Notes = { done: [], ownsShard: false }
    return Effect.gen(function*() {
      const client = yield* ClusterClient.make
      const compact = yield* Effect.result(client.run("a", { _tag: "Compact", session: "a" }, ""))
      expect(Result.isFailure(compact) && compact.failure.message).toMatch(/moved to another runner/)
      expect(notes.done).toEqual([])
    }).pipe(Effect.provide(cluster(notes, () => ({}))))
  })

  it.live("does not interrupt the store of locks when its shard is lost while it opens", () => {
    const asked = Latch.makeUnsafe()
    const latch = Latch.makeUnsafe()
    let interrupted = 0
    const locksReady = Effect.onInterrupt(Effect.andThen(asked.open, latch.await), () => Effect.sync(() => void interrupted++))
    const notes: Notes = { done: [], ownsShard: true, locksReady }
    return Effect.gen(function*() {
      const client = yield* ClusterClient.make
      const sharding = yield* Sharding.Sharding
      yield* Effect.forkScoped(client.run("a", { _tag: "Compact", session: "a" }, ""))
      yield* asked.await
      notes.ownsShard = false
      yield* Effect.repeat(Effect.sleep("5 millis"), { until: () => Effect.map(sharding.activeEntityCount, (count) => count === 0) })
      expect(interrupted).toBe(0)
    }).pipe(Effect.scoped, Effect.provide(cluster(notes, () => ({}))))
  })

  it.live("follows a session whose runner ends the stream, without a gap or a repetition", () => {
    const notes: Notes = { done: [], ownsShard: true }
    const froms: Array<number> = []
    const events: RunningSession["events"] = (_, from) => {
      froms.push(from)
      // The last answer begins too early, as when the cluster asks the next runner by itself.
      return Stream.fromIterable([0, 1, 2, 3].map((seq) => settled((froms.length === 3 ? 0 : from) + seq)))
    }
    return Effect.gen(function*() {
      const client = yield* ClusterClient.make
      const all = yield* client.events("a", "a", 0).pipe(Stream.take(10), Stream.runCollect)
      expect(all.flatMap((event) => event._tag === "Settled" ? [event.at.seq] : [])).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    }).pipe(Effect.provide(cluster(notes, () => ({ events }))))
  })

  it.live("follows a session that is opened again, also where its streams do not end with it", () => {
    const notes: Notes = { done: [], ownsShard: true }
    const shown = Latch.makeUnsafe()
    const session = (opening: number): Partial<RunningSession> => ({
      settled: () => opening === 1 ? Effect.andThen(shown.await, Effect.fail(storeIsAway)) : Effect.void,
      events: (_, from) => Stream.concat(Stream.fromIterable(from < opening ? [settled(from)] : []), Stream.never)
    })
    return Effect.gen(function*() {
      const client = yield* ClusterClient.make
      const follower = yield* client.events("a", "a", 0).pipe(
        Stream.tap(() => shown.open),
        Stream.take(2),
        Stream.runCollect,
        Effect.forkChild
      )
      yield* client.run("a", { _tag: "Continue", session: "a" }, "again")
      const all = yield* Fiber.join(follower)
      expect(all.flatMap((event) => event._tag === "Settled" ? [event.at.seq] : [])).toEqual([0, 1])
      expect(notes.done.filter((one) => one !== "Continue")).toEqual(["open a", "close a", "open a"])
    }).pipe(Effect.provide(cluster(notes, session)))
  }, 30_000)
})

describe("an address of a runner", () => {
  it("is a host and a port", () => {
    expect(ClusterLive.parseAddress("127.0.0.1:7801")).toMatchObject({ host: "127.0.0.1", port: 7801 })
    expect(ClusterLive.parseAddress("[::1]:7801")).toMatchObject({ host: "::1", port: 7801 })
    for (const text of ["", "7801", "host:", "host:0", "host:65536", "a b:1", "http://host:1"]) expect(ClusterLive.parseAddress(text)).toBeUndefined()
  })
})

describe("the tables and locks of a cluster", () => {
  it("have names of their own in each schema", () => {
    expect(Connection.clusterPrefix("dacapo")).toBe("cluster")
    expect(Connection.clusterPrefix("team_a")).toMatch(/^cluster_[0-9a-f]{8}$/)
    expect(Connection.clusterPrefix("team_a")).not.toBe(Connection.clusterPrefix("team_b"))
  })
})
