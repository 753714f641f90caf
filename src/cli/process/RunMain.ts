/**
 * Runs the program as a process. A signal interrupts it, a second one kills its child processes without a grace period, every
 * finalizer runs, and the program's result is the exit code. Effect's runMain handles neither SIGHUP nor a second Ctrl-C.
 */
import * as Exit from "effect/Exit"
import type * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import * as ProcessTree from "../../layers/workspace/shell/ProcessTree.ts"
import { endings, signals } from "./ExitCode.ts"

type Signal = keyof typeof signals

/** Time limit for finalizers after a second signal or defect, in ms: standard output may be blocked, or the system stuck. */
const exitDelayMs = 5_000

let currentSignal: Signal | undefined
let crash: { readonly defect: unknown } | undefined

/** The signal that is ending this process, if any. */
export const signal = (): Signal | undefined => currentSignal

/** The uncaught defect that is ending this process, if any. */
export const defect = (): { readonly defect: unknown } | undefined => crash

/** Runs a program that reports its own errors and returns its exit code. */
export const runMain = (program: Effect.Effect<number>): void => run(program, { disableErrorReporting: true, teardown })

const teardown: Runtime.Teardown = (exit, onExit) => onExit(Exit.isSuccess(exit) ? Number(exit.value) : 1)

const run = Runtime.makeRunMain(({ fiber, teardown }) => {
  const onSignal = (name: Signal) => {
    if (currentSignal !== undefined) {
      ProcessTree.hurry()
      const code = signals[currentSignal].exit
      return void setTimeout(() => process.exit(code), exitDelayMs).unref()
    }
    currentSignal = name
    fiber.interruptUnsafe()
  }
  const onDefect = (defect: unknown) => {
    // A defect during the finalizers may be what they wait for.
    if (crash !== undefined || currentSignal !== undefined) {
      return void setTimeout(() => process.exit(endings.internal.exit), exitDelayMs).unref()
    }
    crash = { defect }
    fiber.interruptUnsafe()
  }
  process.on("uncaughtException", onDefect).on("unhandledRejection", onDefect)
  const names = Object.keys(signals) as ReadonlyArray<Signal>
  names.forEach((name) => process.on(name, onSignal))
  fiber.addObserver((exit) => {
    teardown(exit, (code) => process.exit(currentSignal === undefined ? code : signals[currentSignal].exit))
  })
})
