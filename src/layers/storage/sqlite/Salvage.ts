/** What of a damaged store is still true: events whose hashes hold, from any page that can be read. */
import { existsSync, readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import type { Line } from "../../../services/Storage.ts"
import { type Packed, unpack } from "../Compression.ts"
import { sha256 } from "../Digest.ts"
import * as SqlitePages from "./PageReader.ts"
import * as SqliteRoom from "./Maintenance.ts"

/** A session's log up to where it breaks; `after` are events behind the break, whole each but without a chain to the others. */
export interface Log {
  readonly id: string
  readonly lines: ReadonlyArray<Line>
  readonly after: ReadonlyArray<Stored>
}

/** A line as it stands in a row: its `prev` is the hash of the one before. */
export type Stored = Omit<Line, "prev">

export interface Salvaged {
  readonly logs: ReadonlyArray<Log>
  /** Blobs that have their digest, as they were put. */
  readonly blobs: ReadonlyMap<string, Uint8Array>
}

const isHash = (value: SqlitePages.Value | undefined): value is string => typeof value === "string" && /^[0-9a-f]{64}$/.test(value)

/** Reads the file and its write-ahead log, and changes neither. */
export const read = Effect.fnUntraced(function*(file: string) {
  const bytes = (path: string) => existsSync(path) ? readFileSync(path) : new Uint8Array()
  const sessions = new Map<number, Map<number, Array<Stored>>>()
  const packed = new Map<string, Packed>()
  const archives: Array<Uint8Array> = []
  for (const row of SqlitePages.rows(bytes(file), bytes(`${file}-wal`))) {
    const [first, second, third, fourth] = row
    if (row.length === 4 && typeof first === "number" && typeof second === "number" && isHash(third) && typeof fourth === "string") {
      const session = sessions.get(first) ?? new Map<number, Array<Stored>>()
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
    const whole = yield* Effect.orElseSucceed(Effect.tryPromise(() => unpack(blob)), () => undefined)
    if (whole !== undefined && sha256(whole) === hash) blobs.set(hash, whole)
  }
  const beginnings = yield* Effect.forEach(archives, (bytes) => Effect.orElseSucceed(SqliteRoom.unpack("", bytes), () => []))
  const archived = beginnings.map((rows) => chained(new Map(rows.map(([hash, body], seq) => [seq, [{ seq, hash, body }]]))).lines)
  const going = [...sessions.values()].map((session) => ({ session, begins: archived.find((lines) => goesOn(session, lines)) ?? [] }))
  const ended = archived.filter((lines) => !going.some(({ begins }) => begins === lines))
  return {
    logs: [...going.map(({ begins, session }) => chained(session, begins)), ...ended.map((lines) => chained(new Map(), lines))],
    blobs
  } satisfies Salvaged
})

/** How a zstd frame begins (RFC 8878, section 3.1.1). */
const isZstd = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 4)).equals(Buffer.from([0x28, 0xb5, 0x2f, 0xfd]))

const fits = (prev: string, { body, hash }: Stored): boolean => sha256(`${prev}\n${body}`) === hash

/** Whether the lines of a session follow an archived beginning. */
const goesOn = (session: ReadonlyMap<number, ReadonlyArray<Stored>>, lines: ReadonlyArray<Line>): boolean =>
  session.get(lines.length)?.some((next) => fits(lines.at(-1)?.hash ?? "", next)) === true

/** Events from the first on (or behind those that an archive begins with), as long as each fits the one before. */
const chained = (session: ReadonlyMap<number, ReadonlyArray<Stored>>, begins: ReadonlyArray<Line> = []): Log => {
  const lines: Array<Line> = [...begins]
  while (true) {
    const prev = lines.at(-1)?.hash ?? ""
    const next = session.get(lines.length)?.find((next) => fits(prev, next))
    if (next === undefined) break
    lines.push({ ...next, prev })
  }
  const after = [...session.keys()].sort((a, b) => a - b).filter((seq) => seq >= lines.length).flatMap((seq) => session.get(seq)!)
  return { id: idOf(lines), lines, after: after.filter(isWhole) }
}

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const isWhole = ({ body }: Stored): boolean => parsed(body) !== undefined

/** The last start names the session: a fork's log begins with the events of its origin. */
const idOf = (lines: ReadonlyArray<Line>): string => {
  const started = lines.findLast(({ body }) => body.includes("\"_tag\":\"SessionStarted\""))
  const id = (parsed(started?.body ?? "") as { readonly event?: { readonly id?: unknown } } | undefined)?.event?.id
  return typeof id === "string" ? id : ""
}
