/** The processes of a simulated cluster: each has fibers and a clock of its own, over one time. */
import * as Deferred from "effect/Deferred"
import type * as Dice from "../Dice.ts"
import * as Life from "../Life.ts"
import type { World } from "../World.ts"
import { yieldToEventLoop } from "../../../workspace/YieldToEventLoop.ts"

/** A process: a runner, a gateway, its users, or the database. */
export interface Node {
  readonly name: string
  readonly life: Life.Life
  readonly dice: Dice.Dice
  /** A process that is paused runs no step, and learns of the time that has passed when it wakes up. */
  isPaused: boolean
  /** For how long it was paused so far. */
  pausedMs: number
  /** When the database last said that the process has the lock of a shard: ms that passed while it was not paused. */
  readonly confirmed: Map<string, number>
  /** Completed to end the process in peace. */
  readonly leaving: Deferred.Deferred<void>
  /** The program has ended by itself. */
  hasLeft: boolean
}

export const make = (world: World, number: number, name: string): Node => ({
  name,
  life: Life.make(world, number, new Map()),
  dice: world.dice("random"),
  isPaused: false,
  pausedMs: 0,
  confirmed: new Map(),
  leaving: Deferred.makeUnsafe(),
  hasLeft: false
})

export const isRunning = ({ hasLeft, life }: Node): boolean => !hasLeft && !life.scheduler.isDead

/** Why the loop ended: `isOver` said so, nothing can happen any more, or `maxSteps` were made. */
export type End = "endless" | "over" | "stuck"

/** Turns of the event loop after which nothing more is expected of it. */
const maxTurns = 2_000

/** Runs any one task of any process, until `isOver`; when none is left, time passes for all of them. */
export const runAll = async (
  { dice, time }: World,
  nodes: ReadonlyArray<Node>,
  isOver: () => boolean,
  maxSteps: number
): Promise<{ readonly end: End; readonly steps: number }> => {
  const { below } = dice("nodes")
  const runnable: Array<Node> = []
  const findRunnable = (): boolean => {
    runnable.length = 0
    for (const node of nodes) if (!node.isPaused && !node.life.scheduler.isIdle) runnable.push(node)
    return runnable.length > 0
  }
  const advance = (): boolean => {
    let next = Infinity
    for (const { isPaused, life } of nodes) if (!isPaused && !life.scheduler.isDead) next = Math.min(next, life.clock.nextDue)
    if (next === Infinity) return false
    time.now = Math.max(time.now, next)
    for (const { isPaused, life } of nodes) if (!isPaused && !life.scheduler.isDead) life.clock.wakeDue()
    return true
  }
  for (let steps = 0;; steps++) {
    if (isOver()) return { end: "over", steps }
    if (steps >= maxSteps) return { end: "endless", steps }
    if (!findRunnable()) {
      // Lets promises that are settled already continue.
      await yieldToEventLoop()
      for (let turn = 0; !findRunnable() && !advance(); turn++) {
        if (turn >= maxTurns) return { end: "stuck", steps }
        await yieldToEventLoop()
      }
      if (runnable.length === 0) continue
    }
    runnable[below(runnable.length)]!.life.scheduler.step()
  }
}
