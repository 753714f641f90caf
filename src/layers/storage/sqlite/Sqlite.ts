/** The embedded store: one SQLite database per data folder, shared by any number of processes. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { LogError } from "../../../domain/session/LogError.ts"
import { Environment } from "../../../services/Environment.ts"
import { type Line, Storage, type Summary } from "../../../services/Storage.ts"
import type { Backend } from "../Backend.ts"
import type { Packed } from "../Compression.ts"
import { sha256 } from "../Digest.ts"
import { concat } from "../Draft.ts"
import * as HashChain from "../HashChain.ts"
import * as ProcessLease from "../ProcessLease.ts"
import * as Database from "./Database.ts"
import * as Writer from "./Writer.ts"

const columns = "id, cwd, title, model, created, updated, events, parent, num IN (SELECT session FROM packed) AS archived"

/** Loaded with the first blob, to keep startup fast. */
const compression = () => import("../Compression.ts")

/** Rarely needed, so loaded on demand. */
const maintenance = Effect.promise(() => import("./Maintenance.ts"))
const packedLog = Effect.promise(() => import("../PackedLog.ts"))

/** Lines to read before yielding to other fibers. */
const pageSize = 2000

interface Head {
  readonly num: number
  readonly events: number
  readonly hash: string
}
type SessionRow = Omit<Summary, "archived" | "parent"> & { readonly archived: number; readonly parent: string | null }
interface LeaseRow extends ProcessLease.LeaseHolder {
  readonly id: number
  readonly beat: number
}

