/** One fiber writes: what many ask at once is one transaction, and each is answered when it is committed. */
import type { DatabaseSync } from "node:sqlite"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import type * as Cause from "effect/Cause"
import { LogError } from "../../../domain/session/LogError.ts"
import * as SqliteFile from "./Database.ts"

interface Write {
  readonly session: string
  readonly run: () => unknown
  readonly sync: boolean
  readonly answer: (exit: Exit.Exit<unknown, LogError>) => void
}

/**
 * Runs `run` within a transaction and gives its result once that is committed; with `sync` it survives a power cut.
 * A LogError that `run` throws before it changed anything refuses this write alone.
 */
export type Writer = <A>(session: string, run: () => A, options?: { readonly sync: boolean }) => Effect.Effect<A, LogError>

/** Writes in one transaction at most: bounds how long the event loop waits. */
const most = 256

/** What was asked before the scope closes is still written. */
export const make = Effect.fnUntraced(function*(db: DatabaseSync) {
  const queue = yield* Queue.unbounded<Write, Cause.Done>()
  let synchronous = ""

  const commit = (writes: ReadonlyArray<Write>) =>
    SqliteFile.attempt(writes[0]!.session, () => {
      const level = writes.some(({ sync }) => sync) ? "FULL" : "NORMAL"
      if (level !== synchronous) db.exec(`PRAGMA synchronous = ${level}`)
      synchronous = level
      return SqliteFile.transaction(db, () => writes.map(outcome))
    })

  /** Where a transaction fails as a whole, its writes are tried one by one: what is wrong with one is not the others' fault. */
  const settle = (writes: ReadonlyArray<Write>): Effect.Effect<void> =>
    Effect.matchCauseEffect(commit(writes), {
      onSuccess: (outcomes) => Effect.sync(() => writes.forEach(({ answer }, i) => answer(outcomes[i]!))),
      onFailure: (cause) =>
        writes.length > 1
          ? Effect.forEach(writes, (write) => settle([write]), { discard: true })
          : Effect.sync(() => writes[0]!.answer(Exit.failCause(cause)))
    })

  const fiber = yield* Queue.takeBetween(queue, 1, most).pipe(
    Effect.flatMap(settle),
    Effect.forever,
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() => Effect.andThen(Queue.end(queue), Fiber.await(fiber)))

  const write: Writer = <A>(session: string, run: () => A, { sync } = { sync: false }) =>
    Effect.uninterruptible(Effect.suspend(() => {
      const done = Deferred.makeUnsafe<A, LogError>()
      const answer: Write["answer"] = (exit) => void Deferred.doneUnsafe(done, exit as Exit.Exit<A, LogError>)
      return Queue.offerUnsafe(queue, { session, run, sync, answer })
        ? Deferred.await(done)
        : Effect.fail(new LogError({ session, message: "The store of sessions is closed.", reason: { _tag: "Disk", code: "CLOSED" } }))
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
