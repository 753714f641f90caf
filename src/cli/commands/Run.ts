/** The default command: a task in the terminal; headless where it is asked for or where no terminal could be drawn on. */
import * as Effect from "effect/Effect"
import type { Run } from "../Commands.ts"
import { Host } from "../Host.ts"

export const run: Run = Effect.fnUntraced(function*(given) {
  const { stdin, stdout } = yield* Host
  const { outputFormat = "text", print } = given.values
  const headless = print === true || outputFormat !== "text" || !stdin.tty || !stdout.tty
  const face = headless ? import("../Headless.ts") : import("../Interactive.ts")
  return yield* (yield* Effect.promise(() => face)).run(given)
})
