/** A single writer fiber: concurrent writes are batched into one transaction, and each completes when it is committed. */
import type { DatabaseSync } from "node:sqlite"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import type * as Cause from "effect/Cause"
import { LogError } from "../../../domain/session/LogError.ts"
import { answerInTurns } from "../AnswerInTurns.ts"
import * as Database from "./Database.ts"

interface Write {
  readonly session: string
  readonly run: () => unknown
  readonly sync: boolean
  readonly answer: (exit: Exit.Exit<unknown, LogError>) => void
}

/**
 * Runs `run` in a transaction and returns its result after the commit; with `sync`, it survives a power failure.
 * A LogError that `run` throws before it changes anything fails only this write.
 */
export type Writer = <A>(session: string, run: () => A, options?: { readonly sync: boolean }) => Effect.Effect<A, LogError>

/** Maximum number of writes per transaction, which bounds how long the event loop is blocked. */
const maxBatch = 256

/** Writes queued before the scope closes are still committed. */
export const make = Effect.fnUntraced(function*(db: DatabaseSync) {
  const queue = yield* Queue.unbounded<Write, Cause.Done>()
  let synchronous = ""

  const commit = (writes: ReadonlyArray<Write>) =>
    Database.attempt(writes[0]!.session, () => {
      const level = writes.some(({ sync }) => sync) ? "FULL" : "NORMAL"
      if (level !== synchronous) db.exec(`PRAGMA synchronous = ${level}`)
      synchronous = level
      return Database.transaction(db, () => writes.map((write) => ({ write, exit: outcome(write) })))
    })

  /** If a transaction fails, its writes are retried one by one, so that a bad write does not fail the others. */
  const settle = (writes: ReadonlyArray<Write>): Effect.Effect<void> =>
    Effect.matchCauseEffect(commit(writes), {
      onSuccess: (outcomes) => answerInTurns(outcomes, ({ exit, write }) => Effect.sync(() => write.answer(exit))),
      onFailure: (cause) =>
        writes.length > 1
          ? Effect.forEach(writes, (write) => settle([write]), { discard: true })
          : Effect.sync(() => writes[0]!.answer(Exit.failCause(cause)))
    })

  const fiber = yield* Queue.takeBetween(queue, 1, maxBatch).pipe(
    Effect.flatMap(settle),
    Effect.forever,
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() => Effect.andThen(Queue.end(queue), Fiber.await(fiber)))

  const write: Writer = <A>(session: string, run: () => A, { sync } = { sync: false }) =>
    Effect.uninterruptible(Effect.suspend(() => {
      const deferred = Deferred.makeUnsafe<A, LogError>()
      const answer: Write["answer"] = (exit) => void Deferred.doneUnsafe(deferred, exit as Exit.Exit<A, LogError>)
      return Queue.offerUnsafe(queue, { session, run, sync, answer })
        ? Deferred.await(deferred)
        : Effect.fail(new LogError({ session, message: "The session store is closed.", reason: { _tag: "Disk", code: "CLOSED" } }))
    }))
  return write
})

const outcome = ({ run }: Write): Exit.Exit<unknown, LogError> => {
  try {
    return Exit.succeed(run())
  } catch (error) {
    if (error instanceof LogError) return Exit.fail(error)
    throw error
  }
}
