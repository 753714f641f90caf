/** The live process: the only module of the command line that accesses its arguments and streams. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { fstatSync } from "node:fs"
import { isatty } from "node:tty"
import { InputError, OutputError } from "./CliError.ts"
import { Environment } from "../../services/Environment.ts"
import * as TerminalOutput from "../render/text/TerminalOutput.ts"
import * as Theme from "../render/text/Theme.ts"
import { Host, type Input, type Output, type Terminal } from "./Host.ts"

/** Maximum size of standard input. */
const maxBytes = 16 * 1024 * 1024

/** How long, in ms, to wait for input beside a prompt: a shell pipe may have a slow writer, a socket of a parent often has none. */
const silenceMs = { pipe: 3_000, socket: 150 }

const output = (stream: NodeJS.WriteStream, isColored: boolean): Output => {
  stream.on("error", () => {}) // reported by the callback of write
  const writeRaw = (text: string) =>
    Effect.callback<void, OutputError>((resume) => {
      stream.write(text, (error) => resume(error == null ? Effect.void : Effect.fail(writeError(error))))
    })
  const write = (text: string) => writeRaw(TerminalOutput.text(text, isColored || stream.isTTY === true))
  return { tty: stream.isTTY === true, columns: () => stream.columns ?? 80, write, data: stream.isTTY === true ? write : writeRaw }
}

/** Whether colours are enabled without a terminal. */
const hasColors = (args: ReadonlyArray<string>, variables: Readonly<Record<string, string | undefined>>): boolean =>
  args.some((arg) => arg.startsWith("--color")) || Theme.of("auto", false, variables).color

const writeError = (error: NodeJS.ErrnoException): OutputError =>
  new OutputError({ code: error.code ?? "", message: `Can't write to standard output: ${error.code ?? error.message}.` })

/** Reads to the end; with `maxSilenceMs`, returns null if nothing arrives for that long. */
const read = (maxSilenceMs: number | undefined): Effect.Effect<Uint8Array | null, InputError> =>
  Effect.callback((resume) => {
    const stdin = process.stdin
    const chunks: Array<Uint8Array> = []
    let size = 0
    const done = (result: Effect.Effect<Uint8Array | null, InputError>) => {
      stop()
      resume(result)
    }
    const onData = (chunk: Uint8Array) => {
      clearTimeout(timer)
      chunks.push(chunk)
      size += chunk.length
      if (size > maxBytes) done(Effect.fail(new InputError({ message: "Standard input is larger than 16 MiB." })))
    }
    const onEnd = () => done(Effect.succeed(Buffer.concat(chunks)))
    const onError = (error: NodeJS.ErrnoException) =>
      done(Effect.fail(new InputError({ message: `Can't read standard input: ${error.code ?? error.message}.` })))
    const timer = maxSilenceMs === undefined ? undefined : setTimeout(() => done(Effect.succeed(null)), maxSilenceMs)
    const stop = () => {
      clearTimeout(timer)
      stdin.off("data", onData).off("end", onEnd).off("error", onError).pause()
      if ("unref" in stdin && typeof stdin.unref === "function") stdin.unref()
    }
    stdin.on("data", onData).on("end", onEnd).on("error", onError)
    return Effect.sync(stop)
  })

/** How long to wait for input beside a prompt; undefined for a file, which is read to the end. */
const inputSilenceMs = (): number | undefined => {
  try {
    const stat = fstatSync(0)
    return stat.isSocket() ? silenceMs.socket : stat.isFIFO() ? silenceMs.pipe : undefined
  } catch {
    return silenceMs.socket // closed before the start
  }
}

/** Splits lines at newlines only: JSON may contain other Unicode line separators. */
const lines: Input["lines"] = Stream.suspend(() =>
  Stream.fromAsyncIterable<Uint8Array, InputError>(
    process.stdin,
    (error) => new InputError({ message: `Can't read standard input: ${(error as NodeJS.ErrnoException).code ?? String(error)}.` })
  )
).pipe(
  Stream.decodeText(),
  Stream.mapAccum(() => "", (rest, text) => {
    const parts = (rest + text).split("\n")
    return [parts.pop() ?? "", parts] as const
  }, { onHalt: (rest) => rest === "" ? [] : [rest] })
)

const input: Input = {
  lines,
  tty: isatty(0),
  all: Effect.map(read(undefined), (bytes) => bytes ?? new Uint8Array()),
  piped: Effect.suspend(() => read(inputSilenceMs()))
}

/** Suspends the whole process group of the shell job. Without a job-control shell, the system ignores the signal. */
const terminal: Terminal = {
  get stdin() {
    return process.stdin // opened on first access
  },
  get stdout() {
    return process.stdout
  },
  atExit: (undo) => {
    process.once("exit", undo)
    return () => void process.off("exit", undo)
  },
  sleep: Effect.sync(() => void process.kill(0, "SIGTSTP"))
}

/** The caller that runs the process knows what ends it. */
export const layer = ({ defect, signal }: Pick<Host["Service"], "defect" | "signal">) =>
  Layer.effect(
    Host,
    Effect.map(Environment, (environment) => {
      const isColored = hasColors(process.argv, environment.variables)
      return {
        defect,
        signal,
        args: process.argv.slice(2),
        cwd: process.cwd(),
        environment,
        node: process.versions.node,
        terminal,
        stdin: input,
        stdout: output(process.stdout, isColored),
        stderr: output(process.stderr, isColored)
      }
    })
  )
