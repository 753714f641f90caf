/** run_command: a shell command, awaited or in the background, with its exit code and its output. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { optional } from "../../../domain/Optional.ts"
import * as Access from "../../../domain/tool/Access.ts"
import * as Outcome from "../../../domain/tool/Outcome.ts"
import * as PathName from "../../../domain/workspace/PathName.ts"
import * as CommandTimeout from "../../../domain/tool/CommandTimeout.ts"
import * as SecretPrompt from "../../../domain/tool/SecretPrompt.ts"
import * as ToolReport from "../../../domain/tool/ToolReport.ts"
import { Approver } from "../../../services/Approver.ts"
import { type BackgroundCommand, BackgroundCommands, type StartOptions } from "../../../services/BackgroundCommands.ts"
import type { Exit } from "../../../services/Shell.ts"
import { define, ToolContext } from "../../../services/Tool.ts"
import * as CommandInput from "./CommandInput.ts"
import * as CommandReport from "./CommandReport.ts"

const params = Schema.Struct({
  command: Schema.String.annotate({ description: "Run by bash exactly as written." }),
  cwd: Schema.optionalKey(Schema.String.annotate({ description: "Where to run it. Default: the working directory." })),
  timeout: Schema.optionalKey(
    Schema.Finite.annotate({ description: "Seconds. Default: 120; installs, builds and tests 600." })
  ),
  background: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "For a server; command_output reads it."
    })
  ),
  terminal: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "If it needs a terminal, or asks: answer with command_input." })
  ),
  separate_stderr: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Mark its lines with `stderr | `." })
  ),
  requires_approval: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "If it deletes, installs or acts outside the project."
    })
  )
})

export const RunCommand = define({
  name: "run_command",
  description:
    "Run a bash command until it ends. Returns exit code and up to 48,000 characters of output; command_output the rest. Without terminal it has no input: use non-interactive flags. What it leaves running is stopped: use background, not &. After its timeout it continues in the background.",
  params,
  plain: ["command", "cwd"],
  aliases: ["execute_command", "bash", "shell", "run_shell_command"],
  paramAliases: {
    cmd: "command",
    directory: "cwd",
    workdir: "cwd",
    timeout_seconds: "timeout",
    run_in_background: "background",
    is_background: "background",
    pty: "terminal",
    tty: "terminal"
  },
  kind: "command",
  readsInPlanMode: true,
  destructive: true,
  openWorld: true,
  tags: ["command"],
  requestsApproval: ({ requires_approval }) => requires_approval === true,
  access: ({ background, command, cwd, terminal }, context) => [{
    ...Access.command(command, folder(context.cwd, cwd)),
    ...(background === true ? { background } : {}),
    ...(terminal === true ? { terminal } : {})
  }],
  run: ({ background, command, cwd, separate_stderr, terminal, timeout }) =>
    execute({ background, command, cwd, marksStderr: separate_stderr, terminal, timeout })
})

/** A command with what it gets besides its text. */
interface Execution extends Pick<StartOptions, "command" | "input" | "variables"> {
  readonly cwd?: string | undefined
  readonly timeout?: number | undefined
  readonly background?: boolean | undefined
  readonly terminal?: boolean | undefined
  readonly marksStderr?: boolean | undefined
}

/** Runs an allowed command of a call to its end, or into the background. */
export const execute = Effect.fn("run_command")(
  function*({ background, command, cwd, input, marksStderr, terminal, timeout, variables }: Execution) {
    const commands = yield* BackgroundCommands
    const { call, cwd: workingFolder, output, isReadOnly, session } = yield* ToolContext
    if (command.trim() === "") return Outcome.mistaken("command is empty.")
    const running = yield* commands.running(session)
    if (running.length >= maxCommands) return tooManyCommands(running)
    const program = {
      command,
      cwd: folder(workingFolder, cwd),
      reads: isReadOnly,
      ...optional({ input, marksStderr, variables }),
      ...(terminal === true ? { terminal } : {})
    }
    return yield* Effect.uninterruptibleMask((restore) =>
      commands.start({ ...program, session, id: call, onOutput: output }).pipe(
        Effect.flatMap((backgroundCommand) => {
          const run = background === true ? startInBackground(backgroundCommand)
            : waitForExit(backgroundCommand, CommandTimeout.timeoutSeconds(command, timeout))
          const outcome = terminal === true && background !== true ? untilInput(backgroundCommand, run) : run
          return Effect.onError(restore(outcome), () => backgroundCommand.close)
        }),
        Effect.catch((error) => Effect.succeed(Outcome.failed(ToolReport.shell(error))))
      )
    )
  }
)

