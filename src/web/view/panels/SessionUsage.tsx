/** Tokens and cost of each request of a session, at the chosen moment. */
import * as UsageReport from "../../../domain/session/UsageReport.ts"
import { UsageTable } from "../UsageTable.tsx"
import type { PanelProps } from "./PanelProps.ts"

export const SessionUsage = ({ moment, store }: PanelProps) => {
  const requests = UsageReport.requests(store.history.events.slice(0, moment.session.seq + 1))
  return requests.length === 0
    ? <p class="empty">No requests yet.</p>
    : (
      <UsageTable
        title="Cost of each request"
        head="Event"
        areRequests
        rows={requests.map((request) => UsageReport.sum(`${request.seq}`, [request]))}
      />
    )
}
