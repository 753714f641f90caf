/** Recovers the intact data of a damaged store: events with valid hashes, from any readable page. */
import { existsSync, readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import type { Line } from "../../../services/Storage.ts"
import { type Packed, unpack } from "../Compression.ts"
import { sha256 } from "../Digest.ts"
import * as PageReader from "./PageReader.ts"
import * as PackedLog from "../PackedLog.ts"

/** A session's log up to a break. `orphans` are the intact events after the break, which no chain connects. */
export interface Log {
  readonly id: string
  readonly lines: ReadonlyArray<Line>
  readonly orphans: ReadonlyArray<StoredLine>
}

/** A line as stored in a row, without `prev`, which is the hash of the preceding line. */
export type StoredLine = Omit<Line, "prev">

export interface SalvageResult {
  readonly logs: ReadonlyArray<Log>
  /** Blobs that match their digest. */
  readonly blobs: ReadonlyMap<string, Uint8Array>
}

const isHash = (value: PageReader.Value | undefined): value is string => typeof value === "string" && /^[0-9a-f]{64}$/.test(value)

/** Reads the file and its write-ahead log without changing them. */
export const read = Effect.fnUntraced(function*(file: string) {
  const bytes = (path: string) => existsSync(path) ? readFileSync(path) : new Uint8Array()
  const sessions = new Map<number, Map<number, Array<StoredLine>>>()
  const packed = new Map<string, Packed>()
  const archives: Array<Uint8Array> = []
  for (const row of PageReader.rows(bytes(file), bytes(`${file}-wal`))) {
    const [first, second, third, fourth] = row
    if (row.length === 4 && typeof first === "number" && typeof second === "number" && isHash(third) && typeof fourth === "string") {
      const session = sessions.get(first) ?? new Map<number, Array<StoredLine>>()
      sessions.set(first, session)
      session.set(second, [...session.get(second) ?? [], { seq: second, hash: third, body: fourth }])
    }
    if (row.length === 3 && isHash(first) && (second === "plain" || second === "zstd") && third instanceof Uint8Array) {
      packed.set(first, { codec: second, bytes: third })
    }
    if (row.length === 2 && second instanceof Uint8Array && isZstd(second)) archives.push(second)
  }
  const blobs = new Map<string, Uint8Array>()
  for (const [hash, blob] of packed) {
    const content = yield* Effect.orElseSucceed(Effect.tryPromise(() => unpack(blob)), () => undefined)
    if (content !== undefined && sha256(content) === hash) blobs.set(hash, content)
  }
  const archivedRows = yield* Effect.forEach(archives, (bytes) => Effect.orElseSucceed(PackedLog.unpack("", bytes), () => []))
  const archived = archivedRows.map((rows) => chain(new Map(rows.map(([hash, body], seq) => [seq, [{ seq, hash, body }]]))).lines)
  const activeLogs = [...sessions.values()].map((session) => ({
    session,
    begins: archived.find((lines) => continues(session, lines)) ?? []
  }))
  const archivedOnly = archived.filter((lines) => !activeLogs.some(({ begins }) => begins === lines))
  return {
    logs: [...activeLogs.map(({ begins, session }) => chain(session, begins)), ...archivedOnly.map((lines) => chain(new Map(), lines))],
    blobs
  } satisfies SalvageResult
})

/** The magic number of a zstd frame (RFC 8878, section 3.1.1). */
const isZstd = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 4)).equals(Buffer.from([0x28, 0xb5, 0x2f, 0xfd]))

const fits = (prev: string, { body, hash }: StoredLine): boolean => sha256(`${prev}\n${body}`) === hash

/** Whether the lines of a session continue an archived log. */
const continues = (session: ReadonlyMap<number, ReadonlyArray<StoredLine>>, lines: ReadonlyArray<Line>): boolean =>
  session.get(lines.length)?.some((next) => fits(lines.at(-1)?.hash ?? "", next)) === true

/** The longest chain of events from the first one, or from the end of an archived prefix. */
const chain = (session: ReadonlyMap<number, ReadonlyArray<StoredLine>>, prefix: ReadonlyArray<Line> = []): Log => {
  const lines: Array<Line> = [...prefix]
  while (true) {
    const prev = lines.at(-1)?.hash ?? ""
    const next = session.get(lines.length)?.find((next) => fits(prev, next))
    if (next === undefined) break
    lines.push({ ...next, prev })
  }
  const orphans = [...session.keys()].sort((a, b) => a - b).filter((seq) => seq >= lines.length).flatMap((seq) => session.get(seq)!)
  return { id: idOf(lines), lines, orphans: orphans.filter(isValidJson) }
}

const tryParse = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const isValidJson = ({ body }: StoredLine): boolean => tryParse(body) !== undefined

/** The id in the last start event: the log of a fork starts with the events of its origin. */
const idOf = (lines: ReadonlyArray<Line>): string => {
  const startLine = lines.findLast(({ body }) => body.includes("\"_tag\":\"SessionStarted\""))
  const id = (tryParse(startLine?.body ?? "") as { readonly event?: { readonly id?: unknown } } | undefined)?.event?.id
  return typeof id === "string" ? id : ""
}
