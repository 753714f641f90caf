/** `dacapo stats`: tokens, cost and cache hits by request, session, day or model. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as UsageReport from "../../domain/session/UsageReport.ts"
import * as Usage from "../../domain/session/Usage.ts"
import { EventLog } from "../../services/EventLog.ts"
import { Storage } from "../../services/Storage.ts"
import type { Invocation, Run } from "../Command.ts"
import { Host } from "../process/Host.ts"
import * as StreamJson from "../render/json/StreamJson.ts"
import * as BlockLines from "../render/text/BlockLines.ts"
import * as View from "../render/view/View.ts"
import * as FindSession from "../start/FindSession.ts"
import { AgentLayers } from "../process/AgentLayers.ts"

export const run: Run = Effect.fnUntraced(function*({ values }) {
  const { stdout } = yield* Host
  const { by = values.session === undefined ? "day" : "request", outputFormat = "text" } = values
  const requests = yield* Effect.provide(gather(values), (yield* AgentLayers).records)
  const rows = UsageReport.rows(requests, by)
  const total = UsageReport.sum("all", requests)
  yield* stdout.write(
    outputFormat !== "text" ?
      StreamJson.line({ by, rows, total })
      : requests.length === 0 ?
      "No requests recorded.\n"
      : [
        ...tableLines([headings, ...rows.map(cells), ...(rows.length > 1 ? [cells(total)] : [])]),
        ...missLines(total),
        ...routeLines(requests)
      ].map((line) => `${line}\n`).join("")
  )
  return 0
})

/** The requests of one session, or of all sessions in the last days. */
const gather = Effect.fnUntraced(function*({ days, session }: Invocation["values"]) {
  const storage = yield* Storage
  const log = yield* EventLog
  const since = days === undefined ? 0 : (yield* Clock.currentTimeMillis) - days * 24 * 60 * 60 * 1000
  const sessions = session === undefined
    ? (yield* storage.list({})).filter(({ updated }) => updated >= since)
    : [yield* FindSession.find(session)]
  const requests = yield* Effect.forEach(sessions, ({ id }) => Effect.map(log.read(id), UsageReport.requests))
  return requests.flat().filter(({ time }) => time >= since).toSorted((a, b) => a.time - b.time)
})

/** Pads cells to the width of their column; the first column is left-aligned. */
const tableLines = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = headings.map((_, i) => Math.max(...rows.map((row) => BlockLines.width(row[i] ?? ""))))
  const padCell = (cell: string, i: number) => {
    const space = " ".repeat((widths[i] ?? 0) - BlockLines.width(cell))
    return i === 0 ? cell + space : space + cell
  }
  return rows.map((row) => [row.slice(0, headings.length).map(padCell).join("  "), ...row.slice(headings.length)].join("  "))
}

const headings = ["", "requests", "input", "cached", "written", "output", "reasoning", "hits", "cost"]

/** The cells of a row, followed by its notes. */
const cells = ({ cost, hitRate, misses, name, requests, unpriced, usage }: UsageReport.Row): ReadonlyArray<string> => {
  const [reason] = requests === 1 ? Object.keys(misses) : []
  const counts = [usage.input, usage.cacheRead, usage.cacheWrite, usage.output, usage.reasoning]
  return [
    View.line(name),
    `${requests}`,
    ...counts.map(BlockLines.thousands),
    `${Math.round(hitRate * 100)}%`,
    `${unpriced === requests ? "?" : `$${cost.toFixed(4)}`}${unpriced > 0 && unpriced < requests ? "+?" : ""}`,
    ...(reason === undefined ? [] : [reason]),
    ...(usage.estimated === true ? ["(estimated)"] : [])
  ]
}

/** The cache hits of each provider, where there are several: gateways to one model can differ. */
const routeLines = (requests: ReadonlyArray<UsageReport.Request>): ReadonlyArray<string> => {
  const routes = UsageReport.rows(requests, "provider")
  return routes.length < 2 ? [] :
    routes.map(({ hitRate, name, usage }) =>
      `  ${`${Math.round(hitRate * 100)}%`.padStart(5)} of ${BlockLines.thousands(Usage.inputTotal(usage))} input tokens over ${
        View.line(name)
      }`
    )
}

/** The cache total, and the reasons for cache misses, most frequent first. */
const missLines = ({ misses, requests, usage }: UsageReport.Row): ReadonlyArray<string> => [
  "",
  `${BlockLines.thousands(usage.cacheRead)} of ${BlockLines.thousands(Usage.inputTotal(usage))} input tokens were read from the cache.`,
  ...Object.entries(misses).toSorted(([, a], [, b]) => b - a).map(([why, count]) =>
    `  ${`${count}`.padStart(5)} of ${requests} requests read less than half of their input from it: ${why}`
  )
]
