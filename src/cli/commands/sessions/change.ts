/** `dacapo sessions name|archive|fork`. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { EventLog } from "../../../services/EventLog.ts"
import { Storage } from "../../../services/Storage.ts"
import type { Given } from "../../Commands.ts"
import { UsageError } from "../../process/CliError.ts"
import * as Earlier from "../../start/ResumeSession.ts"
import * as Folder from "../../start/WorkingFolder.ts"
import { Host } from "../../process/Host.ts"
import * as Json from "../../render/json/StreamJson.ts"
import * as View from "../../render/view/View.ts"
import * as Runtime from "../../process/UnattendedAgent.ts"
import * as SessionNames from "../../start/FindSession.ts"

const isText = ({ values: { outputFormat = "text" } }: Given): boolean => outputFormat === "text"

export const name = Effect.fnUntraced(function*(given: Given) {
  const { stdout } = yield* Host
  const log = yield* EventLog
  const [word, ...words] = given.words
  const name = words.join(" ").trim()
  if (word === undefined || name === "") return yield* new UsageError({ message: "Say which session and its name: `dacapo sessions name <session> <name>`." })
  const { id } = yield* SessionNames.find(word)
  yield* Effect.scoped(Effect.flatMap(log.open(id), ({ append }) => append([{ _tag: "SessionNamed", name }])))
  yield* stdout.write(isText(given) ? `Session ${id} is called ${View.text(name)}.\n` : Json.line({ session_id: id, name }))
  return 0
})

/** One session, or with `--days` all that were not used for so long. */
export const archive = Effect.fnUntraced(function*(given: Given) {
  const { stdout } = yield* Host
  const storage = yield* Storage
  const [word] = given.words
  const found = word === undefined ? yield* older(given.values.days) : [yield* SessionNames.find(word)]
  const packed = found.filter(({ archived }) => archived !== true)
  yield* Effect.forEach(packed, ({ id }) => storage.archive(id), { discard: true })
  yield* stdout.write(isText(given) ? `${packed.length} sessions are archived; they are searched and taken up as before.\n` : Json.line(packed.map(({ id }) => id)))
  return 0
})

const day = 24 * 60 * 60 * 1000

/** Sessions that were not used for so many days. */
export const older = Effect.fnUntraced(function*(days: number | undefined) {
  if (days === undefined) return yield* new UsageError({ message: "Name a session, or say for how long it was not used: --days <n>." })
  const storage = yield* Storage
  const now = yield* Clock.currentTimeMillis
  return (yield* storage.list({ parent: null })).filter(({ updated }) => updated < now - days * day)
})

/** A fork at `--to` (its end), with `--files` in the files of that moment; its id. */
export const fork = Effect.fnUntraced(function*(given: Given) {
  const { cwd: here, stdout } = yield* Host
  const [word] = given.words
  if (word === undefined) return yield* new UsageError({ message: "Name a session: `dacapo sessions fork <session> [--to seq] [--files]`." })
  const { cwd, id: origin } = yield* SessionNames.find(word)
  const folder = yield* Folder.open(given.values.files === true ? cwd : here, undefined)
  const id = yield* Effect.provide(Earlier.fork(given.values, origin), yield* Runtime.unattended(folder))
  yield* stdout.write(isText(given) ? `${id}\n` : Json.line({ session_id: id, origin }))
  return 0
})
