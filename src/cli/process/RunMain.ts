/**
 * Runs the program as a process: signals interrupt it once and end it at once when they come again, every finalizer
 * runs, and the exit code is what the program gives. Effect's own runMain knows neither SIGHUP nor a second Ctrl-C.
 */
import * as Exit from "effect/Exit"
import type * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import { endings, signals } from "./ExitCode.ts"

type Signal = keyof typeof signals

/** Milliseconds that ending may take once something else went wrong. */
const patience = 5_000

let received: Signal | undefined
let failed: { readonly defect: unknown } | undefined

/** The signal that ends this process, once one came. */
export const signal = (): Signal | undefined => received

/** What was thrown where nobody could catch it, once something was. */
export const defect = (): { readonly defect: unknown } | undefined => failed

/** The program gives its exit code; it reports its own failures. */
export const runMain = (program: Effect.Effect<number>): void => run(program, { disableErrorReporting: true, teardown })

const teardown: Runtime.Teardown = (exit, onExit) => onExit(Exit.isSuccess(exit) ? Number(exit.value) : 1)

const run = Runtime.makeRunMain(({ fiber, teardown }) => {
  const onSignal = (name: Signal) => {
    if (received !== undefined) process.exit(signals[name].exit)
    received = name
    fiber.interruptUnsafe()
  }
  const onDefect = (defect: unknown) => {
    // What goes wrong while it ends may be what the end waits for.
    if (failed !== undefined || received !== undefined) return void setTimeout(() => process.exit(endings.internal.exit), patience).unref()
    failed = { defect }
    fiber.interruptUnsafe()
  }
  process.on("uncaughtException", onDefect).on("unhandledRejection", onDefect)
  const names = Object.keys(signals) as ReadonlyArray<Signal>
  names.forEach((name) => process.on(name, onSignal))
  fiber.addObserver((exit) => {
    teardown(exit, (code) => process.exit(received === undefined ? code : signals[received].exit))
  })
})
