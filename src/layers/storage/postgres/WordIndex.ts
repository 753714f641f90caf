/**
 * Full-text search of all sessions with a `tsvector` index. As in the SQLite store, the index is updated on search, words match by
 * their beginning, and case and diacritics don't count. Words are split here, so that the server's text search settings don't matter.
 */
import * as Effect from "effect/Effect"
import type { LogError } from "../../../domain/session/LogError.ts"
import type { Settled } from "../../../domain/session/SessionEvent.ts"
import * as SearchText from "../../../domain/session/SearchText.ts"
import type { Hit, Line, Summary } from "../../../services/Storage.ts"
import { arrays, type Connection } from "./Connection.ts"

/** Events indexed per statement. */
const batchSize = 500

/** A `tsvector` stores up to 16,383 positions and 1 MB of words. */
const maxWords = 16_000
const maxWordCharacters = 60

const words = (text: string): ReadonlyArray<string> =>
  Array.from(
    text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().matchAll(/[\p{L}\p{N}]+/gu).take(maxWords),
    ([word]) => word.slice(0, maxWordCharacters)
  )

/** Words consist of letters and digits, so that quoting them needs no escapes. */
const vector = (text: string): string => words(text).map((word, i) => `'${word}':${i + 1}`).join(" ")

/** Each term is a phrase whose last word may be incomplete. */
const tsquery = (terms: ReadonlyArray<string>): string =>
  terms.map((term) => words(term).map((word) => `'${word}'`).join(" <-> ") + ":*").join(" & ")

interface Options {
  readonly connection: Connection
  readonly read: (session: string, from: number) => Effect.Effect<ReadonlyArray<Line>, LogError>
  readonly summary: (id: string) => Effect.Effect<Summary | undefined, LogError>
}

export const make = ({ connection: { query }, read, summary }: Options) => {
  /** Another process may index the same events at the same time. */
  const index = (session: string, num: bigint, lines: ReadonlyArray<Line>) => {
    const entries = lines.map(({ body, seq }) => ({ seq, words: vector(SearchText.searchText(eventOf(body))) })).filter(({ words }) =>
      words !== ""
    )
    return query(
      session,
      `WITH entry AS (
        INSERT INTO word (session, seq, words) SELECT $1, seq, words::tsvector FROM unnest($2::integer[], $3::text[]) AS e (seq, words)
        ON CONFLICT DO NOTHING
      ) UPDATE session SET indexed = greatest(indexed, $4) WHERE num = $1`,
      [num, arrays.integer(entries.map(({ seq }) => seq)), arrays.text(entries.map(({ words }) => words)), lines.at(-1)!.seq + 1]
    )
  }

  /** Indexes events appended since the last search. */
  const catchUp = Effect.fnUntraced(function*(only: string | null) {
    const sessions = yield* query<{ readonly id: string; readonly indexed: number; readonly num: bigint }>(
      "",
      "SELECT num, id, indexed FROM session WHERE indexed < events AND ($1::text IS NULL OR id = $1)",
      [only]
    )
    for (const { id, indexed, num } of sessions) {
      const lines = yield* read(id, indexed)
      for (let i = 0; i < lines.length; i += batchSize) yield* index(id, num, lines.slice(i, i + batchSize))
    }
  })

  /** In all sessions, or in those of a tenant. */
  const search = Effect.fnUntraced(function*(text: string, limit: number, tenant: string | undefined) {
    const terms = SearchText.terms(text)
    if (terms.length === 0) return []
    yield* catchUp(null)
    const rows = yield* query<{ readonly id: string; readonly seq: number }>(
      "",
      `SELECT s.id, hit.seq FROM (
        SELECT DISTINCT ON (session) session, seq, ts_rank(words, $1::tsquery) AS rank FROM word WHERE words @@ $1::tsquery
        ORDER BY session, rank DESC, seq
      ) AS hit JOIN session s ON s.num = hit.session${
        tenant === undefined ? "" : " WHERE s.tenant = $3"
      } ORDER BY hit.rank DESC, s.updated DESC LIMIT $2`,
      [tsquery(terms), limit, ...(tenant === undefined ? [] : [tenant])]
    )
    const hits: Array<Hit> = []
    for (const { id, seq } of rows) {
      const session = yield* summary(id)
      const [line] = yield* read(id, seq)
      if (session !== undefined && line !== undefined) {
        hits.push({ session, seq, text: SearchText.excerpt(SearchText.searchText(eventOf(line.body)), terms) })
      }
    }
    return hits
  })

  return { catchUp, search }
}

/** The event of a line, which was encoded by dacapo. */
const eventOf = (body: string): Settled => (JSON.parse(body) as { readonly event: Settled }).event
