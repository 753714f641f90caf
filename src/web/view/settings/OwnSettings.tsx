/** The settings in effect, and a form that changes those that the page may change. */
import { useState } from "preact/hooks"
import * as PageData from "../../../domain/control/PageData.ts"
import type { SettingsChanger } from "../../client/Api.ts"
import { DataTable } from "../DataTable.tsx"
import { Button } from "../Text.tsx"

export const OwnSettings = ({ onChange, settings: { cwd, settings } }: {
  readonly settings: PageData.FolderSettings
  readonly onChange: SettingsChanger
}) => {
  const [name, setName] = useState(PageData.changeableSettings[0]!)
  const current = settings.find((one) => one.name === name)?.value ?? ""
  const [text, setText] = useState<string>()
  const value = text ?? current
  const save = async (next: string | undefined) => {
    if (await onChange({ _tag: "Setting", cwd, name, ...(next === undefined ? {} : { value: next }) })) setText(undefined)
  }
  return (
    <section class="usage-table">
      <h2>Settings</h2>
      {settings.length === 0 ? <p class="muted">Only defaults.</p> : (
        <DataTable
          label="Settings"
          columns={[{ label: "Name" }, { label: "Value" }, { label: "From" }]}
          rows={settings.map(({ name, source, value }) => [name, value, source])}
        />
      )}
      <form class="bar inputs" onSubmit={(event) => (event.preventDefault(), void save(value))}>
        <label class="field">
          Setting
          <select value={name} onChange={({ currentTarget }) => (setName(currentTarget.value), setText(undefined))}>
            {PageData.changeableSettings.map((one) => <option key={one} value={one}>{one}</option>)}
          </select>
        </label>
        <label class="field">
          Value<input value={value} spellcheck={false} onInput={({ currentTarget }) => setText(currentTarget.value)} />
        </label>
        <button type="submit" class="button primary" disabled={value.trim() === "" || value === current}>Save</button>
        <Button isDisabled={current === ""} onPress={() => void save(undefined)}>Remove</Button>
      </form>
      <p class="muted">
        Changes go to your own <code>config.jsonc</code>{" "}
        and apply to new sessions. What runs programs or lifts a guard (hooks, servers, providers, sandbox) is changed in the file itself.
      </p>
    </section>
  )
}
