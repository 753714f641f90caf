/** The title of a session, what it does, and what can be shown beside it. */
import * as Session from "../../domain/session/Session.ts"
import * as Route from "../client/Route.ts"
import type { SessionStore } from "../client/SessionStore.ts"
import type { Moment } from "../model/History.ts"
import { CompareChoice } from "./Compare.tsx"
import { panels } from "./Panel.tsx"
import { count, dollars, safe, Text } from "./Text.tsx"

const connections = { loading: "loading", live: "", stored: "", reconnecting: "reconnecting…" } as const

export const SessionHeader = (
  { isSecond = false, moment, store }: { readonly store: SessionStore; readonly moment: Moment; readonly isSecond?: boolean }
) => {
  const { session } = moment
  const { settings, title, windowUsage } = session
  // A question of the model waits inside a running tool.
  const needsAnswer = store.history.current === moment && store.pending.value.some(({ request }) => request._tag === "Question")
  const phase = needsAnswer ? "waiting for approval" : Session.phase(session)
  const state = needsAnswer ? "waiting for an answer" : phase
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
          <span class={`state ${phase.replaceAll(" ", "-")}`} role="status">{connection === "" ? state : connection}</span>
          <span title={safe(session.cwd)}>
            <span class="parent-path">
              <Text of={session.cwd.slice(0, session.cwd.lastIndexOf("/") + 1)} />
            </span>
            <Text of={session.cwd.slice(session.cwd.lastIndexOf("/") + 1)} />
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
          <PanelLinks />
          <CompareChoice id={store.id} />
        </div>
      )}
    </header>
  )
}

const PanelLinks = () => {
  const route = Route.route.value
  if (route.page !== "session") return null
  return (
    <label class="panel-choice">
      <span class="hidden">Side panel</span>
      <select class="quiet-field" value={route.panel} onChange={({ currentTarget }) => Route.go({ ...route, panel: currentTarget.value })}>
        <option value="">Panels</option>
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
