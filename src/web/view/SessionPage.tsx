/** A session: what it does, its conversation, what waits for the user, and where to write. */
import { useEffect, useMemo } from "preact/hooks"
import * as Route from "../client/Route.ts"
import * as SessionStore from "../client/SessionStore.ts"
import { RequestList } from "./approvals/RequestList.tsx"
import { Shared } from "./Compare.tsx"
import { Composer } from "./Composer.tsx"
import { Conversation } from "./Conversation.tsx"
import { Panel } from "./Panel.tsx"
import { SessionHeader } from "./SessionHeader.tsx"
import { StoreContext } from "./StoreContext.ts"
import { TimeTravel, useMoment, useNewest } from "./TimeTravel.tsx"

export const SessionPage = ({ id }: { readonly id: string }) => {
  const store = useMemo(() => SessionStore.open(id), [id])
  useEffect(() => () => store.close(), [store])
  const route = Route.route.value
  const panel = route.page === "session" ? route.panel : ""
  const other = route.page === "session" ? route.other : undefined
  const moment = useMoment(store)
  const isPast = moment !== store.history.current
  return (
    <div class={`session${panel === "" ? "" : " with-panel"}${other === undefined ? "" : " beside"}`}>
      <div class="column">
        <SessionHeader store={store} moment={moment} />
        <StoreContext.Provider value={isPast ? undefined : store}>
          <Conversation store={store} moment={moment} isPast={isPast} />
        </StoreContext.Provider>
        <div class="dock">
          <TimeTravel store={store} moment={moment} />
          {isPast ? null : (
            <>
              <Approvals store={store} />
              <Composer store={store} session={moment.session} />
            </>
          )}
        </div>
      </div>
      {other === undefined ? null : <SecondSession key={other} id={other} first={store} />}
      {panel === "" ? null : <Panel store={store} moment={moment} name={panel} />}
    </div>
  )
}

/** What waits in the session. */
const Approvals = ({ store }: { readonly store: SessionStore.SessionStore }) => {
  const requests = store.pending.value.map((pending) => ({ ...pending, session: store.id }))
  return requests.length === 0 ? null : <RequestList requests={requests} operate={store.operate} />
}

/** Another session to compare with: its conversation alone. */
const SecondSession = ({ first, id }: { readonly id: string; readonly first: SessionStore.SessionStore }) => {
  const store = useMemo(() => SessionStore.open(id), [id])
  useEffect(() => () => store.close(), [store])
  const moment = useNewest(store)
  return (
    <div class="column" aria-label="Session beside">
      <SessionHeader store={store} moment={moment} isSecond />
      <Shared first={first} second={store} />
      <Conversation store={store} moment={moment} isPast={false} />
    </div>
  )
}
