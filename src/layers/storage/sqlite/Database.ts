/** The database file: opened, brought to this version's tables, and its errors named. */
import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs"
import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { LogError } from "../../../domain/session/LogError.ts"
import * as Folder from "../PrivateFolder.ts"
import * as NodeSqlite from "./NodeSqlite.ts"

/**
 * One step a version, never changed once released. Sessions have no index but their id: a list of 10,000 is sorted in
 * some ms, and an index on `updated` would be rewritten by every append.
 * - `session.events` and `hash` are the head of its log; `line` keeps no `prev`, which is the hash of the line before.
 * - `draft` holds an unsettled answer in pieces, in the order of `place`.
 * - `packed` holds the beginning of a log that was archived; `line` what came after it.
 * - `word` is the index of all text, up to `session.indexed` events of each; a row's id is 2³² × session + seq.
 * - `parent` is the session that started one.
 * - `lease.id` tells a lease from an earlier one of the same session.
 */
const migrations = [`
  CREATE TABLE session (
    num INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    cwd TEXT NOT NULL,
    title TEXT NOT NULL,
    model TEXT NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    events INTEGER NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
  CREATE TABLE line (
    session INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (session, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE blob (hash TEXT NOT NULL UNIQUE, codec TEXT NOT NULL, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE draft (session TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE lease (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session TEXT NOT NULL UNIQUE,
    pid INTEGER NOT NULL,
    born TEXT NOT NULL,
    host TEXT NOT NULL,
    beat INTEGER NOT NULL
  ) STRICT;
`, `
  CREATE TABLE pieces (place INTEGER PRIMARY KEY, session TEXT NOT NULL, bytes BLOB NOT NULL) STRICT;
  INSERT INTO pieces (session, bytes) SELECT session, bytes FROM draft;
  DROP TABLE draft;
  ALTER TABLE pieces RENAME TO draft;
  CREATE INDEX drafts ON draft (session);
`, `
  ALTER TABLE session ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE packed (session INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
  CREATE VIRTUAL TABLE word USING fts5(text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
`, `
  ALTER TABLE session ADD COLUMN parent TEXT;
  CREATE INDEX children ON session (parent) WHERE parent IS NOT NULL;
`]

/** The store's file in its folder. */
export const fileName = "sessions.db"

/** Opens the store in `folder` until the scope closes; files are readable by their owner alone. */
export const open = (folder: string): Effect.Effect<DatabaseSync, LogError, Scope.Scope> => {
  const file = join(folder, fileName)
  const opened = Effect.gen(function*() {
    const db = yield* Effect.acquireRelease(
      attempt("", () => {
        Folder.make(folder)
        closeSync(openSync(file, "a", 0o600))
        refuseCut(file)
        return NodeSqlite.open(file, { timeout: wait })
      }),
      (db) => Effect.sync(() => db.close())
    )
    const version = yield* attempt("", () => userVersion(db))
    if (version > migrations.length) {
      return yield* new LogError({
        session: "",
        message: `It was written by a newer dacapo (version ${version} of the store, this one reads ${migrations.length}).`,
        reason: { _tag: "Newer", version }
      })
    }
    yield* attempt("", () => db.exec(settings))
    if (version < migrations.length) yield* attempt("", () => transaction(db, () => migrate(db)))
    return db
  })
  return Effect.mapError(opened, ({ message, reason, session }) => new LogError({ session, reason, message: `${file}: ${message}` }))
}

/**
 * SQLite would take an empty file for a new store, and throw away the log beside it; and it would read on in a file that
 * was cut until it comes to the cut. Both are told before anything is changed.
 */
const refuseCut = (file: string): void => {
  const { size } = statSync(file)
  const logged = existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0
  if (size === 0 && logged > 0) throw corrupt("", -1, "The store of sessions is empty, and the log beside it is not.")
  if (size === 0 || logged > 0) return
  const pages = pagesPromised(file)
  if (size < pages.count * pages.size) {
    throw corrupt("", -1, `The store of sessions is cut: it has ${size} of ${pages.count * pages.size} bytes.`)
  }
}

