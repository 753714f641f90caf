/** The index of a folder's code in SQLite: chunks with their words (FTS5) and, with embeddings, their vectors. */
import type { DatabaseSync } from "node:sqlite"
import type { Chunk } from "../../domain/search/CodeChunks.ts"
import * as CodeChunks from "../../domain/search/CodeChunks.ts"
import * as NodeSqlite from "../storage/sqlite/NodeSqlite.ts"

/** Rows of another version are discarded: everything can be computed again. */
const schemaVersion = 1

const schema = `
  CREATE TABLE file (path TEXT PRIMARY KEY, version TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE chunk (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    text TEXT NOT NULL,
    model TEXT,
    vector BLOB
  ) STRICT;
  CREATE INDEX chunk_path ON chunk (path);
  CREATE VIRTUAL TABLE chunk_word USING fts5(path, words, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2');
`

/** A chunk as stored. */
export interface StoredChunk extends Chunk {
  readonly id: number
  readonly path: string
}

const busyTimeoutMs = 10_000

/** A word of a file's name says more than one of its text. */
const weights = { path: 6, words: 1 }

export const open = (file: string) => {
  const db: DatabaseSync = NodeSqlite.open(file, { timeout: busyTimeoutMs })
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
  transaction(db, () => {
    const { user_version: version } = db.prepare("PRAGMA user_version").get() as { readonly user_version: number }
    if (version === schemaVersion) return
    for (const table of ["file", "chunk", "chunk_word"]) db.exec(`DROP TABLE IF EXISTS ${table}`)
    db.exec(schema)
    db.exec(`PRAGMA user_version = ${schemaVersion}`)
  })
  const sql = {
    files: db.prepare("SELECT path, version FROM file"),
    ids: db.prepare("SELECT id FROM chunk WHERE path = ?"),
    dropWords: db.prepare("DELETE FROM chunk_word WHERE rowid = ?"),
    dropChunks: db.prepare("DELETE FROM chunk WHERE path = ?"),
    dropFile: db.prepare("DELETE FROM file WHERE path = ?"),
    addFile: db.prepare("INSERT INTO file (path, version) VALUES (?, ?)"),
    addChunk: db.prepare("INSERT INTO chunk (path, first, last, text) VALUES (?, ?, ?, ?)"),
    addWords: db.prepare("INSERT INTO chunk_word (rowid, path, words) VALUES (?, ?, ?)"),
    count: db.prepare("SELECT count(*) AS count FROM chunk"),
    missing: db.prepare("SELECT count(*) AS count FROM chunk WHERE model IS NOT ?"),
    withoutVector: db.prepare("SELECT id, path, first AS start, last AS end, text FROM chunk WHERE model IS NOT ? ORDER BY id LIMIT ?"),
    setVector: db.prepare("UPDATE chunk SET model = ?, vector = ? WHERE id = ?"),
    vectors: db.prepare("SELECT id, vector FROM chunk WHERE model = ?"),
    search: db.prepare(
      `SELECT rowid AS id FROM chunk_word WHERE chunk_word MATCH ? ORDER BY bm25(chunk_word, ${weights.path}, ${weights.words}) LIMIT ?`
    ),
    chunk: db.prepare("SELECT id, path, first AS start, last AS end, text FROM chunk WHERE id = ?")
  }
  const drop = (path: string) => {
    for (const { id } of sql.ids.all(path) as unknown as ReadonlyArray<{ readonly id: number }>) sql.dropWords.run(id)
    sql.dropChunks.run(path)
    sql.dropFile.run(path)
  }
  const counted = (statement: typeof sql.count, ...params: ReadonlyArray<string>): number =>
    (statement.get(...params) as { readonly count: number }).count
  return {
    close: () => db.close(),
    versions: (): ReadonlyMap<string, string> =>
      new Map(
        (sql.files.all() as unknown as ReadonlyArray<{ readonly path: string; readonly version: string }>).map((
          { path, version }
        ) => [path, version])
      ),
    remove: (paths: ReadonlyArray<string>) => transaction(db, () => paths.forEach(drop)),
    replace: (path: string, version: string, chunks: ReadonlyArray<Chunk>) =>
      transaction(db, () => {
        drop(path)
        sql.addFile.run(path, version)
        const pathWords = CodeChunks.words(path).join(" ")
        for (const { end, start, text } of chunks) {
          const { lastInsertRowid } = sql.addChunk.run(path, start, end, text)
          sql.addWords.run(lastInsertRowid, pathWords, CodeChunks.words(text).join(" "))
        }
      }),
    count: () => counted(sql.count),
    countWithoutVector: (model: string) => counted(sql.missing, model),
    withoutVector: (model: string, limit: number) => sql.withoutVector.all(model, limit) as unknown as ReadonlyArray<StoredChunk>,
    setVectors: (model: string, vectors: ReadonlyArray<readonly [id: number, vector: Float32Array]>) =>
      transaction(
        db,
        () =>
          vectors.forEach(([id, vector]) =>
            sql.setVector.run(model, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength), id)
          )
      ),
    /** The chunks that have any of the words, the best by BM25 first. */
    byWords: (words: ReadonlyArray<string>, limit: number): ReadonlyArray<number> =>
      words.length === 0 ? []
        : (sql.search.all(words.map((word) => `"${word.replaceAll("\"", "\"\"")}"`).join(" OR "), limit) as unknown as ReadonlyArray<
          { readonly id: number }
        >).map(({ id }) => id),
    /** The chunks nearest to a vector of length 1, each compared. */
    byVector: (model: string, vector: Float32Array, limit: number): ReadonlyArray<number> => {
      const scores: Array<readonly [id: number, score: number]> = []
      for (const row of sql.vectors.iterate(model) as Iterable<unknown>) {
        const { id, vector: bytes } = row as { readonly id: number; readonly vector: Uint8Array }
        if (bytes.byteLength === vector.byteLength)
          scores.push([id, dot(vector, new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)))])
      }
      return scores.sort(([, a], [, b]) => b - a).slice(0, limit).map(([id]) => id)
    },
    chunk: (id: number) => sql.chunk.get(id) as unknown as StoredChunk | undefined
  }
}

export type CodeIndex = ReturnType<typeof open>

const dot = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

const transaction = (db: DatabaseSync, run: () => void): void => {
  db.exec("BEGIN IMMEDIATE")
  try {
    run()
    db.exec("COMMIT")
  } catch (error) {
    db.exec("ROLLBACK")
    throw error
  }
}
