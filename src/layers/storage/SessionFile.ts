/**
 * A session as one file, to keep, to send or to replay elsewhere: a line of JSON an event, `{ v, seq, time, event, prev,
 * hash }`, then a line a blob that events name, `{ blob, text }` or `{ blob, base64 }`. docs/formats/session.md.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { LogError } from "../../domain/session/LogError.ts"
import type { SessionEvent } from "../../domain/session/SessionEvent.ts"
import type { Line } from "../../services/Storage.ts"
import * as Chain from "./HashChain.ts"
import { sha256 } from "./Digest.ts"

/** Verified events, their lines as stored, and the blobs by their digest. */
export interface Exported {
  readonly lines: ReadonlyArray<Line>
  readonly events: ReadonlyArray<SessionEvent>
  readonly blobs: ReadonlyMap<string, Uint8Array>
}

/** Digests that events name; not each is a blob's. */
export const digests = (lines: ReadonlyArray<Line>): ReadonlySet<string> =>
  new Set(lines.flatMap(({ body }) => body.match(/[0-9a-f]{64}/g) ?? []))

/** Collects what belongs to a session. */
export const gather = Effect.fnUntraced(function*(
  session: string,
  lines: ReadonlyArray<Line>,
  getBlob: (hash: string) => Effect.Effect<Uint8Array, LogError>
) {
  const events = yield* Chain.verify(session, lines)
  const blobs = new Map<string, Uint8Array>()
  for (const hash of digests(lines)) {
    const bytes = yield* getBlob(hash).pipe(
      Effect.catchIf(({ reason }) => reason._tag === "NotFound", () => Effect.succeed(undefined))
    )
    if (bytes !== undefined) blobs.set(hash, bytes)
  }
  return { lines, events, blobs } satisfies Exported
})

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Readable where it can be. */
const blob = (hash: string, bytes: Uint8Array): object => {
  try {
    return { blob: hash, text: strict.decode(bytes) }
  } catch {
    return { blob: hash, base64: Buffer.from(bytes).toString("base64") }
  }
}

/** As the text of a file: a line an event with its hashes, then a line a blob. */
export const write = ({ blobs, lines }: Exported): string =>
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

/** Reads what `write` wrote; what was changed since is found: a line that is none, a chain that breaks, a blob that is another. */
export const read = Effect.fnUntraced(function*(file: string, text: string) {
  const damaged = (seq: number, why: string) => new LogError({ session: file, message: `${file}: ${why}`, reason: { _tag: "Corrupt", seq } })
  const lines: Array<Line> = []
  const blobs = new Map<string, Uint8Array>()
  for (const [i, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue
    const row = Option.getOrUndefined(decodeRow(line))
    if (row === undefined) return yield* damaged(-1, `line ${i + 1} is neither an event nor a blob of a session.`)
    if ("event" in row) {
      const { event, hash, prev, seq, time, v } = row
      lines.push({ seq, prev, hash, body: JSON.stringify({ v, seq, time, event }) })
      continue
    }
    const bytes = "text" in row ? new TextEncoder().encode(row.text) : new Uint8Array(Buffer.from(row.base64, "base64"))
    if (sha256(bytes) !== row.blob) return yield* damaged(-1, `the blob of line ${i + 1} does not have the digest that it names.`)
    blobs.set(row.blob, bytes)
  }
  if (lines.length === 0) return yield* damaged(-1, "it holds no event.")
  return { lines, blobs, events: yield* Chain.verify(file, lines) } satisfies Exported
})

/** Whose session it is: a fork's log begins with the events of its origin. */
export const idOf = (events: ReadonlyArray<SessionEvent>): string => {
  const started = events.findLast(({ event }) => event._tag === "SessionStarted")?.event
  return started?._tag === "SessionStarted" ? started.id : ""
}
