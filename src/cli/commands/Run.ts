/** The default command: a task in the terminal; headless where it is asked for or where no terminal could be drawn on. */
import * as Effect from "effect/Effect"
import type { Run } from "../Commands.ts"
import { Host } from "../process/Host.ts"

export const run: Run = Effect.fnUntraced(function*(called) {
  const { stdin, stdout } = yield* Host
  const { outputFormat = "text", print } = called.values
  const headless = print === true || outputFormat !== "text" || !stdin.tty || !stdout.tty
  const face = headless ? import("../headless/Headless.ts") : import("../terminal/Interactive.ts")
  const given = called.behind === undefined ? called : yield* (yield* Effect.promise(() => import("../args/OptionalFlagValues.ts"))).decided(called)
  return yield* (yield* Effect.promise(() => face)).run(given)
})
