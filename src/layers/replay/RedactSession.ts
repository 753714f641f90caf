/**
 * A session without its secrets that can still be replayed: recorded inputs are redacted, and everything derived from
 * them (hashes of requests, plans, actions) is recomputed, so that its replay gives what a replay of the original
 * gives, and diverges where that does.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { TimedChunk } from "../../domain/message/Chunk.ts"
import type { Redact } from "../../domain/secret/Redactor.ts"
import { LogError } from "../../domain/session/LogError.ts"
import { Settled, type SessionEvent } from "../../domain/session/SessionEvent.ts"
import * as HashChain from "../storage/HashChain.ts"
import { sha256 } from "../storage/Digest.ts"
import type { SessionExport } from "../storage/SessionFile.ts"
import * as Recording from "./Recording.ts"
import * as Replay from "./Replay.ts"

export const redactSession = Effect.fn("Redacted.redacted")(function*({ blobs, events }: SessionExport, redact: Redact) {
  const exactEvents = yield* Replay.verify(events, { getBlob: blobReader(blobs) }).pipe(
    Effect.as(events.length),
    Effect.catchTag("Diverged", ({ seq }) => Effect.succeed(seq))
  )
  const newBlobs = new Map<string, Uint8Array>()
  const newHashes = new Map<string, string>()
  const addBlob = (bytes: Uint8Array): string => {
    const hash = sha256(bytes)
    newBlobs.set(hash, bytes)
    return hash
  }
  const recordings = new Set(events.flatMap(recordingsOf))
  const packs = new Set(events.flatMap(packsOf))
  for (const [hash, bytes] of blobs) {
    // Files in a pack can't be redacted: it is left out, and the events name it still.
    if (packs.has(hash)) continue
    newHashes.set(hash, addBlob(recordings.has(hash) ? yield* redactRecording(bytes, redact) : redactText(bytes, redact)))
  }
  const redactedEvents = HashChain.rehash(events, (event) => redactEvent(event, redact, newHashes))
  const finalEvents = yield* Replay.rewrite(
    redactedEvents,
    { getBlob: blobReader(newBlobs), putBlob: (_, bytes) => void addBlob(bytes) },
    exactEvents - 1
  )
  const json = JSON.stringify(finalEvents)
  return {
    lines: HashChain.lines(finalEvents),
    events: finalEvents,
    blobs: new Map([...newBlobs].filter(([hash]) => json.includes(hash)))
  } satisfies SessionExport
})

const blobReader = (blobs: ReadonlyMap<string, Uint8Array>) => (hash: string): Effect.Effect<Uint8Array, LogError> => {
  const bytes = blobs.get(hash)
  return bytes === undefined
    ? Effect.fail(new LogError({ session: "", message: `There is no blob ${hash}.`, reason: { _tag: "NotFound", near: [] } }))
    : Effect.succeed(bytes)
}

const recordingsOf = ({ event }: SessionEvent): ReadonlyArray<string> =>
  event._tag === "ModelResponded" ? [event.recording]
    : (event._tag === "ModelFailed" || event._tag === "ModelRetrying") && event.draft != null ? [event.draft]
    : []

const packsOf = ({ event }: SessionEvent): ReadonlyArray<string> =>
  event._tag === "CheckpointSaved" ? [event.pack, event.repository?.pack].filter((pack) => pack !== undefined) : []

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Anything that is not text stays as it is. */
const redactText = (bytes: Uint8Array, redact: Redact): Uint8Array => {
  try {
    return new TextEncoder().encode(redact(strict.decode(bytes)))
  } catch {
    return bytes
  }
}

/** A secret may be split between chunks: related deltas are redacted together, and the first chunk carries the result. */
const redactRecording = Effect.fnUntraced(function*(bytes: Uint8Array, redact: Redact) {
  const timed = yield* Recording.decode("", bytes)
  const texts = new Map<string, string>()
  const streamOf = streamNamer()
  const streamIds = timed.map(({ chunk }) => "text" in chunk ? streamOf(chunk) : undefined)
  timed.forEach(({ chunk }, i) => {
    const stream = streamIds[i]
    if (stream !== undefined && "text" in chunk) texts.set(stream, (texts.get(stream) ?? "") + chunk.text)
  })
  const remaining = new Map(
    [...texts].flatMap(([stream, content]) => redact(content) === content ? [] : [[stream, redact(content)] as const])
  )
  return Recording.encode(timed.map((each, i): TimedChunk => {
    const stream = streamIds[i]
    const content = stream === undefined ? undefined : remaining.get(stream)
    if (stream === undefined || content === undefined || !("text" in each.chunk))
      return { at: each.at, chunk: redactChunk(each.chunk, redact) }
    remaining.set(stream, "")
    return { at: each.at, chunk: { ...each.chunk, text: content } }
  }))
})

/** Names the stream that a delta belongs to: text and reasoning until something else comes, arguments by their call. */
const streamNamer = () => {
  let last = ""
  let count = 0
  return (chunk: Extract<TimedChunk["chunk"], { readonly text: string }>): string => {
    if (chunk._tag === "ToolCallArgs") return `args ${chunk.id}`
    if (last !== chunk._tag) count++
    last = chunk._tag
    return `${chunk._tag} ${count}`
  }
}

const redactChunk = (chunk: TimedChunk["chunk"], redact: Redact): TimedChunk["chunk"] =>
  chunk._tag === "Notice" ? { ...chunk, detail: redactJson(chunk.detail, redact, new Map()) as Schema.Json } : chunk

const encode = Schema.encodeSync(Settled)
const decode = Schema.decodeUnknownSync(Settled)

const redactEvent = (event: Settled, redact: Redact, newHashes: ReadonlyMap<string, string>): Settled =>
  decode(redactJson(encode(event), redact, newHashes))

/** Texts are redacted together with their keys, because a key may reveal what a value is. */
const redactJson = (json: unknown, redact: Redact, newHashes: ReadonlyMap<string, string>, name = ""): unknown => {
  if (typeof json === "string") return newHashes.get(json) ?? (name === "_tag" ? json : redactField(json, name, redact))
  if (Array.isArray(json)) return json.map((each) => redactJson(each, redact, newHashes, name))
  if (typeof json !== "object" || json === null) return json
  return Object.fromEntries(Object.entries(json).map(([key, each]) => [key, redactJson(each, redact, newHashes, key)]))
}

const redactField = (text: string, name: string, redact: Redact): string => {
  const prefix = `${name}=`
  const result = text.includes("\n") ? text : redact(`${prefix}${text}`)
  return result.startsWith(prefix) && !text.includes("\n") ? redact(result.slice(prefix.length)) : redact(text)
}
