/** The title of a session, what it does, and its mode and model. */
import { Mode } from "../../domain/approval/Mode.ts"
import * as Model from "../../domain/provider/Model.ts"
import * as Session from "../../domain/session/Session.ts"
import { useState } from "preact/hooks"
import * as Route from "../client/Route.ts"
import type { SessionStore } from "../client/SessionStore.ts"
import type { Moment } from "../model/History.ts"
import { CompareChoice } from "./Compare.tsx"
import { panels } from "./Panel.tsx"
import { count, dollars, Text } from "./Text.tsx"

const connections = { loading: "loading", live: "", stored: "", reconnecting: "reconnecting…" } as const

export const SessionHeader = (
  { isSecond = false, moment, store }: { readonly store: SessionStore; readonly moment: Moment; readonly isSecond?: boolean }
) => {
  const { session } = moment
  const { settings, title, windowUsage } = session
  const phase = Session.phase(session)
  const connection = connections[store.connection.value]
  const used = session.requestTokens
  return (
    <header class="session-header">
      <a class="back" href="#/sessions" aria-label="All sessions">←</a>
      <div class="heading">
        <h1>
          <Text of={title === "" ? "New session" : title} />
        </h1>
        <p class="facts">
          <span class={`state ${phase.replaceAll(" ", "-")}`} role="status">{connection === "" ? phase : connection}</span>
          <span title={session.cwd}>
            <Text of={session.cwd} />
          </span>
          {session.cost > 0 ? <span>{dollars(session.cost)}</span> : null}
          {used > 0 && settings.model.window > 0
            ? <span title={`About ${used} of ${settings.model.window} tokens`}>{count(used)} / {count(settings.model.window)} tokens</span>
            : null}
          {windowUsage.isRequested ? <span>compacting</span> : null}
        </p>
      </div>
      {isSecond ? <CloseSecond /> : (
        <div class="controls">
          <label class="hidden" for="mode">Permission mode</label>
          <select
            id="mode"
            value={settings.mode}
            onChange={({ currentTarget }) => void store.operate({ _tag: "SetMode", session: store.id, mode: currentTarget.value as Mode })}
          >
            {Mode.literals.filter((mode) => mode !== "bypassPermissions" || settings.mode === mode).map((mode) => (
              <option key={mode} value={mode}>{modeNames[mode]}</option>
            ))}
          </select>
          <ModelChoice key={Model.title(settings.model)} store={store} model={Model.title(settings.model)} />
          <PanelLinks />
          <CompareChoice id={store.id} />
        </div>
      )}
    </header>
  )
}

const modeNames: Readonly<Record<Mode, string>> = {
  default: "Ask for approval",
  acceptEdits: "Accept edits",
  plan: "Plan",
  auto: "Auto",
  dontAsk: "Don't ask",
  bypassPermissions: "Bypass permissions"
}

const ModelChoice = ({ model, store }: { readonly store: SessionStore; readonly model: string }) => {
  const [text, setText] = useState(model)
  const submit = (): void => {
    if (text.trim() !== "" && text !== model) void store.operate({ _tag: "SetModel", session: store.id, model: text.trim() })
  }
  return (
    <form class="model" onSubmit={(event) => (event.preventDefault(), submit())}>
      <label class="hidden" for="model">Model</label>
      <input
        id="model"
        value={text}
        title={`Model: ${model}`}
        spellcheck={false}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onBlur={submit}
      />
    </form>
  )
}

const PanelLinks = () => {
  const route = Route.route.value
  if (route.page !== "session") return null
  return (
    <label class="panel-choice">
      <span class="hidden">Side panel</span>
      <select value={route.panel} onChange={({ currentTarget }) => Route.go({ ...route, panel: currentTarget.value })}>
        <option value="">No panel</option>
        {Object.entries(panels).map(([name, title]) => <option key={name} value={name}>{title}</option>)}
      </select>
    </label>
  )
}

const CloseSecond = () => {
  const route = Route.route.value
  if (route.page !== "session") return null
  return (
    <span class="bar">
      <a class="link" href={Route.format({ page: "session", id: route.other ?? route.id, panel: route.panel })}>Open</a>
      <button type="button" class="link" onClick={() => Route.go({ page: "session", id: route.id, panel: route.panel })}>Close</button>
    </span>
  )
}