const make = Effect.fnUntraced(function*(folder: string) {
  const db = yield* Database.open(folder)
  const write = yield* Writer.make(db)
  const read = Database.attempt
  const sql = yield* read("", () => ({
    head: db.prepare("SELECT num, events, hash FROM session WHERE id = ?"),
    begin: db.prepare(
      `INSERT INTO session (id, cwd, title, model, created, updated, events, hash, parent) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING num`
    ),
    advance: db.prepare(
      "UPDATE session SET cwd = ?, title = ?, model = ?, created = ?, updated = ?, events = ?, hash = ?, parent = ? WHERE num = ?"
    ),
    insert: db.prepare("INSERT INTO line (session, seq, hash, body) VALUES (?, ?, ?, ?)"),
    lines: db.prepare("SELECT seq, hash, body FROM line WHERE session = ? AND seq >= ? ORDER BY seq LIMIT ?"),
    removeLines: db.prepare("DELETE FROM line WHERE session = ?"),
    packed: db.prepare("SELECT bytes FROM packed WHERE session = ?"),
    putPacked: db.prepare("INSERT OR REPLACE INTO packed (session, bytes) VALUES (?, ?)"),
    removePacked: db.prepare("DELETE FROM packed WHERE session = ?"),
    removeWords: db.prepare("DELETE FROM word WHERE rowid >= ? AND rowid < ?"),
    byNumber: db.prepare(`SELECT ${columns} FROM session WHERE num = ?`),
    leases: db.prepare("SELECT id, pid, born, host, beat FROM lease"),
    removeSession: db.prepare("DELETE FROM session WHERE num = ?"),
    hasBlob: db.prepare("SELECT 1 FROM blob WHERE hash = ?"),
    blob: db.prepare("SELECT codec, bytes FROM blob WHERE hash = ?"),
    putBlob: db.prepare("INSERT OR IGNORE INTO blob (hash, codec, bytes) VALUES (?, ?, ?)"),
    draft: db.prepare("SELECT bytes FROM draft WHERE session = ? ORDER BY place"),
    putDraft: db.prepare("INSERT INTO draft (session, bytes) VALUES (?, ?)"),
    removeDraft: db.prepare("DELETE FROM draft WHERE session = ?"),
    hasLease: db.prepare("SELECT 1 FROM lease WHERE id = ? AND session = ?"),
    leaseOf: db.prepare("SELECT id, pid, born, host, beat FROM lease WHERE session = ?"),
    lease: db.prepare("INSERT OR REPLACE INTO lease (session, pid, born, host, beat) VALUES (?, ?, ?, ?, ?) RETURNING id"),
    beat: db.prepare("UPDATE lease SET beat = ? WHERE id = ?"),
    release: db.prepare("DELETE FROM lease WHERE id = ?")
  }))

  // Reading rows as arrays takes two thirds of the time for a long log.
  sql.lines.setReturnArrays(true)

  const append: Storage["Service"]["append"] = Effect.fnUntraced(
    function*(session, lines, { blobs = new Map<string, Uint8Array>(), summary, sync }) {
      const packedBlobs = yield* Effect.forEach(blobs, ([hash, bytes]) => pack(hash, bytes))
      yield* write(session, () => {
        failIfLost(session)
        const head = one<Head>(sql.head, session)
        const error = HashChain.chainError(session, head === undefined ? HashChain.start : { seq: head.events - 1, hash: head.hash }, lines)
        if (error !== undefined) throw error
        const last = lines.at(-1)
        if (last === undefined) return
        const { created, cwd, model, parent = null, title, updated } = summary
        const row = [cwd, title, model, created, updated, last.seq + 1, last.hash, parent] as const
        const num = head?.num ?? one<Head>(sql.begin, session, ...row)!.num
        if (head !== undefined) sql.advance.run(...row, num)
        for (const blob of packedBlobs) if (blob !== undefined) sql.putBlob.run(blob.hash, blob.codec, blob.bytes)
        for (const { body, hash, seq } of lines) sql.insert.run(num, seq, hash, body)
      }, { sync })
    }
  )

  /** A blob as it is stored; undefined if it is already in the store. */
  const pack = Effect.fnUntraced(function*(hash: string, bytes: Uint8Array) {
    if ((yield* read("", () => sql.hasBlob.get(hash))) !== undefined) return undefined
    return { hash, ...(yield* Effect.promise(async () => (await compression()).pack(bytes))) }
  })

  /** The packed part of a log. */
  const readPacked = Effect.fnUntraced(function*(session: string, num: number) {
    const lines: Array<Line> = []
    const row = yield* read(session, () => one<{ readonly bytes: Uint8Array }>(sql.packed, num))
    if (row === undefined) return lines
    for (const [seq, [hash, body]] of (yield* (yield* packedLog).unpack(session, row.bytes)).entries()) {
      lines.push({ seq, prev: lines.at(-1)?.hash ?? "", hash, body })
    }
    return lines
  })

  /** Starts one line early, to get the `prev` hash of the first line. */
  const readLines = Effect.fnUntraced(function*(session: string, from: number) {
    const head = yield* read(session, () => one<Head>(sql.head, session))
    if (head === undefined || from >= head.events) return []
    const first = yield* readPacked(session, head.num)
    const result = first.slice(Math.max(0, from))
    let next = Math.max(first.length, from - 1)
    let prev = first.at(-1)?.hash ?? ""
    while (true) {
      const rows = yield* read(session, () => all<readonly [number, string, string]>(sql.lines, head.num, next, pageSize))
      for (const [seq, hash, body] of rows) {
        if (seq >= from) result.push({ seq, prev, hash, body })
        prev = hash
        next = seq + 1
      }
      if (rows.length < pageSize) return result
      yield* Effect.yieldNow
    }
  })

  const self = ProcessLease.currentHolder()
  /** The sessions that this store holds, with the id of each lease. */
  const leaseIds = new Map<string, number>()

  /** Fails if this store held the session, and another process has taken it over since. */
  const failIfLost = (session: string) => {
    const id = leaseIds.get(session)
    if (id === undefined || one(sql.hasLease, id, session) !== undefined) return
    throw ProcessLease.lost(session)
  }

  /** Fails if a live process holds the session. */
  const failIfLocked = (session: string, now: number) => {
    const row = one<LeaseRow>(sql.leaseOf, session)
    if (row === undefined || !ProcessLease.isAlive(row, self, now - row.beat)) return
    throw new LogError({
      session,
      message: `Session ${session} is open in another dacapo (process ${row.pid}). Close it, or fork the session.`,
      reason: { _tag: "Locked", pid: row.pid }
    })
  }

  const lease = Effect.fnUntraced(function*(session: string) {
    const now = yield* Clock.currentTimeMillis
    yield* Effect.acquireRelease(
      write(session, () => {
        failIfLocked(session, now)
        const { id } = one<LeaseRow>(sql.lease, session, self.pid, self.born, self.host, now)!
        leaseIds.set(session, id)
        return id
      }),
      (id) => {
        if (leaseIds.get(session) === id) leaseIds.delete(session)
        return Effect.ignore(write(session, () => sql.release.run(id)))
      }
    )
  })

  const beat = Effect.gen(function*() {
    if (leaseIds.size === 0) return
    const now = yield* Clock.currentTimeMillis
    yield* write("", () => leaseIds.forEach((id) => sql.beat.run(now, id)))
  })
  yield* Effect.ignore(beat).pipe(Effect.repeat(Schedule.spaced("10 seconds")), Effect.forkScoped)

  const remove = Effect.fnUntraced(function*(session: string) {
    const now = yield* Clock.currentTimeMillis
    yield* write(session, () => {
      failIfLocked(session, now)
      const head = one<Head>(sql.head, session)
      if (head === undefined) return
      sql.removeLines.run(head.num)
      sql.removePacked.run(head.num)
      sql.removeWords.run(BigInt(head.num) << 32n, BigInt(head.num + 1) << 32n)
      sql.removeDraft.run(session)
      sql.removeSession.run(head.num)
    })
  })

  const putBlob = Effect.fnUntraced(function*(hash: string, bytes: Uint8Array) {
    const packed = yield* pack(hash, bytes)
    if (packed !== undefined) yield* write("", () => sql.putBlob.run(hash, packed.codec, packed.bytes))
  })

  /** Verifies the digest of the blob; a mismatch is damage. */
  const getBlob = Effect.fnUntraced(function*(hash: string) {
    const packed = yield* read("", () => one<Packed>(sql.blob, hash))
    if (packed === undefined) {
      return yield* new LogError({ session: "", message: `Blob ${hash} does not exist.`, reason: { _tag: "NotFound", near: [] } })
    }
    const damageError = Database.corrupt("", -1, `Blob ${hash} is damaged.`)
    const bytes = yield* Effect.tryPromise({ try: async () => (await compression()).unpack(packed), catch: () => damageError })
    return sha256(bytes) === hash ? bytes : yield* damageError
  })

  const summaryOf = (num: number) => {
    const row = one<SessionRow>(sql.byNumber, num)
    return row === undefined ? undefined : summarise(row)
  }
  const searcher = yield* Effect.cached(Effect.flatMap(
    Effect.promise(() => import("./FullTextSearch.ts")),
    ({ make }) => make({ db, write, read: readLines, summary: summaryOf })
  ))

  const archive = Effect.fnUntraced(function*(session: string) {
    yield* (yield* searcher).catchUp(session)
    const lines = yield* readLines(session, 0)
    const bytes = yield* (yield* packedLog).pack(lines.map(({ body, hash }) => [hash, body] as const))
    const now = yield* Clock.currentTimeMillis
    yield* write(session, () => {
      failIfLocked(session, now)
      const head = one<Head>(sql.head, session)
      if (head === undefined || head.events !== lines.length) return
      sql.putPacked.run(head.num, bytes)
      sql.removeLines.run(head.num)
    })
  })

  const sweep = Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const isBusy = () => all<LeaseRow>(sql.leases).some((lease) => ProcessLease.isAlive(lease, self, now - lease.beat))
    return yield* (yield* maintenance).sweep({ db, write, isBusy })
  })

  return Storage.of({
    append,
    search: (query, { limit }) => Effect.flatMap(searcher, ({ search }) => search(query, limit)),
    archive,
    sweep,
    backup: (file) => Effect.flatMap(maintenance, ({ backup }) => backup(db, file)),
    read: readLines,
    // SQLite can't tell one process what another one wrote. Looking takes less than 0.1 ms.
    watch: (session) =>
      Stream.fromEffectSchedule(
        Effect.orElseSucceed(read(session, () => one<Head>(sql.head, session)?.hash), () => undefined),
        Schedule.spaced("250 millis")
      ).pipe(
        Stream.changes,
        Stream.map(() => undefined)
      ),
    list: ({ cwd, id, limit = -1, parent }) =>
      read("", () => {
        const [values, where] = [[id, cwd, parent], [
          "id = ?",
          "cwd = ?",
          parent === null ? "(parent IS NULL OR parent NOT IN (SELECT id FROM session))" : "parent = ?"
        ]]
        const conditions = where.filter((_, i) => values[i] !== undefined)
        const statement = db.prepare(
          `SELECT ${columns} FROM session ${
            conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`
          } ORDER BY updated DESC, num DESC LIMIT ?`
        )
        return all<SessionRow>(statement, ...values.filter((value) => typeof value === "string"), limit).map(summarise)
      }),
    remove,
    putBlob,
    getBlob,
    putDraft: (session, bytes) =>
      write(session, () => {
        failIfLost(session)
        if (bytes === null) sql.removeDraft.run(session)
        else sql.putDraft.run(session, bytes)
      }),
    getDraft: (session) =>
      read(session, () => {
        const pieces = all<{ readonly bytes: Uint8Array }>(sql.draft, session)
        return pieces.length === 0 ? null : concat(pieces.map(({ bytes }) => bytes))
      }),
    lease
  })
})

/** A plain object: rows of node:sqlite have no prototype. */
const summarise = ({ archived, created, cwd, events, id, model, parent, title, updated }: SessionRow): Summary => ({
  id,
  cwd,
  title,
  model,
  created,
  updated,
  events,
  ...(parent === null ? {} : { parent }),
  ...(archived === 1 ? { archived: true } : {})
})

const one = <A>(statement: StatementSync, ...values: ReadonlyArray<SQLInputValue>): A | undefined =>
  statement.get(...values) as A | undefined

const all = <A>(statement: StatementSync, ...values: ReadonlyArray<SQLInputValue>): ReadonlyArray<A> =>
  statement.all(...values) as unknown as ReadonlyArray<A>

/** Processes that are currently writing a session of the store. */
export const holders = Effect.fnUntraced(function*(db: DatabaseSync) {
  const now = yield* Clock.currentTimeMillis
  const self = ProcessLease.currentHolder()
  const rows = yield* Database.attempt("", () => all<LeaseRow>(db.prepare("SELECT id, pid, born, host, beat FROM lease")))
  return rows.filter((row) => ProcessLease.isAlive(row, self, now - row.beat)).map(({ pid }) => pid)
})

/** The store of a folder. */
export const layerIn = (folder: string): Layer.Layer<Storage, LogError> => Layer.effect(Storage, make(folder))

/** The store of the user's data folder. */
export const layer: Layer.Layer<Storage, LogError, Environment> = Layer.unwrap(
  Effect.map(Environment, ({ folders }) => layerIn(folders.data))
)

export const Sqlite: Backend = { name: "sqlite", durable: true, layer: layerIn }
