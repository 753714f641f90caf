/** A shell that runs nothing: commands are answered from a script. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Command, type Ran, Shell } from "../../services/Shell.ts"

/** What a command does; what is not said is as after a command that said nothing and succeeded. */
export type Answer = Partial<Ran>

/** Answers by the command's text, or by a function; a command that no answer is there for is not found (127). */
export const layer = (
  answers: Readonly<Record<string, Answer>> | ((command: Command) => Effect.Effect<Answer | undefined>)
): Layer.Layer<Shell> =>
  Layer.succeed(
    Shell,
    Shell.of({
      run: Effect.fnUntraced(function*(command) {
        const known = typeof answers === "function" ? yield* answers(command) : answers[command.command]
        const ran: Ran = { output: "", cut: 0, code: 0, signal: null, timedOut: false, ...known ?? notFound(command) }
        if (ran.output !== "") command.onOutput(ran.output)
        return ran
      })
    })
  )

const notFound = ({ command }: Command): Answer => ({
  output: `bash: line 1: ${command.trim().split(/\s/)[0]}: command not found\n`,
  code: 127
})
