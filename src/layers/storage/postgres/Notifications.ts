/**
 * Appends of all processes, as they happen, through LISTEN and NOTIFY (postgresql.org/docs/current/sql-notify.html). A notification is a
 * hint: whoever gets one reads the log, and reads it now and then in any case, so that one that was lost only costs time.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { arrays, type Connection } from "./Connection.ts"

/** How often a watcher looks without a hint: while this process listens, and while its connection is broken. */
const listeningInterval = "5 seconds"
const brokenInterval = "250 millis"

export const make = Effect.fnUntraced(function*({ listen, query, schema }: Connection) {
  const channel = `dacapo_${schema}`
  const watchers = new Map<string, Set<Queue.Queue<void>>>()
  let isListening = false
  const wake = (session: string): void => watchers.get(session)?.forEach((queue) => Queue.offerUnsafe(queue, undefined))
  const wakeAll = (): void => [...watchers.keys()].forEach(wake)

  const listenOnce = Effect.scoped(Effect.gen(function*() {
    const notifications = yield* listen(channel)
    isListening = true
    // What happened before it listened.
    wakeAll()
    return yield* Effect.forever(Effect.map(Queue.take(notifications), ({ payload }) => wake(payload)))
  })).pipe(Effect.ensuring(Effect.sync(() => void (isListening = false))))

  const scope = yield* Effect.scope
  /** Only processes that watch a session hold a connection for it. */
  const start = yield* Effect.cached(
    Effect.ignore(listenOnce).pipe(Effect.repeat(Schedule.spaced("1 second")), Effect.forkIn(scope, { startImmediately: true }))
  )

  const look = Effect.suspend(() => Effect.sleep(isListening ? listeningInterval : brokenInterval))

  /** Sessions of which appends are not announced yet. They are announced beside the appends, which do not wait for it. */
  const unannounced = new Set<string>()
  const due = yield* Queue.sliding<void>(1)
  yield* Queue.take(due).pipe(
    Effect.andThen(Effect.suspend(() => {
      const sessions = [...unannounced]
      unannounced.clear()
      return Effect.ignore(query("", "SELECT pg_notify($1, id) FROM unnest($2::text[]) AS s (id)", [channel, arrays.text(sessions)]))
    })),
    Effect.forever,
    Effect.forkScoped
  )

  return {
    announce: (session: string): void => {
      unannounced.add(session)
      Queue.offerUnsafe(due, undefined)
    },
    /** Emits at first, and whenever the session may have grown. */
    watch: (session: string): Stream.Stream<void> =>
      Stream.unwrap(Effect.gen(function*() {
        const queue = yield* Effect.acquireRelease(
          Effect.tap(Queue.sliding<void>(1), (queue) =>
            Effect.sync(() => void watchers.set(session, (watchers.get(session) ?? new Set()).add(queue)))),
          (queue) =>
            Effect.andThen(
              Effect.sync(() => {
                const all = watchers.get(session)
                all?.delete(queue)
                if (all?.size === 0)
                  watchers.delete(session)
              }),
              Queue.shutdown(queue)
            )
        )
        yield* start
        return Stream.succeed(undefined).pipe(Stream.concat(Stream.fromEffectRepeat(Effect.raceFirst(Queue.take(queue), look))))
      }))
  }
})
