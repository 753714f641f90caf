/** The process itself: the one place of the command line that touches its arguments and streams. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { fstatSync } from "node:fs"
import { isatty } from "node:tty"
import { InputError, OutputError } from "./CliError.ts"
import { Environment } from "../../services/Environment.ts"
import { Host, type Input, type Output, type Terminal } from "./Host.ts"

/** More than this is no prompt. */
const limit = 16 * 1024 * 1024

/** How long, in ms, an open input may stay silent beside a prompt: a pipe of a shell has a writer that may be slow, a socket of a parent often has none. */
const patience = { pipe: 3_000, socket: 150 }

const output = (stream: NodeJS.WriteStream): Output => {
  stream.on("error", () => {}) // told by the write's own callback
  return {
    tty: stream.isTTY === true,
    columns: () => stream.columns ?? 80,
    write: (text) =>
      Effect.callback<void, OutputError>((resume) => {
        stream.write(text, (error) => resume(error == null ? Effect.void : Effect.fail(unwritten(error))))
      })
  }
}

const unwritten = (error: NodeJS.ErrnoException): OutputError =>
  new OutputError({ code: error.code ?? "", message: `Standard output can't be written: ${error.code ?? error.message}.` })

/** Reads to the end; with `silence` gives null when nothing came for so many ms. */
const read = (silence: number | undefined): Effect.Effect<Uint8Array | null, InputError> =>
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
      if (size > limit) done(Effect.fail(new InputError({ message: "Standard input holds more than 16 MiB." })))
    }
    const onEnd = () => done(Effect.succeed(Buffer.concat(chunks)))
    const onError = (error: NodeJS.ErrnoException) =>
      done(Effect.fail(new InputError({ message: `Standard input can't be read: ${error.code ?? error.message}.` })))
    const timer = silence === undefined ? undefined : setTimeout(() => done(Effect.succeed(null)), silence)
    const stop = () => {
      clearTimeout(timer)
      stdin.off("data", onData).off("end", onEnd).off("error", onError).pause()
      if ("unref" in stdin && typeof stdin.unref === "function") stdin.unref()
    }
    stdin.on("data", onData).on("end", onEnd).on("error", onError)
    return Effect.sync(stop)
  })

/** How long to wait beside a prompt; undefined: to the end, it is a file. */
const silence = (): number | undefined => {
  try {
    const stat = fstatSync(0)
    return stat.isSocket() ? patience.socket : stat.isFIFO() ? patience.pipe : undefined
  } catch {
    return patience.socket // closed before we began
  }
}

/** Lines end at a newline alone: JSON may hold other characters that end a line elsewhere. */
const lines: Input["lines"] = Stream.suspend(() =>
  Stream.fromAsyncIterable<Uint8Array, InputError>(process.stdin, (error) =>
    new InputError({ message: `Standard input can't be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}.` }))
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
  offered: Effect.suspend(() => read(silence()))
}

/** The group is whatever the shell began as one job; who has no shell to wake it is not put to sleep by the system. */
const terminal: Terminal = {
  get stdin() {
    return process.stdin // opened by the first look at it
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

/** What ends the process is known by whoever runs it. */
export const layer = ({ defect, signal }: Pick<Host["Service"], "defect" | "signal">) =>
  Layer.effect(Host, Effect.map(Environment, (environment) => ({
    defect,
    signal,
    args: process.argv.slice(2),
    cwd: process.cwd(),
    environment,
    node: process.versions.node,
    terminal,
    stdin: input,
    stdout: output(process.stdout),
    stderr: output(process.stderr)
  })))
