/** What waits in the session that is shown. */
import type { SessionStore } from "../../client/SessionStore.ts"
import { RequestList } from "./RequestList.tsx"

export const Approvals = ({ store }: { readonly store: SessionStore }) => {
  const requests = store.pending.value.map((pending) => ({ ...pending, session: store.id }))
  return requests.length === 0 ? null : <RequestList requests={requests} operate={store.operate} />
}
