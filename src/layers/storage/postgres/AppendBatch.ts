/** A single writer fiber: concurrent appends to different sessions are one statement, and each completes when it is committed. */
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import { LogError, notFound } from "../../../domain/session/LogError.ts"
import type { Line, Summary } from "../../../services/Storage.ts"
import { answerInTurns } from "../AnswerInTurns.ts"
import type { Packed } from "../Compression.ts"
import * as HashChain from "../HashChain.ts"
import * as ProcessLease from "../ProcessLease.ts"
import { arrays, type Connection } from "./Connection.ts"

/**
 * Lines for one session. `epoch` is that of the lease that this process holds; none if it holds no lease. With `tenant` the session
 * begins as the tenant's, or has to be the tenant's already.
 */
export interface Append {
  readonly session: string
  readonly lines: ReadonlyArray<Line>
  readonly blobs: ReadonlyArray<Packed & { readonly hash: string }>
  readonly summary: Omit<Summary, "id" | "events" | "archived">
  readonly epoch: number | undefined
  readonly tenant: string | undefined
}

interface Pending {
  readonly append: Append
  readonly done: Deferred.Deferred<void, LogError>
}

/** Maximum number of sessions per statement. */
const maxBatch = 256

/** The epoch of an append without a lease, which fits any. */
const noEpoch = -1

/**
 * All of a batch in one statement. A session whose head is not where the lines continue, or whose lease is another's by now, is
 * left out with its lines and blobs, and so is another tenant's: the lock on its row orders this append and a change of the lease.
 */
const statement = `
  WITH input AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::integer[],
      $9::text[], $10::integer[], $11::text[], $12::bigint[], $21::text[])
      AS i (id, cwd, title, model, parent, created, updated, first, prev, events, hash, epoch, tenant)
  ), advanced AS (
    UPDATE session s SET cwd = i.cwd, title = i.title, model = i.model, parent = i.parent, created = i.created, updated = i.updated,
      events = i.events, hash = i.hash
    FROM input i
    WHERE s.id = i.id AND s.events = i.first AND s.hash = i.prev AND (i.epoch = ${noEpoch} OR s.epoch = i.epoch)
      AND (i.tenant IS NULL OR s.tenant = i.tenant)
    RETURNING s.num, s.id
  ), begun AS (
    INSERT INTO session (id, cwd, title, model, parent, created, updated, events, hash, tenant)
    SELECT id, cwd, title, model, parent, created, updated, events, hash, tenant FROM input WHERE first = 0 AND epoch = ${noEpoch}
    ON CONFLICT (id) DO NOTHING
    RETURNING num, id
  ), accepted AS (
    SELECT num, id FROM advanced UNION ALL SELECT num, id FROM begun
  ), stored_lines AS (
    INSERT INTO line (session, seq, hash, body)
    SELECT a.num, l.seq, l.hash, l.body
    FROM unnest($13::text[], $14::integer[], $15::text[], $16::text[]) AS l (id, seq, hash, body) JOIN accepted a USING (id)
  ), stored_blobs AS (
    INSERT INTO blob (hash, codec, bytes)
    SELECT DISTINCT ON (b.hash) b.hash, b.codec, b.bytes
    FROM unnest($17::text[], $18::text[], $19::text[], $20::bytea[]) AS b (id, hash, codec, bytes) JOIN accepted USING (id)
    ON CONFLICT (hash) DO NOTHING
  )
  SELECT id FROM accepted`

const values = (batch: ReadonlyArray<Append>): ReadonlyArray<unknown> => {
  const lines = batch.flatMap(({ lines, session }) => lines.map((line) => ({ ...line, session })))
  const blobs = batch.flatMap(({ blobs, session }) => blobs.map((blob) => ({ ...blob, session })))
  return [
    arrays.text(batch.map(({ session }) => session)),
    arrays.text(batch.map(({ summary }) => storable(summary.cwd))),
    arrays.text(batch.map(({ summary }) => storable(summary.title))),
    arrays.text(batch.map(({ summary }) => storable(summary.model))),
    arrays.text(batch.map(({ summary }) => summary.parent ?? null)),
    arrays.bigint(batch.map(({ summary }) => summary.created)),
    arrays.bigint(batch.map(({ summary }) => summary.updated)),
    arrays.integer(batch.map(({ lines }) => lines[0]!.seq)),
    arrays.text(batch.map(({ lines }) => lines[0]!.prev)),
    arrays.integer(batch.map(({ lines }) => lines.at(-1)!.seq + 1)),
    arrays.text(batch.map(({ lines }) => lines.at(-1)!.hash)),
    arrays.bigint(batch.map(({ epoch = noEpoch }) => epoch)),
    arrays.text(lines.map(({ session }) => session)),
    arrays.integer(lines.map(({ seq }) => seq)),
    arrays.text(lines.map(({ hash }) => hash)),
    arrays.text(lines.map(({ body }) => body)),
    arrays.text(blobs.map(({ session }) => session)),
    arrays.text(blobs.map(({ hash }) => hash)),
    arrays.text(blobs.map(({ codec }) => codec)),
    arrays.bytes(blobs.map(({ bytes }) => bytes)),
    arrays.text(batch.map(({ tenant }) => tenant ?? null))
  ]
}

