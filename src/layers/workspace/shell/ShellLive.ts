/**
 * Runs commands in bash, each in a process group and session of its own, of which nothing outlives its scope.
 *
 * Built on node:child_process and not on Effect's ChildProcess: that one ends a process group but not what left it,
 * fails instead of telling the signal, gives each stream a socket of its own (see OutputPipe), and its release waits
 * for what ignores SIGTERM without saying so. A process lives in real time, whatever clock the program runs under,
 * so timeouts and graces here are always of the real clock.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { basename, delimiter, isAbsolute, join } from "node:path"
import * as CommandEnvironment from "../../../domain/tool/CommandEnvironment.ts"
import type * as Sandbox from "../../../domain/tool/Sandbox.ts"
import type { SandboxError } from "../../../domain/tool/SandboxError.ts"
import { ShellError } from "../../../domain/tool/ShellError.ts"
import { Environment } from "../../../services/Environment.ts"
import { type Command, type Exit, type Program, type Ran, type Running, Shell } from "../../../services/Shell.ts"
import * as Collect from "./CollectOutput.ts"
import * as Confined from "./SandboxedShell.ts"
import * as OutputPipe from "./OutputPipe.ts"
import * as Ports from "./ListeningPorts.ts"
import * as ProcessTree from "./ProcessTree.ts"
import * as PseudoTerminal from "./PseudoTerminal.ts"

/** ms between SIGTERM and SIGKILL. */
const grace = 3000

/** ms to wait for the end of output once every process that we can find is gone. */
const drainFor = 500

/** ms between two looks at what came. */
const showEvery = 50

/** Commands run by bash, or by sh where there is no bash; `confine` puts a sandbox around them. */
export const layer: Layer.Layer<Shell, never, Environment> = Layer.effect(Shell, Effect.suspend(() => make(undefined)))

/** Commands inside a sandbox over these roots; fails where it is not to be had. */
export const layerSandboxed = (asked: Sandbox.Asked, roots: ReadonlyArray<string>): Layer.Layer<Shell, SandboxError, Environment> =>
  Layer.effect(Shell, Effect.gen(function*() {
    return yield* make(yield* Confined.open(asked, roots, yield* Environment))
  }))

const make = (confine: Confined.Confine | undefined) =>
  Effect.gen(function*() {
    const { platform, variables } = yield* Environment
    const path = variables["PATH"] || "/usr/local/bin:/usr/bin:/bin"
    const shell = findShell(path)
    const environment = CommandEnvironment.scrub(variables)
    const outer = variables[ProcessTree.variable]
    const self = ProcessTree.owner()
    let count = 0
    const marker = () => [...(outer === undefined ? [] : [outer]), `${self}.${++count}`].join("/")
    const sweepOnce = yield* Effect.cached(ProcessTree.sweep)
    yield* Effect.forkScoped(sweepOnce)

    const argvOf = Effect.fnUntraced(function*({ command, cwd, terminal }: Program) {
      if (shell === undefined) return yield* new ShellError({ command, reason: "NoShell", message: "Neither bash nor sh is on PATH." })
      if (!isFolder(cwd)) return yield* new ShellError({ command, reason: "NoFolder", message: `${cwd} is not a folder.` })
      const plain = [...shell, "-c", command]
      if (terminal !== true) return { argv: plain, env: {} }
      const script = findProgram(path, "script")
      return script === undefined
        ? yield* new ShellError({ command, reason: "Other", message: "A pseudo-terminal needs the program script (of util-linux), which is not on PATH." })
        : PseudoTerminal.around({ script, shell: shell[0]!, platform }, command, plain)
    })

    const start = Effect.fn("Shell.start")(function*(program: Program) {
      const { argv, env } = yield* argvOf(program)
      yield* sweepOnce
      const pipe = yield* OutputPipe.open({ temporary: variables["TMPDIR"] ?? "/tmp", path })
      const confined = confine === undefined ? argv : yield* confine(argv, program.cwd)
      const over = yield* Deferred.make<Exit>()
      const { ended, exited, run } = yield* Effect.acquireRelease(
        launch({ ...program, argv: confined, env: { ...environment, ...env, [ProcessTree.variable]: marker() } }, pipe),
        (launched) => Effect.flatMap(Deferred.isDone(over), (done) => done ? Effect.void : finish(launched))
      )
      yield* Deferred.await(exited).pipe(
        Effect.tap(() => finish({ ended, exited, run })),
        Effect.flatMap((exit) => Deferred.succeed(over, exit)),
        Effect.forkScoped
      )
      return {
        exit: Deferred.await(over),
        stop: inRealTime(ProcessTree.stop(run, grace).pipe(
          Effect.andThen(Effect.timeoutOption(Deferred.await(over), 2 * drainFor)),
          Effect.asVoid
        )),
        ports: Effect.flatMap(ProcessTree.alive(run), (pids) => Ports.listening(pids, path)),
        hides: program.terminal === true ? Effect.flatMap(ProcessTree.alive(run), (pids) => PseudoTerminal.hides(pids, path)) : Effect.succeed(false)
      } satisfies Running
    }, inRealTime)

    const run = Effect.fn("Shell.run")(function*(command: Command) {
      const output = Collect.make(command)
      const exit = yield* Effect.gen(function*() {
        yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(showEvery), Effect.sync(output.show))))
        const { exit } = yield* start({ command: command.command, cwd: command.cwd, onBytes: output.take })
        return yield* Effect.timeoutOption(exit, command.timeoutMs)
      }).pipe(Effect.scoped)
      output.show()
      const how = Option.match(exit, { onNone: () => timedOut, onSome: (exit) => ({ ...exit, timedOut: false }) })
      return { ...how, ...output.result() } satisfies Ran
    }, inRealTime)

    return Shell.of({ run, start })
  })

