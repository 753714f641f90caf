/** The moments at which the files were saved. */
import * as CallSummary from "../../../cli/render/view/CallSummary.ts"
import * as Route from "../../client/Route.ts"
import type { PanelProps } from "./PanelProps.ts"
import { clock, plural } from "../Text.tsx"

export const Checkpoints = ({ moment, store }: PanelProps) => {
  const saved = store.history.events.slice(0, store.version.value).flatMap(({ event, seq, time }) =>
    event._tag === "CheckpointSaved" ? [{ ...event, seq, time }] : []
  )
  const route = Route.route.value
  if (saved.length === 0) return <p class="empty">No checkpoints yet: the first precedes the first edit or command.</p>
  return (
    <ol class="plain checkpoints">
      {saved.map(({ counts, seq, time, why }) => (
        <li key={seq}>
          <button
            type="button"
            class="row"
            aria-current={moment.session.seq === seq ? "true" : undefined}
            onClick={() => route.page === "session" && Route.go({ ...route, seq })}
          >
            <span class="title">
              {CallSummary.label(why)}
            </span>
            <span class="facts">
              <span>{clock(time)}</span>
              <span>event {seq}</span>
              {counts.files === 0 ? <span>no changes</span> : (
                <span>
                  {plural(counts.files, "file")} <span class="good">+{counts.added}</span> <span class="bad">−{counts.removed}</span>
                </span>
              )}
            </span>
          </button>
        </li>
      ))}
    </ol>
  )
}
