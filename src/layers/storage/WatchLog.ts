/** Follows a session that another process writes, without the right to write it. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { Storage } from "../../services/Storage.ts"
import * as HashChain from "./HashChain.ts"

/** Verified events from `from` on, then those that any process appends, each once and in order. A store that is away is waited for. */
export const watch = (session: string, from: number) =>
  Stream.unwrap(Effect.map(Storage, (storage) => {
    let next = from
    let head: string | undefined
    const readNew = Effect.gen(function*() {
      const lines = yield* storage.read(session, next)
      const events = yield* HashChain.verify(session, lines, head ?? lines[0]?.prev, next)
      next += events.length
      head = events.at(-1)?.hash ?? head
      return events
    })
    const patient = Effect.retry(readNew, { while: ({ reason }) => reason._tag === "Disk", schedule: Schedule.spaced("1 second") })
    return storage.watch(session).pipe(Stream.mapEffect(() => patient), Stream.flattenIterable)
  }))
