/** The files at two moments, compared: any event, a checkpoint, or as they are now. */
import { useEffect, useState } from "preact/hooks"
import type * as PageData from "../../../domain/control/PageData.ts"
import * as Api from "../../client/Api.ts"
import { after } from "../../client/Frames.ts"
import { DiffView } from "../DiffView.tsx"
import type { PanelProps } from "./PanelProps.ts"
import { plural, Text } from "../Text.tsx"

type State = PageData.Comparison | { readonly problem: string } | undefined

/** The current files. */
const now = -1

export const Files = ({ moment, store }: PanelProps) => {
  const { seq } = moment.session
  const last = store.version.value - 1
  const isPast = seq < last
  const [from, setFrom] = useState(0)
  const [chosenEnd, setEnd] = useState<number>()
  const [state, setState] = useState<State>()
  // The end follows the slider of the session until it is chosen here.
  const to = chosenEnd ?? (isPast ? seq : now)
  const start = from === now ? to : to === now ? from : Math.min(from, to)
  const end = from === now || to === now ? now : Math.max(from, to)
  useEffect(() => {
    let isCurrent = true
    const cancel = after(200, () =>
      void Api.diff(store.id, start, end).then(
        (comparison) => isCurrent && setState(comparison),
        (error: Error) => isCurrent && setState({ problem: error.message })
      ))
    return () => {
      isCurrent = false
      cancel()
    }
  }, [store, start, end, end === now ? last : 0])
  const checkpoints = store.history.events.slice(0, store.version.value).flatMap(({ event, seq }) =>
    event._tag === "CheckpointSaved" ? [{ seq, why: event.why }] : []
  )
  return (
    <>
      <MomentChoice label="From" value={from} last={last} onChange={setFrom} checkpoints={checkpoints} />
      <MomentChoice label="To" value={to} last={last} onChange={setEnd} checkpoints={checkpoints} />
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

/** A moment by name, or any event by the slider. */
const MomentChoice = ({ checkpoints, label, last, onChange, value }: {
  readonly label: string
  readonly value: number
  readonly last: number
  readonly onChange: (value: number) => void
  readonly checkpoints: ReadonlyArray<{ readonly seq: number; readonly why: string }>
}) => (
  <div class="moment">
    <label class="field">
      {label}
      <select value={`${value}`} onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}>
        <option value="0">Start of the session</option>
        {checkpoints.map(({ seq, why }) => (
          <option key={seq} value={seq}>
            <Text of={`Event ${seq}: ${why}`} />
          </option>
        ))}
        <option value={`${now}`}>The current files</option>
        <option value={`${value}`} hidden>{value === now ? "The current files" : `Event ${value}`}</option>
      </select>
    </label>
    <input
      type="range"
      min={0}
      max={Math.max(0, last)}
      value={value === now ? last : value}
      aria-label={`${label}: event`}
      aria-valuetext={value === now ? "The current files" : `Event ${value}`}
      onInput={({ currentTarget }) => onChange(Number(currentTarget.value))}
    />
  </div>
)
