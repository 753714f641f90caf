/**
 * Runs the commands of tool calls in terminals of the editor, where people see them. Everything else, and what an editor can't do (a
 * sandbox, a pseudo-terminal of ours, input), runs in processes of our own.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CommandEnvironment from "../../../domain/tool/CommandEnvironment.ts"
import { Environment } from "../../../services/Environment.ts"
import { Editor, type EditorTerminal } from "../../../services/extension/Editor.ts"
import { type Exit, type Program, type RunningCommand, noTerminal, Shell } from "../../../services/Shell.ts"
import * as GitReads from "../git/GitReads.ts"
import * as Programs from "../Programs.ts"
import * as ListeningPorts from "./ListeningPorts.ts"
import * as ProcessTree from "./ProcessTree.ts"

/** ms between two looks at a terminal, and between SIGTERM and SIGKILL of what a command left running. */
const timing = { pollMs: 100, graceMs: 3_000 }

/** Runs it with nothing to read, as our own processes do; the command itself stays one argument. */
const wrapper = "exec \"$1\" --norc --noprofile -c \"$0\" </dev/null"

/** The shell itself if no editor offers terminals. */
export const over = <E, R>(shell: Layer.Layer<Shell, E, R>, roots: ReadonlyArray<string>): Layer.Layer<Shell, E, R | Environment> =>
  Layer.provide(Layer.effect(Shell, make(roots)), shell)

const make = Effect.fnUntraced(function*(roots: ReadonlyArray<string>) {
  const shell = yield* Shell
  const { openTerminal } = yield* Editor
  if (openTerminal === undefined) return shell
  const system = yield* Environment
  const { variables } = system
  const path = Programs.searchPath(system, roots)
  const bash = Programs.find(path, "bash")
  if (bash === undefined) return shell
  const environment = CommandEnvironment.scrub(variables)
  const overrides = changes(variables, environment)

  const startInTerminal = Effect.fnUntraced(function*(program: Program, call: NonNullable<Program["call"]>) {
    const marker = ProcessTree.marker(variables)
    const git = yield* GitReads.environment(program, environment, path)
    const terminal = yield* openTerminal({
      session: call.session,
      call: call.id,
      program: bash,
      args: ["--norc", "--noprofile", "-c", wrapper, program.command, bash],
      cwd: program.cwd,
      env: { ...overrides, ...changes({}, git), [ProcessTree.variable]: marker }
    })
    return yield* follow(terminal, { marker }, program, path)
  })

  return Shell.of({
    ...shell,
    start: (program) =>
      program.call === undefined || program.terminal === true || program.input !== undefined || program.onErrorBytes !== undefined
        ? shell.start(program)
        : Effect.catchTag(startInTerminal(program, program.call), "EditorError", () => shell.start(program))
  })
})

/** Watches a terminal until the command has ended; what it left running ends with it. */
const follow = Effect.fnUntraced(function*(
  terminal: EditorTerminal,
  run: ProcessTree.Run,
  { onBytes }: Program,
  path: string
) {
  const completion = yield* Deferred.make<Exit>()
  let previous = ""
  const look = Effect.ignore(Effect.map(terminal.output, ({ isCut, text }) => {
    const added = addition(previous, text, isCut)
    previous = text
    if (added !== "") onBytes(encoder.encode(added))
  }))
  const end = Effect.andThen(terminal.kill, ProcessTree.stop(run, timing.graceMs))
  yield* Effect.addFinalizer(() => Effect.flatMap(Deferred.isDone(completion), (isDone) => isDone ? Effect.void : end))
  const watch = Effect.forever(Effect.andThen(look, Effect.sleep(timing.pollMs)))
  yield* terminal.exit.pipe(
    // An editor that is gone has ended its terminals.
    Effect.orElseSucceed((): Exit => ({ code: null, signal: "SIGHUP" })),
    Effect.raceFirst(watch),
    Effect.tap(() => Effect.andThen(look, ProcessTree.stop(run, timing.graceMs))),
    Effect.flatMap((exit) => Deferred.succeed(completion, exit)),
    Effect.forkScoped
  )
  return {
    exit: Deferred.await(completion),
    stop: Effect.andThen(end, Effect.asVoid(Effect.timeoutOption(Deferred.await(completion), timing.graceMs))),
    ports: Effect.flatMap(ProcessTree.alive(run), (pids) => ListeningPorts.listeningPorts(pids, path)),
    input: Effect.succeed(noTerminal),
    type: () => Effect.succeed(false)
  } satisfies RunningCommand as RunningCommand
})

const encoder = new TextEncoder()

/** What is new in a terminal's output. An editor that cuts its beginning has moved the rest. */
const addition = (previous: string, text: string, isCut: boolean): string => {
  if (text.startsWith(previous)) return text.slice(previous.length)
  const tail = previous.slice(-1_000)
  const at = tail === "" ? -1 : text.lastIndexOf(tail)
  return at >= 0 ? text.slice(at + tail.length) : isCut ? `\n[the editor cut the output here]\n${text}` : text
}

/** The variables that differ, and empty ones in place of those that a command must not have. */
const changes = (
  variables: CommandEnvironment.Variables,
  target: CommandEnvironment.Variables
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...new Set([...Object.keys(variables), ...Object.keys(target)])].flatMap((name) =>
      target[name] === variables[name] ? [] : [[name, target[name] ?? ""]]
    )
  )
