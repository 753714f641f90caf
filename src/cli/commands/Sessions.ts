/** `efferent sessions list|show`: what is kept, and one of it. */
import * as Effect from "effect/Effect"
import { EventLog } from "../../services/EventLog.ts"
import { Storage, type Summary } from "../../services/Storage.ts"
import type { Given, Run } from "../Commands.ts"
import { UsageError } from "../CliError.ts"
import { Host } from "../Host.ts"
import * as Json from "../render/Json.ts"
import * as Lines from "../render/Lines.ts"
import * as Model from "../../domain/provider/Model.ts"
import * as Theme from "../render/Theme.ts"
import * as View from "../render/View.ts"
import * as SessionNames from "../SessionNames.ts"
import { Wiring } from "../Wiring.ts"

export const run: Run = Effect.fnUntraced(function*(given) {
  const [action = "list", word] = given.words
  const { records } = yield* Wiring
  if (action === "list") return yield* Effect.provide(list(given), records)
  if (action === "show") return yield* Effect.provide(show(given, word ?? "latest"), records)
  return yield* new UsageError({ message: `\`efferent sessions\` knows list and show; "${action}" is neither.` })
})

const list = Effect.fnUntraced(function*({ values }: Given) {
  const { stdout } = yield* Host
  const storage = yield* Storage
  const sessions = yield* storage.list({ limit: values.limit ?? 20 })
  yield* stdout.write(values.outputFormat === undefined || values.outputFormat === "text"
    ? sessions.map(row).join("") || "There is no session yet.\n"
    : values.outputFormat === "json" ? Json.line(sessions) : sessions.map(Json.line).join(""))
  return 0
})

/** When it was last used (UTC), how long it is, its id, and what it was about. */
const row = ({ cwd, events, id, model, title, updated }: Summary): string =>
  `${moment(updated)}  ${`${events}`.padStart(5)} events  ${id}  ${View.text(title === "" ? "(nothing said)" : title).replaceAll("\n", " ")}\n` +
  `${" ".repeat(18)}${View.text(model)} in ${View.text(cwd)}\n`

const moment = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace("T", " ")

const show = Effect.fnUntraced(function*({ values }: Given, word: string) {
  const { environment, stdout } = yield* Host
  const log = yield* EventLog
  const { id } = yield* SessionNames.find(word)
  const events = yield* log.read(id)
  const { outputFormat = "text" } = values
  if (outputFormat === "events" || outputFormat === "json") {
    yield* stdout.write(outputFormat === "json" ? Json.line(events) : events.map(Json.line).join(""))
    return 0
  }
  if (outputFormat === "stream-json") {
    let model = ""
    for (const at of events) {
      if (at.event._tag === "SessionStarted" || at.event._tag === "Resumed") model = Model.title(at.event.settings.model)
      const message = Json.message(id, model, at)
      if (message !== undefined) yield* stdout.write(Json.line(message))
    }
    return 0
  }
  const theme = Theme.of(values.color ?? "auto", stdout.tty, environment.variables)
  const view = events.reduce((view, at) => View.update(view, { _tag: "Settled", at }), View.initial())
  yield* stdout.write([...Lines.all(view, theme), "", Lines.status(view.status, theme)].map((line) => `${line}\n`).join(""))
  return 0
})
