/** What every side panel shows: a session, and the chosen moment of it. */
import type { SessionStore } from "../../client/SessionStore.ts"
import type { Moment } from "../../model/History.ts"

export interface PanelProps {
  readonly store: SessionStore
  readonly moment: Moment
}
