/** The spans of a stored session and of the subagents that it started. */
import * as Effect from "effect/Effect"
import type { BlobHash } from "../../domain/message/Message.ts"
import type { LogError } from "../../domain/session/LogError.ts"
import * as SessionSpans from "../../domain/telemetry/SessionSpans.ts"
import type { Span } from "../../domain/telemetry/Span.ts"
import { EventLog } from "../../services/EventLog.ts"
import { Storage } from "../../services/Storage.ts"
import * as Recording from "../replay/Recording.ts"

/** A subagent whose session was deleted has no spans. */
export const gather = Effect.fnUntraced(function*(
  id: string,
  options: SessionSpans.Options
): Effect.fn.Return<ReadonlyArray<Span>, LogError, EventLog | Storage> {
  const log = yield* EventLog
  const storage = yield* Storage
  let state = SessionSpans.initial(options)
  const spans: Array<Span> = []
  for (const at of SessionSpans.ownEvents(yield* log.read(id))) {
    const recording = SessionSpans.recordingOf(at.event)
    const chunks = recording === undefined ? undefined : yield* readRecording(storage, id, recording)
    const [next, ended] = SessionSpans.push(state, at, chunks)
    state = next
    spans.push(...ended)
  }
  const subagents = yield* Effect.forEach(state.subagents, ([session, parent]) =>
    gather(session, { ...options, parent }).pipe(
      Effect.catchIf(({ reason }) => reason._tag === "NotFound", () => Effect.succeed([]))
    ))
  return [...spans, ...subagents.flat()]
})

/** Undefined if it is missing: a span only says less without it. */
const readRecording = ({ getBlob }: Storage["Service"], id: string, hash: BlobHash) =>
  Effect.flatMap(getBlob(hash), (bytes) => Recording.decode(id, bytes)).pipe(Effect.orElseSucceed(() => undefined))
