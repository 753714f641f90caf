/**
 * A session without its secrets that still runs: crossings are redacted, and what we compute from them (requests'
 * hashes, plans, actions) is computed anew, so that a replay of it gives what a replay of the whole one gives, and
 * diverges where that does.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Timed } from "../../domain/message/Chunk.ts"
import type { Redact } from "../../domain/secret/Redactor.ts"
import { LogError } from "../../domain/session/LogError.ts"
import { Settled, type SessionEvent } from "../../domain/session/SessionEvent.ts"
import * as Chain from "../storage/HashChain.ts"
import { sha256 } from "../storage/Digest.ts"
import type { Exported } from "../storage/SessionFile.ts"
import * as Recording from "./Recording.ts"
import * as Replay from "./Replay.ts"

export const redacted = Effect.fn("Redacted.redacted")(function*({ blobs, events }: Exported, redact: Redact) {
  const exact = yield* Replay.verify(events, { getBlob: from(blobs) }).pipe(
    Effect.as(events.length),
    Effect.catchTag("Diverged", ({ seq }) => Effect.succeed(seq))
  )
  const kept = new Map<string, Uint8Array>()
  const renamed = new Map<string, string>()
  const keep = (bytes: Uint8Array): string => {
    const hash = sha256(bytes)
    kept.set(hash, bytes)
    return hash
  }
  const recordings = new Set(events.flatMap(recordingsOf))
  for (const [hash, bytes] of blobs) {
    renamed.set(hash, keep(recordings.has(hash) ? yield* recording(bytes, redact) : text(bytes, redact)))
  }
  const crossings = Chain.rehash(events, (event) => settled(event, redact, renamed))
  const after = yield* Replay.rewritten(crossings, { getBlob: from(kept), putBlob: (_, bytes) => void keep(bytes) }, exact - 1)
  const named = JSON.stringify(after)
  return { lines: Chain.lines(after), events: after, blobs: new Map([...kept].filter(([hash]) => named.includes(hash))) } satisfies Exported
})

const from = (blobs: ReadonlyMap<string, Uint8Array>) => (hash: string): Effect.Effect<Uint8Array, LogError> => {
  const bytes = blobs.get(hash)
  return bytes === undefined
    ? Effect.fail(new LogError({ session: "", message: `There is no blob ${hash}.`, reason: { _tag: "NotFound", near: [] } }))
    : Effect.succeed(bytes)
}

const recordingsOf = ({ event }: SessionEvent): ReadonlyArray<string> =>
  event._tag === "ModelResponded" ? [event.recording]
  : (event._tag === "ModelFailed" || event._tag === "ModelRetrying") && event.draft != null ? [event.draft]
  : []

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** What is no text stays as it is. */
const text = (bytes: Uint8Array, redact: Redact): Uint8Array => {
  try {
    return new TextEncoder().encode(redact(strict.decode(bytes)))
  } catch {
    return bytes
  }
}

/** A secret may be cut by the chunks that it came in: what belongs together is redacted together, and said by its first chunk. */
const recording = Effect.fnUntraced(function*(bytes: Uint8Array, redact: Redact) {
  const timed = yield* Recording.decode("", bytes)
  const whole = new Map<string, string>()
  const streamOf = streams()
  const places = timed.map(({ chunk }) => "text" in chunk ? streamOf(chunk) : undefined)
  timed.forEach(({ chunk }, i) => {
    const place = places[i]
    if (place !== undefined && "text" in chunk) whole.set(place, (whole.get(place) ?? "") + chunk.text)
  })
  const left = new Map([...whole].flatMap(([place, said]) => redact(said) === said ? [] : [[place, redact(said)] as const]))
  return Recording.encode(timed.map((each, i): Timed => {
    const place = places[i]
    const said = place === undefined ? undefined : left.get(place)
    if (place === undefined || said === undefined || !("text" in each.chunk)) return { at: each.at, chunk: chunk(each.chunk, redact) }
    left.set(place, "")
    return { at: each.at, chunk: { ...each.chunk, text: said } }
  }))
})

/** Names the stream that a delta belongs to: text and thoughts until something else comes, arguments by their call. */
const streams = () => {
  let last = ""
  let count = 0
  return (chunk: Extract<Timed["chunk"], { readonly text: string }>): string => {
    if (chunk._tag === "ToolCallArgs") return `args ${chunk.id}`
    if (last !== chunk._tag) count++
    last = chunk._tag
    return `${chunk._tag} ${count}`
  }
}

const chunk = (chunk: Timed["chunk"], redact: Redact): Timed["chunk"] =>
  chunk._tag === "Notice" ? { ...chunk, detail: value(chunk.detail, redact, new Map()) as Schema.Json } : chunk

const encode = Schema.encodeSync(Settled)
const decode = Schema.decodeUnknownSync(Settled)

const settled = (event: Settled, redact: Redact, renamed: ReadonlyMap<string, string>): Settled =>
  decode(value(encode(event), redact, renamed))

/** Texts are redacted with the names that they stand under, because a name may tell what a value is. */
const value = (json: unknown, redact: Redact, renamed: ReadonlyMap<string, string>, name = ""): unknown => {
  if (typeof json === "string") return renamed.get(json) ?? (name === "_tag" ? json : named(json, name, redact))
  if (Array.isArray(json)) return json.map((each) => value(each, redact, renamed, name))
  if (typeof json !== "object" || json === null) return json
  return Object.fromEntries(Object.entries(json).map(([key, each]) => [key, value(each, redact, renamed, key)]))
}

const named = (text: string, name: string, redact: Redact): string => {
  const before = `${name}=`
  const after = text.includes("\n") ? text : redact(`${before}${text}`)
  return after.startsWith(before) && !text.includes("\n") ? redact(after.slice(before.length)) : redact(text)
}