/** The maximum number of concurrent commands in a session. */
const maxCommands = 16

const tooManyCommands = (running: ReadonlyArray<BackgroundCommand>): Outcome.Outcome =>
  Outcome.failed(
    `${maxCommands} background commands are running already. Stop one with stop_command first: ${
      running.map(({ command, id }) => `${id} (${command})`).join(", ")
    }.`
  )

const folder = (cwd: string, path: string | undefined): string =>
  path === undefined || path === "" ? cwd : PathName.normalizePath(path.startsWith("/") ? path : `${cwd}/${path}`)

/** ms in which a background command shows that it can't start, or where it listens. */
const startupWaitMs = 2000

const startInBackground = Effect.fnUntraced(function*(command: BackgroundCommand) {
  yield* command.wait(startupWaitMs, Effect.map(command.ports, (ports) => ports.length > 0))
  yield* command.detach
  const exit = command.exit()
  return exit === undefined ? yield* backgroundOutcome(command, "Started in the background.") : yield* exitOutcome(command, exit)
})

/** Waits for the end, or until the user moves it to the background; after the timeout they choose, and in a headless run the model does. */
const waitForExit = (command: BackgroundCommand, seconds: number): Effect.Effect<Outcome.Outcome, never, Approver | ToolContext> =>
  Effect.gen(function*() {
    const isReleased = yield* Effect.raceFirst(Effect.as(command.wait(seconds * 1000), false), Effect.as(command.released, true))
    const earlyExit = command.exit()
    if (earlyExit !== undefined) return yield* exitOutcome(command, earlyExit)
    if (isReleased) {
      yield* command.detach
      return yield* backgroundOutcome(command, "The user moved it to the background.")
    }
    const choice = yield* Effect.raceFirst(askUser(command, seconds), Effect.as(command.wait(Infinity), "ended" as const))
    const exit = command.exit()
    if (exit !== undefined) return yield* exitOutcome(command, exit)
    if (choice === answers.wait) return yield* waitForExit(command, seconds)
    if (choice === answers.stop) return yield* stopByUser(command, seconds)
    yield* command.detach
    return yield* backgroundOutcome(command, `It exceeded its timeout of ${seconds} s and continues in the background.`)
  })

/** ms between two checks of a terminal, and the number of unchanged checks after which nothing more is expected. */
const polling = { intervalMs: 250, quietPolls: 4 }

/** What a terminal waits for: a secret, which nobody but the user types, or other input; and the prompt, "" if it shows none. */
interface AwaitedInput {
  readonly isSecret: boolean
  readonly prompt: string
}

/** Like `run`, but a command that waits for input continues in the background; one that nobody can answer is ended at once. */
const untilInput = Effect.fnUntraced(function*<R>(command: BackgroundCommand, run: Effect.Effect<Outcome.Outcome, never, R>) {
  const { canType = false } = yield* Approver
  // The screen shows the commands of its own session, not those of subagents.
  const { from } = yield* ToolContext
  const result = yield* Effect.raceFirst(run, detectInput(command, canType && from === undefined))
  if ("status" in result) return result
  if (result.isSecret) return yield* promptOutcome(command, result.prompt)
  yield* command.detach
  return yield* backgroundOutcome(
    command,
    `It waits for input${result.prompt === "" ? "" : ` at ${JSON.stringify(result.prompt)}`}: answer with command_input.`
  )
})

