/**
 * Work that may never end, outside the main thread: JavaScript and WebAssembly cannot be interrupted, but a thread can be
 * terminated. V8 cannot even terminate a thread that is compiling an expression, so expressions get a separate process.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { ChildProcess } from "node:child_process"
import type { Worker } from "node:worker_threads"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { withRealClock } from "../../services/process/RealClock.ts"

/** `TooLong`: it was terminated. `Failed`: it crashed by itself, for the reason in `message`. */
export class ThreadError extends Data.TaggedError("ThreadError")<{ readonly reason: "TooLong" | "Failed"; readonly message: string }> {}

/** Answers one question after another, in order. */
export interface Thread<Input, Output> {
  /** Starts it unless it is running: preparations for the first question need not wait for that. */
  readonly start: Effect.Effect<void>
  /** A thread that takes longer than `limitMs`, or whose caller is interrupted, is terminated; the next question starts another. */
  readonly request: (input: Input, limitMs: number) => Effect.Effect<Output, ThreadError>
}

/**
 * `source` is the thread's module below src/layers; `bundle` its name in a build, beside the command or the library. It
 * runs until the scope closes, and does not keep an otherwise finished process alive.
 */
export interface Options {
  readonly source: string
  readonly bundle: string
  readonly kind: "thread" | "process"
}

/** The common interface of both kinds. */
interface Runner {
  readonly send: (message: unknown) => void
  readonly on: (event: "message" | "error" | "exit", listener: (value: any) => void) => void
  readonly off: (event: "message" | "error" | "exit", listener: (value: any) => void) => void
  /** Whether our process waits for it. */
  readonly keepAlive: (isHeld: boolean) => void
  readonly end: () => Promise<unknown>
}

const ofThread = (worker: Worker): Runner => ({
  send: (message) => worker.postMessage(message),
  on: (event, listener) => worker.on(event, listener),
  off: (event, listener) => worker.off(event, listener),
  keepAlive: (isHeld) => isHeld ? worker.ref() : worker.unref(),
  end: () => worker.terminate()
})

const ofProcess = (child: ChildProcess): Runner => ({
  send: (message) => child.send(message as object),
  on: (event, listener) => child.on(event, listener),
  off: (event, listener) => child.off(event, listener),
  keepAlive: (isHeld) => {
    if (isHeld) child.ref()
    else child.unref()
    if (isHeld) child.channel?.ref()
    else child.channel?.unref()
  },
  end: () => Promise.resolve(child.kill("SIGKILL"))
})

/** MB of a thread's own heap. */
const heap = 512

export const make = <Input, Output>(options: Options): Effect.Effect<Thread<Input, Output>, never, Scope.Scope> =>
  Effect.gen(function*() {
    const run = yield* options.kind === "thread" ? threads : processes
    const lock = yield* Semaphore.make(1)
    let current: Runner | undefined
    const ensureRunner = (): Runner => {
      if (current !== undefined) return current
      const runner = run(script(options))
      // The caller gets the error; a thread that dies between two questions is replaced by the next.
      runner.on("error", () => {})
      runner.on("exit", () => {
        if (current === runner) current = undefined
      })
      runner.keepAlive(false)
      return current = runner
    }
    const end = Effect.suspend(() => {
      const runner = current
      current = undefined
      return runner === undefined ? Effect.void : Effect.promise(() => runner.end())
    })
    yield* Effect.addFinalizer(() => end)

    const request = (input: Input) =>
      Effect.callback<Output, ThreadError>((resume) => {
        const runner = ensureRunner()
        const settle = (effect: Effect.Effect<Output, ThreadError>) => {
          runner.off("message", onMessage)
          runner.off("error", onError)
          runner.off("exit", onExit)
          runner.keepAlive(false)
          resume(effect)
        }
        const fail = (message: string) => settle(Effect.fail(new ThreadError({ reason: "Failed", message })))
        const onMessage = (output: Output) => settle(Effect.succeed(output))
        const onError = (error: Error) => fail(error.message)
        const onExit = () => fail("it ended without a result")
        runner.on("message", onMessage)
        runner.on("error", onError)
        runner.on("exit", onExit)
        runner.keepAlive(true)
        runner.send(input)
        return end
      })

    return {
      start: Effect.sync(() => void ensureRunner()),
      request: (input, limitMs) =>
        request(input).pipe(
          Effect.timeoutOrElse({
            duration: limitMs,
            orElse: () => Effect.fail(new ThreadError({ reason: "TooLong", message: `it took longer than ${limitMs / 1000} s` }))
          }),
          // A thread works in real time, whatever clock the program runs under.
          withRealClock,
          lock.withPermits(1)
        )
    }
  })

const threads = Effect.map(
  Effect.promise(() => import("node:worker_threads")),
  ({ Worker }) => (file: string) =>
    ofThread(new Worker(file, { env: {}, stdout: true, stderr: true, resourceLimits: { maxOldGenerationSizeMb: heap } }))
)

const processes = Effect.map(
  Effect.promise(() => import("node:child_process")),
  ({ fork }) => (file: string) =>
    ofProcess(
      fork(file, [], {
        env: {},
        execArgv: [`--max-old-space-size=${heap}`],
        serialization: "advanced",
        stdio: ["ignore", "ignore", "ignore", "ipc"]
      })
    )
)

/** Where the module of a thread is: in a checkout its source; in a bundle, beside the command or the library. */
export const script = ({ bundle, source }: Pick<Options, "bundle" | "source">): string => {
  const moduleFolder = dirname(fileURLToPath(import.meta.url))
  const checkout = join(moduleFolder, "..", source)
  if (existsSync(checkout)) return checkout
  for (let ancestor = moduleFolder;; ancestor = dirname(ancestor)) {
    if (existsSync(join(ancestor, bundle))) return join(ancestor, bundle)
    if (ancestor === dirname(ancestor)) throw new Error(`${bundle} is missing`)
  }
}
