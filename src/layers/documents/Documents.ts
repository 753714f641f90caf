/**
 * Documents as text. What a document holds is hostile: it is read in a thread of its own, which is ended when it takes too long or too
 * much memory, and when nobody waits any more.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { DocumentError } from "../../domain/workspace/DocumentError.ts"
import type { Document } from "../../domain/workspace/FileKind.ts"
import type { Told } from "./DocumentText.ts"
import type { Answer } from "./worker.ts"

/** Seconds that a document may take, and MB: of the thread's own heap, and of all that this process takes meanwhile. */
const usual = { seconds: 30, heap: 512, memory: 1024 }

/** Beside this file in a checkout; where it is bundled, beside the command or the library. */
const script = (): string => {
  const here = dirname(fileURLToPath(import.meta.url))
  if (existsSync(join(here, "worker.ts"))) return join(here, "worker.ts")
  for (let above = here;; above = dirname(above)) {
    if (existsSync(join(above, "document.js"))) return join(above, "document.js")
    if (above === dirname(above)) throw new Error("the reader of documents is not there")
  }
}

const tooLarge = (message: string) => new DocumentError({ reason: "TooLarge", message })

export const read = Effect.fn("Documents.read")(function*(kind: Document, bytes: Uint8Array, limits: typeof usual = usual): Effect.fn.Return<Told, DocumentError> {
  const { Worker } = yield* Effect.promise(() => import("node:worker_threads"))
  const before = process.memoryUsage.rss()
  const reading = Effect.callback<Told, DocumentError>((resume) => {
    const worker = new Worker(script(), { workerData: { kind, bytes }, env: {}, stdout: true, stderr: true, resourceLimits: { maxOldGenerationSizeMb: limits.heap } })
    const fail = (error: DocumentError) => resume(Effect.fail(error))
    worker.once("message", (answer: Answer) => "told" in answer ? resume(Effect.succeed(answer.told)) : fail(new DocumentError(answer.error)))
    worker.once("error", (error: NodeJS.ErrnoException) =>
      fail(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? tooLarge(`it takes more than ${limits.heap} MB`) : new DocumentError({ reason: "Damaged", message: error.message })))
    worker.once("exit", () => fail(new DocumentError({ reason: "Damaged", message: "its reader ended without a word" })))
    return Effect.promise(() => worker.terminate())
  })
  const grown = Effect.sync(() => process.memoryUsage.rss() - before > limits.memory * 1024 * 1024)
  const watch = Effect.repeat(grown, { until: (is) => is, schedule: Schedule.spaced("50 millis") }).pipe(
    Effect.andThen(Effect.fail(tooLarge(`it takes more than ${limits.memory} MB`)))
  )
  return yield* Effect.raceFirst(reading, watch).pipe(
    Effect.timeoutOrElse({ duration: `${limits.seconds} seconds`, orElse: () => Effect.fail(tooLarge(`it takes more than ${limits.seconds} s`)) }),
    // A thread works in real time, whatever clock the program runs under.
    Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
  )
})
