/** What earlier sessions of a folder touched, read from their logs beside the first requests: nothing waits for it. */
import * as Effect from "effect/Effect"
import * as Together from "../../domain/context/Together.ts"
import type { Session } from "../../domain/session/Session.ts"
import { Storage, type Line } from "../../services/Storage.ts"

/** Sessions that are looked at, the newest; events of one, and files of one; when it begins, so that a first request goes out before. */
const limits = { sessions: 20, events: 5_000, files: 200, after: "2 seconds" } as const

/** Asks for the files that belong together with those that a session has touched in its task; none until the logs were read. */
export const make = Effect.gen(function*() {
  const storage = yield* Storage
  const scope = yield* Effect.scope
  const folders = new Map<string, ReadonlyArray<ReadonlySet<string>>>()

  const read = Effect.fnUntraced(function*({ cwd, id }: Session) {
    const sessions = yield* storage.list({ cwd, limit: limits.sessions, parent: null })
    const earlier = sessions.filter((one) => one.id !== id && one.events <= limits.events)
    folders.set(cwd, yield* Effect.forEach(earlier, (one) =>
      Effect.map(Effect.andThen(Effect.yieldNow, storage.read(one.id, 0)), (lines) => new Set(lines.flatMap(touched).slice(0, limits.files)))))
  })

  return Effect.fnUntraced(function*(session: Session) {
    const { cwd, task, tracked } = session
    const known = folders.get(cwd)
    if (known === undefined) {
      folders.set(cwd, [])
      yield* Effect.forkIn(Effect.ignore(Effect.delay(read(session), limits.after)), scope)
    }
    const inPlay = new Set([...tracked].flatMap(([path, { agent = 0, read = 0 }]) => Math.max(agent, read) >= task.since ? [path] : []))
    return Together.often(known ?? [], inPlay)
  })
})

/** The file of a line that says one was touched: most lines are told from their text, and are not parsed. */
const touched = ({ body }: Line): ReadonlyArray<string> => {
  if (!body.includes("\"_tag\":\"FileTouched\"")) return []
  const { event } = JSON.parse(body) as { readonly event: { readonly _tag: string; readonly path?: string } }
  return event._tag === "FileTouched" && event.path !== undefined ? [event.path] : []
}