/** What the terminal waits for, once it has been quiet. Never returns for a command that ends, or a secret that the user `canType`. */
const detectInput = Effect.fnUntraced(function*(command: BackgroundCommand, canType: boolean) {
  let [last, quietPolls] = ["", 0]
  while (true) {
    yield* command.wait(polling.intervalMs)
    if (command.exit() !== undefined) return yield* Effect.never
    const { output } = command.output.excerpt()
    quietPolls = output === last ? quietPolls + 1 : 0
    last = output
    if (quietPolls === 0 || quietPolls % polling.quietPolls !== 0) continue
    const { isReading, mode } = yield* command.input
    const prompt = CommandInput.lastLine(command)
    if (mode === "hidden" || SecretPrompt.isSecretPrompt(prompt)) {
      if (!canType) return { isSecret: true, prompt } satisfies AwaitedInput
    } else if (isReading || (mode === "keys" && quietPolls > polling.quietPolls)) return { isSecret: false, prompt } satisfies AwaitedInput
  }
})

/** Nobody can type at its terminal: it is ended. */
const promptOutcome = Effect.fnUntraced(function*(command: BackgroundCommand, prompt: string) {
  yield* command.stop
  const { output } = command.output.excerpt()
  yield* command.close
  const promptText = prompt === "" ? "for something that it does not show" : `${JSON.stringify(prompt)}`
  return Outcome.failed(
    `It asked ${promptText} on its terminal and was stopped, because nobody can type there. Provide the input another way (a key, a token, a non-interactive option), or ask the user to run it.\n${
      CommandReport.displayOutput(output)
    }`
  )
})

/** The choices for a command that takes long; any other reply moves it to the background. */
const answers = { wait: "Keep waiting", background: "Put it in the background", stop: "Stop it" } as const

const askUser = Effect.fnUntraced(function*({ command }: BackgroundCommand, seconds: number) {
  const approver = yield* Approver
  const { session } = yield* ToolContext
  const reply = yield* approver.question(`This command has been running for ${seconds} s: ${command}`, Object.values(answers), session)
  const text = reply.by === "user" ? reply.text.trim().toLowerCase() : ""
  return Object.values(answers).find((answer) => answer.toLowerCase() === text) ?? answers.background
})

const stopByUser = Effect.fnUntraced(function*(command: BackgroundCommand, seconds: number) {
  yield* command.stop
  const { output } = command.output.excerpt()
  yield* command.close
  return Outcome.failed(`The user stopped it after ${seconds} s.\n${CommandReport.displayOutput(output)}`)
})

const backgroundOutcome = Effect.fnUntraced(function*(command: BackgroundCommand, intro: string) {
  const use = `Read its output with command_output, stop it with stop_command (id ${command.id}). It is stopped when the session ends.`
  return Outcome.succeeded([`${intro} ${yield* CommandReport.state(command)} ${use}`, yield* CommandReport.newOutput(command)].join("\n"))
})

/** A command that ran and failed is not a mistake of the model's: its output says what to do. */
const exitOutcome = Effect.fnUntraced(function*(command: BackgroundCommand, exit: Exit) {
  const { omittedCharacters, output } = command.output.excerpt()
  const ending = yield* CommandReport.ending(command, exit)
  const cutNotice = omittedCharacters === 0 ? ""
    : ` ${omittedCharacters} characters were cut from the middle of the output: page through or search all ${command.output.count()} lines with command_output (id ${command.id}).`
  if (omittedCharacters === 0) yield* command.dismiss
  const hints = exit.code === 0 ? [] : ToolReport.commandHints(output).map((hint) => `Hint: ${hint}`)
  return (exit.code === 0 ? Outcome.succeeded : Outcome.failed)(
    [`${ending}${cutNotice}`, CommandReport.displayOutput(output), ...hints].join("\n")
  )
})
