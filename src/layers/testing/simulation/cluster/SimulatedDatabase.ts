/**
 * The database of a simulated cluster, as Effect's cluster uses PostgreSQL: its runners, their locks of shards, and the messages that
 * are not answered. Locks belong to a connection, and are lost with it or when it is silent for too long.
 */
import { PersistenceError } from "effect/cluster/ClusterError"
import * as MessageStorage from "effect/cluster/MessageStorage"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as Snowflake from "effect/cluster/Snowflake"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { timing } from "../../../cluster/ClusterTiming.ts"
import type { World } from "../World.ts"
import type { Network } from "./Network.ts"
import type * as Node from "./Node.ts"

interface Row {
  readonly runner: string
  readonly machine: number
  healthy: boolean
  heartbeat: number
}

/** The connection of a process that holds a shard, and its last sign of life, in ms since the epoch. */
export interface Lock {
  readonly connection: string
  readonly node: number
  beat: number
}

/** Puts something in place of the stored messages. */
export type ReplaceMessages = (messages: MessageStorage.Encoded) => MessageStorage.Encoded

/** The lease of a session: an append has to name its epoch. */
export interface Lease {
  readonly epoch: number
  /** The number of the process that holds it; undefined once it was given back. */
  readonly holder: number | undefined
  /** The process that has or had it. */
  readonly owner: number
}

export interface Database {
  readonly messages: MessageStorage.MemoryDriver["Service"]
  readonly runners: Map<string, Row>
  readonly locks: Map<string, Lock>
  readonly leases: Map<string, Lease>
  readonly nextEpoch: () => number
}

const expirationMs = Duration.toMillis(timing.shardLockExpiration)
const deadlineMs = Duration.toMillis(timing.shardLockRefreshInterval)

export const make = Effect.fnUntraced(function*(clock: Clock.Clock) {
  const messages = yield* MessageStorage.MemoryDriver.make.pipe(
    Effect.provide(Snowflake.layerGenerator),
    Effect.provideService(Clock.Clock, clock)
  )
  let epochs = 0
  return {
    messages,
    runners: new Map(),
    locks: new Map(),
    leases: new Map(),
    nextEpoch: () => ++epochs
  } satisfies Database as Database
})

/** The number of the process that has the lock of a shard. */
export const ownerOf = ({ locks }: Database, shard: string, now: number): number | undefined => {
  const lock = locks.get(shard)
  return lock !== undefined && lock.beat > now - expirationMs ? lock.node : undefined
}

const lost = () => new PersistenceError({ cause: new Error("The connection to the database was lost.") })

export const runnerStorage = (
  { locks, runners }: Database,
  { time }: World,
  network: Network,
  node: Node.Node
): Layer.Layer<RunnerStorage.RunnerStorage> => {
  const ask = <A>(run: () => A) => network.request(node, Effect.sync(run), lost)
  let connections = 0
  const connection = () => `${node.name} ${connections}`
  const isRecent = (beat: number): boolean => beat > time.now - expirationMs
  const isHeld = (shard: string, by: string): boolean => {
    const lock = locks.get(shard)
    return lock?.connection === by && isRecent(lock.beat)
  }
  const hear = (by: string) => locks.forEach((lock) => lock.connection === by && isRecent(lock.beat) && (lock.beat = time.now))
  const unlock = (by: string) => locks.forEach((lock, shard) => lock.connection === by && locks.delete(shard))
  /** A connection that fails or takes too long is given up, and its locks with it. */
  const onLocks = <A>(run: (by: string) => A) =>
    Effect.suspend(() => {
      const by = connection()
      return Effect.timeoutOrElse(
        ask(() => {
          hear(by)
          return run(by)
        }),
        { duration: deadlineMs, orElse: () => Effect.fail(lost()) }
      ).pipe(
        Effect.onError(() =>
          Effect.sync(() => {
            if (connection() !== by) return
            connections++
            Effect.runFork(Effect.ignore(ask(() => unlock(by))), { scheduler: node.life.scheduler })
          })
        )
      )
    })
  return Layer.succeed(
    RunnerStorage.RunnerStorage,
    RunnerStorage.makeEncoded({
      getRunners: ask(() =>
        [...runners.values()].flatMap(({ healthy, heartbeat, runner }) => isRecent(heartbeat) ? [[runner, healthy] as const] : [])
      ),
      register: (address, runner, healthy) =>
        ask(() => {
          const { machine = runners.size } = runners.get(address) ?? {}
          runners.set(address, { runner, healthy, machine, heartbeat: time.now })
          return machine
        }),
      unregister: (address) => ask(() => void runners.delete(address)),
      setRunnerHealth: (address, healthy) =>
        ask(() => {
          const row = runners.get(address)
          if (row !== undefined) row.healthy = healthy
        }),
      acquire: (_, shards) =>
        onLocks((by) =>
          shards.filter((shard) => {
            const lock = locks.get(shard)
            if (lock !== undefined && lock.connection !== by && isRecent(lock.beat)) return false
            locks.set(shard, { connection: by, node: node.life.number, beat: time.now })
            return true
          })
        ),
      refresh: (address, shards) =>
        onLocks((by) => {
          const row = runners.get(address)
          if (row !== undefined) row.heartbeat = time.now
          return shards.filter((shard) => isHeld(shard, by))
        }).pipe(
          Effect.tap((current) => Effect.sync(() => current.forEach((shard) => node.confirmed.set(shard, time.now - node.pausedMs))))
        ),
      release: (_, shard) => onLocks((by) => void (isHeld(shard, by) && locks.delete(shard))),
      releaseAll: () => onLocks(unlock)
    })
  )
}

/** Every process has a client of its own of the stored messages. */
export const messageStorage = (
  { messages: { encoded } }: Database,
  network: Network,
  node: Node.Node
): Layer.Layer<MessageStorage.MessageStorage> => {
  const ask = <A, E>(effect: Effect.Effect<A, E>) => network.request<A, E | PersistenceError>(node, effect, lost)
  return Layer.effect(
    MessageStorage.MessageStorage,
    MessageStorage.makeEncoded({
      ...encoded,
      saveEnvelope: (options) => ask(encoded.saveEnvelope(options)),
      saveReply: (reply) => ask(encoded.saveReply(reply)),
      clearReplies: (...options) => ask(encoded.clearReplies(...options)),
      requestIdForPrimaryKey: (key) => ask(encoded.requestIdForPrimaryKey(key)),
      repliesFor: (ids) => ask(encoded.repliesFor(ids)),
      repliesForUnfiltered: (ids) => ask(encoded.repliesForUnfiltered(ids)),
      unprocessedMessages: (...options) => ask(encoded.unprocessedMessages(...options)),
      unprocessedMessagesById: (...options) => ask(encoded.unprocessedMessagesById(...options)),
      resetAddresses: (addresses) => ask(encoded.resetAddresses(addresses)),
      resetRequests: (ids) => ask(encoded.resetRequests(ids)),
      clearAddress: (address) => ask(encoded.clearAddress(address)),
      resetShards: (shards) => ask(encoded.resetShards(shards))
    })
  ).pipe(Layer.provide(Snowflake.layerGenerator))
}
