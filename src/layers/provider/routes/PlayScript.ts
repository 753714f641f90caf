/** Plays the turns of a script as a connection: in pieces, with the pauses and the errors that it asks for. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Chunk } from "../../../domain/message/Chunk.ts"
import type { ModelRequest } from "../../../domain/provider/ModelRequest.ts"
import { ProviderError } from "../../../domain/provider/ProviderError.ts"
import * as Script from "../../../domain/provider/Script.ts"

/** The request as it stands, without what JSON can't hold. */
export const encode = ({ blobs, ...request }: ModelRequest): Schema.Json =>
  JSON.parse(JSON.stringify({ ...request, blobs: [...(blobs?.keys() ?? [])] })) as Schema.Json

const refuse = (message: string) => new ProviderError({ provider: "scripted", message, reason: { _tag: "BadRequest" } })

/** `failed` counts, by the key of a turn, how often its error was played. */
export const play = (script: Script.Script, request: ModelRequest, failed: Map<string, number>): Stream.Stream<Chunk, ProviderError> =>
  Stream.suspend(() => {
    const found = Script.turn(script, request)
    if (Result.isFailure(found)) return Stream.fail(refuse(found.failure))
    const turn = found.success
    const at = Script.key(script, request)
    const played = failed.get(at) ?? 0
    const fails = turn.error !== undefined && played < (turn.error.times ?? Infinity)
    const chunks = Script.chunks(turn, request)
    const shown = paced(fails ? chunks.filter(({ _tag }) => _tag === "TextDelta" || _tag === "ReasoningDelta") : chunks, turn.delayMs)
    if (!fails) return turn.holds === undefined ? shown : Stream.concat(Stream.take(shown, turn.holds), Stream.never)
    failed.set(at, played + 1)
    const { message, reason, status } = turn.error
    return Stream.concat(shown, Stream.fail(new ProviderError({
      provider: "scripted",
      message: message ?? `The script fails here with ${reason._tag}.`,
      reason,
      ...(status === undefined ? {} : { status })
    })))
  })

const paced = (chunks: ReadonlyArray<Chunk>, delayMs: number | undefined): Stream.Stream<Chunk> =>
  delayMs === undefined || delayMs <= 0
    ? Stream.fromIterable(chunks).pipe(Stream.rechunk(1))
    : Stream.fromIterable(chunks).pipe(Stream.rechunk(1), Stream.tap(() => Effect.sleep(delayMs)))
