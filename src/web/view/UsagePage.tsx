/** Tokens and cost of all sessions, by day, model and session. */
import { useEffect, useState } from "preact/hooks"
import * as UsageReport from "../../domain/session/UsageReport.ts"
import * as Usage from "../../domain/session/Usage.ts"
import * as Api from "../client/Api.ts"
import { attempt } from "../client/Messages.ts"
import { sessions } from "./SessionList.tsx"
import { count, dollars, plural } from "./Text.tsx"
import { UsageTable } from "./UsageTable.tsx"

export const UsagePage = () => {
  const [requests, setRequests] = useState<ReadonlyArray<UsageReport.Request>>()
  useEffect(() => void attempt(Api.usage).then(setRequests), [])
  if (requests === undefined) return <p class="empty" role="status">Reading the logs…</p>
  const total = UsageReport.sum("all", requests)
  const byDay = UsageReport.rows(requests, "day").toSorted((a, b) => b.name.localeCompare(a.name))
  const expensive = (by: UsageReport.By) => UsageReport.rows(requests, by).toSorted((a, b) => b.cost - a.cost)
  const titles = new Map(sessions.value.map(({ id, title }) => [id, title]))
  const bySession = expensive("session")
  const ids = new Map(bySession.map((row) => [row, row.name]))
  const named = bySession.map((row) => ({ ...row, name: `${titles.get(row.name) ?? row.name}`, id: ids.get(row)! }))
  return (
    <div class="page-view">
      <header class="session-header">
        <a class="back" href="#/sessions" aria-label="All sessions">←</a>
        <h1>Usage</h1>
      </header>
      <div class="scroller" tabIndex={0} role="region" aria-label="Usage">
        <p class="total">
          <strong>{dollars(total.cost)}</strong> {plural(total.requests, "request")}, {count(Usage.inputTotal(total.usage))} tokens in,{" "}
          {count(total.usage.output)} out, {Math.round(total.hitRate * 100)}% of the input from the cache
          {total.unpriced === 0 ? "" : `; ${plural(total.unpriced, "request")} of unknown price`}
        </p>
        <UsageTable title="By day" rows={byDay} />
        <UsageTable title="By model" rows={expensive("model")} />
        <UsageTable title="By session" rows={named} href={(row) => `#/session/${"id" in row ? row.id : row.name}`} />
      </div>
    </div>
  )
}
