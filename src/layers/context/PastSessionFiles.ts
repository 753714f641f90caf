/** What earlier sessions in a folder touched, read from their logs in the background: nothing waits for it. */
import * as Effect from "effect/Effect"
import * as AutoInclude from "../../domain/context/AutoInclude.ts"
import type { Session } from "../../domain/session/Session.ts"
import { Storage, type Line } from "../../services/Storage.ts"

/** Limits: sessions to read, the newest first; events of one, and files of one; the delay, so that a first request goes first. */
const limits = { sessions: 20, events: 5_000, files: 200, after: "2 seconds" } as const

/** Returns the files that belong together with those that a session has touched in its task; none until the logs were read. */
export const make = Effect.gen(function*() {
  const storage = yield* Storage
  const scope = yield* Effect.scope
  const folders = new Map<string, ReadonlyArray<ReadonlySet<string>>>()

  const read = Effect.fnUntraced(function*({ cwd, id }: Session) {
    const sessions = yield* storage.list({ cwd, limit: limits.sessions, parent: null })
    const earlier = sessions.filter((one) => one.id !== id && one.events <= limits.events)
    folders.set(
      cwd,
      yield* Effect.forEach(
        earlier,
        (one) =>
          Effect.map(
            Effect.andThen(Effect.yieldNow, storage.read(one.id, 0)),
            (lines) => new Set(lines.flatMap(touchedPaths).slice(0, limits.files))
          )
      )
    )
  })

  return Effect.fnUntraced(function*(session: Session) {
    const { cwd, task, fileStates } = session
    const previous = folders.get(cwd)
    if (previous === undefined) {
      folders.set(cwd, [])
      yield* Effect.forkIn(Effect.ignore(Effect.delay(read(session), limits.after)), scope)
    }
    const currentFiles = new Set(
      [...fileStates].flatMap(([path, { agent = 0, read = 0 }]) => Math.max(agent, read) >= task.startedAt ? [path] : [])
    )
    return AutoInclude.relatedPaths(previous ?? [], currentFiles)
  })
})

/** The file of a line that records a touch: most lines are rejected by their text, without parsing. */
const touchedPaths = ({ body }: Line): ReadonlyArray<string> => {
  if (!body.includes("\"_tag\":\"FileTouched\"")) return []
  const { event } = JSON.parse(body) as { readonly event: { readonly _tag: string; readonly path?: string } }
  return event._tag === "FileTouched" && event.path !== undefined ? [event.path] : []
}
