/** The subagents of a session as a tree, each with its progress and what it spent of its budget. */
import { useEffect, useState } from "preact/hooks"
import type * as PageData from "../../../domain/control/PageData.ts"
import type { SubagentReport } from "../../../domain/subagent/Subagent.ts"
import * as Api from "../../client/Api.ts"
import type { PanelProps } from "./PanelProps.ts"
import { dollars, plural, Text } from "../Text.tsx"

/** How deep subagents start others. */
const maxDepth = 4

export const Subagents = ({ moment, store }: PanelProps) => {
  const started = moment.timeline.entries.flatMap((entry) => entry._tag === "Tool" ? entry.subagents : [])
  const reports = new Map(started.map(({ report, session }) => [session, report]))
  const { budget, settings: { limits } } = moment.session
  const finished = started.filter(({ report }) => report !== undefined).length
  return (
    <>
      <p class="muted">
        Spent {dollars(budget.spent.usd)}
        {limits.usd === undefined || limits.usd === null ? "" : ` of ${dollars(limits.usd)}`}
      </p>
      {limits.usd === undefined || limits.usd === null || limits.usd <= 0 ? null
        : <meter min={0} max={limits.usd} value={Math.min(limits.usd, budget.spent.usd)} aria-label="Spent of the budget" />}
      {started.length === 0 ? <p class="empty">This session has delegated nothing.</p> : (
        <>
          <p>{finished} of {plural(started.length, "subagent")} finished</p>
          <meter min={0} max={started.length} value={finished} aria-label="Finished subagents" />
          <Tree session={store.id} version={store.version.value} reports={reports} depth={0} />
        </>
      )}
    </>
  )
}

/** The subagents that a session started, each with its own. */
const Tree = ({ depth, reports, session, version }: {
  readonly session: string
  readonly version: number
  readonly reports?: ReadonlyMap<string, SubagentReport | undefined>
  readonly depth: number
}) => {
  const [rows, setRows] = useState<ReadonlyArray<PageData.SessionRow>>([])
  useEffect(() => void Api.subagents(session).then(setRows, () => {}), [session, version])
  if (rows.length === 0) return null
  return (
    <ul class="tree">
      {rows.toSorted((a, b) => a.created - b.created).map((row) => {
        const report = reports?.get(row.id)
        return (
          <li key={row.id}>
            <a href={`#/session/${encodeURIComponent(row.id)}`}>
              <Text of={row.title === "" ? row.id.slice(0, 8) : row.title} />
            </a>
            <span class="facts">
              <span class={`state ${row.phase.replaceAll(" ", "-")}`}>{report?.status ?? row.phase}</span>
              {report === undefined ? <span>{plural(row.events, "event")}</span> : <span>{plural(report.calls, "call")}</span>}
              {report === undefined || report.errors === 0 ? null : <span class="bad">{plural(report.errors, "error")}</span>}
              <span>{dollars(row.cost)}</span>
            </span>
            {depth >= maxDepth ? null : <Tree session={row.id} version={version} depth={depth + 1} />}
          </li>
        )
      })}
    </ul>
  )
}