/** PostgreSQL stores neither NUL nor half of a surrogate pair; JSON escapes them in the events themselves. */
const storable = (text: string): string => text.replaceAll("\0", "").toWellFormed()

interface Head {
  readonly events: number
  readonly hash: string
  readonly epoch: bigint
  readonly tenant: string | null
}

interface Outcome {
  readonly accepted: ReadonlySet<string>
  readonly wasRepeated: boolean
}

/** Appends queued before the scope closes are still committed. */
export const make = Effect.fnUntraced(function*({ query }: Connection) {
  const queue = yield* Queue.unbounded<Pending, Cause.Done>()

  /** The sessions whose lines are stored; `wasRepeated`: perhaps by an earlier attempt, whose answer was lost. */
  const commit = (batch: ReadonlyArray<Pending>) =>
    Effect.suspend(() => {
      let wasRepeated = false
      const onRepeat = () => void (wasRepeated = true)
      return Effect.map(
        query<{ readonly id: string }>(batch[0]!.append.session, statement, values(batch.map(({ append }) => append)), onRepeat),
        (rows) => ({ accepted: new Set(rows.map(({ id }) => id)), wasRepeated })
      )
    })

  /** Why an append was left out; undefined if it is stored. */
  const refusal = Effect.fnUntraced(function*({ epoch, lines, session, tenant }: Append, wasRepeated: boolean) {
    const [row] = yield* query<Head>(session, "SELECT events, hash, epoch, tenant FROM session WHERE id = $1", [session])
    const isOthers = tenant !== undefined && row !== undefined && row.tenant !== tenant
    if (isOthers && lines[0]!.seq === 0) return notFound(session, [])
    const head = isOthers ? undefined : row
    const last = lines.at(-1)!
    if (wasRepeated && head !== undefined && head.events === last.seq + 1 && head.hash === last.hash) return undefined
    if (head !== undefined && epoch !== undefined && Number(head.epoch) !== epoch) return ProcessLease.lost(session)
    const at = head === undefined ? HashChain.start : { seq: head.events - 1, hash: head.hash }
    return HashChain.chainError(session, at, lines) ?? new LogError({
      session,
      message: `Session ${session} changed while it was being written.`,
      reason: { _tag: "Corrupt", seq: lines[0]!.seq }
    })
  })

  const settleOne = ({ append, done }: Pending, { accepted, wasRepeated }: Outcome) =>
    accepted.has(append.session)
      ? Deferred.succeed(done, undefined)
      : Effect.matchCauseEffect(refusal(append, wasRepeated), {
        onSuccess: (error) => error === undefined ? Deferred.succeed(done, undefined) : Deferred.fail(done, error),
        onFailure: (cause) => Deferred.failCause(done, cause)
      })

  /** If a statement fails, its appends are retried one by one, so that a bad one does not fail the others. */
  const settle = (batch: ReadonlyArray<Pending>): Effect.Effect<void> =>
    Effect.matchCauseEffect(commit(batch), {
      onSuccess: (outcome) => answerInTurns(batch, (pending) => settleOne(pending, outcome)),
      onFailure: (cause) =>
        batch.length > 1
          ? Effect.forEach(batch, (pending) => settle([pending]), { discard: true })
          : Deferred.failCause(batch[0]!.done, cause)
    })

  const fiber = yield* Queue.takeBetween(queue, 1, maxBatch).pipe(
    Effect.flatMap((pending) => Effect.forEach(rounds(pending), settle, { discard: true })),
    Effect.forever,
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() => Effect.andThen(Queue.end(queue), Fiber.await(fiber)))

  return (append: Append): Effect.Effect<void, LogError> =>
    Effect.uninterruptible(Effect.suspend(() => {
      const [first] = append.lines
      const gap = first === undefined ? undefined
        : HashChain.chainError(append.session, { seq: first.seq - 1, hash: first.prev }, append.lines)
      if (gap !== undefined) return Effect.fail(gap)
      const done = Deferred.makeUnsafe<void, LogError>()
      return Queue.offerUnsafe(queue, { append, done })
        ? Deferred.await(done)
        : Effect.fail(
          new LogError({ session: append.session, message: "The session store is closed.", reason: { _tag: "Disk", code: "CLOSED" } })
        )
    }))
})

/** A statement advances each session once, so a second append to a session goes into the next one. */
const rounds = (pending: ReadonlyArray<Pending>): ReadonlyArray<ReadonlyArray<Pending>> => {
  const result: Array<Array<Pending>> = []
  const next = new Map<string, number>()
  for (const item of pending) {
    const { session } = item.append
    const round = next.get(session) ?? 0
    next.set(session, round + 1)
    if (result[round] === undefined) result.push([item])
    else result[round].push(item)
  }
  return result
}
