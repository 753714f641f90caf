/**
 * A session exported as one file: one line of JSON per event, `{ v, seq, time, event, prev, hash }`, then one line per
 * referenced blob, `{ blob, text }` or `{ blob, base64 }`. See docs/formats/session.md.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { LogError } from "../../domain/session/LogError.ts"
import type { SessionEvent } from "../../domain/session/SessionEvent.ts"
import type { Line } from "../../services/Storage.ts"
import * as HashChain from "./HashChain.ts"
import { sha256 } from "./Digest.ts"

/** Verified events, their lines as stored, and blobs by digest. */
export interface SessionExport {
  readonly lines: ReadonlyArray<Line>
  readonly events: ReadonlyArray<SessionEvent>
  readonly blobs: ReadonlyMap<string, Uint8Array>
}

/** All digests in the events; some are not digests of blobs. */
export const digests = (lines: ReadonlyArray<Line>): ReadonlySet<string> =>
  new Set(lines.flatMap(({ body }) => body.match(/[0-9a-f]{64}/g) ?? []))

/** Collects the events and blobs of a session. */
export const gather = Effect.fnUntraced(function*(
  session: string,
  lines: ReadonlyArray<Line>,
  getBlob: (hash: string) => Effect.Effect<Uint8Array, LogError>
) {
  const events = yield* HashChain.verify(session, lines)
  const blobs = new Map<string, Uint8Array>()
  for (const hash of digests(lines)) {
    const bytes = yield* getBlob(hash).pipe(
      Effect.catchIf(({ reason }) => reason._tag === "NotFound", () => Effect.succeed(undefined))
    )
    if (bytes !== undefined) blobs.set(hash, bytes)
  }
  return { lines, events, blobs } satisfies SessionExport
})

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** A blob as text if it is UTF-8, else as base64. */
const blob = (hash: string, bytes: Uint8Array): object => {
  try {
    return { blob: hash, text: strict.decode(bytes) }
  } catch {
    return { blob: hash, base64: Buffer.from(bytes).toString("base64") }
  }
}

/** The text of the file: the events with their hashes, then the blobs. */
export const write = ({ blobs, lines }: SessionExport): string =>
  [
    ...lines.map(({ body, hash, prev }) => `${body.slice(0, -1)},${JSON.stringify({ prev, hash }).slice(1)}`),
    ...[...blobs].map(([hash, bytes]) => JSON.stringify(blob(hash, bytes)))
  ].map((line) => `${line}\n`).join("")

const Row = Schema.Union([
  Schema.Struct({ v: Schema.Int, seq: Schema.Int, time: Schema.Finite, event: Schema.Json, prev: Schema.String, hash: Schema.String }),
  Schema.Struct({ blob: Schema.String, text: Schema.String }),
  Schema.Struct({ blob: Schema.String, base64: Schema.String })
])
const decodeRow = Schema.decodeUnknownOption(Schema.fromJsonString(Row))

/** Reads an exported file; fails on an invalid line, a broken hash chain or a blob with the wrong digest. */
export const read = Effect.fnUntraced(function*(file: string, text: string) {
  const damageError = (seq: number, why: string) =>
    new LogError({ session: file, message: `${file}: ${why}`, reason: { _tag: "Corrupt", seq } })
  const lines: Array<Line> = []
  const blobs = new Map<string, Uint8Array>()
  for (const [i, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue
    const row = Option.getOrUndefined(decodeRow(line))
    if (row === undefined) return yield* damageError(-1, `Line ${i + 1} is neither an event nor a blob.`)
    if ("event" in row) {
      const { event, hash, prev, seq, time, v } = row
      lines.push({ seq, prev, hash, body: JSON.stringify({ v, seq, time, event }) })
      continue
    }
    const bytes = "text" in row ? new TextEncoder().encode(row.text) : new Uint8Array(Buffer.from(row.base64, "base64"))
    if (sha256(bytes) !== row.blob) return yield* damageError(-1, `The blob in line ${i + 1} does not match its digest.`)
    blobs.set(row.blob, bytes)
  }
  if (lines.length === 0) return yield* damageError(-1, "The file contains no events.")
  return { lines, blobs, events: yield* HashChain.verify(file, lines) } satisfies SessionExport
})

/** The id of the session: the log of a fork starts with the events of its origin, so the last start counts. */
export const idOf = (events: ReadonlyArray<SessionEvent>): string => {
  const startEvent = events.findLast(({ event }) => event._tag === "SessionStarted")?.event
  return startEvent?._tag === "SessionStarted" ? startEvent.id : ""
}