/** A process lives in real time, whatever clock the program runs under. */
const inRealTime = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

const timedOut = { code: null, signal: null, timedOut: true }

/** A command that runs: `exited` when its shell has ended, `ended` when nothing holds its output any more. */
interface Launched {
  readonly run: ProcessTree.Run
  readonly exited: Deferred.Deferred<Exit>
  readonly ended: Deferred.Deferred<void>
}

/** Ends what is left of a command, and waits for the end of what it said. */
const finish = ({ ended, exited, run }: Launched) =>
  ProcessTree.stop(run, grace).pipe(
    Effect.andThen(Effect.timeoutOption(Deferred.await(exited), drainFor)),
    Effect.andThen(Effect.timeoutOption(Deferred.await(ended), drainFor)),
    inRealTime
  )

/** Starts the shell with exactly the command's text; fails when the system could not. */
const launch = (
  program: Program & { readonly argv: ReadonlyArray<string>; readonly env: Readonly<Record<string, string>> },
  pipe: OutputPipe.OutputPipe | undefined
) =>
  Effect.callback<Launched, ShellError>((resume) => {
    const { argv: [file = "", ...rest], command, cwd, env, onBytes } = program
    const exited = Deferred.makeUnsafe<Exit>()
    const ended = Deferred.makeUnsafe<void>()
    const fail = (cause: unknown) => {
      pipe?.handedOver()
      resume(Effect.fail(startError(command, cause as NodeJS.ErrnoException)))
    }
    try {
      const to = pipe?.write ?? "pipe"
      const child = spawn(file, rest, { argv0: basename(file), cwd, env, detached: true, stdio: ["ignore", to, to] })
      child.once("error", fail)
      child.once("exit", (code, signal) => Deferred.doneUnsafe(exited, Effect.succeed({ code, signal })))
      child.once("spawn", () => {
        pipe?.handedOver()
        const streams = pipe === undefined ? [child.stdout!, child.stderr!] : [pipe.read]
        let open = streams.length
        for (const stream of streams) {
          stream.on("data", onBytes).on("error", () => undefined)
          stream.once("close", () => --open === 0 && Deferred.doneUnsafe(ended, Effect.void))
        }
        resume(Effect.succeed({ run: { leader: child.pid!, marker: env[ProcessTree.variable]! }, exited, ended }))
      })
    } catch (cause) {
      fail(cause)
    }
  })

const startError = (command: string, cause: NodeJS.ErrnoException): ShellError =>
  new ShellError({
    command,
    reason: limits.has(cause.code ?? "") ? "Limits" : "Other",
    message: cause.code === "E2BIG" ? "It is longer than the system takes." : cause.message
  })

/** No more processes, files or memory to be had; or a command that is longer than the system takes. */
const limits: ReadonlySet<string> = new Set(["EAGAIN", "EMFILE", "ENFILE", "ENOMEM", "E2BIG"])

/** The shell and its flags: no start-up file is read. */
const findShell = (path: string): ReadonlyArray<string> | undefined => {
  const bash = findProgram(path, "bash")
  if (bash !== undefined) return [bash, "--norc", "--noprofile"]
  const sh = findProgram(path, "sh")
  return sh === undefined ? undefined : [sh]
}

const findProgram = (path: string, name: string): string | undefined =>
  path.split(delimiter).filter(isAbsolute).map((folder) => join(folder, name)).find(isExecutable)

const isExecutable = (path: string): boolean => {
  try {
    fs.accessSync(path, fs.constants.X_OK)
    return fs.statSync(path).isFile()
  } catch {
    return false
  }
}

const isFolder = (path: string): boolean => fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
