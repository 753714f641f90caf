/** Runs a command of the command line within the conversation and shows its output: `/agents` is `dacapo agents`. */
import * as Effect from "effect/Effect"
import { InputError } from "../../process/CliError.ts"
import { Host, type Output } from "../../process/Host.ts"
import * as ScreenStore from "../ScreenStore.ts"
import type { SlashContext } from "./SlashContext.ts"

/** `args` are the name of the command and its arguments. */
export const subcommand = Effect.fnUntraced(function*({ commands, cwd, store }: SlashContext, args: ReadonlyArray<string>) {
  const host = yield* Host
  const [name, ...commandArgs] = args
  const command = commands.find((command) => command.name === name)
  if (command === undefined) return yield* new InputError({ message: `"${name}" is not a command of dacapo.` })
  const { run } = yield* Effect.promise(command.load)
  const written: Array<string> = []
  const write = (text: string) => Effect.sync(() => void written.push(text))
  const output: Output = { tty: false, columns: host.stdout.columns, write, data: write }
  const captured = { ...host, stdin: { ...host.stdin, tty: false }, stdout: output, stderr: output }
  yield* Effect.provideService(run({ commands, args: commandArgs, values: { cd: cwd } }), Host, captured)
  yield* ScreenStore.note(store, written.join("").trimEnd())
})
