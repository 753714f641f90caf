/** The room that the store takes: logs are packed, blobs that nobody names are removed, all of it is copied. */
import { closeSync, fsyncSync, openSync } from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { promisify } from "node:util"
import { constants, zstdCompress, zstdDecompress } from "node:zlib"
import * as Effect from "effect/Effect"
import { LogError } from "../../../domain/session/LogError.ts"
import * as SqliteFile from "./Database.ts"
import type { Writer } from "./Writer.ts"

/** A packed line: its hash and its body, in order from the log's first on. */
export type Row = readonly [hash: string, body: string]

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** Packing is done once and in no hurry. */
const level = { params: { [constants.ZSTD_c_compressionLevel]: 12 } }

export const pack = (rows: ReadonlyArray<Row>): Effect.Effect<Uint8Array> =>
  Effect.promise(() => compress(Buffer.from(JSON.stringify(rows)), level))

export const unpack = (session: string, bytes: Uint8Array): Effect.Effect<ReadonlyArray<Row>, LogError> =>
  Effect.tryPromise({
    try: async () => JSON.parse((await decompress(bytes)).toString("utf8")) as ReadonlyArray<Row>,
    catch: () => SqliteFile.corrupt(session, 0, `The packed log of session ${session} is damaged.`)
  })

/** Lines looked at before other fibers have their turn. */
const page = 5000

/** Digests that a text names. */
const digest = /[0-9a-f]{64}/g

interface Options {
  readonly db: DatabaseSync
  readonly write: Writer
  /** Whether a session is open anywhere. */
  readonly busy: () => boolean
}

/** Removes blobs that no event names: gives how many, or null where a session is open, whose next event may name one. */
export const sweep = Effect.fnUntraced(function*({ busy, db, write }: Options) {
  const sql = yield* SqliteFile.attempt("", () => ({
    blobs: db.prepare("SELECT hash FROM blob"),
    lines: db.prepare("SELECT session, seq, body FROM line WHERE (session, seq) > (?, ?) ORDER BY session, seq LIMIT ?"),
    packed: db.prepare("SELECT session, bytes FROM packed"),
    total: db.prepare("SELECT count(*) AS sessions, total(events) AS events FROM session"),
    remove: db.prepare("DELETE FROM blob WHERE hash = ?")
  }))
  sql.lines.setReturnArrays(true)
  const total = () => JSON.stringify(sql.total.get())
  const before = yield* SqliteFile.attempt("", total)
  const unnamed = new Set((yield* SqliteFile.attempt("", () => sql.blobs.all())).map(({ hash }) => hash as string))
  const named = (text: string) => {
    for (const [hash] of text.matchAll(digest)) unnamed.delete(hash)
  }
  for (let last: readonly [number, number] = [-1, -1];;) {
    const rows = yield* SqliteFile.attempt("", () => sql.lines.all(...last, page) as unknown as ReadonlyArray<readonly [number, number, string]>)
    rows.forEach(([, , body]) => named(body))
    if (rows.length < page) break
    last = [rows.at(-1)![0], rows.at(-1)![1]]
    yield* Effect.yieldNow
  }
  for (const { bytes } of yield* SqliteFile.attempt("", () => sql.packed.all())) {
    for (const [, body] of yield* unpack("", bytes as Uint8Array)) named(body)
  }
  return yield* write("", () => {
    if (busy() || total() !== before) return null
    unnamed.forEach((hash) => sql.remove.run(hash))
    return unnamed.size
  })
})

/** A copy as of one moment, in a new file that its owner alone can read. */
export const backup = (db: DatabaseSync, file: string): Effect.Effect<void, LogError> =>
  SqliteFile.attempt("", () => {
    closeSync(openSync(file, "wx", 0o600))
    db.prepare("VACUUM INTO ?").run(file)
    const copy = openSync(file, "r+")
    fsyncSync(copy)
    closeSync(copy)
  })
