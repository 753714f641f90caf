/** What waits for the user in all sessions of this server, to answer in one place. */
import * as Waiting from "../../client/Waiting.ts"
import { sessions } from "../SessionList.tsx"
import { Text } from "../Text.tsx"
import { RequestList } from "./RequestList.tsx"

export const WaitingPage = () => (
  <div class="page-view">
    <header class="session-header">
      <a class="back" href="#/sessions" aria-label="All sessions">←</a>
      <h1>Waiting for you</h1>
    </header>
    <div class="scroller" tabIndex={0} role="region" aria-label="Waiting for you">
      {Waiting.waiting.value.length === 0 ? <p class="empty">No session waits for an answer.</p>
        : <RequestList requests={Waiting.waiting.value} operate={Waiting.operate} origin={(one) => <Origin of={one} />} />}
    </div>
  </div>
)

/** The session that asks, or for which a subagent asks. */
const Origin = ({ of: { root, session } }: { readonly of: Waiting.Waiting }) => {
  const row = sessions.value.find(({ id }) => id === root)
  return (
    <p class="origin">
      <a href={`#/session/${encodeURIComponent(root ?? session)}`}>
        <Text of={row === undefined || row.title === "" ? session.slice(0, 8) : row.title} />
      </a>
      {row === undefined ? null : (
        <span class="muted">
          <Text of={row.cwd} />
        </span>
      )}
    </p>
  )
}
