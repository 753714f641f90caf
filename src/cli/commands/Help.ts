/** `dacapo help`, `dacapo help sessions`, `dacapo sessions --help`. */
import * as Effect from "effect/Effect"
import type { Run } from "../Commands.ts"
import { UsageError } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"
import * as Help from "../args/HelpText.ts"

export const run: Run = Effect.fnUntraced(function*({ commands, words: [topic] }) {
  const { stdout } = yield* Host
  if (topic === "exit-codes") {
    yield* stdout.write(Help.exitCodes())
    return 0
  }
  const command = topic === undefined ? undefined : commands.find(({ aliases, name }) => name === topic || aliases.includes(topic))
  if (topic !== undefined && command === undefined) {
    return yield* new UsageError({ message: `There is no command "${topic}". There are ${commands.map(({ name }) => name).join(", ")}.` })
  }
  yield* stdout.write(command === undefined || command.name === "run" ? Help.whole(commands) : Help.of(command))
  return 0
})
