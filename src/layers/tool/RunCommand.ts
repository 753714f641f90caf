/** run_command: a command in the shell, waited for or in the background, with its exit code and its output. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import * as Patience from "../../domain/tool/CommandTimeout.ts"
import * as SecretPrompt from "../../domain/tool/SecretPrompt.ts"
import * as ToolReport from "../../domain/tool/ToolReport.ts"
import { Approver } from "../../services/Approver.ts"
import { type Job, Jobs } from "../../services/BackgroundCommands.ts"
import type { Exit } from "../../services/Shell.ts"
import { define, ToolContext } from "../../services/Tool.ts"
import * as JobReport from "./CommandReport.ts"

const params = Schema.Struct({
  command: Schema.String.annotate({ description: "The command, run by bash as it stands." }),
  cwd: Schema.optionalKey(Schema.String.annotate({ description: "The folder to run it in, relative to the working folder." })),
  timeout: Schema.optionalKey(Schema.Finite.annotate({ description: "Seconds to wait for its end; 120 unless said, 600 for installs, builds and tests." })),
  background: Schema.optionalKey(Schema.Boolean.annotate({ description: "True for what does not end, like a server: you go on while it runs, and read it with command_output." })),
  terminal: Schema.optionalKey(Schema.Boolean.annotate({ description: "True for a program that refuses to work without a terminal. It still has no input." })),
  requires_approval: Schema.optionalKey(Schema.Boolean.annotate({ description: "True where the user should be asked first: it deletes, installs, or reaches outside." }))
})

export const RunCommand = define({
  name: "run_command",
  description:
    "Run a shell command and wait for its end. You get the exit code and the output, at most 48,000 characters of it; longer output can be paged with command_output. There is no terminal and no input: use flags that ask nothing. What it leaves running is stopped when it ends: start a server with background, not with &. A command that takes longer than its timeout goes on in the background.",
  params,
  aliases: ["execute_command", "bash", "shell", "run_shell_command"],
  paramAliases: { cmd: "command", directory: "cwd", workdir: "cwd", timeout_seconds: "timeout", run_in_background: "background", is_background: "background", pty: "terminal", tty: "terminal" },
  kind: "command",
  destructive: true,
  openWorld: true,
  tags: ["command"],
  asks: ({ requires_approval }) => requires_approval === true,
  access: ({ background, command, cwd, terminal }, at) => [{
    ...Access.command(command, folder(at.cwd, cwd)),
    ...(background === true ? { background } : {}),
    ...(terminal === true ? { terminal } : {})
  }],
  run: Effect.fn("run_command")(function*({ background, command, cwd, terminal, timeout }) {
    const jobs = yield* Jobs
    const { call, cwd: here, output, session } = yield* ToolContext
    if (command.trim() === "") return Outcome.mistaken("The command is empty.")
    const running = yield* jobs.running(session)
    if (running.length >= most) return full(running)
    const program = { command, cwd: folder(here, cwd), ...(terminal === true ? { terminal } : {}) }
    return yield* Effect.uninterruptibleMask((restore) =>
      jobs.start({ ...program, session, id: call, onOutput: output }).pipe(
        Effect.flatMap((job) => {
          const run = background === true ? begun(job) : finished(job, Patience.seconds(command, timeout))
          const outcome = terminal === true ? unlessItAsks(job, run) : run
          return Effect.onInterrupt(restore(outcome), () => job.close)
        }),
        Effect.catch((error) => Effect.succeed(Outcome.failed(ToolReport.shell(error))))
      ))
  })
})

/** Commands that run at once in a session. */
const most = 16

const full = (running: ReadonlyArray<Job>): Outcome.Outcome =>
  Outcome.failed(`${most} commands run in the background already. Stop one with stop_command first: ${running.map(({ command, id }) => `${id} (${command})`).join(", ")}.`)

const folder = (cwd: string, given: string | undefined): string =>
  given === undefined || given === "" ? cwd : PathName.normal(given.startsWith("/") ? given : `${cwd}/${given}`)

/** ms in which a command in the background shows that it can't start, or where it listens. */
const first = 2000

const begun = Effect.fnUntraced(function*(job: Job) {
  yield* job.wait(first, Effect.map(job.ports, (ports) => ports.length > 0))
  yield* job.leave
  const exit = job.exit()
  return exit === undefined ? yield* inBackground(job, "Started in the background.") : yield* ended(job, exit)
})

