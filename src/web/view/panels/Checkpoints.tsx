/** The moments at which the files were saved. */
import * as Route from "../../client/Route.ts"
import type { PanelProps } from "./PanelProps.ts"
import { clock, plural, Text } from "../Text.tsx"

export const Checkpoints = ({ moment, store }: PanelProps) => {
  const saved = store.history.events.slice(0, store.version.value).flatMap(({ event, seq, time }) =>
    event._tag === "CheckpointSaved" ? [{ ...event, seq, time }] : []
  )
  const route = Route.route.value
  if (saved.length === 0) return <p class="empty">No checkpoints yet: the first precedes the first edit or command.</p>
  return (
    <ol class="plain checkpoints">
      {saved.map(({ counts, id, seq, time, why }) => (
        <li key={seq}>
          <button
            type="button"
            class="row"
            aria-current={moment.session.seq === seq ? "true" : undefined}
            onClick={() => route.page === "session" && Route.go({ ...route, seq })}
          >
            <span class="title">
              <Text of={why} />
            </span>
            <span class="facts">
              <code>{id.slice(0, 8)}</code>
              <span>event {seq}</span>
              <span>{clock(time)}</span>
              <span>{plural(counts.files, "file")} +{counts.added} −{counts.removed}</span>
            </span>
          </button>
        </li>
      ))}
    </ol>
  )
}
