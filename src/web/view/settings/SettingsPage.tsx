/** What is configured for a folder: permission rules with their trial, MCP servers, plugins and settings; the user's own can be changed. */
import { useEffect, useState } from "preact/hooks"
import type * as PageData from "../../../domain/control/PageData.ts"
import * as Api from "../../client/Api.ts"
import { attempt } from "../../client/Messages.ts"
import * as Route from "../../client/Route.ts"
import { DataTable } from "../DataTable.tsx"
import { sessions } from "../SessionList.tsx"
import { Text } from "../Text.tsx"
import { Servers } from "./Servers.tsx"
import { Rules } from "./Rules.tsx"
import { OwnSettings } from "./OwnSettings.tsx"

export const SettingsPage = () => {
  const route = Route.route.value
  const address = route.page === "settings" ? route : undefined
  const [chosen, setChosen] = useState(address?.cwd)
  const folders = [...new Set([...(chosen === undefined ? [] : [chosen]), ...sessions.value.map(({ cwd }) => cwd)])]
  const cwd = chosen ?? folders[0]
  const [state, setState] = useState<PageData.FolderSettings | { readonly problem: string }>()
  const read = async (): Promise<void> => {
    if (cwd !== undefined) await Api.settings(cwd).then(setState, (error: Error) => setState({ problem: error.message }))
  }
  useEffect(() => void read(), [cwd])
  const change: Api.SettingsChanger = async (request) => {
    const changed = await attempt(() => Api.changeSettings(request))
    if (changed !== undefined) setState(changed)
    return changed !== undefined
  }
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
          : (
            <>
              {state.isTrusted ? null : (
                <p class="note warn">
                  This folder is not trusted: its own settings, commands and servers have no effect. Review it with{" "}
                  <code>dacapo trust</code> there.
                </p>
              )}
              <Rules settings={state} onChange={change} firstRule={address?.rule ?? ""} />
              <Servers settings={state} onChange={read} />
              <section class="usage-table">
                <h2>Plugins</h2>
                {state.plugins.length === 0 ? (
                  <p class="muted">
                    No plugins. Add one with <code>dacapo plugin install</code>.
                  </p>
                ) : (
                  <DataTable
                    label="Plugins"
                    columns={[{ label: "Name" }, { label: "State" }, { label: "Adds" }, { label: "From" }]}
                    rows={state.plugins.map(({ adds, name, source, state }) => [name, state, adds.join(", "), source])}
                  />
                )}
              </section>
              <OwnSettings settings={state} onChange={change} />
            </>
          )}
      </div>
    </div>
  )
}
