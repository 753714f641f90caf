/**
 * Runs commands in bash, each in its own process group and session; none of their processes outlives its scope.
 *
 * Built on node:child_process and not on Effect's ChildProcess: that one ends a process group but not what left it,
 * fails instead of reporting the signal, gives each stream its own socket (see OutputPipe), and its release waits for
 * processes that ignore SIGTERM without saying so. A process runs in real time, whatever clock the program runs under,
 * so timeouts and grace periods here always use the real clock.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { basename } from "node:path"
import * as CommandEnvironment from "../../../domain/tool/CommandEnvironment.ts"
import type * as Sandbox from "../../../domain/tool/Sandbox.ts"
import type { SandboxError } from "../../../domain/tool/Sandbox.ts"
import { ShellError } from "../../../domain/tool/ShellError.ts"
import { Environment } from "../../../services/Environment.ts"
import {
  type Command,
  type Exit,
  type Program,
  type CommandResult,
  type RunningCommand,
  noTerminal,
  Shell
} from "../../../services/Shell.ts"
import { withRealClock } from "../../../services/process/RealClock.ts"
import * as CollectOutput from "./CollectOutput.ts"
import * as CommandFacts from "./CommandFacts.ts"
import * as SandboxedShell from "./SandboxedShell.ts"
import * as GitReads from "../git/GitReads.ts"
import * as OutputPipe from "./OutputPipe.ts"
import * as ListeningPorts from "./ListeningPorts.ts"
import * as ProcessTree from "./ProcessTree.ts"
import * as Programs from "../Programs.ts"
import * as PseudoTerminal from "./PseudoTerminal.ts"

/** `graceMs`: between SIGTERM and SIGKILL. */
export interface Options {
  readonly graceMs: number
}
const defaults: Options = { graceMs: 3000 }

/** ms to wait for the end of output once every process that we can find is gone. */
const drainTimeoutMs = 500

/** After a crash, leftover processes are ended before the first command, and soon after the start; not before the first request. */
const sweepDelay = "500 millis"

/** ms between two checks of new output. */
const showIntervalMs = 50

/** Commands run by bash, or by sh without it; `confine` puts a sandbox around them. */
export const layer: Layer.Layer<Shell, never, Environment> = Layer.suspend(() => layerWith(defaults))

/** The same with other options. */
export const layerWith = (options: Options): Layer.Layer<Shell, never, Environment> => Layer.effect(Shell, make(undefined, [], options))

/** Commands inside a sandbox over these roots; fails if it is unavailable. */
export const layerSandboxed = (
  sandbox: Sandbox.SandboxOptions,
  roots: ReadonlyArray<string>
): Layer.Layer<Shell, SandboxError, Environment> =>
  Layer.effect(
    Shell,
    Effect.gen(function*() {
      const confine = yield* SandboxedShell.open(sandbox, roots, yield* Environment)
      return yield* make(confine, roots, defaults, confine !== undefined && !sandbox.network)
    })
  )

