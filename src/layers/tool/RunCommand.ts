/** run_command: a command in the shell, with its exit code and its output. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import * as ToolReport from "../../domain/tool/ToolReport.ts"
import { Shell, type Ran } from "../../services/Shell.ts"
import { define, ToolContext } from "../../services/Tool.ts"

/** `keep` in characters of output, the others in seconds. */
const limits = { keep: 48_000, usual: 120, long: 600, most: 3600 }

const params = Schema.Struct({
  command: Schema.String.annotate({ description: "The command, run by bash as it stands." }),
  cwd: Schema.optionalKey(Schema.String.annotate({ description: "The folder to run it in, relative to the working folder." })),
  timeout: Schema.optionalKey(Schema.Finite.annotate({ description: "Seconds until it is stopped; 120 unless said, 600 for installs and builds." })),
  requires_approval: Schema.optionalKey(Schema.Boolean.annotate({ description: "True where the user should be asked first: it deletes, installs, or reaches outside." }))
})

export const RunCommand = define({
  name: "run_command",
  description:
    "Run a shell command and wait for its end. You get the exit code and the output, at most 48,000 characters of it. There is no terminal and no input: use flags that ask nothing. What it leaves running is stopped when it ends.",
  params,
  aliases: ["execute_command", "bash", "shell", "run_shell_command"],
  paramAliases: { cmd: "command", directory: "cwd", workdir: "cwd", timeout_seconds: "timeout" },
  kind: "command",
  destructive: true,
  openWorld: true,
  tags: ["command"],
  asks: ({ requires_approval }) => requires_approval === true,
  access: ({ command, cwd }, at) => [Access.command(command, folder(at.cwd, cwd))],
  run: Effect.fn("run_command")(function*({ command, cwd, timeout }) {
    const shell = yield* Shell
    const context = yield* ToolContext
    if (command.trim() === "") return Outcome.mistaken("The command is empty.")
    const seconds = Math.min(timeout !== undefined && timeout > 0 ? timeout : usual(command), limits.most)
    return yield* shell.run({
      command,
      cwd: folder(context.cwd, cwd),
      timeoutMs: seconds * 1000,
      keep: limits.keep,
      onOutput: context.output
    }).pipe(
      Effect.map((ran) => outcome(ran, seconds)),
      Effect.catch((error) => Effect.succeed(Outcome.failed(ToolReport.shell(error))))
    )
  })
})

const folder = (cwd: string, given: string | undefined): string =>
  given === undefined || given === "" ? cwd : PathName.normal(given.startsWith("/") ? given : `${cwd}/${given}`)

/** Commands that are known to take long: installs, builds, whole test runs. */
const long = /\b(?:(?:npm|pnpm|yarn|bun)\s+(?:ci|i|install|add|test|run)|pip3?\s+install|cargo\s|go\s+(?:build|test)|mvn|gradlew?|make|cmake|docker\s+(?:build|pull)|apt(?:-get)?\s+install|pytest|tox)\b/

const usual = (command: string): number => long.test(command) ? limits.long : limits.usual

/** A command that ran and failed is not a mistake of the model's: its output says what to do. */
const outcome = (ran: Ran, seconds: number): Outcome.Outcome => {
  const worked = ran.code === 0 && !ran.timedOut
  const output = ran.output.trim() === "" ? "(no output)" : ran.output.trimEnd()
  const hints = worked ? [] : ToolReport.commandHints(ran.output).map((hint) => `Hint: ${hint}`)
  return (worked ? Outcome.succeeded : Outcome.failed)([ending(ran, seconds), output, ...hints].join("\n"))
}

const ending = ({ code, cut, signal, timedOut }: Ran, seconds: number): string => {
  const how = timedOut ? `Stopped after ${seconds} s: it had not ended. Give a longer timeout, or a command that ends.`
    : signal !== null ? `Ended by ${signal}.`
    : `Exit code ${code}.`
  return cut === 0 ? how : `${how} ${cut} characters of output were cut from the middle.`
}
