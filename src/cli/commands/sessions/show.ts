/** `dacapo sessions list|search|show`: reads sessions without changing them. */
import * as Effect from "effect/Effect"
import { EventLog } from "../../../services/EventLog.ts"
import { type Hit, Storage, type Summary } from "../../../services/Storage.ts"
import type { Invocation } from "../../Command.ts"
import { UsageError } from "../../process/CliError.ts"
import { Host } from "../../process/Host.ts"
import * as StreamJson from "../../render/json/StreamJson.ts"
import * as BlockLines from "../../render/text/BlockLines.ts"
import * as Model from "../../../domain/provider/Model.ts"
import type { SessionEvent } from "../../../domain/session/SessionEvent.ts"
import * as LoadMarkdown from "../../render/text/LoadMarkdown.ts"
import * as StatusLine from "../../render/text/StatusLine.ts"
import * as Theme from "../../render/text/Theme.ts"
import * as View from "../../render/view/View.ts"
import * as Wrap from "../../render/text/Wrap.ts"
import * as Favourites from "../../start/Favourites.ts"
import * as FindSession from "../../start/FindSession.ts"
import * as StreamOutput from "../../headless/StreamOutput.ts"
import * as PrintList from "../PrintList.ts"
import * as SessionTree from "./SessionTree.ts"

export const list = Effect.fnUntraced(function*({ values }: Invocation) {
  const storage = yield* Storage
  const sessions = yield* storage.list({ parent: null })
  const listed = values.archived === true ? sessions : sessions.filter(({ archived }) => archived !== true)
  const favourites = yield* Favourites.ids
  const members = yield* SessionTree.of(Favourites.first(listed, favourites).slice(0, values.limit ?? 20))
  const depths = new Map(members.map(({ depth, session }) => [session.id, depth]))
  const columns = yield* availableColumns
  const row = (session: Summary & { readonly favourite?: true }): string =>
    indent(`${session.favourite === true ? "★ " : ""}${rowText(columns)(session)}`, depths.get(session.id) ?? 0)
  const rows = members.map(({ session }) => favourites.has(session.id) ? { ...session, favourite: true as const } : session)
  yield* PrintList.printList(values, rows, row, "No sessions yet.\n")
  return 0
})

export const search = Effect.fnUntraced(function*({ values, args: terms }: Invocation) {
  const storage = yield* Storage
  if (terms.length === 0) return yield* new UsageError({ message: "Give the text to search for: `dacapo sessions search <text>`." })
  const hits = yield* storage.search(terms.join(" "), { limit: values.limit ?? 20 })
  yield* PrintList.printList(values, hits, hitText(yield* availableColumns), "No matching sessions.\n")
  return 0
})

/** The width of the terminal; unlimited elsewhere. */
const availableColumns = Effect.map(Host, ({ stdout }) => stdout.tty ? stdout.columns() : Infinity)

/** Last use (UTC), number of events, id and title; the title gets its own line if it does not fit. */
const rowText = (columns: number) => ({ archived, cwd, events, id, model, title, updated }: Summary): string => {
  const items = [
    `${timestamp(updated)}  ${`${events}`.padStart(5)} events  ${id}`,
    PrintList.singleLine(title === "" ? "(no messages)" : title)
  ]
  return `${Wrap.items(items, "  ", columns).join(`\n${" ".repeat(18)}`)}\n` +
    `${" ".repeat(18)}${View.line(model)} in ${View.line(cwd)}${archived === true ? " (archived)" : ""}\n`
}

/** Indents the session of a subagent below its parent. */
const indent = (text: string, depth: number): string =>
  depth === 0 ? text : text.replace(/^.+$/gm, (line) => `${"  ".repeat(depth - 1)}└ ${line}`).replace(/(\n *)└ /g, "$1  ")

const hitText = (columns: number) => ({ seq, session, text }: Hit): string =>
  `${rowText(columns)(session)}${" ".repeat(18)}event ${seq}: ${PrintList.singleLine(text)}\n`

const timestamp = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace("T", " ")

export const show = Effect.fnUntraced(function*({ values, args: [name = "latest"] }: Invocation) {
  const { environment, stdout } = yield* Host
  const log = yield* EventLog
  const { id } = yield* FindSession.find(name)
  const events = yield* log.read(id)
  const { outputFormat = "text" } = values
  if (outputFormat === "events" || outputFormat === "json") {
    yield* stdout.write(outputFormat === "json" ? StreamJson.line(events) : events.map(StreamJson.line).join(""))
    return 0
  }
  if (outputFormat === "stream-json") {
    const writeLine = yield* StreamOutput.open
    let model = ""
    for (const entry of events) {
      if (entry.event._tag === "SessionStarted" || entry.event._tag === "Resumed") model = Model.title(entry.event.settings.model)
      yield* writeLine(StreamJson.message(id, model, entry))
    }
    return 0
  }
  if (values.verbose === true) {
    yield* stdout.write(events.map(eventLine).join(""))
    return 0
  }
  const theme = Theme.of(values.color ?? "auto", stdout.tty, environment.variables)
  const view = events.reduce((view, entry) => View.update(view, { _tag: "Settled", at: entry }), View.initial())
  yield* stdout.write(
    [...BlockLines.allLines(view, yield* LoadMarkdown.renderer(theme)), "", StatusLine.statusLine(view.status, theme)].map((line) =>
      `${line}\n`
    ).join("")
  )
  return 0
})

/** An event on one line: its number, its name and the start of its content. */
const eventLine = ({ event: { _tag, ...rest }, seq }: SessionEvent): string =>
  `${`${seq}`.padStart(6)}  ${_tag.padEnd(16)} ${PrintList.singleLine(JSON.stringify(rest)).slice(0, 120)}\n`