const make = (confine: SandboxedShell.Confine | undefined, roots: ReadonlyArray<string>, { graceMs }: Options, isConfined = false) =>
  Effect.gen(function*() {
    const system = yield* Environment
    const { platform, variables } = system
    const path = Programs.searchPath(system, roots)
    /** Found out with the first command: which variables hold secrets takes longer than the rest of this layer. */
    const prepared = yield* Effect.cached(Effect.sync(() => ({ shell: findShell(path), environment: CommandEnvironment.scrub(variables) })))
    const sweepOnce = yield* Effect.cached(ProcessTree.sweep)
    const hasEchoOption = yield* Effect.cached(Effect.suspend(() => {
      const script = Programs.find(path, "script")
      return script === undefined || platform === "darwin" ? Effect.succeed(false) : PseudoTerminal.hasEchoOption(script, path)
    }))
    // A process that ends before that sweeps as it ends.
    yield* Effect.addFinalizer(() => sweepOnce)
    yield* Effect.forkScoped(Effect.delay(Effect.uninterruptible(sweepOnce), sweepDelay))

    const argvOf = Effect.fnUntraced(function*(shell: ReadonlyArray<string> | undefined, { command, cwd, terminal }: Program) {
      if (shell === undefined) return yield* new ShellError({ command, reason: "NoShell", message: "Neither bash nor sh is on PATH." })
      if (!isFolder(cwd)) return yield* new ShellError({ command, reason: "NoFolder", message: `${cwd} is not a folder.` })
      const baseArgv = [...shell, "-c", command]
      if (terminal !== true) return { argv: baseArgv, env: {} }
      const script = Programs.find(path, "script")
      return script === undefined
        ? yield* new ShellError({
          command,
          reason: "Other",
          message: "A pseudo-terminal needs the program script (util-linux), which is not on PATH."
        })
        : PseudoTerminal.wrap({ script, shell: shell[0]!, platform, hasEchoOption: yield* hasEchoOption }, command, baseArgv)
    })

    const start = Effect.fn("Shell.start")(function*(program: Program) {
      const { environment, shell } = yield* prepared
      const { argv, env } = yield* argvOf(shell, program)
      yield* sweepOnce
      const git = yield* GitReads.environment(program, environment, path)
      const openPipe = OutputPipe.open({ temporary: variables["TMPDIR"] ?? "/tmp", path })
      const pipe = yield* openPipe
      const errorPipe = program.onErrorBytes === undefined ? undefined : yield* openPipe
      const confinedArgv = confine === undefined ? argv : yield* confine(argv, program.cwd)
      const completion = yield* Deferred.make<Exit>()
      /** Of a command that its scope ended: whoever still waits for its exit learns of it. */
      const end = ({ exited }: LaunchedProcess) =>
        Effect.flatMap(
          Deferred.isDone(exited),
          (isDone) =>
            isDone ? Deferred.completeWith(completion, Deferred.await(exited))
              : Deferred.succeed(completion, { code: null, signal: "SIGTERM" })
        )
      const { ended, exited, run, type } = yield* Effect.acquireRelease(
        launch({
          ...program,
          argv: confinedArgv,
          env: {
            ...environment,
            ...CommandFacts.readVariables(program),
            ...program.variables,
            ...git,
            ...env,
            [ProcessTree.variable]: ProcessTree.marker(variables)
          }
        }, { pipe, errorPipe }),
        (handle) =>
          Effect.flatMap(
            Deferred.isDone(completion),
            (isDone) => isDone ? Effect.void : Effect.andThen(finish(handle, graceMs), end(handle))
          )
      )
      yield* Deferred.await(exited).pipe(
        Effect.tap(() => finish({ ended, exited, run }, graceMs)),
        Effect.flatMap((exit) => Deferred.succeed(completion, exit)),
        Effect.forkScoped
      )
      return {
        exit: Deferred.await(completion),
        stop: withRealClock(
          ProcessTree.stop(run, graceMs).pipe(
            Effect.andThen(Effect.timeoutOption(Deferred.await(completion), 2 * drainTimeoutMs)),
            Effect.asVoid
          )
        ),
        ports: Effect.flatMap(ProcessTree.alive(run), (pids) => ListeningPorts.listeningPorts(pids, path)),
        input: program.terminal === true ? Effect.flatMap(ProcessTree.alive(run), (pids) => PseudoTerminal.input(pids, path))
          : Effect.succeed(noTerminal),
        type: program.terminal === true ? type : () => Effect.succeed(false)
      } satisfies RunningCommand
    }, withRealClock)

    const run = Effect.fn("Shell.run")(function*(command: Command) {
      const output = CollectOutput.make(command)
      const exit = yield* Effect.gen(function*() {
        yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(showIntervalMs), Effect.sync(output.show))))
        const { exit } = yield* start({ ...command, onBytes: output.take })
        return yield* Effect.timeoutOption(exit, command.timeoutMs)
      }).pipe(Effect.scoped)
      output.show()
      const ending = Option.match(exit, { onNone: () => timeoutExit, onSome: (exit) => ({ ...exit, hasTimedOut: false }) })
      return { ...ending, ...output.result() } satisfies CommandResult
    }, withRealClock)

    return Shell.of({ inspect: CommandFacts.inspect(system, roots, isConfined), run, start })
  })

const timeoutExit = { code: null, signal: null, hasTimedOut: true }

/** The pipes for output, where the system has any; without one for standard error both streams go into the other. */
interface Pipes {
  readonly pipe: OutputPipe.OutputPipe | undefined
  readonly errorPipe: OutputPipe.OutputPipe | undefined
}

