/**
 * The hash chain of a log: `hash = SHA-256(prev + "\n" + body)`, where `body` is the JSON text of
 * `{ v, seq, time, event }` as stored. What is verified is the stored text, never a text made again.
 */
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { LogError } from "../../domain/session/LogError.ts"
import { Settled, version, type SessionEvent } from "../../domain/session/SessionEvent.ts"
import type { Line } from "../../services/Storage.ts"
import { sha256 } from "./Digest.ts"

const decode = Schema.decodeUnknownResult(Schema.Struct({
  v: Schema.Int,
  seq: Schema.Int,
  time: Schema.Finite,
  event: Settled
}))

/** Parsed first: `Schema.fromJsonString` would take three times as long, which a log of 100,000 events shows. */
const decodeBody = (text: string) =>
  Result.flatMap(Result.try({ try: (): unknown => JSON.parse(text), catch: (error) => error as SyntaxError }), decode)

/** By its own case: to find it among all of them, the union would first make itself ready for each. */
const encoders = Record.map(Settled.cases, (of) => Schema.encodeSync(of) as (event: Settled) => Schema.Json)

/** The next line after `prev`. */
export const line = (prev: string, seq: number, time: number, event: Settled): Line => {
  const body = JSON.stringify({ v: version, seq, time, event: encoders[event._tag](event) })
  return { seq, prev, hash: sha256(`${prev}\n${body}`), body }
}

/** The event of a line, given as it will be read back. */
export const event = ({ hash, prev, seq }: Line, time: number, event: Settled): SessionEvent => ({
  v: version,
  seq,
  time,
  prev,
  hash,
  event
})

/** Events verified before other fibers have their turn. */
const breath = 2000

/** Verifies lines that follow `prev` and decodes them; the first that does not fit is named. */
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
    if (line.seq !== seq) return yield* corrupt(`event ${line.seq} stands in its place`)
    if (line.prev !== head || sha256(`${head}\n${line.body}`) !== line.hash) return yield* corrupt("its hash does not fit the one before it")
    const decoded = decodeBody(line.body)
    if (Result.isFailure(decoded)) {
      return yield* newer(session, line.body) ?? corrupt(decoded.failure.message.split("\n", 1)[0]!)
    }
    const body = decoded.success
    if (body.seq !== seq) return yield* corrupt(`it says that it is event ${body.seq}`)
    events.push({ ...body, prev: head, hash: line.hash })
    head = line.hash
    if (i % breath === breath - 1) yield* Effect.yieldNow
  }
  return events
})

/** An event that only a newer version can read is no damage. */
const newer = (session: string, body: string): LogError | undefined => {
  const v = /^\{"v":(\d+)/.exec(body)?.[1]
  return v === undefined || Number(v) <= version ? undefined : new LogError({
    session,
    message: `Session ${session} was written by a newer dacapo (log version ${v}, this one reads ${version}). Update dacapo to open it.`,
    reason: { _tag: "Newer", version: Number(v) }
  })
}

/** Events as the lines that hold them. */
export const lines = (log: ReadonlyArray<SessionEvent>): ReadonlyArray<Line> =>
  log.map(({ event, prev, seq, time }) => line(prev, seq, time, event))

/** A log with some events changed, and hashed again so that the chain holds: to see where a replay goes another way. */
export const rehash = (log: ReadonlyArray<SessionEvent>, change: (event: Settled) => Settled): ReadonlyArray<SessionEvent> => {
  let prev = ""
  return log.map((at) => {
    const changed = change(at.event)
    const made = line(prev, at.seq, at.time, changed)
    prev = made.hash
    return event(made, at.time, changed)
  })
}
