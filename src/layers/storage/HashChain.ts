/**
 * The hash chain of a log: `hash = SHA-256(prev + "\n" + body)`, where `body` is the JSON text of
 * `{ v, seq, time, event }` as stored. Verification uses the stored text and never encodes an event again.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { LogError } from "../../domain/session/LogError.ts"
import { type SessionEvent, Settled, version } from "../../domain/session/SessionEvent.ts"
import type { Line } from "../../services/Storage.ts"
import { sha256 } from "./Digest.ts"

const decode = Schema.decodeUnknownResult(Schema.Struct({
  v: Schema.Int,
  seq: Schema.Int,
  time: Schema.Finite,
  event: Settled
}))

/** Parses JSON separately: `Schema.fromJsonString` takes three times as long, which matters for a log of 100,000 events. */
const decodeBody = (text: string) =>
  Result.flatMap(Result.try({ try: (): unknown => JSON.parse(text), catch: (error) => error as SyntaxError }), decode)

type Encode = (event: Settled) => Schema.Json

/** One encoder per event, made when it is first needed: the encoder of the union would prepare all of its members. */
const encoders = new Map<Settled["_tag"], Encode>()
const encoderOf = (tag: Settled["_tag"]): Encode => {
  const existing = encoders.get(tag)
  if (existing !== undefined) return existing
  const encoder = Schema.encodeSync(Settled.cases[tag] as Schema.Codec<Settled, Schema.Json>)
  encoders.set(tag, encoder)
  return encoder
}

/** The line that follows the hash `prev`. */
export const line = (prev: string, seq: number, time: number, event: Settled): Line => {
  const body = JSON.stringify({ v: version, seq, time, event: encoderOf(event._tag)(event) })
  return { seq, prev, hash: sha256(`${prev}\n${body}`), body }
}

/** The event of a line, as it will be read back. */
export const event = ({ hash, prev, seq }: Line, time: number, event: Settled): SessionEvent => ({
  v: version,
  seq,
  time,
  prev,
  hash,
  event
})

/** Number of events to verify before yielding to other fibers. */
const yieldEvery = 2000

/** Verifies and decodes the lines that follow `prev`; fails at the first that does not match. */
export const verify = Effect.fnUntraced(function*(session: string, lines: ReadonlyArray<Line>, prev = "", first = 0) {
  const events: Array<SessionEvent> = []
  let head = prev
  for (const [i, line] of lines.entries()) {
    const seq = first + i
    const corrupt = (why: string) =>
      new LogError({
        session,
        message: `The log of session ${session} is damaged at event ${seq}: ${why}.`,
        reason: { _tag: "Corrupt", seq }
      })
    if (line.seq !== seq) return yield* corrupt(`event ${line.seq} is in its place`)
    if (line.prev !== head || sha256(`${head}\n${line.body}`) !== line.hash) return yield* corrupt("its hash does not match")
    const decoded = decodeBody(line.body)
    if (Result.isFailure(decoded)) {
      return yield* newerVersionError(session, line.body) ?? corrupt(decoded.failure.message.split("\n", 1)[0]!)
    }
    const body = decoded.success
    if (body.seq !== seq) return yield* corrupt(`it is numbered ${body.seq}`)
    events.push({ ...body, prev: head, hash: line.hash })
    head = line.hash
    if (i % yieldEvery === yieldEvery - 1) yield* Effect.yieldNow
  }
  return events
})

/** An event written by a newer version is reported as such, not as damage. */
const newerVersionError = (session: string, body: string): LogError | undefined => {
  const v = /^\{"v":(\d+)/.exec(body)?.[1]
  return v === undefined || Number(v) <= version ? undefined : new LogError({
    session,
    message: `Session ${session} was written by a newer version of dacapo (log version ${v}; this one supports ${version}). ` +
      "Update dacapo to open it.",
    reason: { _tag: "Newer", version: Number(v) }
  })
}

/** The lines of a log. */
export const lines = (log: ReadonlyArray<SessionEvent>): ReadonlyArray<Line> =>
  log.map(({ event, prev, seq, time }) => line(prev, seq, time, event))

/** Changes events of a log and hashes it again, to test where a replay differs. */
export const rehash = (log: ReadonlyArray<SessionEvent>, change: (event: Settled) => Settled): ReadonlyArray<SessionEvent> => {
  let prev = ""
  return log.map((at) => {
    const nextEvent = change(at.event)
    const newLine = line(prev, at.seq, at.time, nextEvent)
    prev = newLine.hash
    return event(newLine, at.time, nextEvent)
  })
}

// Checks that lines continue a session's log, for every back-end before it appends.

/** The end of a log: the last seq and its hash. */
export interface Head {
  readonly seq: number
  readonly hash: string
}

/** The head of an empty log. */
export const start: Head = { seq: -1, hash: "" }

/** An error for the first line that does not follow the one before it; undefined if all do. */
export const chainError = (session: string, head: Head, lines: ReadonlyArray<Line>): LogError | undefined => {
  let last = head
  for (const line of lines) {
    if (line.seq !== last.seq + 1 || line.prev !== last.hash) {
      return new LogError({
        session,
        message: `Event ${line.seq} does not follow event ${last.seq}, the last one in the log of session ${session}.`,
        reason: { _tag: "Corrupt", seq: line.seq }
      })
    }
    last = line
  }
  return undefined
}
