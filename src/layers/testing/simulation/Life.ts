/** One process of a simulated session: its fibers, its clock, and its death. */
import * as Effect from "effect/Effect"
import { SeededScheduler } from "./SeededScheduler.ts"
import { VirtualClock } from "./VirtualClock.ts"
import type { World } from "./World.ts"

export interface Life {
  /** Counts the processes of a world, from 1. */
  readonly number: number
  readonly scheduler: SeededScheduler
  readonly clock: VirtualClock
  /** Which process holds each session. */
  readonly leases: Map<string, number>
  /** The process is stopped, and another one takes its place: when it wakes up, it reaches the store and nothing else. */
  readonly stop: () => void
  /** Dies on the spot: nothing of the process runs any more. */
  readonly crash: Effect.Effect<never>
  /** What the process does outside itself, unless it is dead or was stopped. */
  readonly alive: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** The same for the store, which also a process that was stopped still reaches. */
  readonly connected: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const make = (world: World, number: number, leases: Map<string, number>): Life => {
  const scheduler = new SeededScheduler(world.dice("schedule"))
  let isStopped = false
  return {
    number,
    scheduler,
    clock: new VirtualClock(world.time, (task) => scheduler.schedule(task)),
    leases,
    stop: () => void (isStopped = true),
    crash: Effect.suspend(() => {
      scheduler.kill()
      return Effect.never
    }),
    alive: (effect) => Effect.suspend(() => scheduler.isDead || isStopped ? Effect.never : effect),
    connected: (effect) => Effect.suspend(() => scheduler.isDead ? Effect.never : effect)
  }
}
