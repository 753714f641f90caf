/** The entity of a session: work is done once and to its end, whatever becomes of the store and of the shard. */
import { describe, expect, it } from "@effect/vitest"
import * as MessageStorage from "effect/cluster/MessageStorage"
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import * as Runners from "effect/cluster/Runners"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as Sharding from "effect/cluster/Sharding"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Operation } from "../../../src/domain/control/Operation.ts"
import { RequestFailed } from "../../../src/domain/control/RequestFailed.ts"
import { LogError } from "../../../src/domain/session/LogError.ts"
import * as ClusterClient from "../../../src/layers/cluster/ClusterClient.ts"
import * as ClusterLive from "../../../src/layers/cluster/ClusterLive.ts"
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
}

/** One runner in memory, whose sessions do what `session` says. */
const cluster = (notes: Notes, session: (opening: number) => Partial<RunningSession>, ready: Effect.Effect<void> = Effect.void) => {
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
        notes.ownsShard ? memory.refresh(address, shards) : Effect.succeed([])
    }))
  )
  return SessionEntityLive.layer("1 minute").pipe(
    Layer.provideMerge(Sharding.layer),
    Layer.provide(host),
    Layer.provideMerge(Layer.mergeAll(Runners.layerNoop, locks)),
    Layer.provideMerge(MessageStorage.layerMemory),
    Layer.provide(RunnerHealth.layerNoop),
    Layer.provide(ShardingConfig.layer())
  )
}

const say = { _tag: "Say", session: "a", text: "Go", key: "first" } as const

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

  it.live("follows a session whose runner ends the stream, without a gap or a repetition", () => {
    const notes: Notes = { done: [], ownsShard: true }
    const settled = (seq: number) => ({
      _tag: "Settled" as const,
      at: { v: 1 as const, seq, time: 0, prev: "", hash: `${seq}`, event: { _tag: "Reminded" as const, text: "" } }
    })
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
    expect(ClusterLive.prefixOf("dacapo")).toBe("cluster")
    expect(ClusterLive.prefixOf("team_a")).toMatch(/^cluster_[0-9a-f]{8}$/)
    expect(ClusterLive.prefixOf("team_a")).not.toBe(ClusterLive.prefixOf("team_b"))
  })
})
