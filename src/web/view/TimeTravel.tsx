/** The slider over the log: everything is shown as it was after the chosen event; from there the user can fork or rewind. */
import { useEffect, useMemo, useState } from "preact/hooks"
import { attempt } from "../client/Messages.ts"
import * as Api from "../client/Api.ts"
import * as Route from "../client/Route.ts"
import type { SessionStore } from "../client/SessionStore.ts"
import * as History from "../model/History.ts"
import { shortcut } from "./Keys.ts"
import { describeSettings } from "./SessionSettings.tsx"
import { Button, clock, plural, Text } from "./Text.tsx"

/** The newest moment; it is read again when an event is added. */
export const useNewest = ({ history, version }: SessionStore): History.Moment =>
  version.value === history.events.length ? history.current : History.momentAt(history, version.value - 1)

/** The chosen moment of the session, or the newest. */
export const useMoment = (store: SessionStore): History.Moment => {
  const version = store.version.value
  const route = Route.route.value
  const seq = route.page === "session" && route.seq !== undefined && route.seq < version - 1 ? route.seq : undefined
  const past = useMemo(() => seq === undefined ? undefined : History.momentAt(store.history, seq), [store, seq])
  return past ?? store.history.current
}

export const TimeTravel = ({ moment, store }: { readonly store: SessionStore; readonly moment: History.Moment }) => {
  const [isRewinding, setRewinding] = useState(false)
  const route = Route.route.value
  const last = store.version.value - 1
  const seq = Math.max(0, moment.session.seq)
  const isPast = moment !== store.history.current
  const go = (target: number) => {
    if (route.page !== "session") return
    const { seq: _, ...rest } = route
    Route.go(target >= last ? rest : { ...rest, seq: Math.max(0, target) }, true)
  }
  useEffect(() =>
    shortcut({ "[": () => go(seq - 1), "]": () => go(seq + 1), "{": () => go(seq - 20), "}": () => go(seq + 20), "0": () => go(last) })
  )
  const fork = async (isBeside: boolean) => {
    const result = await attempt(() => Api.operate({ _tag: "Fork", session: store.id, at: seq }))
    if (result !== undefined) Route.go({ page: "session", id: result.session, panel: "", ...(isBeside ? { other: store.id } : {}) })
  }
  if (last < 1) return null
  const event = store.history.events[seq]
  return (
    <section class={`travel${isPast ? " past" : ""}`} aria-label="Time travel">
      <div class="slide">
        <button type="button" class="link" aria-label="One event back" disabled={seq <= 0} onClick={() => go(seq - 1)}>‹</button>
        <input
          type="range"
          min={0}
          max={last}
          value={seq}
          aria-label="Event"
          aria-valuetext={`Event ${seq} of ${last}`}
          onInput={({ currentTarget }) => go(Number(currentTarget.value))}
        />
        <button type="button" class="link" aria-label="One event forward" disabled={!isPast} onClick={() => go(seq + 1)}>›</button>
        <span class="facts">{isPast ? `${seq} of ${last}` : `${plural(last + 1, "event")}`}</span>
      </div>
      {!isPast ? null : (
        <div class="bar">
          <span class="muted fact">
            <Text
              of={event === undefined ? "" : `${History.eventName(event)}, ${clock(event.time)} · ${describeSettings(moment.session)}`}
            />
          </span>
          <Button onPress={() => go(last)}>Latest</Button>
          <Button onPress={() => void fork(false)}>Fork from here</Button>
          <Button onPress={() => void fork(true)}>Fork side by side</Button>
          <Button onPress={() => setRewinding(!isRewinding)}>Rewind to here</Button>
          <Button onPress={() => route.page === "session" && Route.go({ ...route, panel: "files" })}>Files</Button>
        </div>
      )}
      {isPast && isRewinding ? <Rewind store={store} seq={seq} onEnd={() => (setRewinding(false), go(last + 1))} /> : null}
    </section>
  )
}

const Rewind = ({ onEnd, seq, store }: { readonly store: SessionStore; readonly seq: number; readonly onEnd: () => void }) => {
  const [files, setFiles] = useState(true)
  const [conversation, setConversation] = useState(true)
  const rewind = async (event: Event) => {
    event.preventDefault()
    if (await store.operate({ _tag: "Rewind", session: store.id, to: seq, files, conversation })) onEnd()
  }
  return (
    <form class="bar" onSubmit={(event) => void rewind(event)}>
      <label class="check">
        <input type="checkbox" checked={files} onInput={({ currentTarget }) => setFiles(currentTarget.checked)} />Files
      </label>
      <label class="check">
        <input type="checkbox" checked={conversation} onInput={({ currentTarget }) => setConversation(currentTarget.checked)} />Conversation
      </label>
      <button type="submit" class="button primary" disabled={!files && !conversation}>Rewind to event {seq}</button>
      <span class="muted">The log keeps everything; another rewind undoes it.</span>
    </form>
  )
}
