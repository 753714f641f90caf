/** `dacapo sessions list|search|show`: looking changes nothing. */
import * as Effect from "effect/Effect"
import { EventLog } from "../../../services/EventLog.ts"
import { type Hit, Storage, type Summary } from "../../../services/Storage.ts"
import type { Given } from "../../Commands.ts"
import { UsageError } from "../../process/CliError.ts"
import { Host } from "../../process/Host.ts"
import * as Json from "../../render/json/StreamJson.ts"
import * as Lines from "../../render/text/BlockLines.ts"
import * as Model from "../../../domain/provider/Model.ts"
import type { SessionEvent } from "../../../domain/session/SessionEvent.ts"
import * as Status from "../../render/text/StatusLine.ts"
import * as Theme from "../../render/text/Theme.ts"
import * as View from "../../render/view/View.ts"
import * as Wrap from "../../render/text/Wrap.ts"
import * as SessionNames from "../../start/FindSession.ts"
import * as StreamOutput from "../../headless/StreamOutput.ts"
import * as Listed from "../PrintList.ts"
import * as Family from "./SessionTree.ts"

export const list = Effect.fnUntraced(function*({ values }: Given) {
  const storage = yield* Storage
  const members = yield* Family.of(yield* storage.list({ limit: values.limit ?? 20, parent: null }))
  const depths = new Map(members.map(({ depth, session }) => [session.id, depth]))
  const columns = yield* room
  yield* Listed.tell(values, members.map(({ session }) => session), (session) => indented(row(columns)(session), depths.get(session.id) ?? 0), "There is no session yet.\n")
  return 0
})

export const search = Effect.fnUntraced(function*({ values, words }: Given) {
  const storage = yield* Storage
  if (words.length === 0) return yield* new UsageError({ message: "Say what to search for: `dacapo sessions search <words>`." })
  const hits = yield* storage.search(words.join(" "), { limit: values.limit ?? 20 })
  yield* Listed.tell(values, hits, hit(yield* room), "No session holds these words.\n")
  return 0
})

/** Cells of a line, where a person reads it. */
const room = Effect.map(Host, ({ stdout }) => stdout.tty ? stdout.columns() : Infinity)

/** When it was last used (UTC), how long it is, its id, and what it was about: beside them where that fits, else under them. */
const row = (columns: number) => ({ archived, cwd, events, id, model, title, updated }: Summary): string =>
  `${Wrap.items([`${moment(updated)}  ${`${events}`.padStart(5)} events  ${id}`, flat(title === "" ? "(nothing said)" : title)], "  ", columns).join(`\n${" ".repeat(18)}`)}\n` +
  `${" ".repeat(18)}${View.text(model)} in ${View.text(cwd)}${archived === true ? " (archived)" : ""}\n`

/** A session stands under the one that started it. */
const indented = (text: string, depth: number): string =>
  depth === 0 ? text : text.replace(/^.+$/gm, (line) => `${"  ".repeat(depth - 1)}└ ${line}`).replace(/(\n *)└ /g, "$1  ")

const hit = (columns: number) => ({ seq, session, text }: Hit): string => `${row(columns)(session)}${" ".repeat(18)}event ${seq}: ${flat(text)}\n`

const flat = (text: string): string => View.text(text).replaceAll("\n", " ")

const moment = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace("T", " ")

export const show = Effect.fnUntraced(function*({ values, words: [word = "latest"] }: Given) {
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
    const tell = yield* StreamOutput.open
    let model = ""
    for (const at of events) {
      if (at.event._tag === "SessionStarted" || at.event._tag === "Resumed") model = Model.title(at.event.settings.model)
      yield* tell(Json.message(id, model, at))
    }
    return 0
  }
  if (values.verbose === true) {
    yield* stdout.write(events.map(told).join(""))
    return 0
  }
  const theme = Theme.of(values.color ?? "auto", stdout.tty, environment.variables)
  const view = events.reduce((view, at) => View.update(view, { _tag: "Settled", at }), View.initial())
  yield* stdout.write([...Lines.all(view, theme), "", Status.line(view.status, theme)].map((line) => `${line}\n`).join(""))
  return 0
})

/** An event on one line: its seq, its name and the beginning of what it says. */
const told = ({ event: { _tag, ...rest }, seq }: SessionEvent): string => `${`${seq}`.padStart(6)}  ${_tag.padEnd(16)} ${flat(JSON.stringify(rest)).slice(0, 120)}\n`
