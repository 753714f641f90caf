/** The store for many machines: sessions in a PostgreSQL database, any number of processes on it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { optional } from "../../../domain/Optional.ts"
import { LogError } from "../../../domain/session/LogError.ts"
import { Tenants } from "../../../services/cluster/Tenants.ts"
import { type Line, RunnerName, Storage, type Summary } from "../../../services/Storage.ts"
import type { Backend } from "../Backend.ts"
import * as Compression from "../Compression.ts"
import { sha256 } from "../Digest.ts"
import { concat } from "../Draft.ts"
import * as PackedLog from "../PackedLog.ts"
import * as ProcessLease from "../ProcessLease.ts"
import * as AppendBatch from "./AppendBatch.ts"
import * as Connection from "./Connection.ts"
import * as Notifications from "./Notifications.ts"
import * as TenantSessions from "./TenantSessions.ts"
import * as WordIndex from "./WordIndex.ts"

/** Lines to read at once. */
const pageSize = 2000

/** A lease whose holder can't be inspected is another's for the taking after this long without a sign of life. */
const leaseTimeout = `interval '${ProcessLease.leaseTimeoutMs} milliseconds'`

const summaryColumns =
  `id, cwd, title, model, created, updated, events, parent, EXISTS (SELECT 1 FROM packed WHERE session = num) AS archived`

interface SummaryRow extends Omit<Summary, "archived" | "created" | "parent" | "updated"> {
  readonly created: bigint
  readonly updated: bigint
  readonly parent: string | null
  readonly archived: boolean
}

interface LeaseRow {
  readonly holder: string | null
  /** ms since the holder's last sign of life, by the database's clock. */
  readonly silent: number
}

const leaseColumns = "holder, coalesce(extract(epoch FROM clock_timestamp() - beat) * 1000, 0)::float8 AS silent"

/** Instead of an epoch: a write without a lease. */
const noLease = -1

/** Stores that this process has opened. */
let stores = 0

