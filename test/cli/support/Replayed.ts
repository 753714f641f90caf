/** Replays every session of a store in this process, with the library as it was built: a process for each would take far longer. */
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { zstdDecompressSync } from "node:zlib"
import type { SessionEvent } from "../../../src/domain/session/SessionEvent.ts"

/** Imported by Node itself: a bundle needs no transformation. */
const library = (): Promise<typeof import("../../../src/testing.ts")> => import(/* @vite-ignore */ new URL("../../../dist/testing.js", import.meta.url).href)

/** Fails for a session that comes out otherwise. */
export const verify = async (folder: string): Promise<void> => {
  const file = join(folder, "sessions.db")
  if (!existsSync(file)) return
  const { Replay } = await library()
  // The command may still be closing its store: it holds a lock while it does.
  using database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
  const getBlob = (hash: string) => Effect.sync(() => blob(database, hash))
  for (const row of database.prepare("SELECT num, id FROM session").all()) {
    const { id, num } = row as { readonly id: string; readonly num: number }
    const events = eventsOf(database, num)
    await Effect.runPromise(Replay.verify(events, { getBlob }).pipe(Effect.provide(Replay.services))).catch((cause: unknown) => {
      throw new Error(`The session ${id} replays in another way: ${cause instanceof Error ? cause.message : JSON.stringify(cause)}`, { cause })
    })
  }
}

const eventsOf = (database: DatabaseSync, num: number): ReadonlyArray<SessionEvent> => {
  let prev = ""
  return database.prepare("SELECT hash, body FROM line WHERE session = ? ORDER BY seq").all(num).map((row) => {
    const { body, hash } = row as { readonly body: string; readonly hash: string }
    const event = { ...JSON.parse(body), prev, hash } as SessionEvent
    prev = hash
    return event
  })
}

const blob = (database: DatabaseSync, hash: string): Uint8Array => {
  const row = database.prepare("SELECT codec, bytes FROM blob WHERE hash = ?").get(hash)
  if (row === undefined) throw new Error(`The blob ${hash} is missing.`)
  const { bytes, codec } = row as { readonly bytes: Uint8Array; readonly codec: string }
  return codec === "zstd" ? new Uint8Array(zstdDecompressSync(bytes)) : bytes
}
