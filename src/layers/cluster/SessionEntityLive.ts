/** Answers the messages of a session on the runner that owns its shard. */
import * as Entity from "effect/cluster/Entity"
import type { RunnerStorage } from "effect/cluster/RunnerStorage"
import type { Sharding } from "effect/cluster/Sharding"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type { Operation } from "../../domain/control/Operation.ts"
import { RequestFailed } from "../../domain/control/RequestFailed.ts"
import { type RunningSession, SessionHost } from "../../services/cluster/SessionHost.ts"
import { heartbeatMs, SessionEntity } from "./SessionEntity.ts"
import * as ShardOwnership from "./ShardOwnership.ts"

/** The store was away, or the session was another's for a moment: its log says how to continue once it is opened again. */
const isPassing = ({ error }: RequestFailed): boolean =>
  error?._tag === "LogError" && (error.reason._tag === "Disk" || error.reason._tag === "Locked")

/** Another runner began the session between the look into the store and the lease: now it is a stored one. */
const hasBegun = ({ error }: RequestFailed): boolean => error?._tag === "LogError" && error.reason._tag === "Exists"

const reopening = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("5 seconds")])

const heartbeat = Stream.fromSchedule(Schedule.spaced(heartbeatMs)).pipe(Stream.map(() => null))

/** `closed` opens when the session closes, which does not end the streams of its events. */
interface Opened {
  readonly session: RunningSession
  readonly scope: Scope.Closeable
  readonly closed: Latch.Latch
}

/** What opens a session within a scope; what failed is closed at once. */
const within = <A, E>(scope: Scope.Scope, effect: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E> =>
  Effect.flatMap(Scope.fork(scope), (attempt) =>
    effect.pipe(
      Scope.provide(attempt),
      Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(attempt, exit))
    ))

type IsOwned = Effect.Success<typeof ShardOwnership.make>

const entity = (isOwned: IsOwned) =>
  Effect.gen(function*() {
    const { entityId, shardId } = yield* Entity.CurrentAddress
    const runner = yield* Entity.CurrentRunnerAddress
    const host = yield* SessionHost
    const entityScope = yield* Effect.scope
    const lock = yield* Semaphore.make(1)
    let current: Fiber.Fiber<Opened, RequestFailed> | undefined
    let opened: Opened | undefined

    /** A runner that was paused may have lost the shard without having noticed: it must not take the session from its new owner. */
    const confirmOwnership = Effect.flatMap(
      isOwned(runner, shardId),
      (owned) =>
        owned ? Effect.void : new RequestFailed({
          reason: "Failed",
          message: `The session ${entityId} has moved to another runner. Try again.`
        })
    )

    /**
     * Opened by the first message; `operation` is what a new session begins with. A request that gives up does not stop the opening,
     * which the next one finds further on.
     */
    const open = (operation: Operation | undefined): Effect.Effect<Opened, RequestFailed> =>
      lock.withPermits(1)(
        Effect.suspend(() =>
          current === undefined
            ? Scope.fork(entityScope).pipe(
              // When the entity ends, the opening is stopped before what it has opened is closed.
              Effect.flatMap((scope) => Effect.forkIn(openNow(scope, operation), entityScope)),
              Effect.tap((opening) => Effect.sync(() => void (current = opening)))
            )
            : Effect.succeed(current)
        )
      ).pipe(Effect.flatMap(Fiber.join))

    const openNow = Effect.fnUntraced(
      function*(scope: Scope.Closeable, operation: Operation | undefined) {
        const session = yield* Effect.retry(within(scope, Effect.andThen(confirmOwnership, host.open(entityId, operation))), {
          while: hasBegun,
          times: 1
        })
        const closed = Latch.makeUnsafe()
        yield* Scope.addFinalizer(scope, closed.open)
        return opened = { session, scope, closed }
      },
      Effect.onError(() => Effect.sync(() => void (current = undefined)))
    )

    /** After an error of the store the state in memory may not be that of the log. */
    const close = (failed: Opened) =>
      lock.withPermits(1)(Effect.suspend(() => {
        if (opened !== failed) return Effect.void
        current = undefined
        opened = undefined
        return Scope.close(failed.scope, Exit.void)
      }))

    const use = <A>(
      operation: Operation | undefined,
      body: (session: RunningSession) => Effect.Effect<A, RequestFailed>
    ): Effect.Effect<A, RequestFailed> =>
      Effect.flatMap(
        open(operation),
        (running) => Effect.tapError(body(running.session), (error) => isPassing(error) ? close(running) : Effect.void)
      )

    return SessionEntity.of({
      Work: ({ payload: { operation } }) =>
        use(
          operation,
          (session) =>
            Effect.flatMap(
              session.run(operation),
              (result) => session.settled("session" in operation ? operation.session : result.session)
            )
        ).pipe(Effect.retry({ while: isPassing, schedule: reopening })),
      Operate: ({ payload: { operation } }) => use(operation, ({ run }) => run(operation)),
      Follow: ({ payload: { from, session } }) =>
        Stream.unwrap(
          Effect.map(
            open(undefined),
            ({ closed, session: running }) =>
              Stream.merge(running.events(session, from), heartbeat, { haltStrategy: "left" }).pipe(Stream.interruptWhen(closed.await))
          )
        )
    })
  })

/** `idle`: how long a session without messages stays open. */
export const layer = (
  idle: Duration.Input,
  ownership: typeof ShardOwnership.make = ShardOwnership.make
): Layer.Layer<never, never, Sharding | RunnerStorage | SessionHost> =>
  Layer.unwrap(Effect.map(
    ownership,
    (isOwned) => SessionEntity.toLayer(entity(isOwned), { concurrency: "unbounded", maxIdleTime: idle })
  ))
