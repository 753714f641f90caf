/** Two sessions side by side: the choice of the second one, and how far both logs are the same. */
import * as Route from "../client/Route.ts"
import type { SessionStore } from "../client/SessionStore.ts"
import { sessions } from "./SessionList.tsx"
import { Text } from "./Text.tsx"

/** The number of events at the beginning that both sessions have. */
const sharedEvents = (a: SessionStore, b: SessionStore): number => {
  const length = Math.min(a.version.value, b.version.value)
  let low = 0
  let high = length
  // Both logs are chains of hashes: once they differ they stay different. A fork repeats its origin's hashes.
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (a.history.events[middle - 1]!.hash === b.history.events[middle - 1]!.hash) low = middle
    else high = middle - 1
  }
  return low
}

/** The select that puts another session beside this one; forks of the same session come first. */
export const CompareChoice = ({ id }: { readonly id: string }) => {
  const route = Route.route.value
  if (route.page !== "session") return null
  const current = sessions.value.find((row) => row.id === id)
  const family = new Set([id, current?.origin?.id].filter((one) => one !== undefined))
  const isRelated = (row: { readonly id: string; readonly origin?: { readonly id: string } }): boolean =>
    family.has(row.id) || row.origin !== undefined && family.has(row.origin.id)
  const others = sessions.value.filter((row) => row.id !== id)
  const options = (rows: typeof others) =>
    rows.map((row) => (
      <option key={row.id} value={row.id}>
        <Text of={`${row.title === "" ? "Untitled session" : row.title} (${row.id.slice(0, 8)})`} />
      </option>
    ))
  const related = others.filter(isRelated)
  const rest = others.filter((row) => !isRelated(row)).slice(0, 50)
  return (
    <label class="panel-choice">
      <span class="hidden">Session beside this one</span>
      <select
        class="quiet-field"
        value={route.other ?? ""}
        onChange={({ currentTarget: { value } }) => {
          const { other: _, ...single } = route
          Route.go(value === "" ? single : { ...single, other: value })
        }}
      >
        <option value="">Compare</option>
        {related.length === 0 ? null : <optgroup label="Forks">{options(related)}</optgroup>}
        {rest.length === 0 ? null : <optgroup label="Other sessions">{options(rest)}</optgroup>}
        {route.other !== undefined && !others.some((row) => row.id === route.other)
          ? <option value={route.other}>{route.other.slice(0, 8)}</option> : null}
      </select>
    </label>
  )
}

/** How far two sessions are the same; the moment of the last shared event can be opened. */
export const Shared = ({ first, second }: { readonly first: SessionStore; readonly second: SessionStore }) => {
  const route = Route.route.value
  const shared = sharedEvents(first, second)
  if (first.version.value === 0 || second.version.value === 0 || route.page !== "session") return null
  return shared === 0 ? <p class="shared muted">These sessions share no event.</p> : (
    <p class="shared muted">
      The same up to event {shared - 1}.{" "}
      <button type="button" class="link" onClick={() => Route.go({ ...route, seq: shared - 1 })}>Show that moment</button>{" "}
      <a href={Route.format({ page: "session", id: second.id, panel: route.panel, other: first.id })}>Swap sides</a>
    </p>
  )
}
