/** A recording: every chunk of an answer with its time, a line of JSON each; what a replay answers from. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Timed } from "../../domain/message/Chunk.ts"
import { LogError } from "../../domain/session/LogError.ts"
import * as Unfinished from "../../domain/session/Unfinished.ts"
import * as Draft from "../storage/Draft.ts"

/** ms that a chunk waits for others before it is kept with them: less than a crash may lose, because keeping takes a moment, too. */
export const draftEveryMs = 200

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const decodeLines = Schema.decodeUnknownEffect(Schema.Array(Schema.fromJsonString(Timed)))

/** Chunks are made by our own protocols and hold JSON alone: no schema runs over a hundred thousand deltas. */
export const encode = (recording: ReadonlyArray<Timed>): Uint8Array => 
  encoder.encode(recording.map((timed) => `${JSON.stringify(timed)}\n`).join(""))

/** An answer that is being recorded. What waits is soon kept as bytes: a long answer takes a third of the room that its chunks would. */
export interface Tape {
  readonly kept: Array<Uint8Array>
  waiting: Array<Timed>
  heard: Unfinished.Heard
}

export const blank = (): Tape => ({ kept: [], waiting: [], heard: Unfinished.nothing })

export const add = (tape: Tape, arrived: ReadonlyArray<Timed>): void => {
  for (const timed of arrived) tape.waiting.push(timed)
  tape.heard = arrived.reduce(Unfinished.hear, tape.heard)
}

/** What waits, as bytes that are kept from now on; undefined where nothing does. */
export const keep = (tape: Tape): Uint8Array | undefined => {
  if (tape.waiting.length === 0) return undefined
  const bytes = encode(tape.waiting)
  tape.kept.push(bytes)
  tape.waiting = []
  return bytes
}

/** All of it, in the form of `encode`. */
export const whole = (tape: Tape): Uint8Array => {
  keep(tape)
  return Draft.joined(tape.kept)
}

export const decode = (session: string, bytes: Uint8Array): Effect.Effect<ReadonlyArray<Timed>, LogError> =>
  Effect.mapError(decodeLines(decoder.decode(bytes).split("\n").slice(0, -1)), (error) =>
    new LogError({ session, message: `A recording is damaged: ${error.message}`, reason: { _tag: "Corrupt", seq: -1 } }))