const make = Effect.fnUntraced(function*(address: string) {
  const connection = yield* Connection.open(address)
  const { query, transaction } = connection
  const appendLines = yield* AppendBatch.make(connection)
  const notifications = yield* Notifications.make(connection)

  const self = ProcessLease.currentHolder()
  const runner = yield* RunnerName
  /** Distinguishes the stores of one process. */
  const holder = JSON.stringify({ ...self, ...optional({ runner }), store: stores++ })
  /** The sessions that this store holds, with the epoch of each lease; none while it is being taken. */
  const leases = new Map<string, number | undefined>()

  /** Where the next piece of a draft goes, so that a repeated statement adds nothing. */
  const places = new Map<string, number>()

  const isAlive = ({ holder, silent }: LeaseRow): boolean =>
    holder !== null && ProcessLease.isAlive(JSON.parse(holder) as ProcessLease.LeaseHolder, self, silent)

  const locked = (session: string, holder: string | null) => {
    const { host, pid, runner } = JSON.parse(holder ?? "{}") as ProcessLease.LeaseHolder
    const machine = host.split(" ")[0]
    return new LogError({
      session,
      message: runner === undefined
        ? `Session ${session} is open in another dacapo (process ${pid} on ${machine}). Close it, or fork the session.`
        : `Session ${session} is open in the runner ${runner} (process ${pid} on ${machine}). Use it through the cluster's server, or fork the session.`,
      reason: { _tag: "Locked", pid, ...optional({ holder: runner }) }
    })
  }

  const pack = Effect.fnUntraced(function*(blobs: ReadonlyMap<string, Uint8Array>) {
    if (blobs.size === 0) return []
    const stored = yield* query<{ readonly hash: string }>("", "SELECT hash FROM blob WHERE hash = ANY ($1)", [
      Connection.arrays.text([...blobs.keys()])
    ])
    const existing = new Set(stored.map(({ hash }) => hash))
    return yield* Effect.forEach(
      [...blobs].filter(([hash]) => !existing.has(hash)),
      ([hash, bytes]) => Effect.promise(async () => ({ hash, ...await Compression.pack(bytes) }))
    )
  })

  /** Appends to any session, or to those of a tenant. */
  const appendOf = (tenant?: string): Storage["Service"]["append"] =>
    Effect.fnUntraced(function*(session, lines, { blobs = new Map<string, Uint8Array>(), summary }) {
      if (lines.length === 0) return
      // The lease may be given back, or taken again, while the blobs are packed.
      const epoch = leases.get(session)
      yield* appendLines({ session, lines, blobs: yield* pack(blobs), summary, epoch, tenant })
      notifications.announce(session)
    })

  /** A log read while it is being archived can miss lines that have just moved, and is read again. */
  const read: (session: string, from: number) => Effect.Effect<ReadonlyArray<Line>, LogError> = Effect.fnUntraced(function*(session, from) {
    const [head] = yield* query<{ readonly num: bigint; readonly events: number; readonly bytes: Uint8Array | null }>(
      session,
      "SELECT num, events, bytes FROM session LEFT JOIN packed ON session = num WHERE id = $1",
      [session]
    )
    if (head === undefined || from >= head.events) return []
    const all: Array<Line> = []
    for (const [seq, [hash, body]] of (head.bytes === null ? [] : yield* PackedLog.unpack(session, head.bytes)).entries()) {
      all.push({ seq, prev: all.at(-1)?.hash ?? "", hash, body })
    }
    // One line early, to get the `prev` hash of the first line.
    const start = Math.max(all.length, from - 1)
    let prev = all.at(-1)?.hash ?? ""
    for (let next = start; next < head.events;) {
      const rows = yield* query<Omit<Line, "prev">>(
        session,
        "SELECT seq, hash, body FROM line WHERE session = $1 AND seq >= $2 ORDER BY seq LIMIT $3",
        [head.num, next, pageSize]
      )
      if (rows[0]?.seq !== next) return yield* read(session, from)
      for (const row of rows) {
        all.push({ ...row, prev })
        prev = row.hash
      }
      next += rows.length
    }
    return all.filter(({ seq }) => seq >= from)
  })

  /** Lists all sessions, or those of a tenant. */
  const listOf = (tenant?: string): Storage["Service"]["list"] => ({ cwd = null, id, limit = null, parent }) => {
    const exact = Object.entries({ id, tenant }).filter(([, value]) => value !== undefined)
    return Effect.map(
      query<SummaryRow>(
        "",
        `SELECT ${summaryColumns} FROM session s WHERE events > 0 AND ($1::text IS NULL OR cwd = $1)${
          exact.map(([column], i) => ` AND ${column} = $${i + 4}`).join("")
        } ${
          parent === null
            ? "AND NOT EXISTS (SELECT 1 FROM session p WHERE p.id = s.parent AND p.events > 0) AND $2::text IS NULL"
            : "AND ($2::text IS NULL OR parent = $2)"
        } ORDER BY updated DESC, num DESC LIMIT $3::bigint`,
        [cwd, parent ?? null, limit === null ? null : BigInt(limit), ...exact.map(([, value]) => value)]
      ),
      (rows) => rows.map(summarise)
    )
  }

  const summary = (id: string) =>
    Effect.map(
      query<SummaryRow>("", `SELECT ${summaryColumns} FROM session WHERE id = $1 AND events > 0`, [id]),
      ([row]) => row === undefined ? undefined : summarise(row)
    )

  const index = WordIndex.make({ connection, read, summary })

  /**
   * Takes the session if nobody has it, its holder fell silent, or it is `dead`; a runner also takes it from another runner. A
   * repeated attempt finds itself as the holder.
   */
  const takeLease = (session: string, dead: string | null) =>
    query<{ readonly epoch: bigint }>(
      session,
      `INSERT INTO session AS s (id, epoch, holder, beat) VALUES ($1, nextval('epoch'), $2, clock_timestamp())
       ON CONFLICT (id) DO UPDATE SET epoch = nextval('epoch'), holder = $2, beat = clock_timestamp()
       WHERE s.holder IS NULL OR s.holder IN ($2, $3) OR s.beat < clock_timestamp() - ${leaseTimeout}
         OR ($4 AND s.holder::json ->> 'runner' IS NOT NULL)
       RETURNING epoch`,
      [session, holder, dead, runner !== undefined]
    )

  const acquire = Effect.fnUntraced(function*(session: string) {
    const [free] = yield* takeLease(session, null)
    if (free !== undefined) return Number(free.epoch)
    const [row] = yield* query<LeaseRow>(session, `SELECT ${leaseColumns} FROM session WHERE id = $1`, [session])
    if (row === undefined || isAlive(row)) return yield* locked(session, row?.holder ?? holder)
    const [orphan] = yield* takeLease(session, row.holder)
    return orphan === undefined ? yield* locked(session, row.holder) : Number(orphan.epoch)
  })

  const release = (session: string, epoch: number) =>
    Effect.ignore(query(session, "UPDATE session SET holder = NULL, beat = NULL WHERE id = $1 AND epoch = $2", [session, BigInt(epoch)]))

  const lease = Effect.fnUntraced(function*(session: string) {
    if (leases.has(session)) return yield* locked(session, holder)
    yield* Effect.acquireRelease(
      Effect.suspend(() => {
        leases.set(session, undefined)
        return acquire(session)
      }).pipe(
        Effect.tap((epoch) =>
          Effect.sync(() => {
            leases.set(session, epoch)
            places.delete(session)
          })
        ),
        Effect.tapCause(() => Effect.sync(() => leases.delete(session)))
      ),
      (epoch) => {
        leases.delete(session)
        return release(session, epoch)
      }
    )
  })

  const beat = Effect.suspend(() => {
    const current = [...leases].flatMap(([session, epoch]) => epoch === undefined ? [] : [{ session, epoch }])
    return current.length === 0 ? Effect.void : query(
      "",
      "UPDATE session SET beat = clock_timestamp() WHERE (id, epoch) IN (SELECT * FROM unnest($1::text[], $2::bigint[]))",
      [Connection.arrays.text(current.map(({ session }) => session)), Connection.arrays.bigint(current.map(({ epoch }) => epoch))]
    )
  })
  yield* Effect.ignore(beat).pipe(Effect.repeat(Schedule.spaced("10 seconds")), Effect.forkScoped)

  const remove = (session: string) =>
    transaction(
      session,
      Effect.fnUntraced(function*(statement) {
        const [row] = yield* statement<LeaseRow & { readonly num: bigint }>(
          `SELECT num, ${leaseColumns} FROM session WHERE id = $1 FOR UPDATE`,
          [session]
        )
        if (row === undefined) return
        if (isAlive(row)) return yield* locked(session, row.holder)
        for (const table of ["line", "packed", "word"]) yield* statement(`DELETE FROM ${table} WHERE session = $1`, [row.num])
        yield* statement("DELETE FROM draft WHERE session = $1", [session])
        yield* statement("DELETE FROM session WHERE num = $1", [row.num])
      })
    )

  const archive = Effect.fnUntraced(function*(session: string) {
    yield* index.catchUp(session)
    const lines = yield* read(session, 0)
    const bytes = yield* PackedLog.pack(lines.map(({ body, hash }) => [hash, body] as const))
    const blobs = [...new Set(lines.flatMap(({ body }) => PackedLog.digests(body)))]
    yield* transaction(
      session,
      Effect.fnUntraced(function*(statement) {
        const [row] = yield* statement<LeaseRow & { readonly events: number; readonly num: bigint }>(
          `SELECT num, events, ${leaseColumns} FROM session WHERE id = $1 FOR UPDATE`,
          [session]
        )
        if (row !== undefined && isAlive(row)) return yield* locked(session, row.holder)
        if (row === undefined || row.events !== lines.length) return
        yield* statement(
          "INSERT INTO packed (session, bytes, blobs) VALUES ($1, $2, $3) ON CONFLICT (session) DO UPDATE SET bytes = $2, blobs = $3",
          [row.num, bytes, Connection.arrays.text(blobs)]
        )
        yield* statement("DELETE FROM line WHERE session = $1", [row.num])
      })
    )
  })

  /** The lock keeps appends out, whose events could name a blob that is about to go. */
  const sweep = transaction(
    "",
    Effect.fnUntraced(function*(statement) {
      yield* statement("LOCK TABLE session IN EXCLUSIVE MODE")
      const holders = yield* statement<LeaseRow>(`SELECT ${leaseColumns} FROM session WHERE holder IS NOT NULL`)
      if (holders.some(isAlive)) return null
      const removed = yield* statement(
        `DELETE FROM blob WHERE hash NOT IN (
          SELECT (regexp_matches(body, '${PackedLog.digest.source}', 'g'))[1] FROM line UNION ALL SELECT unnest(blobs) FROM packed
        ) RETURNING hash`
      )
      return removed.length
    })
  )

  const getBlob = Effect.fnUntraced(function*(hash: string) {
    const [packed] = yield* query<Compression.Packed>("", "SELECT codec, bytes FROM blob WHERE hash = $1", [hash])
    if (packed === undefined) {
      return yield* new LogError({ session: "", message: `Blob ${hash} does not exist.`, reason: { _tag: "NotFound", near: [] } })
    }
    const damage = new LogError({ session: "", message: `Blob ${hash} is damaged.`, reason: { _tag: "Corrupt", seq: -1 } })
    const bytes = yield* Effect.tryPromise({ try: () => Compression.unpack(packed), catch: () => damage })
    return sha256(bytes) === hash ? bytes : yield* damage
  })

  /** Only the holder of the session has a draft. The lock on the session's row orders a piece and a change of the lease. */
  const putDraft = Effect.fnUntraced(function*(session: string, bytes: Uint8Array | null) {
    const epoch = BigInt(leases.get(session) ?? noLease)
    const holder = `WITH holder AS (SELECT 1 FROM session WHERE id = $1 AND epoch = $2 FOR SHARE)`
    const isHolder = `($2 = ${noLease} OR EXISTS (SELECT 1 FROM holder))`
    if (bytes === null) {
      places.delete(session)
      yield* query(session, `${holder} DELETE FROM draft WHERE session = $1 AND ${isHolder}`, [session, epoch])
      return yield* failIfLost(session, epoch)
    }
    const place = places.get(session) ?? (yield* query<{ readonly place: number }>(
      session,
      "SELECT coalesce(max(place) + 1, 0) AS place FROM draft WHERE session = $1",
      [session]
    ))[0]!.place
    places.set(session, place + 1)
    const stored = yield* query(
      session,
      `${holder} INSERT INTO draft (session, place, bytes) SELECT $1, $3, $4 WHERE ${isHolder} ON CONFLICT DO NOTHING RETURNING place`,
      [session, epoch, place, bytes]
    )
    if (stored.length === 0) yield* failIfLost(session, epoch)
  })

  const failIfLost = Effect.fnUntraced(function*(session: string, epoch: bigint) {
    if (epoch === BigInt(noLease)) return
    const [current] = yield* query(session, "SELECT 1 FROM session WHERE id = $1 AND epoch = $2", [session, epoch])
    if (current === undefined) return yield* ProcessLease.lost(session)
  })

  const searchOf = (tenant?: string): Storage["Service"]["search"] => (text, { limit }) => index.search(text, limit, tenant)

  const storage = Storage.of({
    append: appendOf(),
    read,
    watch: notifications.watch,
    list: listOf(),
    remove,
    search: searchOf(),
    archive,
    sweep,
    backup: () =>
      Effect.fail(
        new LogError({
          session: "",
          message: "Back up a PostgreSQL store with the server's own tools, such as pg_dump.",
          reason: { _tag: "Disk", code: "ENOTSUP" }
        })
      ),
    putBlob: Effect.fnUntraced(function*(hash, bytes) {
      for (const { bytes: stored, codec } of yield* pack(new Map([[hash, bytes]]))) {
        yield* query("", "INSERT INTO blob (hash, codec, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", [hash, codec, stored])
      }
    }),
    getBlob,
    putDraft,
    getDraft: (session) =>
      Effect.map(
        query<{ readonly bytes: Uint8Array }>(session, "SELECT bytes FROM draft WHERE session = $1 ORDER BY place", [session]),
        (pieces) => pieces.length === 0 ? null : concat(pieces.map(({ bytes }) => bytes))
      ),
    lease
  })
  return { storage, tenants: TenantSessions.make(connection, { storage, appendOf, listOf, searchOf }) }
})

const summarise = ({ archived, created, cwd, events, id, model, parent, title, updated }: SummaryRow): Summary => ({
  id,
  cwd,
  title,
  model,
  created: Number(created),
  updated: Number(updated),
  events,
  ...optional({ parent: parent ?? undefined, archived: archived ? true as const : undefined })
})

/** The store at an address: `postgres://user@host:port/database`, with `?schema=name` for another schema than `dacapo`. */
export const layerAt = (address: string): Layer.Layer<Storage, LogError> =>
  Layer.effectContext(
    Effect.map(make(address), ({ storage, tenants }) => Context.add(Context.make(Storage, storage), Tenants, tenants))
  )

/** The back-end whose place is an address. */
export const Postgres: Backend = { name: "postgres", durable: true, layer: layerAt }
