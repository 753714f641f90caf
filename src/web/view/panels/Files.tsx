/** The files at the chosen moment: compared with the start of the session, or with another moment. */
import { useEffect, useState } from "preact/hooks"
import type * as PageData from "../../../domain/control/PageData.ts"
import * as Api from "../../client/Api.ts"
import { after } from "../../client/Frames.ts"
import { DiffView } from "../DiffView.tsx"
import type { PanelProps } from "./PanelProps.ts"
import { plural, Text } from "../Text.tsx"

type State = PageData.Comparison | { readonly problem: string } | undefined

export const Files = ({ moment, store }: PanelProps) => {
  const { seq } = moment.session
  const last = store.version.value - 1
  const [from, setFrom] = useState(0)
  const [state, setState] = useState<State>()
  const to = seq >= last ? -1 : seq
  useEffect(() => {
    let isCurrent = true
    const start = to >= 0 ? Math.min(from, to) : from
    const end = to >= 0 ? Math.max(from, to) : to
    const cancel = after(200, () =>
      void Api.diff(store.id, start, end).then(
        (comparison) => isCurrent && setState(comparison),
        (error: Error) => isCurrent && setState({ problem: error.message })
      ))
    return () => {
      isCurrent = false
      cancel()
    }
  }, [store, from, to, to < 0 ? last : 0])
  return (
    <>
      <label class="field">
        Compare {to < 0 ? "the current files" : `event ${seq}`} with event {from}
        <input
          type="range"
          min={0}
          max={Math.max(0, last)}
          value={from}
          aria-valuetext={`Event ${from}`}
          onInput={({ currentTarget }) => setFrom(Number(currentTarget.value))}
        />
      </label>
      {state === undefined ? <p class="muted" role="status">Comparing…</p>
        : "problem" in state ? (
          <p class="note warn">
            <Text of={state.problem} />
          </p>
        )
        : state.changes.length === 0 ? <p class="empty">No file differs.</p>
        : (
          <>
            <p class="muted">
              {plural(state.counts.files, "file")} <span class="good">+{state.counts.added}</span>{" "}
              <span class="bad">−{state.counts.removed}</span>
            </p>
            <ul class="plain">
              {state.changes.map(({ added, kind, path, removed }) => (
                <li key={path}>
                  <span class="muted">{kind}</span>{" "}
                  <code>
                    <Text of={path} />
                  </code>{" "}
                  <span class="good">+{added}</span> <span class="bad">−{removed}</span>
                </li>
              ))}
            </ul>
            <DiffView key={state.patch} diff={state.patch} />
          </>
        )}
    </>
  )
}
