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
import { spawn, type ChildProcess } from "node:child_process"
import * as fs from "node:fs"
import { delimiter, join } from "node:path"
import { StringDecoder } from "node:string_decoder"
import * as CommandEnvironment from "../../domain/tool/CommandEnvironment.ts"
import * as Excerpt from "../../domain/tool/Excerpt.ts"
import { ShellError } from "../../domain/tool/ShellError.ts"
import * as TerminalText from "../../domain/tool/TerminalText.ts"
import { Environment } from "../../services/Environment.ts"
import { type Command, type Ran, Shell } from "../../services/Shell.ts"
import * as OutputPipe from "./OutputPipe.ts"
import * as ProcessTree from "./ProcessTree.ts"

/** ms between SIGTERM and SIGKILL. */
const grace = 3000

/** ms to wait for the end of output once every process that we can find is gone. */
const drainFor = 500

/** Commands run by bash, or by sh where there is no bash. */
export const layer: Layer.Layer<Shell, never, Environment> = Layer.effect(
  Shell,
  Effect.gen(function*() {
    const { variables } = yield* Environment
    const shell = findShell(variables["PATH"] ?? "")
    const environment = CommandEnvironment.scrub(variables)
    const outer = variables[ProcessTree.variable]
    const self = ProcessTree.owner(process.pid)
    let count = 0
    const marker = () => [...(outer === undefined ? [] : [outer]), `${self}.${++count}`].join("/")
    const sweepOnce = yield* Effect.cached(ProcessTree.sweep)

    const run = Effect.fn("Shell.run")(function*(command: Command) {
      if (shell === undefined) {
        return yield* new ShellError({ command: command.command, reason: "NoShell", message: "Neither bash nor sh is on PATH." })
      }
      if (!isFolder(command.cwd)) {
        return yield* new ShellError({ command: command.command, reason: "NoFolder", message: `${command.cwd} is not a folder.` })
      }
      yield* sweepOnce
      const output = collect(command)
      const pipe = yield* OutputPipe.open.pipe(Effect.mapError(startError(command)))
      const how = yield* Effect.acquireUseRelease(
        start(command, pipe, shell, { ...environment, [ProcessTree.variable]: marker() }, output),
        ({ exited }) => Deferred.await(exited).pipe(Effect.timeoutOption(command.timeoutMs)),
        ({ exited, run }) => ProcessTree.stop(run, grace).pipe(Effect.andThen(Deferred.await(exited)))
      ).pipe(Effect.map(Option.getOrElse(() => ({ code: null, signal: null, timedOut: true }))))
      yield* Deferred.await(output.ended).pipe(Effect.timeoutOption(drainFor))
      return { timedOut: false, ...how, ...output.result() } satisfies Ran
    }, Effect.scoped, Effect.provideService(Clock.Clock, Clock.Clock.defaultValue()))

    return Shell.of({ run })
  })
)

type Exit = Pick<Ran, "code" | "signal">

/** Starts the shell with exactly the command's text; fails when the system could not. */
const start = (
  command: Command,
  pipe: OutputPipe.OutputPipe,
  shell: ReadonlyArray<string>,
  env: Record<string, string>,
  output: Collected
) =>
  Effect.callback<{ readonly run: ProcessTree.Run; readonly exited: Deferred.Deferred<Exit> }, ShellError>((resume) => {
    const exited = Deferred.makeUnsafe<Exit>()
    const fail = (cause: unknown) => {
      fs.closeSync(pipe.write)
      resume(Effect.fail(startError(command)(cause as NodeJS.ErrnoException)))
    }
    let child: ChildProcess
    try {
      child = spawn(shell[0]!, [...shell.slice(1), "-c", command.command], {
        cwd: command.cwd,
        env,
        detached: true,
        stdio: ["ignore", pipe.write, pipe.write]
      })
    } catch (cause) {
      return fail(cause)
    }
    child.once("error", fail)
    child.once("spawn", () => {
      fs.closeSync(pipe.write)
      pipe.read.on("data", output.take).on("error", output.end).on("close", output.end).on("end", output.end)
      resume(Effect.succeed({ run: { leader: child.pid!, marker: env[ProcessTree.variable]! }, exited }))
    })
    child.once("exit", (code, signal) => Deferred.doneUnsafe(exited, Effect.succeed({ code, signal })))
  })

interface Collected {
  readonly take: (bytes: Buffer) => void
  readonly end: () => void
  readonly ended: Deferred.Deferred<void>
  readonly result: () => { readonly output: string; readonly cut: number }
}

/** Output as it comes, decoded across chunks, shown at once and kept within the command's bound. */
const collect = ({ keep, onOutput }: Command): Collected => {
  const ended = Deferred.makeUnsafe<void>()
  const decoder = new StringDecoder("utf8")
  const excerpt = Excerpt.initial(keep)
  let text = TerminalText.initial
  const push = (output: string) => {
    if (output === "") return
    const [next, settled] = TerminalText.push(text, output)
    text = next
    Excerpt.push(excerpt, settled)
    onOutput(output)
  }
  return {
    ended,
    take: (bytes) => push(decoder.write(bytes)),
    end: () => {
      Deferred.doneUnsafe(ended, Effect.void)
    },
    result: () => {
      push(decoder.end())
      Excerpt.push(excerpt, TerminalText.end(text))
      const { cut, text: output } = Excerpt.result(excerpt)
      return { output, cut }
    }
  }
}

const startError = ({ command }: Command) => (cause: NodeJS.ErrnoException): ShellError =>
  new ShellError({
    command,
    reason: limits.has(cause.code ?? "") ? "Limits" : "Other",
    message: `The command could not be started: ${cause.message}`
  })

/** No more processes, files or memory to be had; or a command that is longer than the system takes. */
const limits: ReadonlySet<string> = new Set(["EAGAIN", "EMFILE", "ENFILE", "ENOMEM", "E2BIG"])

/** The shell and its flags: no start-up file is read. */
const findShell = (path: string): ReadonlyArray<string> | undefined => {
  const find = (name: string) =>
    [...path.split(delimiter), "/bin", "/usr/bin"].map((folder) => join(folder, name)).find((file) => folder(file) && isExecutable(file))
  const folder = (file: string) => file.startsWith("/")
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
