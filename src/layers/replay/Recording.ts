/** A recording: every chunk of a response with its time, one line of JSON each; replays use it as the response. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { TimedChunk } from "../../domain/message/Chunk.ts"
import { LogError } from "../../domain/session/LogError.ts"
import * as Interruption from "../../domain/session/Interruption.ts"
import * as Draft from "../storage/Draft.ts"

/** ms that a chunk waits for others before it is stored with them: less than a crash may lose, because storing takes a moment, too. */
export const draftEveryMs = 200

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const decodeLines = Schema.decodeUnknownEffect(Schema.Array(Schema.fromJsonString(TimedChunk)))

/** Chunks are made by our own protocols and contain only JSON: no schema runs over a hundred thousand deltas. */
export const encode = (recording: ReadonlyArray<TimedChunk>): Uint8Array =>
  encoder.encode(recording.map((chunk) => `${JSON.stringify(chunk)}\n`).join(""))

/**
 * A response that is being recorded. Pending chunks are soon encoded as bytes: a long response takes a third of the
 * space that its chunks would.
 */
export interface RecordingBuffer {
  readonly stored: Array<Uint8Array>
  pending: Array<TimedChunk>
  progress: Interruption.PartialUsage
}

export const empty = (): RecordingBuffer => ({ stored: [], pending: [], progress: Interruption.emptyUsage })

export const add = (tape: RecordingBuffer, chunks: ReadonlyArray<TimedChunk>): void => {
  for (const chunk of chunks) tape.pending.push(chunk)
  tape.progress = chunks.reduce(Interruption.addChunk, tape.progress)
}

/** The pending chunks, now encoded as bytes; undefined if there are none. */
export const flush = (tape: RecordingBuffer): Uint8Array | undefined => {
  if (tape.pending.length === 0) return undefined
  const bytes = encode(tape.pending)
  tape.stored.push(bytes)
  tape.pending = []
  return bytes
}

/** All of it, in the form of `encode`. */
export const allBytes = (tape: RecordingBuffer): Uint8Array => {
  flush(tape)
  return Draft.concat(tape.stored)
}

export const decode = (session: string, bytes: Uint8Array): Effect.Effect<ReadonlyArray<TimedChunk>, LogError> =>
  Effect.mapError(
    decodeLines(decoder.decode(bytes).split("\n").slice(0, -1)),
    (error) => new LogError({ session, message: `A recording is damaged: ${error.message}`, reason: { _tag: "Corrupt", seq: -1 } })
  )
