/** A recording: every chunk of an answer with its time, a line of JSON each; what a replay answers from. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Timed } from "../../domain/message/Chunk.ts"
import { LogError } from "../../domain/session/LogError.ts"

/** ms that a chunk waits for others before it is kept with them: less than a crash may lose, because keeping takes a moment, too. */
export const draftEveryMs = 200

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const decodeLines = Schema.decodeUnknownEffect(Schema.Array(Schema.fromJsonString(Timed)))

/** Chunks are made by our own protocols and hold JSON alone: no schema runs over a hundred thousand deltas. */
export const encode = (recording: ReadonlyArray<Timed>): Uint8Array => 
  encoder.encode(recording.map((timed) => `${JSON.stringify(timed)}\n`).join(""))

export const decode = (session: string, bytes: Uint8Array): Effect.Effect<ReadonlyArray<Timed>, LogError> =>
  Effect.mapError(decodeLines(decoder.decode(bytes).split("\n").slice(0, -1)), (error) =>
    new LogError({ session, message: `A recording is damaged: ${error.message}`, reason: { _tag: "Corrupt", seq: -1 } }))
