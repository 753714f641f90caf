/** A shell whose commands take time, fail, hang until they are stopped, and die. Each one's effect happens somewhere in between. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { ShellError } from "../../../domain/tool/ShellError.ts"
import { type Exit, noTerminal, Shell } from "../../../services/Shell.ts"
import type { Life } from "./Life.ts"
import * as World from "./World.ts"

/** ms that a command takes at most, until its effect and after it. */
const maxMs = 600

/** ms until a command that is told to stop has ended. */
const maxGraceMs = 2_000

const encoder = new TextEncoder()

export const layer = (world: World.World, life: Life): Layer.Layer<Shell> => {
  const { journal, monitors, plan, violations } = world
  const dice = world.dice("shell")

  const start: Shell["Service"]["start"] = Effect.fnUntraced(function*({ call, command, onBytes }) {
    if (plan.strike("command not started") !== undefined)
      return yield* new ShellError({ command, reason: "Limits", message: "Too many processes." })
    if (call !== undefined && monitors.get(call.session)?.runningCalls().has(call.id) !== true)
      violations.push(`"${command}" starts and no log says so`)
    const entry: World.StartedProcess = { command, life: life.number, session: call?.session, isRunning: true }
    journal.processes.push(entry)
    const exit = yield* Deferred.make<Exit>()
    const end = (status: Exit) =>
      Effect.suspend(() => {
        entry.isRunning = false
        return Effect.asVoid(Deferred.succeed(exit, status))
      })
    const hangs = plan.strike("command hung") !== undefined
    const fails = plan.strike("command failed") !== undefined
    const dies = plan.strike("command died")
    const run = Effect.gen(function*() {
      yield* Effect.sleep(1 + dice.below(maxMs))
      yield* life.alive(Effect.sync(() => {
        World.perform(world, command)
        onBytes(encoder.encode(`${command}: done\n`))
      }))
      if (hangs) return yield* Effect.never
      yield* Effect.sleep(dies === undefined ? 1 + dice.below(maxMs) : dies.below(maxMs))
      yield* end(dies !== undefined ? { code: null, signal: "SIGKILL" } : { code: fails ? 1 : 0, signal: null })
    })
    const fiber = yield* Effect.forkScoped(run)
    const stop = Effect.gen(function*() {
      if (!entry.isRunning) return
      yield* Fiber.interrupt(fiber)
      yield* Effect.sleep(1 + dice.below(maxGraceMs))
      yield* end({ code: null, signal: "SIGTERM" })
    })
    yield* Effect.addFinalizer(() => stop)
    return {
      exit: Deferred.await(exit),
      stop,
      ports: Effect.succeed([]),
      input: Effect.succeed(noTerminal),
      type: () => Effect.succeed(false)
    }
  }, life.alive)

  return Layer.succeed(
    Shell,
    Shell.of({
      inspect: () => Effect.succeed({}),
      run: ({ command }) => Effect.fail(new ShellError({ command, reason: "Other", message: "Only background commands are simulated." })),
      start
    })
  )
}
