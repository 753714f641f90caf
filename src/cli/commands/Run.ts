/** The default command: works on a task in the terminal, or headless if requested or if there is no terminal. */
import * as Effect from "effect/Effect"
import type { Run } from "../Command.ts"
import { UsageError } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"

export const run: Run = Effect.fnUntraced(function*(invocation) {
  const { stdin, stdout } = yield* Host
  const { outputFormat = "text", print } = invocation.values
  const isHeadless = print === true || outputFormat !== "text" || !stdin.tty || !stdout.tty
  if (isHeadless && invocation.values.attach !== undefined) {
    return yield* new UsageError({ message: "--attach needs a terminal. Programs use the API of the server: see docs/serve.md." })
  }
  const frontend = isHeadless ? import("../headless/Headless.ts") : import("../terminal/Interactive.ts")
  const resolved = invocation.optionalValueIndexes === undefined
    ? invocation
    : yield* (yield* Effect.promise(() => import("../args/OptionalFlagValues.ts"))).resolve(invocation, isHeadless)
  return yield* (yield* Effect.promise(() => frontend)).run(resolved)
})
