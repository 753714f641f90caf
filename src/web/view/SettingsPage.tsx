/** What is configured for a folder: settings, MCP servers, plugins and permission rules. */
import { useEffect, useState } from "preact/hooks"
import type * as PageData from "../../domain/control/PageData.ts"
import * as Api from "../client/Api.ts"
import { sessions } from "./SessionList.tsx"
import { Text } from "./Text.tsx"

export const SettingsPage = () => {
  const folders = [...new Set(sessions.value.map(({ cwd }) => cwd))]
  const [chosen, setChosen] = useState<string>()
  const cwd = chosen ?? folders[0]
  const [state, setState] = useState<PageData.FolderSettings | { readonly problem: string }>()
  useEffect(() => {
    if (cwd !== undefined) void Api.settings(cwd).then(setState, (error: Error) => setState({ problem: error.message }))
  }, [cwd])
  return (
    <div class="page-view">
      <header class="session-header">
        <a class="back" href="#/sessions" aria-label="All sessions">←</a>
        <h1>Settings</h1>
        <label class="field">
          <span class="hidden">Folder</span>
          <select value={cwd} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
            {folders.map((folder) => (
              <option key={folder} value={folder}>
                <Text of={folder} />
              </option>
            ))}
          </select>
        </label>
      </header>
      <div class="scroller" tabIndex={0} role="region" aria-label="Settings">
        {cwd === undefined ? <p class="empty">Start a session in a folder to see its settings.</p>
          : state === undefined ? <p class="empty" role="status">Reading…</p>
          : "problem" in state ? (
            <p class="note warn">
              <Text of={state.problem} />
            </p>
          )
          : <Tables settings={state} />}
      </div>
    </div>
  )
}

const Tables = ({ settings: { isTrusted, plugins, rules, servers, settings } }: { readonly settings: PageData.FolderSettings }) => (
  <>
    {isTrusted ? null : <p class="note warn">This folder is not trusted: its own settings, commands and servers have no effect.</p>}
    <Table
      title="Permission rules"
      heads={["Decision", "Rule", "From"]}
      rows={rules.map(({ decision, rule, source }) => [decision, rule, source])}
      empty="No rules."
    />
    <Table
      title="MCP servers"
      heads={["Name", "Transport", "From"]}
      rows={servers.map(({ name, source, transport }) => [name, transport, source])}
      empty="No servers."
    />
    <Table
      title="Plugins"
      heads={["Name", "State", "Adds", "From"]}
      rows={plugins.map(({ adds, name, source, state }) => [name, state, adds.join(", "), source])}
      empty="No plugins."
    />
    <Table
      title="Settings"
      heads={["Name", "Value", "From"]}
      rows={settings.map(({ name, source, value }) => [name, value, source])}
      empty="Only defaults."
    />
  </>
)

const Table = ({ empty, heads, rows, title }: {
  readonly title: string
  readonly heads: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  readonly empty: string
}) => (
  <section class="usage-table">
    <h2>{title}</h2>
    {rows.length === 0 ? <p class="muted">{empty}</p> : (
      <div class="scroll-x" tabIndex={0} role="region" aria-label={title}>
        <table>
          <thead>
            <tr>{heads.map((head) => <th key={head}>{head}</th>)}</tr>
          </thead>
          <tbody>
            {rows.map((row, i) => (
              <tr key={i}>
                {row.map((cell, j) => (
                  <td key={j}>
                    <Text of={cell} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
)
