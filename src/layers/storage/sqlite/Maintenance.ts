/** Maintenance of the store: removing unreferenced blobs, backup. */
import { closeSync, fsyncSync, openSync } from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import type { LogError } from "../../../domain/session/LogError.ts"
import * as PackedLog from "../PackedLog.ts"
import * as Database from "./Database.ts"
import type { Writer } from "./Writer.ts"

/** Lines to read before yielding to other fibers. */
const pageSize = 5000

interface Options {
  readonly db: DatabaseSync
  readonly write: Writer
  /** Whether a session is open anywhere. */
  readonly isBusy: () => boolean
}

/** Removes unreferenced blobs and returns their number, or null if a session is open, whose next event may refer to one. */
export const sweep = Effect.fnUntraced(function*({ isBusy, db, write }: Options) {
  const sql = yield* Database.attempt("", () => ({
    blobs: db.prepare("SELECT hash FROM blob"),
    lines: db.prepare("SELECT session, seq, body FROM line WHERE (session, seq) > (?, ?) ORDER BY session, seq LIMIT ?"),
    packed: db.prepare("SELECT session, bytes FROM packed"),
    total: db.prepare("SELECT count(*) AS sessions, total(events) AS events FROM session"),
    remove: db.prepare("DELETE FROM blob WHERE hash = ?")
  }))
  sql.lines.setReturnArrays(true)
  const total = () => JSON.stringify(sql.total.get())
  const initialTotal = yield* Database.attempt("", total)
  const unreferenced = new Set((yield* Database.attempt("", () => sql.blobs.all())).map(({ hash }) => hash as string))
  const markReferenced = (text: string) => {
    for (const hash of PackedLog.digests(text)) unreferenced.delete(hash)
  }
  for (let last: readonly [number, number] = [-1, -1];;) {
    const rows = yield* Database.attempt(
      "",
      () => sql.lines.all(...last, pageSize) as unknown as ReadonlyArray<readonly [number, number, string]>
    )
    rows.forEach(([, , body]) => markReferenced(body))
    if (rows.length < pageSize) break
    last = [rows.at(-1)![0], rows.at(-1)![1]]
    yield* Effect.yieldNow
  }
  for (const { bytes } of yield* Database.attempt("", () => sql.packed.all())) {
    for (const [, body] of yield* PackedLog.unpack("", bytes as Uint8Array)) markReferenced(body)
  }
  return yield* write("", () => {
    if (isBusy() || total() !== initialTotal) return null
    unreferenced.forEach((hash) => sql.remove.run(hash))
    return unreferenced.size
  })
})

/** Copies a consistent snapshot to a new file that only its owner can read. */
export const backup = (db: DatabaseSync, file: string): Effect.Effect<void, LogError> =>
  Database.attempt("", () => {
    closeSync(openSync(file, "wx", 0o600))
    db.prepare("VACUUM INTO ?").run(file)
    const copy = openSync(file, "r+")
    fsyncSync(copy)
    closeSync(copy)
  })
