/** A recorded session: one that is kept here, or an exported file. */
import * as Effect from "effect/Effect"
import { existsSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { LogError } from "../../domain/session/LogError.ts"
import type { SessionEvent } from "../../domain/session/SessionEvent.ts"
import { EventLog } from "../../services/EventLog.ts"
import { Storage } from "../../services/Storage.ts"
import { Host } from "../process/Host.ts"
import * as Carry from "../commands/sessions/exportImport.ts"
import * as SessionNames from "../start/FindSession.ts"

export interface Recorded {
  readonly id: string
  readonly events: ReadonlyArray<SessionEvent>
  readonly getBlob: (hash: string) => Effect.Effect<Uint8Array, LogError>
  /** The file that it was read from. */
  readonly file?: string
}

export const find = Effect.fnUntraced(function*(word: string) {
  const { cwd } = yield* Host
  const path = resolve(cwd, word)
  if (existsSync(path) && statSync(path).isFile()) return yield* fromFile(word)
  const log = yield* EventLog
  const { getBlob } = yield* Storage
  const { id } = yield* SessionNames.find(word)
  return { id, events: yield* log.read(id), getBlob } satisfies Recorded
})

const fromFile = Effect.fnUntraced(function*(file: string) {
  const { idOf } = yield* Effect.promise(() => import("../../layers/storage/SessionFile.ts"))
  const { blobs, events } = yield* Carry.load(file)
  const missing = (hash: string) => new LogError({ session: file, message: `${file} does not hold the blob ${hash}.`, reason: { _tag: "Corrupt", seq: -1 } })
  return {
    id: idOf(events),
    events,
    file,
    getBlob: (hash: string) => Effect.suspend(() => {
      const bytes = blobs.get(hash)
      return bytes === undefined ? Effect.fail(missing(hash)) : Effect.succeed(bytes)
    })
  } satisfies Recorded
})
