/** A recording: every chunk of an answer with its time, as JSON; what a replay answers from. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Timed } from "../../domain/message/Chunk.ts"
import { LogError } from "../../domain/session/LogError.ts"

/** How much of a streaming answer a crash may lose, in ms. */
export const draftEveryMs = 250

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const decodeJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(Timed)))

/** Chunks are made by our own protocols and hold JSON alone: no schema runs over a hundred thousand deltas. */
export const encode = (recording: ReadonlyArray<Timed>): Uint8Array => encoder.encode(JSON.stringify(recording))

export const decode = (session: string, bytes: Uint8Array): Effect.Effect<ReadonlyArray<Timed>, LogError> =>
  Effect.mapError(decodeJson(decoder.decode(bytes)), (error) =>
    new LogError({ session, message: `A recording is damaged: ${error.message}`, reason: { _tag: "Corrupt", seq: -1 } }))
