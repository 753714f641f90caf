/** Plays the turns of a script: in chunks, with the pauses and errors that the script defines. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Chunk } from "../../../domain/message/Chunk.ts"
import type { ModelRequest } from "../../../domain/provider/ModelRequest.ts"
import { ProviderError } from "../../../domain/provider/ProviderError.ts"
import * as Script from "../../../domain/provider/Script.ts"

/** The request as JSON, with the same messages and tools, so that BodyBytes writes and hashes each once. */
export const encode = ({ blobs, ...request }: ModelRequest): Schema.Json =>
  ({ ...request, blobs: [...(blobs?.keys() ?? [])] }) as unknown as Schema.Json

const badScript = (message: string) => new ProviderError({ provider: "scripted", message, reason: { _tag: "BadRequest" } })

/** `failureCounts`: by the key of a turn, how often its error was played. */
export const play = (
  script: Script.Script,
  request: ModelRequest,
  failureCounts: Map<string, number>
): Stream.Stream<Chunk, ProviderError> =>
  Stream.suspend(() => {
    const match = Script.turn(script, request)
    if (Result.isFailure(match)) return Stream.fail(badScript(match.failure))
    const turn = match.success
    const key = Script.key(script, request)
    const failures = failureCounts.get(key) ?? 0
    const fails = turn.error !== undefined && failures < (turn.error.times ?? Infinity)
    const chunks = Script.chunks(turn, request)
    const chunkStream = paced(fails ? chunks.filter(({ _tag }) => _tag === "TextDelta" || _tag === "ReasoningDelta") : chunks, turn.delayMs)
    if (!fails) return turn.holds === undefined ? chunkStream : Stream.concat(Stream.take(chunkStream, turn.holds), Stream.never)
    failureCounts.set(key, failures + 1)
    const { message, reason, status } = turn.error
    return Stream.concat(
      chunkStream,
      Stream.fail(
        new ProviderError({
          provider: "scripted",
          message: message ?? `The script fails here with ${reason._tag}.`,
          reason,
          ...(status === undefined ? {} : { status })
        })
      )
    )
  })

const paced = (chunks: ReadonlyArray<Chunk>, delayMs: number | undefined): Stream.Stream<Chunk> =>
  delayMs === undefined || delayMs <= 0
    ? Stream.fromIterable(chunks).pipe(Stream.rechunk(1))
    : Stream.fromIterable(chunks).pipe(Stream.rechunk(1), Stream.tap(() => Effect.sleep(delayMs)))
