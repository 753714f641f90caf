/**
 * Runs the fibers of one process in an order drawn from a seed: one queue, from which any task may be next, and a random number
 * of operations before a fiber yields. What is killed runs no further: its queue is dropped, and no finalizer runs.
 */
import type * as Fiber from "effect/Fiber"
import type * as Scheduler from "effect/Scheduler"
import type { Dice } from "./Dice.ts"

/** Operations before a fiber yields: mostly as many as Effect's own scheduler allows, sometimes few. */
const quanta = { usual: 2048, short: 96, probabilityOfShort: 0.3 }

export class SeededScheduler implements Scheduler.Scheduler {
  readonly executionMode = "async"
  private readonly dice: Dice
  private queue: Array<() => void> = []
  private quantum: number = quanta.usual
  private isKilled = false

  constructor(dice: Dice) {
    this.dice = dice
  }

  /** Whether the process has died. */
  get isDead(): boolean {
    return this.isKilled
  }

  /** Whether any task can run. */
  get isIdle(): boolean {
    return this.queue.length === 0
  }

  shouldYield(fiber: Fiber.Fiber<unknown, unknown>): boolean {
    return this.isKilled || fiber.currentOpCount >= this.quantum
  }

  makeDispatcher(): Scheduler.SchedulerDispatcher {
    return { scheduleTask: (task) => this.schedule(task), flush: () => {} }
  }

  schedule(task: () => void): void {
    if (!this.isKilled) this.queue.push(task)
  }

  /** Runs any one task of the queue. */
  step(): void {
    const { dice, queue } = this
    const index = dice.below(queue.length)
    const task = queue[index]!
    queue[index] = queue.at(-1)!
    queue.pop()
    this.quantum = dice.chance(quanta.probabilityOfShort) ? 1 + dice.below(quanta.short) : quanta.usual
    task()
  }

  kill(): void {
    this.isKilled = true
    this.queue = []
  }
}
