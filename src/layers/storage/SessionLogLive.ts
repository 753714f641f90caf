/**
 * A session's log in memory: numbers, stamps and hashes what is appended, hands it to `persist`, then folds it and
 * shows it. Live and replayed logs differ in `persist` and `time` alone.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { Stale, type LogError } from "../../domain/session/LogError.ts"
import * as Session from "../../domain/session/Session.ts"
import type { Followed, SessionEvent, Settled } from "../../domain/session/SessionEvent.ts"
import type { SessionLog } from "../../services/EventLog.ts"
import type { Line } from "../../services/Storage.ts"
import * as Chain from "./HashChain.ts"
import { sha256 } from "./Digest.ts"

export interface Backing {
  readonly id: string
  /** What the log holds already. */
  readonly past: ReadonlyArray<SessionEvent>
  /** ms since the epoch for the event at `seq`. */
  readonly time: (seq: number) => Effect.Effect<number>
  /** Durable when it returns; `session` is the fold with these lines in it, `blobs` those that were put since the last time. */
  readonly persist: (
    lines: ReadonlyArray<Line>,
    events: ReadonlyArray<Settled>,
    session: Session.Session,
    blobs: ReadonlyMap<string, Uint8Array>
  ) => Effect.Effect<void, LogError>
  readonly read: (from: number) => Effect.Effect<ReadonlyArray<SessionEvent>, LogError>
  readonly getBlob: (hash: string) => Effect.Effect<Uint8Array, LogError>
  readonly putDraft: (bytes: Uint8Array | null) => Effect.Effect<void, LogError>
  readonly getDraft: Effect.Effect<Uint8Array | null, LogError>
}

/** Live events that a slow follower may lag behind before it loses the oldest. */
const lag = 16_384

/** What the log held before is folded and not kept: a long session takes no more room than what it still says. */
export const make = Effect.fnUntraced(function*({ past, ...backing }: Backing) {
  let session = Session.fold(past)
  let head = past.at(-1)?.hash ?? ""
  let blobs = new Map<string, Uint8Array>()
  const writer = yield* Semaphore.make(1)
  // A queue for each follower, and not one hub: that would hold room for the whole lag in every session at rest.
  const followers = new Set<Queue.Queue<Followed>>()
  const show = (item: Followed): void => followers.forEach((queue) => Queue.offerUnsafe(queue, item))

  const write = Effect.fnUntraced(function*(events: ReadonlyArray<Settled>, after?: number) {
    if (after !== undefined && after !== session.seq) return yield* new Stale({ after })
    const lines: Array<Line> = []
    const entries: Array<SessionEvent> = []
    let next = session
    for (const event of events) {
      const seq = next.seq + 1
      const time = yield* backing.time(seq)
      const line = Chain.line(lines.at(-1)?.hash ?? head, seq, time, event)
      lines.push(line)
      entries.push(Chain.event(line, time, event))
      next = Session.reaches(next, entries.at(-1)!)
        ? Session.apply(next, entries.at(-1)!)
        : Session.fold([...(yield* backing.read(0)), ...entries])
    }
    const put = blobs
    yield* backing.persist(lines, events, next, put)
    blobs = new Map([...blobs].filter(([hash]) => !put.has(hash)))
    session = next
    head = lines.at(-1)?.hash ?? head
    for (const at of entries) show({ _tag: "Settled", at })
  })

  const append = (events: ReadonlyArray<Settled>, after?: number) =>
    writer.withPermits(1)(Effect.uninterruptible(write(events, after)))

  const subscribe = Effect.acquireRelease(
    Effect.tap(Queue.sliding<Followed>(lag), (queue) => Effect.sync(() => followers.add(queue))),
    (queue) => Effect.andThen(Effect.sync(() => followers.delete(queue)), Queue.shutdown(queue))
  )

  /** A settled event that was lost to the lag is read again by its seq. */
  const follow = (from: number): Stream.Stream<Followed, LogError> =>
    Stream.unwrap(Effect.gen(function*() {
      const queue = yield* subscribe
      let cursor = from
      const upTo = (seq: number) =>
        Effect.map(backing.read(cursor), (events) => {
          const missed = events.filter((at) => at.seq <= seq)
          cursor = Math.max(cursor, seq + 1)
          return missed.map((at): Followed => ({ _tag: "Settled", at }))
        })
      const next = (item: Followed): Effect.Effect<ReadonlyArray<Followed>, LogError> => {
        if (item._tag !== "Settled") return Effect.succeed([item])
        if (item.at.seq < cursor) return Effect.succeed([])
        if (item.at.seq > cursor) return upTo(item.at.seq)
        cursor += 1
        return Effect.succeed([item])
      }
      return Stream.fromIterableEffect(upTo(session.seq)).pipe(
        Stream.concat(Stream.fromQueue(queue).pipe(
          // Live events come by the thousand, and pass together.
          Stream.mapArray((items): readonly [ReadonlyArray<Followed>] => [items]),
          Stream.mapEffect((items) =>
            items.every(({ _tag }) => _tag !== "Settled") ? Effect.succeed(items) : Effect.map(Effect.forEach(items, next), (all) => all.flat())),
          Stream.flattenIterable
        ))
      )
    }))

  return {
    id: backing.id,
    state: Effect.sync(() => session),
    append: append as SessionLog["append"],
    emit: show,
    follow,
    putBlob: (bytes) =>
      Effect.sync(() => {
        const hash = sha256(bytes)
        blobs = new Map(blobs).set(hash, bytes)
        return hash
      }),
    getBlob: (hash) => Effect.suspend(() => {
      const put = blobs.get(hash)
      return put === undefined ? backing.getBlob(hash) : Effect.succeed(put)
    }),
    draft: backing.putDraft,
    drafted: backing.getDraft
  } satisfies SessionLog
})
