/**
 * A session's log in memory: numbers, timestamps and hashes appended events, passes them to `persist`, then folds and
 * publishes them. Live and replayed logs differ only in `persist` and `time`.
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
import * as HashChain from "./HashChain.ts"
import { sha256 } from "./Digest.ts"

export interface LogStore {
  readonly id: string
  /** The events already in the log. */
  readonly past: ReadonlyArray<SessionEvent>
  /** The time of the event at `seq`, in ms since the epoch. */
  readonly time: (seq: number, event: Settled) => Effect.Effect<number>
  /** Durable when it returns. `session` is the state with these lines; `blobs` are those added since the last call. */
  readonly persist: (
    lines: ReadonlyArray<Line>,
    events: ReadonlyArray<SessionEvent>,
    session: Session.Session,
    blobs: ReadonlyMap<string, Uint8Array>
  ) => Effect.Effect<void, LogError>
  /** Called with events that are stored, and with what was stored beside them. */
  readonly stored?: (events: ReadonlyArray<SessionEvent>, blobs: ReadonlyMap<string, Uint8Array>) => void
  /** Called when the state includes the events up to `seq`. */
  readonly committed?: (seq: number) => Effect.Effect<void>
  readonly read: (from: number) => Effect.Effect<ReadonlyArray<SessionEvent>, LogError>
  readonly getBlob: (hash: string) => Effect.Effect<Uint8Array, LogError>
  readonly putDraft: (bytes: Uint8Array | null) => Effect.Effect<void, LogError>
  readonly getDraft: Effect.Effect<Uint8Array | null, LogError>
}

/** Events that are appended together, and the state with them. */
interface Batch {
  readonly lines: ReadonlyArray<Line>
  readonly entries: ReadonlyArray<SessionEvent>
  readonly pendingBlobs: ReadonlyMap<string, Uint8Array>
  readonly state: Session.Session
}

/** How many live events a slow follower can lag behind before it loses the oldest. */
const maxBacklog = 16_384

/** Past events are folded and not kept in memory, so that a long session uses no more memory than its state. */
export const make = Effect.fnUntraced(function*({ past, ...backing }: LogStore) {
  let session = Session.fold(past)
  let head = past.at(-1)?.hash ?? ""
  let blobs = new Map<string, Uint8Array>()
  const writer = yield* Semaphore.make(1)
  // One queue per follower instead of a hub, which would allocate the whole backlog in every idle session.
  const followers = new Set<Queue.Queue<Followed>>()
  const publish = (item: Followed): void => followers.forEach((queue) => Queue.offerUnsafe(queue, item))

  const commit = ({ entries, lines, pendingBlobs, state }: Batch): void => {
    blobs = new Map([...blobs].filter(([hash]) => !pendingBlobs.has(hash)))
    session = state
    head = lines.at(-1)?.hash ?? head
    for (const at of entries) publish({ _tag: "Settled", at })
    backing.stored?.(entries, pendingBlobs)
  }

  /** A batch whose append failed, while nobody knows whether it was stored and only the acknowledgement lost. */
  let unconfirmed: Batch | undefined

  /** Whether the store has the unconfirmed batch: then its append has succeeded. */
  const confirm = Effect.suspend(() => {
    const batch = unconfirmed
    return batch === undefined ? Effect.succeed(false) : Effect.map(backing.read(session.seq + 1), (stored) => {
      unconfirmed = undefined
      const isStored = stored.length === batch.lines.length && batch.lines.every(({ hash }, i) => stored[i]?.hash === hash)
      if (isStored) commit(batch)
      return isStored
    })
  })

  const write = Effect.fnUntraced(function*(events: ReadonlyArray<Settled>, after?: number) {
    yield* confirm
    if (after !== undefined && after !== session.seq) return yield* new Stale({ after })
    const lines: Array<Line> = []
    const entries: Array<SessionEvent> = []
    let next = session
    for (const event of events) {
      const seq = next.seq + 1
      const time = yield* backing.time(seq, event)
      const line = HashChain.line(lines.at(-1)?.hash ?? head, seq, time, event)
      lines.push(line)
      entries.push(HashChain.event(line, time, event))
      next = Session.isInHistory(next, entries.at(-1)!)
        ? Session.apply(next, entries.at(-1)!)
        : Session.fold([...(yield* backing.read(0)), ...entries])
    }
    const batch = { lines, entries, pendingBlobs: blobs, state: next }
    yield* backing.persist(lines, entries, next, blobs).pipe(
      Effect.matchEffect({
        onSuccess: () => Effect.sync(() => commit(batch)),
        onFailure: (error) => {
          unconfirmed = batch
          return Effect.flatMap(
            Effect.orElseSucceed(confirm, () => false),
            (isStored) => isStored ? Effect.void : Effect.fail(error)
          )
        }
      })
    )
    if (backing.committed !== undefined) yield* backing.committed(session.seq)
  })

  const append = (events: ReadonlyArray<Settled>, after?: number) => writer.withPermits(1)(Effect.uninterruptible(write(events, after)))

  const subscribe = Effect.acquireRelease(
    Effect.tap(Queue.sliding<Followed>(maxBacklog), (queue) => Effect.sync(() => followers.add(queue))),
    (queue) => Effect.andThen(Effect.sync(() => followers.delete(queue)), Queue.shutdown(queue))
  )

  /** A settled event lost to the backlog limit is read again by its seq. */
  const follow = (from: number): Stream.Stream<Followed, LogError> =>
    Stream.unwrap(Effect.gen(function*() {
      const queue = yield* subscribe
      let cursor = from
      const readUpTo = (seq: number) =>
        Effect.map(backing.read(cursor), (events) => {
          const pastEvents = events.filter((at) => at.seq <= seq)
          cursor = Math.max(cursor, seq + 1)
          return pastEvents.map((at): Followed => ({ _tag: "Settled", at }))
        })
      const next = (item: Followed): Effect.Effect<ReadonlyArray<Followed>, LogError> => {
        if (item._tag !== "Settled") return Effect.succeed([item])
        if (item.at.seq < cursor) return Effect.succeed([])
        if (item.at.seq > cursor) return readUpTo(item.at.seq)
        cursor += 1
        return Effect.succeed([item])
      }
      return Stream.fromIterableEffect(readUpTo(session.seq)).pipe(
        Stream.concat(
          Stream.fromQueue(queue).pipe(
            // Live events arrive by the thousand, so they are passed on in batches.
            Stream.mapArray((items): readonly [ReadonlyArray<Followed>] => [items]),
            Stream.mapEffect((items) =>
              items.every(({ _tag }) => _tag !== "Settled")
                ? Effect.succeed(items)
                : Effect.map(Effect.forEach(items, next), (all) => all.flat())
            ),
            Stream.flattenIterable
          )
        )
      )
    }))

  return {
    id: backing.id,
    state: Effect.sync(() => session),
    append: append as SessionLog["append"],
    emit: publish,
    follow,
    putBlob: (bytes) =>
      Effect.sync(() => {
        const hash = sha256(bytes)
        blobs = new Map(blobs).set(hash, bytes)
        return hash
      }),
    getBlob: (hash) =>
      Effect.suspend(() => {
        const pending = blobs.get(hash)
        return pending === undefined ? backing.getBlob(hash) : Effect.succeed(pending)
      }),
    saveDraft: backing.putDraft,
    storedDraft: backing.getDraft
  } satisfies SessionLog
})
