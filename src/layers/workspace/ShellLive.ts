/**
 * Runs commands in bash, each in a process group and session of its own, of which nothing outlives the call.
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
import * as CommandEnvironment from "../../domain/tool/CommandEnvironment.ts"
import type * as Sandbox from "../../domain/tool/Sandbox.ts"
import type { SandboxError } from "../../domain/tool/SandboxError.ts"
import { ShellError } from "../../domain/tool/ShellError.ts"
import { Environment } from "../../services/Environment.ts"
import { type Command, type Ran, Shell } from "../../services/Shell.ts"
import * as Collect from "./Collect.ts"
import * as Confined from "./Confined.ts"
import * as OutputPipe from "./OutputPipe.ts"
import * as ProcessTree from "./ProcessTree.ts"

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
    const { variables } = yield* Environment
    const path = variables["PATH"] || "/usr/local/bin:/usr/bin:/bin"
    const shell = findShell(path)
    const environment = CommandEnvironment.scrub(variables)
    const outer = variables[ProcessTree.variable]
    const self = ProcessTree.owner()
    let count = 0
    const marker = () => [...(outer === undefined ? [] : [outer]), `${self}.${++count}`].join("/")
    const sweepOnce = yield* Effect.cached(ProcessTree.sweep)
    yield* Effect.forkScoped(sweepOnce)

    const run = Effect.fn("Shell.run")(function*(command: Command) {
      if (shell === undefined) {
        return yield* new ShellError({ command: command.command, reason: "NoShell", message: "Neither bash nor sh is on PATH." })
      }
      if (!isFolder(command.cwd)) {
        return yield* new ShellError({ command: command.command, reason: "NoFolder", message: `${command.cwd} is not a folder.` })
      }
      yield* sweepOnce
      const output = Collect.make(command)
      const pipe = yield* OutputPipe.open({ temporary: variables["TMPDIR"] ?? "/tmp", path })
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(showEvery), Effect.sync(output.show))))
      const bash = [...shell, "-c", command.command]
      const argv = confine === undefined ? bash : yield* confine(bash, command.cwd)
      const { ended, how } = yield* Effect.acquireUseRelease(
        start({ ...command, argv, env: { ...environment, [ProcessTree.variable]: marker() } }, pipe, output),
        ({ ended, exited }) =>
          Effect.map(Effect.timeoutOption(Deferred.await(exited), command.timeoutMs), (exit) => ({
            ended,
            how: Option.match(exit, { onNone: () => timedOut, onSome: (exit) => ({ ...exit, timedOut: false }) })
          })),
        ({ exited, run }) => Effect.andThen(ProcessTree.stop(run, grace), Effect.timeoutOption(Deferred.await(exited), drainFor))
      )
      yield* Effect.timeoutOption(Deferred.await(ended), drainFor)
      output.show()
      return { ...how, ...output.result() } satisfies Ran
    }, Effect.scoped, Effect.provideService(Clock.Clock, Clock.Clock.defaultValue()))

    return Shell.of({ run })
  })

type Exit = Pick<Ran, "code" | "signal">

const timedOut = { code: null, signal: null, timedOut: true }

/** A command that runs: `exited` when its shell has ended, `ended` when nothing holds its output any more. */
interface Started {
  readonly run: ProcessTree.Run
  readonly exited: Deferred.Deferred<Exit>
  readonly ended: Deferred.Deferred<void>
}

/** Starts the shell with exactly the command's text; fails when the system could not. */
const start = (
  command: Command & { readonly argv: ReadonlyArray<string>; readonly env: Readonly<Record<string, string>> },
  pipe: OutputPipe.OutputPipe | undefined,
  output: Collect.Collector
) =>
  Effect.callback<Started, ShellError>((resume) => {
    const { argv: [file = "", ...rest], command: text, cwd, env } = command
    const exited = Deferred.makeUnsafe<Exit>()
    const ended = Deferred.makeUnsafe<void>()
    const fail = (cause: unknown) => {
      pipe?.handedOver()
      resume(Effect.fail(startError(text, cause as NodeJS.ErrnoException)))
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
          stream.on("data", output.take).on("error", () => undefined)
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
  const folders = path.split(delimiter).filter(isAbsolute)
  const find = (name: string) => folders.map((folder) => join(folder, name)).find(isExecutable)
  const bash = find("bash")
  if (bash !== undefined) return [bash, "--norc", "--noprofile"]
  const sh = find("sh")
  return sh === undefined ? undefined : [sh]
}

const isExecutable = (path: string): boolean => {
  try {
    fs.accessSync(path, fs.constants.X_OK)
    return fs.statSync(path).isFile()
  } catch {
    return false
  }
}

const isFolder = (path: string): boolean => fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
