/** The report on a command for a model: its state and its output. */
import * as Effect from "effect/Effect"
import * as Outcome from "../../../domain/tool/Outcome.ts"
import type { BackgroundCommand } from "../../../services/BackgroundCommands.ts"
import type { Exit } from "../../../services/Shell.ts"

/** One line: whether it is running, how it ended, where it listens. */
export const state = (command: BackgroundCommand): Effect.Effect<string> =>
  Effect.flatMap(command.ports, (ports) => {
    const exit = command.exit()
    if (exit !== undefined) return ending(command, exit)
    const listens = ports.length === 0 ? "" : ` It listens on port ${ports.join(", ")} (http://localhost:${ports[0]}).`
    return Effect.succeed(`${command.id} is running.${listens}`)
  })

/** How it ended, for a tool result: the model is not told again. */
export const ending = (command: BackgroundCommand, { code, signal }: Exit): Effect.Effect<string> =>
  Effect.as(command.report, signal === null ? `Exit code ${code}.` : `Ended by ${signal}.`)

/** Output as it is shown; a placeholder if there is none. */
export const displayOutput = (output: string): string => output.trim() === "" ? "(no output)" : output.trimEnd()

/** The output since the last look. */
export const newOutput = (command: BackgroundCommand): Effect.Effect<string> =>
  Effect.flatMap(Effect.promise(() => import("./OutputLines.ts")), ({ newOutput }) => newOutput(command))

/** The command does not exist, or no longer does. */
export const notFound = (id: string, running: ReadonlyArray<BackgroundCommand>): Outcome.Outcome => {
  const status = running.length === 0 ? "No background command is running."
    : `Running: ${running.map(({ command, id }) => `${id} (${command})`).join(", ")}.`
  return Outcome.failed(
    `The command ${id} no longer exists, and neither does its remaining output: background commands stop with dacapo, and only the last few finished ones are kept. ${status} Run it again if you need it.`
  )
}
