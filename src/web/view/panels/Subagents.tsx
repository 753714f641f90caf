/** The subagents of a session as a tree, each with its progress and what it spent. */
import { useEffect, useState } from "preact/hooks"
import type * as PageData from "../../../domain/control/PageData.ts"
import * as Api from "../../client/Api.ts"
import type { PanelProps } from "./PanelProps.ts"
import { dollars, plural, Text } from "../Text.tsx"

export const Subagents = ({ moment, store }: PanelProps) => {
  const started = moment.timeline.entries.flatMap((entry) => entry._tag === "Tool" ? entry.subagents : [])
  const { budget, settings } = moment.session
  return (
    <>
      <p class="muted">
        Spent {dollars(budget.spent.usd)}
        {settings.limits.usd === undefined || settings.limits.usd === null ? "" : ` of ${dollars(settings.limits.usd)}`}
      </p>
      {started.length === 0 ? <p class="empty">This session has delegated nothing.</p>
        : <ul class="tree">{started.map((one) => <Node key={one.session} {...one} version={store.version.value} />)}</ul>}
    </>
  )
}

const Node = ({ name, report, session, version }: {
  readonly session: string
  readonly name: string
  readonly report: {
    readonly status: string
    readonly calls: number
    readonly errors: number
    readonly spent: { readonly usd: number; readonly tokens: number }
  } | undefined
  readonly version: number
}) => {
  const [rows, setRows] = useState<ReadonlyArray<PageData.SessionRow>>([])
  useEffect(() => void Api.subagents(session).then(setRows, () => {}), [session, version])
  return (
    <li>
      <a href={`#/session/${encodeURIComponent(session)}`}>
        <Text of={name} />
      </a>
      <span class="facts">
        <span class={`state ${report === undefined ? "streaming" : report.status}`}>{report?.status ?? "running"}</span>
        {report === undefined ? null : (
          <>
            <span>{plural(report.calls, "call")}</span>
            {report.errors === 0 ? null : <span class="bad">{plural(report.errors, "error")}</span>}
            <span>{dollars(report.spent.usd)}</span>
          </>
        )}
      </span>
      {rows.length === 0 ? null : (
        <ul class="tree">
          {rows.map(({ cost, id, phase, title }) => (
            <li key={id}>
              <a href={`#/session/${id}`}>
                <Text of={title} />
              </a>
              <span class="facts">
                <span class={`state ${phase.replaceAll(" ", "-")}`}>{phase}</span>
                <span>{dollars(cost)}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}