/** Waits for the end; past the time someone chooses, and where nobody is there the model does. */
const finished = (job: Job, seconds: number): Effect.Effect<Outcome.Outcome, never, Approver> =>
  Effect.gen(function*() {
    yield* job.wait(seconds * 1000)
    const early = job.exit()
    if (early !== undefined) return yield* ended(job, early)
    const choice = yield* Effect.raceFirst(asked(job, seconds), Effect.as(job.wait(Infinity), "ended" as const))
    const exit = job.exit()
    if (exit !== undefined) return yield* ended(job, exit)
    if (choice === answers.wait) return yield* finished(job, seconds)
    if (choice === answers.stop) return yield* stopped(job, seconds)
    yield* job.leave
    return yield* inBackground(job, `It had not ended when its timeout of ${seconds} s was over, and goes on in the background.`)
  })

/** ms between two looks at a terminal, and looks without a change after which nothing more is coming. */
const looks = { every: 250, calm: 4 }

/** As `run`, but a command that asks for a secret is ended at once. */
const unlessItAsks = <R>(job: Job, run: Effect.Effect<Outcome.Outcome, never, R>) =>
  Effect.raceFirst(run, question(job)).pipe(Effect.flatMap((came) => typeof came === "string" ? unanswered(job, came) : Effect.succeed(came)))

/** The question of a command at a terminal that waits for a secret, "" for one that shows none. Never returns for any other. */
const question = Effect.fnUntraced(function*(job: Job) {
  let [last, calm] = ["", 0]
  while (true) {
    yield* job.wait(looks.every)
    if (job.exit() !== undefined) return yield* Effect.never
    const { output } = job.output.excerpt()
    calm = output === last ? calm + 1 : 0
    last = output
    if (calm === 0 || calm % looks.calm !== 0) continue
    const line = output.slice(output.lastIndexOf("\n") + 1)
    if (SecretPrompt.is(line) || (yield* job.hides)) return line.trim()
  }
})

/** Nobody can type at its terminal: it is ended. */
const unanswered = Effect.fnUntraced(function*(job: Job, question: string) {
  yield* job.stop
  const { output } = job.output.excerpt()
  yield* job.close
  const what = question === "" ? "for something that it does not show" : `${JSON.stringify(question)}`
  return Outcome.failed(`It asked ${what} at its terminal and was stopped: nobody can type there. Give it what it needs in another way (a key, a token, an option that asks nothing), or let the user run it.\n${JobReport.shown(output)}`)
})

/** What can be chosen for a command that takes long; any other words put it in the background. */
const answers = { wait: "Keep waiting", background: "Put it in the background", stop: "Stop it" } as const

const asked = Effect.fnUntraced(function*({ command }: Job, seconds: number) {
  const reply = yield* (yield* Approver).question(`This runs for ${seconds} s now and has not ended: ${command}`, Object.values(answers))
  const words = reply.by === "user" ? reply.words.trim().toLowerCase() : ""
  return Object.values(answers).find((answer) => answer.toLowerCase() === words) ?? answers.background
})

const stopped = Effect.fnUntraced(function*(job: Job, seconds: number) {
  yield* job.stop
  const { output } = job.output.excerpt()
  yield* job.close
  return Outcome.failed(`The user stopped it after ${seconds} s: it had not ended.\n${JobReport.shown(output)}`)
})

const inBackground = Effect.fnUntraced(function*(job: Job, how: string) {
  const use = `Read it with command_output, end it with stop_command (id ${job.id}); it ends with the session.`
  return Outcome.succeeded([`${how} ${yield* JobReport.state(job)} ${use}`, yield* JobReport.news(job)].join("\n"))
})

/** A command that ran and failed is not a mistake of the model's: its output says what to do. */
const ended = Effect.fnUntraced(function*(job: Job, exit: Exit) {
  const { cut, output } = job.output.excerpt()
  const how = exit.signal === null ? `Exit code ${exit.code}.` : `Ended by ${exit.signal}.`
  const more = cut === 0 ? "" : ` ${cut} characters of output were cut from the middle: page or search all ${job.output.count()} lines with command_output (id ${job.id}).`
  if (cut === 0) yield* job.close
  const hints = exit.code === 0 ? [] : ToolReport.commandHints(output).map((hint) => `Hint: ${hint}`)
  return (exit.code === 0 ? Outcome.succeeded : Outcome.failed)([`${how}${more}`, JobReport.shown(output), ...hints].join("\n"))
})
