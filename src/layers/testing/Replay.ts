/**
 * A recorded session as an environment for a test: the agent runs in it without a model, a file or a process. The test
 * injects external events (user input, an interrupt); everything else is answered from the log, and the first event
 * that differs ends the run.
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
import type { Route } from "../../services/Route.ts"
import { Shell } from "../../services/Shell.ts"
import { Storage } from "../../services/Storage.ts"
import type * as Tool from "../../services/Tool.ts"
import { Web } from "../../services/Web.ts"
import { Workspace } from "../../services/Workspace.ts"
import * as Replay from "../replay/VerifyReplay.ts"
import * as Layers from "../replay/ReplayLayers.ts"
import * as ReplayLog from "../replay/ReplayLog.ts"
import * as Composition from "../Composition.ts"
import * as Core from "../Core.ts"
import { builtin } from "../provider/builtin.ts"
import * as ProviderLive from "../provider/ProviderLive.ts"
import * as SessionFile from "../storage/SessionFile.ts"
import * as Test from "../Test.ts"
import * as MemoryTrust from "./MemoryTrust.ts"

export { Diverged } from "../replay/Diverged.ts"
export { verify } from "../replay/Replay.ts"

/** Events and the blobs that they name. */
export interface Log {
  readonly events: ReadonlyArray<SessionEvent>
  readonly blobs: ReadonlyMap<string, Uint8Array>
}

/** A session that was exported as JSONL; verified. */
export const read = (file: string): Effect.Effect<Log, LogError> =>
  Effect.flatMap(Effect.promise(() => readFile(file, "utf8")), (text) => SessionFile.read(file, text))

const getBlob = ({ blobs }: Log): Layers.GetBlob => (hash) =>
  Effect.suspend(() => {
    const bytes = blobs.get(hash)
    return bytes === undefined
      ? Effect.fail(
        new LogError({ session: "", message: `The log does not contain the blob ${hash}.`, reason: { _tag: "NotFound", near: [] } })
      )
      : Effect.succeed(bytes)
  })

/**
 * The program's own tools and routes, as the session had them: a replay decodes their calls and encodes their requests, and
 * runs nothing.
 */
export interface Options {
  readonly tools?: ReadonlyArray<Tool.Any>
  readonly routes?: ReadonlyArray<Route>
}

/** What a replay computes with, the same as live; everything else is answered from the log. `verify` needs it. */
export const servicesWith = ({ routes = [], tools = [] }: Options) =>
  Composition.layer({
    ...Core.parts(tools as ReadonlyArray<Tool.Any<never>>),
    provider: ProviderLive.layer({ routes: [...builtin, ...routes] }),
    approver: Layer.mock(Approver)({}),
    workspace: Layer.mock(Workspace)({ roots: [] }),
    shell: Layer.mock(Shell)({}),
    storage: Layer.mock(Storage)({}),
    web: Layer.mock(Web)({}),
    browser: Layer.mock(Browser)({ isInstalled: Effect.succeed(true) }),
    trust: MemoryTrust.layer([]),
    fileSystem: FileSystem.layerNoop({}),
    environment: Test.environment
  })

/** The same, with the built-in tools and routes alone. */
export const services = servicesWith({})

/** Replays a complete log, without the store that it came from; fails with the first event that differs. */
export const verifyLog = (log: Log, options: Options = {}) =>
  Replay.verify(log.events, { getBlob: getBlob(log) }).pipe(Effect.provide(servicesWith(options)))

/** `Agent` and `EventLog` over a recorded session. */
export const layer = (log: Log, options: Options = {}) =>
  Layer.unwrap(Effect.gen(function*() {
    const recording = ReplayLog.make(log.events)
    return Replay.replayLayers(recording, { getBlob: getBlob(log) }, yield* Layers.clock, () => true)
  })).pipe(Layer.provide(servicesWith(options)))
