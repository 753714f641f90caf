/** Opens the database file, migrates it to the current schema, and classifies its errors. */
import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs"
import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { LogError } from "../../../domain/session/LogError.ts"
import * as PrivateFolder from "../PrivateFolder.ts"
import * as Database from "./NodeSqlite.ts"

/**
 * One migration per version, never changed once released. Sessions are indexed only by id: sorting a list of 10,000 takes
 * a few ms, and every append would rewrite an index on `updated`.
 * - `session.events` and `hash` are the head of its log; `line` has no `prev`, which is the hash of the preceding line.
 * - `draft` holds an unfinished response in pieces, in the order of `place`.
 * - `packed` holds the start of an archived log; `line` the events after it.
 * - `word` is the full-text index of the first `session.indexed` events of each session; a row id is 2³² × session + seq.
 * - `parent` is the session that started a subagent.
 * - `lease.id` distinguishes successive leases of the same session.
 */
const migrations = [
  `
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
`,
  `
  CREATE TABLE pieces (place INTEGER PRIMARY KEY, session TEXT NOT NULL, bytes BLOB NOT NULL) STRICT;
  INSERT INTO pieces (session, bytes) SELECT session, bytes FROM draft;
  DROP TABLE draft;
  ALTER TABLE pieces RENAME TO draft;
  CREATE INDEX drafts ON draft (session);
`,
  `
  ALTER TABLE session ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE packed (session INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
  CREATE VIRTUAL TABLE word USING fts5(text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
`,
  `
  ALTER TABLE session ADD COLUMN parent TEXT;
  CREATE INDEX children ON session (parent) WHERE parent IS NOT NULL;
`
]

/** The name of the database file. */
export const fileName = "sessions.db"

/** Opens the store in `folder` until the scope closes. Only the owner can read its files. */
export const open = (folder: string): Effect.Effect<DatabaseSync, LogError, Scope.Scope> => {
  const file = join(folder, fileName)
  const database = Effect.gen(function*() {
    const db = yield* Effect.acquireRelease(
      attempt("", () => {
        PrivateFolder.make(folder)
        closeSync(openSync(file, "a", 0o600))
        failIfTruncated(file)
        return Database.open(file, { timeout: busyTimeoutMs })
      }),
      (db) => Effect.sync(() => db.close())
    )
    const version = yield* attempt("", () => userVersion(db))
    if (version > migrations.length) {
      return yield* new LogError({
        session: "",
        message: "The session store was written by a newer version of dacapo " +
          `(store version ${version}; this one supports ${migrations.length}). Update dacapo to open it.`,
        reason: { _tag: "Newer", version }
      })
    }
    yield* attempt("", () => db.exec(settings))
    if (version < migrations.length) yield* attempt("", () => transaction(db, () => migrate(db)))
    return db
  })
  return Effect.mapError(database, ({ message, reason, session }) => new LogError({ session, reason, message: `${file}: ${message}` }))
}

/**
 * Fails if the file is truncated, before anything is changed. SQLite would treat an empty file as a new store and discard
 * its write-ahead log, and it would read a truncated file until it reaches the end.
 */
const failIfTruncated = (file: string): void => {
  const { size } = statSync(file)
  const walBytes = existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0
  if (size === 0 && walBytes > 0) throw corrupt("", -1, "The session store is empty, but its write-ahead log is not.")
  if (size === 0 || walBytes > 0) return
  const pages = headerPages(file)
  if (size < pages.count * pages.size) {
    throw corrupt("", -1, `The session store is truncated: it has ${size} of ${pages.count * pages.size} bytes.`)
  }
}

/** The page count and size from the file header (sqlite.org/fileformat2.html#the_database_header). */
const headerPages = (file: string): { readonly count: number; readonly size: number } => {
  const header = Buffer.alloc(100)
  const handle = openSync(file, "r")
  try {
    if (readSync(handle, header) < 100) return { count: 1, size: 100 }
  } finally {
    closeSync(handle)
  }
  return { count: header.readUInt32BE(28), size: header.readUInt16BE(16) }
}

/** Reads the version again within the transaction, because another process may have migrated first. */
const migrate = (db: DatabaseSync): void => {
  const from = userVersion(db)
  migrations.slice(from).forEach((step, i) => db.exec(`${step}; PRAGMA user_version = ${from + i + 1}`))
}

/**
 * `fullfsync`: on macOS, fsync alone does not reach the disk. The write-ahead log is checkpointed every 4,000 pages (16 MB),
 * because each checkpoint costs two fsyncs that block the event loop.
 */
const settings = `
  PRAGMA journal_mode = WAL;
  PRAGMA fullfsync = 1;
  PRAGMA wal_autocheckpoint = 4000;
  PRAGMA journal_size_limit = 16777216
`

const userVersion = (db: DatabaseSync): number => Number(db.prepare("PRAGMA user_version").get()!["user_version"])

/** Runs `body` in a transaction, which is rolled back if it throws. */
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

/** How long SQLite itself waits for a lock, blocking the event loop. After that, `attempt` waits without blocking. */
const busyTimeoutMs = 5

class Busy extends Data.TaggedError("Busy") {}

const busyRetry = Schedule.min([Schedule.exponential("1 millis", 1.5), Schedule.spaced("10 millis")]).pipe(
  Schedule.jittered,
  Schedule.upTo({ duration: "15 seconds" })
)

/** Runs a database operation; retries while another process holds the lock. */
export const attempt = <A>(session: string, run: () => A): Effect.Effect<A, LogError> =>
  Effect.try({ try: run, catch: (error) => classify(session, error) }).pipe(
    Effect.retry({ while: (error) => error._tag === "Busy", schedule: busyRetry }),
    Effect.catchTag("Busy", () => Effect.fail(disk(session, "SQLITE_BUSY", "another process holds the lock")))
  )

/** SQLite's primary result codes (sqlite.org/rescode.html) for disk errors. */
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
    : corrupt(session, -1, `The session store is damaged: ${message}.`)
}

const disk = (session: string, code: string, why: string) =>
  new LogError({ session, message: `Can't use the session store: ${why}.`, reason: { _tag: "Disk", code } })

/** `seq` is −1 if the store itself is damaged rather than an event. */
export const corrupt = (session: string, seq: number, message: string): LogError =>
  new LogError({ session, message, reason: { _tag: "Corrupt", seq } })
