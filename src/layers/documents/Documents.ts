/**
 * Documents as text. Their content is untrusted: each is read in its own thread, which is terminated if it takes too
 * much time or memory, or if nobody waits any more.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { DocumentError } from "../../domain/workspace/DocumentError.ts"
import type { Document } from "../../domain/workspace/FileKind.ts"
import * as Thread from "../thread/Thread.ts"
import type { DocumentText } from "./DocumentText.ts"
import type { WorkerResponse } from "./worker.ts"
import { withRealClock } from "../../services/process/RealClock.ts"

/** Limits: seconds per document, and MB of the thread's own heap and of the process's memory meanwhile. */
const defaults = { seconds: 30, heap: 512, memory: 1024 }

const tooLarge = (message: string) => new DocumentError({ reason: "TooLarge", message })

export const read = Effect.fn("Documents.read")(
  function*(kind: Document, bytes: Uint8Array, limits: typeof defaults = defaults): Effect.fn.Return<DocumentText, DocumentError> {
    const { Worker } = yield* Effect.promise(() => import("node:worker_threads"))
    const startBytes = process.memoryUsage.rss()
    const extraction = Effect.callback<DocumentText, DocumentError>((resume) => {
      const worker = new Worker(Thread.script({ source: "documents/worker.ts", bundle: "document.js" }), {
        workerData: { kind, bytes },
        env: {},
        stdout: true,
        stderr: true,
        resourceLimits: { maxOldGenerationSizeMb: limits.heap }
      })
      const fail = (error: DocumentError) => resume(Effect.fail(error))
      worker.once(
        "message",
        (response: WorkerResponse) =>
          "document" in response ? resume(Effect.succeed(response.document)) : fail(new DocumentError(response.error))
      )
      worker.once("error", (error: NodeJS.ErrnoException) =>
        fail(
          error.code === "ERR_WORKER_OUT_OF_MEMORY" ? tooLarge(`it needs more than ${limits.heap} MB`)
            : new DocumentError({ reason: "Damaged", message: error.message })
        ))
      worker.once("exit", () => fail(new DocumentError({ reason: "Damaged", message: "its reader ended without a result" })))
      return Effect.promise(() => worker.terminate())
    })
    const isOverLimit = Effect.sync(() => process.memoryUsage.rss() - startBytes > limits.memory * 1024 * 1024)
    const watch = Effect.repeat(isOverLimit, {
      until: (isOver) => isOver,
      schedule: Schedule.spaced("50 millis")
    }).pipe(
      Effect.andThen(Effect.fail(tooLarge(`it needs more than ${limits.memory} MB`)))
    )
    return yield* Effect.raceFirst(extraction, watch).pipe(
      Effect.timeoutOrElse({
        duration: `${limits.seconds} seconds`,
        orElse: () => Effect.fail(tooLarge(`it takes more than ${limits.seconds} s`))
      }),
      // A thread works in real time, whatever clock the program runs under.
      withRealClock
    )
  }
)