/** A running command: `exited` when its shell has ended, `ended` when no process holds its output any more. */
interface LaunchedProcess {
  readonly type: RunningCommand["type"]
  readonly run: ProcessTree.Run
  readonly exited: Deferred.Deferred<Exit>
  readonly ended: Deferred.Deferred<void>
}

/** Ends the remaining processes of a command, and waits for the end of its output. */
const finish = ({ ended, exited, run }: Omit<LaunchedProcess, "type">, graceMs: number) =>
  ProcessTree.stop(run, graceMs).pipe(
    Effect.andThen(Effect.timeoutOption(Deferred.await(exited), drainTimeoutMs)),
    Effect.andThen(Effect.timeoutOption(Deferred.await(ended), drainTimeoutMs)),
    withRealClock
  )

/** Starts the shell with exactly the command's text; fails if the system could not. */
const launch = (
  program: Program & { readonly argv: ReadonlyArray<string>; readonly env: Readonly<Record<string, string>> },
  { errorPipe, pipe }: Pipes
) =>
  Effect.callback<LaunchedProcess, ShellError>((resume) => {
    const { argv: [file = "", ...rest], command, cwd, env, input, onBytes, onErrorBytes = onBytes, terminal } = program
    const closeWriters = () => [pipe, errorPipe].forEach((one) => one?.closeWriter())
    const exited = Deferred.makeUnsafe<Exit>()
    const ended = Deferred.makeUnsafe<void>()
    const fail = (cause: unknown) => {
      closeWriters()
      resume(Effect.fail(startError(command, cause as NodeJS.ErrnoException)))
    }
    try {
      const target = pipe?.write ?? "pipe"
      const errorTarget = errorPipe?.write ?? (program.onErrorBytes === undefined ? target : "pipe")
      const child = spawn(file, rest, {
        argv0: basename(file),
        cwd,
        env,
        detached: true,
        stdio: [input === undefined && terminal !== true ? "ignore" : "pipe", target, errorTarget]
      })
      child.once("error", fail)
      // A program that does not read its input closes it.
      child.stdin?.on("error", () => undefined)
      // A terminal stays open for what is typed.
      if (terminal !== true || input !== undefined) child.stdin?.end(input)
      const type: RunningCommand["type"] = (keys) =>
        Effect.sync(() => {
          const { stdin } = child
          if (stdin === null || !stdin.writable || child.exitCode !== null || child.signalCode !== null) return false
          stdin.write(keys)
          return true
        })
      child.once("exit", (code, signal) => Deferred.doneUnsafe(exited, Effect.succeed({ code, signal })))
      child.once("spawn", () => {
        closeWriters()
        const errorStream = errorPipe?.read ?? child.stderr ?? undefined
        const streams = [
          [pipe?.read ?? child.stdout!, onBytes] as const,
          ...(errorStream === undefined ? [] : [[errorStream, onErrorBytes] as const])
        ]
        let openCount = streams.length
        for (const [stream, onData] of streams) {
          stream.on("data", onData).on("error", () => undefined)
          stream.once("close", () => --openCount === 0 && Deferred.doneUnsafe(ended, Effect.void))
        }
        resume(Effect.succeed({ run: { leader: child.pid!, marker: env[ProcessTree.variable]! }, exited, ended, type }))
      })
    } catch (cause) {
      fail(cause)
    }
  })

const startError = (command: string, cause: NodeJS.ErrnoException): ShellError =>
  new ShellError({
    command,
    reason: limitCodes.has(cause.code ?? "") ? "Limits" : "Other",
    message: cause.code === "E2BIG" ? "It is longer than the system allows." : cause.message
  })

/** No more processes, files or memory are available; or the command is longer than the system allows. */
const limitCodes: ReadonlySet<string> = new Set(["EAGAIN", "EMFILE", "ENFILE", "ENOMEM", "E2BIG"])

/** The shell and its flags: no start-up file is read. */
const findShell = (path: string): ReadonlyArray<string> | undefined => {
  const bash = Programs.find(path, "bash")
  if (bash !== undefined) return [bash, "--norc", "--noprofile"]
  const sh = Programs.find(path, "sh")
  return sh === undefined ? undefined : [sh]
}

const isFolder = (path: string): boolean => fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
