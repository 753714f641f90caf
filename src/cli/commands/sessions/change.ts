/** `dacapo sessions name|archive|fork`: changes to stored sessions. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { EventLog } from "../../../services/EventLog.ts"
import { Storage } from "../../../services/Storage.ts"
import type { Invocation } from "../../Command.ts"
import { UsageError } from "../../process/CliError.ts"
import * as ResumeSession from "../../start/ResumeSession.ts"
import * as WorkingFolder from "../../start/WorkingFolder.ts"
import { Host } from "../../process/Host.ts"
import * as StreamJson from "../../render/json/StreamJson.ts"
import * as BlockLines from "../../render/text/BlockLines.ts"
import * as View from "../../render/view/View.ts"
import * as UnattendedAgent from "../../process/UnattendedAgent.ts"
import * as Favourites from "../../start/Favourites.ts"
import * as FindSession from "../../start/FindSession.ts"

const isText = ({ values: { outputFormat = "text" } }: Invocation): boolean => outputFormat === "text"

export const name = Effect.fnUntraced(function*(invocation: Invocation) {
  const { stdout } = yield* Host
  const log = yield* EventLog
  const [session, ...nameParts] = invocation.args
  const name = nameParts.join(" ").trim()
  if (session === undefined || name === "") {
    return yield* new UsageError({ message: "Give a session and a name: `dacapo sessions name <session> <name>`." })
  }
  const { id } = yield* FindSession.find(session)
  yield* Effect.scoped(Effect.flatMap(log.open(id), ({ append }) => append([{ _tag: "SessionNamed", name }])))
  yield* stdout.write(isText(invocation) ? `Session ${id} is now called ${View.line(name)}.\n` : StreamJson.line({ session_id: id, name }))
  return 0
})

const mark = (isFavourite: boolean) =>
  Effect.fnUntraced(function*(invocation: Invocation) {
    const { stdout } = yield* Host
    const [session] = invocation.args
    const action = isFavourite ? "favourite" : "unfavourite"
    if (session === undefined) return yield* new UsageError({ message: `Name a session: \`dacapo sessions ${action} <session>\`.` })
    const { id } = yield* FindSession.find(session)
    yield* Favourites.change(isFavourite ? { add: [id] } : { remove: [id] })
    yield* stdout.write(
      isText(invocation)
        ? isFavourite ? `Session ${id} is a favourite now: lists show it first.\n` : `Session ${id} is no favourite any more.\n`
        : StreamJson.line({ session_id: id, favourite: isFavourite })
    )
    return 0
  })

/** Marks a session as a favourite, or removes the mark. */
export const favourite = mark(true)
export const unfavourite = mark(false)

/** Archives one session or, with `--days`, all that were unused for that long. */
export const archive = Effect.fnUntraced(function*(invocation: Invocation) {
  const { stdout } = yield* Host
  const storage = yield* Storage
  const [session] = invocation.args
  const sessions = session === undefined ? yield* unusedFor(invocation.values.days) : [yield* FindSession.find(session)]
  const archived = sessions.filter(({ archived }) => archived !== true)
  yield* Effect.forEach(archived, ({ id }) => storage.archive(id), { discard: true })
  yield* stdout.write(
    isText(invocation)
      ? `Archived ${BlockLines.plural(archived.length, "session")}. Archived sessions can still be searched and resumed.\n`
      : StreamJson.line(archived.map(({ id }) => id))
  )
  return 0
})

const day = 24 * 60 * 60 * 1000

/** Sessions unused for at least this many days. */
export const unusedFor = Effect.fnUntraced(function*(days: number | undefined) {
  if (days === undefined) return yield* new UsageError({ message: "Name a session, or give an age with --days <n>." })
  const storage = yield* Storage
  const now = yield* Clock.currentTimeMillis
  return (yield* storage.list({ parent: null })).filter(({ updated }) => updated < now - days * day)
})

/** Forks a session at `--to` (default: its end), with `--files` also restoring the files, and prints the new id. */
export const fork = Effect.fnUntraced(function*(invocation: Invocation) {
  const { cwd: hostCwd, stdout } = yield* Host
  const [name] = invocation.args
  if (name === undefined) {
    return yield* new UsageError({ message: "Name a session: `dacapo sessions fork <session> [--to seq] [--files]`." })
  }
  const { cwd, id: origin } = yield* FindSession.find(name)
  const folder = yield* WorkingFolder.open(invocation.values.files === true ? cwd : hostCwd, undefined)
  const id = yield* Effect.provide(ResumeSession.fork(invocation.values, origin), yield* UnattendedAgent.unattendedLayer(folder))
  yield* stdout.write(isText(invocation) ? `${id}\n` : StreamJson.line({ session_id: id, origin }))
  return 0
})
