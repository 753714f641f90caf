/** Tokens and cost of all sessions as a chart by day, and as tables by day, model and session. */
import { useEffect, useState } from "preact/hooks"
import * as UsageReport from "../../domain/session/UsageReport.ts"
import * as Usage from "../../domain/session/Usage.ts"
import * as Api from "../client/Api.ts"
import { now } from "../client/Frames.ts"
import { attempt } from "../client/Messages.ts"
import * as UsageChart from "../model/UsageChart.ts"
import { Chart } from "./Chart.tsx"
import { sessions } from "./SessionList.tsx"
import { Choice, count, dollars, plural } from "./Text.tsx"
import { UsageTable } from "./UsageTable.tsx"

const periods = { "7": "7 days", "30": "30 days", "90": "90 days", "0": "All time" } as const
const parts = { model: "by model", session: "by session" } as const

export const UsagePage = () => {
  const [all, setAll] = useState<ReadonlyArray<UsageReport.Request>>()
  const [days, setDays] = useState<keyof typeof periods>("30")
  const [measure, setMeasure] = useState<UsageChart.Measure>("cost")
  const [part, setPart] = useState<UsageChart.Part>("model")
  const [folder, setFolder] = useState("")
  useEffect(() => void attempt(Api.usage).then(setAll), [])
  if (all === undefined) return <p class="empty" role="status">Reading the logs…</p>
  const rows = new Map(sessions.value.map((row) => [row.id, row]))
  const folders = [...new Set(sessions.value.map(({ cwd }) => cwd))]
  const requests = UsageChart.recent(all, Number(days), now()).filter(({ session }) => folder === "" || rows.get(session)?.cwd === folder)
  const total = UsageReport.sum("all", requests)
  const byDay = UsageReport.rows(requests, "day").toSorted((a, b) => b.name.localeCompare(a.name))
  const expensive = (by: UsageReport.By) => UsageReport.rows(requests, by).toSorted((a, b) => b.cost - a.cost)
  const nameOf = (name: string): string => part === "model" ? name : rows.get(name)?.title || name
  const named = expensive("session").map((row) => ({ ...row, name: rows.get(row.name)?.title || row.name, id: row.name }))
  return (
    <div class="page-view">
      <header class="session-header">
        <a class="back" href="#/sessions" aria-label="All sessions">←</a>
        <h1>Usage</h1>
      </header>
      <div class="scroller" tabIndex={0} role="region" aria-label="Usage">
        <div class="bar">
          <Choice label="Period" value={days} options={periods} onChange={setDays} />
          <Choice label="Measure" value={measure} options={UsageChart.measures} onChange={setMeasure} />
          <Choice label="Parts" value={part} options={parts} onChange={setPart} />
          <Choice
            label="Folder"
            value={folder}
            options={{ "": "All folders", ...Object.fromEntries(folders.map((path) => [path, path])) }}
            onChange={setFolder}
          />
        </div>
        <p class="total">
          <strong>{dollars(total.cost)}</strong> {plural(total.requests, "request")}, {count(Usage.inputTotal(total.usage))} tokens in,{" "}
          {count(total.usage.output)} out, {Math.round(total.hitRate * 100)}% of the input from the cache
          {total.unpriced === 0 ? "" : `; ${plural(total.unpriced, "request")} of unknown price`}
        </p>
        {requests.length === 0 ? <p class="empty">No requests in this time.</p> : (
          <>
            <Chart data={UsageChart.data(requests, { measure, part, nameOf })} isStacked format={measure === "cost" ? dollars : count} />
            <UsageTable title="By day" head="Day" rows={byDay} />
            <UsageTable title="By model" head="Model" rows={expensive("model")} />
            <UsageTable title="By session" head="Session" rows={named} href={(row) => `#/session/${"id" in row ? row.id : row.name}`} />
          </>
        )}
      </div>
    </div>
  )
}
