/**
 * Full text of every session, by SQLite's FTS5. Appending pays nothing for it: the index is brought up to date when
 * someone searches. It keeps no text of its own, only where words stand.
 */
import type { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import type { LogError } from "../../../domain/session/LogError.ts"
import type { Settled } from "../../../domain/session/SessionEvent.ts"
import * as Words from "../../../domain/session/SearchText.ts"
import type { Hit, Line, Summary } from "../../../services/Storage.ts"
import * as SqliteFile from "./Database.ts"
import type { Writer } from "./Writer.ts"

/** A row of the index is named by its session's number and its seq. */
const place = (num: number, seq: number): bigint => BigInt(num) * 0x1_0000_0000n + BigInt(seq)

/** Events indexed in one transaction: bounds how long others wait. */
const most = 500

/** Rows looked at for each session that is wanted: one session may hold the words many times. */
const deep = 50

interface Options {
  readonly db: DatabaseSync
  readonly write: Writer
  readonly read: (session: string, from: number) => Effect.Effect<ReadonlyArray<Line>, LogError>
  readonly summary: (num: number) => Summary | undefined
}

export const make = ({ db, read, summary, write }: Options) =>
  Effect.gen(function*() {
    const sql = yield* SqliteFile.attempt("", () => ({
      behind: db.prepare("SELECT num, id, indexed, events FROM session WHERE indexed < events"),
      advance: db.prepare("UPDATE session SET indexed = ? WHERE num = ? AND indexed = ?"),
      insert: db.prepare("INSERT INTO word (rowid, text) VALUES (?, ?)"),
      search: db.prepare("SELECT rowid FROM word WHERE word MATCH ? ORDER BY rank LIMIT ?")
    }))
    sql.search.setReadBigInts(true)

    /** Another process may have been first: then it indexed the same events. */
    const index = (num: number, from: number, lines: ReadonlyArray<Line>) =>
      write("", () => {
        if (sql.advance.run(from + lines.length, num, from).changes === 0) return
        for (const { body, seq } of lines) {
          const text = Words.of(eventOf(body))
          if (text !== "") sql.insert.run(place(num, seq), text)
        }
      })

    /** Indexes what was appended since. */
    const catchUp = Effect.fnUntraced(function*(only?: string) {
      const behind = yield* SqliteFile.attempt("", () =>
        sql.behind.all() as unknown as ReadonlyArray<{ readonly num: number; readonly id: string; readonly indexed: number }>)
      for (const { id, indexed, num } of behind) {
        if (only !== undefined && id !== only) continue
        const lines = yield* read(id, indexed)
        for (let i = 0; i < lines.length; i += most) yield* index(num, indexed + i, lines.slice(i, i + most))
      }
    })

    const search = Effect.fnUntraced(function*(query: string, limit: number) {
      const terms = Words.terms(query)
      if (terms.length === 0) return []
      yield* catchUp()
      const match = terms.map((term) => `"${term.replaceAll("\"", "\"\"")}"*`).join(" ")
      const rows = yield* SqliteFile.attempt("", () => sql.search.all(match, limit * deep) as unknown as ReadonlyArray<{ readonly rowid: bigint }>)
      const hits = new Map<number, Hit>()
      for (const { rowid } of rows) {
        const [num, seq] = [Number(rowid / 0x1_0000_0000n), Number(rowid % 0x1_0000_0000n)]
        if (hits.size >= limit) break
        if (hits.has(num)) continue
        const session = yield* SqliteFile.attempt("", () => summary(num))
        const [line] = session === undefined ? [] : yield* read(session.id, seq)
        if (session !== undefined && line !== undefined) hits.set(num, { session, seq, text: Words.excerpt(Words.of(eventOf(line.body)), terms) })
      }
      return [...hits.values()]
    })

    return { catchUp, search }
  })

/** A line's event; what was stored was encoded by us. */
export const eventOf = (body: string): Settled => (JSON.parse(body) as { readonly event: Settled }).event
