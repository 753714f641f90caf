/**
 * Asks the database whether a shard is still this runner's. `RunnerStorage.refresh` uses the connection that holds all of the runner's
 * locks, and gives that connection up, and the locks with it, when it is interrupted or takes too long. So no session calls it: their
 * questions are collected, and asked one after the other by a fiber that nobody interrupts.
 */
import type { RunnerAddress } from "effect/cluster/RunnerAddress"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import type { ShardId } from "effect/cluster/ShardId"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"

interface Question {
  readonly runner: RunnerAddress
  readonly shardId: ShardId
  readonly answer: Deferred.Deferred<boolean>
}

/** Until the scope closes. While the database does not answer, no shard is the runner's. */
export const make = Effect.gen(function*() {
  const locks = yield* RunnerStorage.RunnerStorage
  const questions = yield* Queue.unbounded<Question>()
  yield* Queue.takeAll(questions).pipe(
    Effect.flatMap((batch) =>
      locks.refresh(batch[0].runner, [...new Set(batch.map(({ shardId }) => shardId))]).pipe(
        Effect.catchCause(() => Effect.succeed<ReadonlyArray<ShardId>>([])),
        Effect.map((current) =>
          batch.forEach(({ answer, shardId }) => Deferred.doneUnsafe(answer, Exit.succeed(current.includes(shardId))))
        )
      )
    ),
    Effect.forever,
    Effect.forkScoped
  )
  return (runner: RunnerAddress, shardId: ShardId): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      const answer = Deferred.makeUnsafe<boolean>()
      return Effect.andThen(Queue.offer(questions, { runner, shardId, answer }), Deferred.await(answer))
    })
})
