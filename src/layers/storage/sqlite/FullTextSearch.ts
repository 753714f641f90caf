/**
 * Full-text search of all sessions, with SQLite's FTS5. The index is updated on search, so appending costs nothing. It
 * stores only word positions, not the text.
 */
import type { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import type { LogError } from "../../../domain/session/LogError.ts"
import type { Settled } from "../../../domain/session/SessionEvent.ts"
import * as SearchText from "../../../domain/session/SearchText.ts"
import type { Hit, Line, Summary } from "../../../services/Storage.ts"
import * as Database from "./Database.ts"
import type { Writer } from "./Writer.ts"

/** The row id in the index, from session number and seq. */
const rowId = (num: number, seq: number): bigint => BigInt(num) * 0x1_0000_0000n + BigInt(seq)

/** Events indexed per transaction, which bounds how long other writers wait. */
const batchSize = 500

/** Rows read per requested session, because one session can match many times. */
const hitsPerSession = 50

interface Options {
  readonly db: DatabaseSync
  readonly write: Writer
  readonly read: (session: string, from: number) => Effect.Effect<ReadonlyArray<Line>, LogError>
  readonly summary: (num: number) => Summary | undefined
}

export const make = ({ db, read, summary, write }: Options) =>
  Effect.gen(function*() {
    const sql = yield* Database.attempt("", () => ({
      unindexed: db.prepare("SELECT num, id, indexed, events FROM session WHERE indexed < events"),
      advance: db.prepare("UPDATE session SET indexed = ? WHERE num = ? AND indexed = ?"),
      insert: db.prepare("INSERT INTO word (rowid, text) VALUES (?, ?)"),
      search: db.prepare("SELECT rowid FROM word WHERE word MATCH ? ORDER BY rank LIMIT ?")
    }))
    sql.search.setReadBigInts(true)

    /** Another process may have indexed the same events first. */
    const index = (num: number, from: number, lines: ReadonlyArray<Line>) =>
      write("", () => {
        if (sql.advance.run(from + lines.length, num, from).changes === 0) return
        for (const { body, seq } of lines) {
          const text = SearchText.searchText(eventOf(body))
          if (text !== "") sql.insert.run(rowId(num, seq), text)
        }
      })

    /** Indexes events appended since the last search. */
    const catchUp = Effect.fnUntraced(function*(only?: string) {
      const sessions = yield* Database.attempt("", () =>
        sql.unindexed.all() as unknown as ReadonlyArray<{ readonly num: number; readonly id: string; readonly indexed: number }>)
      for (const { id, indexed, num } of sessions) {
        if (only !== undefined && id !== only)
          continue
        const lines = yield* read(id, indexed)
        for (let i = 0; i < lines.length; i += batchSize)
          yield* index(num, indexed + i, lines.slice(i, i + batchSize))
      }
    })

    const search = Effect.fnUntraced(function*(query: string, limit: number) {
      const terms = SearchText.terms(query)
      if (terms.length === 0)
        return []
      yield* catchUp()
      const match = terms.map((term) =>
        `"${term.replaceAll("\"", "\"\"")}"*`
      ).join(" ")
      const rows = yield* Database.attempt("", () =>
        sql.search.all(match, limit * hitsPerSession) as unknown as ReadonlyArray<{ readonly rowid: bigint }>)
      const hits = new Map<number, Hit>()
      for (const { rowid } of rows) {
        const [num, seq] = [Number(rowid / 0x1_0000_0000n), Number(rowid % 0x1_0000_0000n)]
        if (hits.size >= limit)
          break
        if (hits.has(num))
          continue
        const session = yield* Database.attempt("", () =>
          summary(num))
        const [line] = session === undefined ? [] : yield* read(session.id, seq)
        if (session !== undefined && line !== undefined) {
          hits.set(num, { session, seq, text: SearchText.excerpt(SearchText.searchText(eventOf(line.body)), terms) })
        }
      }
      return [...hits.values()]
    })

    return { catchUp, search }
  })

/** The event of a line, which was encoded by dacapo. */
export const eventOf = (body: string): Settled => (JSON.parse(body) as { readonly event: Settled }).event
