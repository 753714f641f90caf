/** Runs a program under the scheduler and the clock of a simulated process: when no task is left, time passes. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import { IdleTime } from "../../../services/process/IdleTime.ts"
import { RealClock } from "../../../services/process/RealClock.ts"
import { yieldToEventLoop } from "../../workspace/YieldToEventLoop.ts"
import type * as Dice from "./Dice.ts"
import type { SeededScheduler } from "./SeededScheduler.ts"
import type { VirtualClock } from "./VirtualClock.ts"

export interface Machine {
  readonly scheduler: SeededScheduler
  readonly clock: VirtualClock
  /** What programs draw random numbers from. */
  readonly dice: Dice.Dice
}

/**
 * How a program ended: with its exit, dead, `stopped` where `isStopped` said so, `stuck` because nothing can happen any more, or
 * `endless` because it was not over after `maxSteps`.
 */
export type End<A, E> = Exit.Exit<A, E> | "dead" | "endless" | "stopped" | "stuck"

export interface Run<A, E> {
  readonly end: End<A, E>
  /** The tasks that were run. */
  readonly steps: number
}

const maxSteps = 400_000

/** Turns of the event loop after which nothing more is expected of it. */
const maxTurns = 2_000

/** Starts a program whose time, chance and order are the machine's. */
export const start = <A, E>(program: Effect.Effect<A, E>, { clock, dice: { below, roll }, scheduler }: Machine): Fiber.Fiber<A, E> =>
  Effect.runFork(
    program.pipe(
      Effect.provideService(Clock.Clock, clock),
      Effect.provideService(RealClock, clock),
      Effect.provideService(IdleTime, () => clock.currentTimeMillisUnsafe()),
      Effect.provideService(Random.Random, { nextIntUnsafe: () => below(Number.MAX_SAFE_INTEGER), nextDoubleUnsafe: roll }),
      // Spans would be made for nobody, and take time.
      Effect.withTracerEnabled(false)
    ),
    { scheduler }
  )

/** `afterStep` may kill the process. */
export const run = async <A, E>(
  program: Effect.Effect<A, E>,
  machine: Machine,
  afterStep: () => void = () => {},
  isStopped: () => boolean = () => false
): Promise<Run<A, E>> => {
  const { clock, scheduler } = machine
  const fiber = start(program, machine)
  for (let steps = 0;; steps++) {
    // Lets promises that are settled already continue.
    if (scheduler.isIdle && fiber.pollUnsafe() === undefined) await yieldToEventLoop()
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return { end: exit, steps }
    if (isStopped()) return { end: "stopped", steps }
    if (scheduler.isDead) return { end: "dead", steps }
    if (steps >= maxSteps) return { end: "endless", steps }
    if (scheduler.isIdle) {
      if (clock.advance()) continue
      // A module that is loaded for the first time takes more than one turn.
      for (let turn = 0; turn < maxTurns && scheduler.isIdle && fiber.pollUnsafe() === undefined; turn++) await yieldToEventLoop()
      if (scheduler.isIdle && fiber.pollUnsafe() === undefined) return { end: "stuck", steps }
    } else {
      scheduler.step()
      afterStep()
    }
  }
}
