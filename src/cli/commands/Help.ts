/** `dacapo help [command | exit-codes]` and `dacapo <command> --help`. */
import * as Effect from "effect/Effect"
import type { Run } from "../Command.ts"
import { UsageError } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"
import * as HelpText from "../args/HelpText.ts"

export const run: Run = Effect.fnUntraced(function*({ commands, args: [topic] }) {
  const { stdout } = yield* Host
  if (topic === "exit-codes") {
    yield* stdout.write(HelpText.exitCodes())
    return 0
  }
  const command = topic === undefined ? undefined : commands.find(({ aliases, name }) => name === topic || aliases.includes(topic))
  if (topic !== undefined && command === undefined) {
    return yield* new UsageError({ message: `Unknown command "${topic}"; expected one of ${commands.map(({ name }) => name).join(", ")}.` })
  }
  yield* stdout.write(command === undefined || command.name === "run" ? HelpText.overview(commands) : HelpText.of(command))
  return 0
})
