/** What fills the context window of the next request. */
import { useEffect, useState } from "preact/hooks"
import type * as PageData from "../../../domain/control/PageData.ts"
import * as Api from "../../client/Api.ts"
import type { PanelProps } from "./PanelProps.ts"
import { Button, count, safe, Text } from "../Text.tsx"

export const ContextWindow = ({ store }: PanelProps) => {
  const [report, setReport] = useState<PageData.ContextReport | { readonly problem: string }>()
  const turns = store.history.current.session.responseCount
  useEffect(() => void Api.context(store.id).then(setReport, (error: Error) => setReport({ problem: error.message })), [store, turns])
  if (report === undefined) return <p class="muted" role="status">Counting…</p>
  if ("problem" in report)
    return (
      <p class="note warn">
        <Text of={report.problem} />
      </p>
    )
  const largest = Math.max(1, ...report.items.map(({ tokens }) => tokens))
  return (
    <>
      <p>
        {count(report.tokens)} of {count(report.usable)} usable tokens; the window of <Text of={report.model} /> has {count(report.window)}.
      </p>
      <meter min={0} max={Math.max(1, report.usable)} value={report.tokens} aria-label="Tokens of the window" />
      <div class="bar">
        <Button onPress={() => void store.operate({ _tag: "Compact", session: store.id })}>Compact now</Button>
      </div>
      <table class="bars">
        <thead>
          <tr>
            <th>Part</th>
            <th class="right">Tokens</th>
            <th class="hidden">Share</th>
          </tr>
        </thead>
        <tbody>
          {report.items.filter(({ tokens }) => tokens > 0).map(({ name, tokens, why }, i) => (
            <tr key={i} title={safe(why)}>
              <td>
                <Text of={name} />
              </td>
              <td class="right">{count(tokens)}</td>
              <td class="share" aria-hidden="true">
                <span style={{ width: `${Math.max(1, tokens / largest * 100)}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {report.notes.map((note, i) => (
        <p key={i} class="note">
          <Text of={note} />
        </p>
      ))}
    </>
  )
}