/** What the header says of a file's pages (sqlite.org/fileformat2.html#the_database_header). */
const pagesPromised = (file: string): { readonly count: number; readonly size: number } => {
  const header = Buffer.alloc(100)
  const handle = openSync(file, "r")
  try {
    if (readSync(handle, header) < 100) return { count: 1, size: 100 }
  } finally {
    closeSync(handle)
  }
  return { count: header.readUInt32BE(28), size: header.readUInt16BE(16) }
}

/** Looks again within the transaction: another process may have been first. */
const migrate = (db: DatabaseSync): void => {
  const from = userVersion(db)
  migrations.slice(from).forEach((step, i) => db.exec(`${step}; PRAGMA user_version = ${from + i + 1}`))
}

/**
 * `fullfsync`: on macOS, fsync alone does not reach the disk. The log is carried over to the database every 4,000 pages,
 * 16 MB: each time costs two fsyncs, in which the event loop waits.
 */
const settings = `
  PRAGMA journal_mode = WAL;
  PRAGMA fullfsync = 1;
  PRAGMA wal_autocheckpoint = 4000;
  PRAGMA journal_size_limit = 16777216
`

const userVersion = (db: DatabaseSync): number => Number(db.prepare("PRAGMA user_version").get()!["user_version"])

/** Runs `body` in a transaction that is there whole or not at all. */
export const transaction = <A>(db: DatabaseSync, body: () => A): A => {
  db.exec("BEGIN IMMEDIATE")
  try {
    const result = body()
    db.exec("COMMIT")
    return result
  } finally {
    if (db.isTransaction) db.exec("ROLLBACK")
  }
}

/** ms that SQLite itself waits for another process's lock: it blocks the event loop. After that, we wait without blocking. */
const wait = 5

class Busy extends Data.TaggedError("Busy") {}

const again = Schedule.min([Schedule.exponential("1 millis", 1.5), Schedule.spaced("10 millis")]).pipe(
  Schedule.jittered,
  Schedule.upTo({ duration: "15 seconds" })
)

/** Runs what speaks with the database; waits while another process holds its lock. */
export const attempt = <A>(session: string, run: () => A): Effect.Effect<A, LogError> =>
  Effect.try({ try: run, catch: (error) => classify(session, error) }).pipe(
    Effect.retry({ while: (error) => error._tag === "Busy", schedule: again }),
    Effect.catchTag("Busy", () => Effect.fail(disk(session, "SQLITE_BUSY", "another process holds its lock")))
  )

/** SQLite's primary result codes (sqlite.org/rescode.html) that tell of the disk. */
const names: Readonly<Record<number, string>> = {
  3: "SQLITE_PERM",
  7: "SQLITE_NOMEM",
  8: "SQLITE_READONLY",
  10: "SQLITE_IOERR",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
  18: "SQLITE_TOOBIG"
}
const busy = new Set([5, 6])

const classify = (session: string, error: unknown): LogError | Busy => {
  if (error instanceof LogError) return error
  const { code: name, errcode, errno, message } = error as NodeJS.ErrnoException & { readonly errcode?: number }
  if (errno !== undefined) return disk(session, String(name), message)
  if (errcode === undefined) throw error
  const code = errcode & 0xff
  if (busy.has(code)) return new Busy()
  return code in names
    ? disk(session, names[code]!, message)
    : corrupt(session, -1, `The store of sessions is damaged: ${message}.`)
}

const disk = (session: string, code: string, why: string) =>
  new LogError({ session, message: `The store of sessions can't be used: ${why}.`, reason: { _tag: "Disk", code } })

/** `seq` is −1 where not one event but the store itself is damaged. */
export const corrupt = (session: string, seq: number, message: string): LogError =>
  new LogError({ session, message, reason: { _tag: "Corrupt", seq } })
