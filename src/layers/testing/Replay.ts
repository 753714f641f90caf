/**
 * A recorded session as a world for a test: the agent runs in it without a model, a file or a process. The test brings
 * what came by itself (what was said, an interrupt); everything else is answered from the log, and what comes out
 * otherwise ends the run with the first event that differs.
 *
 *     const log = yield* Replay.read("test/scenarios/bug.jsonl")        // dacapo sessions export <id> > bug.jsonl
 *     yield* Effect.provide(program, Replay.layer(log))
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { readFile } from "node:fs/promises"
import { LogError } from "../../domain/session/LogError.ts"
import type { SessionEvent } from "../../domain/session/SessionEvent.ts"
import { Approver } from "../../services/Approver.ts"
import { Browser } from "../../services/Browser.ts"
import { Shell } from "../../services/Shell.ts"
import { Storage } from "../../services/Storage.ts"
import { Web } from "../../services/Web.ts"
import { Workspace } from "../../services/Workspace.ts"
import * as Replay from "../replay/Replay.ts"
import * as Layers from "../replay/ReplayLayers.ts"
import * as ReplayLog from "../replay/ReplayLog.ts"
import * as Core from "../Core.ts"
import * as ProviderLive from "../provider/ProviderLive.ts"
import * as Exported from "../storage/SessionFile.ts"
import * as Test from "../Test.ts"
import * as MemoryTrust from "./MemoryTrust.ts"

export { Diverged } from "../replay/ReplayLog.ts"
export { verify } from "../replay/Replay.ts"

/** Events and the blobs that they name. */
export interface Log {
  readonly events: ReadonlyArray<SessionEvent>
  readonly blobs: ReadonlyMap<string, Uint8Array>
}

/** A session that was exported as JSONL; verified. */
export const read = (file: string): Effect.Effect<Log, LogError> =>
  Effect.flatMap(Effect.promise(() => readFile(file, "utf8")), (text) => Exported.read(file, text))

const getBlob = ({ blobs }: Log): Layers.GetBlob => (hash) => Effect.suspend(() => {
  const bytes = blobs.get(hash)
  return bytes === undefined
    ? Effect.fail(new LogError({ session: "", message: `The log does not hold the blob ${hash}.`, reason: { _tag: "NotFound", near: [] } }))
    : Effect.succeed(bytes)
})

/** What is computed, the same as live, in a world that must not be asked. */
const computed = Layer.merge(Core.layer(), ProviderLive.layer()).pipe(
  Layer.provide([Layer.mock(Approver)({}), Layer.mock(Workspace)({ roots: [] }), Layer.mock(Shell)({}), Layer.mock(Storage)({}), Layer.mock(Web)({}), Layer.mock(Browser)({}), MemoryTrust.layer([]), FileSystem.layerNoop({})]),
  Layer.provideMerge(Test.environment)
)

/** `Agent` and `EventLog` over a recorded session. */
export const layer = (log: Log) =>
  Layer.unwrap(Effect.gen(function*() {
    const recorded = yield* ReplayLog.make(log.events)
    return Replay.world(recorded, { getBlob: getBlob(log) }, yield* Layers.clock, () => true)
  })).pipe(Layer.provide(computed))
