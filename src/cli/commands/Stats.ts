/** `dacapo stats`: what was used, by request, session, day or model, and how much of it the cache saved. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stats from "../../domain/session/UsageReport.ts"
import * as Usage from "../../domain/session/Usage.ts"
import { EventLog } from "../../services/EventLog.ts"
import { Storage } from "../../services/Storage.ts"
import type { Given, Run } from "../Commands.ts"
import { Host } from "../process/Host.ts"
import * as Json from "../render/json/StreamJson.ts"
import * as Lines from "../render/text/BlockLines.ts"
import * as View from "../render/view/View.ts"
import * as SessionNames from "../start/FindSession.ts"
import { Wiring } from "../process/AgentLayers.ts"

export const run: Run = Effect.fnUntraced(function*({ values }) {
  const { stdout } = yield* Host
  const { by = values.session === undefined ? "day" : "request", outputFormat = "text" } = values
  const requests = yield* Effect.provide(gather(values), (yield* Wiring).records)
  const rows = Stats.rows(requests, by)
  const total = Stats.sum("all", requests)
  yield* stdout.write(outputFormat !== "text" ? Json.line({ by, rows, total })
    : requests.length === 0 ? "No request was answered.\n"
    : [...table([head, ...rows.map(cells), ...(rows.length > 1 ? [cells(total)] : [])]), ...misses(total)].map((line) => `${line}\n`).join(""))
  return 0
})

/** Of one session, or of all that were used in so many days. */
const gather = Effect.fnUntraced(function*({ days, session }: Given["values"]) {
  const storage = yield* Storage
  const log = yield* EventLog
  const since = days === undefined ? 0 : (yield* Clock.currentTimeMillis) - days * 24 * 60 * 60 * 1000
  const sessions = session === undefined ? (yield* storage.list({})).filter(({ updated }) => updated >= since) : [yield* SessionNames.find(session)]
  const found = yield* Effect.forEach(sessions, ({ id }) => Effect.map(log.read(id), Stats.requests))
  return found.flat().filter(({ time }) => time >= since).toSorted((a, b) => a.time - b.time)
})

/** Cells as wide as the widest of their column, the first to the left. */
const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = head.map((_, i) => Math.max(...rows.map((row) => Lines.width(row[i] ?? ""))))
  const padded = (cell: string, i: number) => {
    const space = " ".repeat((widths[i] ?? 0) - Lines.width(cell))
    return i === 0 ? cell + space : space + cell
  }
  return rows.map((row) => [row.slice(0, head.length).map(padded).join("  "), ...row.slice(head.length)].join("  "))
}

const head = ["", "requests", "input", "cached", "written", "output", "thought", "hits", "cost"]

/** The cells of a row, and what is said behind it. */
const cells = ({ cost, hitRate, misses, name, requests, unpriced, usage }: Stats.Row): ReadonlyArray<string> => {
  const [why] = requests === 1 ? Object.keys(misses) : []
  const counts = [usage.input, usage.cacheRead, usage.cacheWrite, usage.output, usage.reasoning]
  return [
    View.text(name),
    `${requests}`,
    ...counts.map(Lines.thousands),
    `${Math.round(hitRate * 100)}%`,
    `${unpriced === requests ? "?" : `$${cost.toFixed(4)}`}${unpriced > 0 && unpriced < requests ? "+?" : ""}`,
    ...(why === undefined ? [] : [why]),
    ...(usage.estimated === true ? ["(estimated)"] : [])
  ]
}

/** Why the cache did not help, most frequent first. */
const misses = ({ misses, requests, usage }: Stats.Row): ReadonlyArray<string> => [
  "",
  `${Lines.thousands(usage.cacheRead)} of ${Lines.thousands(Usage.inputTotal(usage))} tokens of input were read from the cache.`,
  ...Object.entries(misses).toSorted(([, a], [, b]) => b - a).map(([why, count]) => `  ${`${count}`.padStart(5)} of ${requests} requests read less than half of theirs: ${why}`)
]
