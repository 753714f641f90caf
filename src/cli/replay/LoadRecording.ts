/** Loads a recorded session from the store or from an exported file. */
import * as Effect from "effect/Effect"
import { existsSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { LogError } from "../../domain/session/LogError.ts"
import type { SessionEvent } from "../../domain/session/SessionEvent.ts"
import { EventLog } from "../../services/EventLog.ts"
import { Storage } from "../../services/Storage.ts"
import { Host } from "../process/Host.ts"
import * as exportImport from "../commands/sessions/exportImport.ts"
import * as FindSession from "../start/FindSession.ts"

export interface SessionRecording {
  readonly id: string
  readonly events: ReadonlyArray<SessionEvent>
  readonly getBlob: (hash: string) => Effect.Effect<Uint8Array, LogError>
  /** The file that it was read from, if any. */
  readonly file?: string
}

export const load = Effect.fnUntraced(function*(name: string) {
  const { cwd } = yield* Host
  const path = resolve(cwd, name)
  if (existsSync(path) && statSync(path).isFile()) return yield* fromFile(name)
  const log = yield* EventLog
  const { getBlob } = yield* Storage
  const { id } = yield* FindSession.find(name)
  return { id, events: yield* log.read(id), getBlob } satisfies SessionRecording
})

const fromFile = Effect.fnUntraced(function*(file: string) {
  const { idOf } = yield* Effect.promise(() => import("../../layers/storage/SessionFile.ts"))
  const { blobs, events } = yield* exportImport.load(file)
  const missingBlob = (hash: string) =>
    new LogError({ session: file, message: `${file} does not contain the blob ${hash}.`, reason: { _tag: "Corrupt", seq: -1 } })
  return {
    id: idOf(events),
    events,
    file,
    getBlob: (hash: string) =>
      Effect.suspend(() => {
        const bytes = blobs.get(hash)
        return bytes === undefined ? Effect.fail(missingBlob(hash)) : Effect.succeed(bytes)
      })
  } satisfies SessionRecording
})
