/** The conversation, which stays at its end while the user does not scroll up. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { SessionStore } from "../client/SessionStore.ts"
import type { Moment } from "../model/History.ts"
import type { Entry } from "../model/Timeline.ts"
import { AnsiText } from "./AnsiText.tsx"
import { EntryView, Reasoning } from "./EntryView.tsx"
import { Markdown } from "./Markdown.tsx"
import { Windowed } from "./Windowed.tsx"
import { count, Text } from "./Text.tsx"
import * as CallSummary from "../../cli/render/view/CallSummary.ts"

/** How near to its end a view counts as there, in px. */
const nearEnd = 60

const renderEntry = (entry: Entry) => (
  <EntryView key={`${entry.seq}-${"index" in entry ? entry.index : "id" in entry ? entry.id : entry._tag}`} entry={entry} />
)

export const Conversation = (
  { isPast, moment, store }: { readonly store: SessionStore; readonly moment: Moment; readonly isPast: boolean }
) => {
  const scroller = useRef<HTMLDivElement>(null)
  const [isPinned, setPinned] = useState(true)
  const live = store.live.value
  useLayoutEffect(() => {
    const element = scroller.current
    if (element !== null && (isPinned || isPast)) element.scrollTop = element.scrollHeight
  })
  const onScroll = ({ currentTarget }: { readonly currentTarget: HTMLElement }) => {
    const isAtEnd = currentTarget.scrollHeight - currentTarget.scrollTop - currentTarget.clientHeight < nearEnd
    if (isAtEnd !== isPinned) setPinned(isAtEnd)
  }
  return (
    <div class="scroller" ref={scroller} onScroll={onScroll} tabIndex={0} role="region" aria-label="Conversation">
      <div class="conversation">
        {moment.timeline.entries.length === 0 && store.connection.value !== "loading" ? <p class="empty">Nothing has been said yet.</p>
          : null}
        <Windowed items={moment.timeline.entries} size={16} estimate={60} render={renderEntry} />
        {isPast ? null : (
          <div class="live" aria-busy={live.text !== ""}>
            {live.isPartial ? <p class="note">The beginning of this response appears when it is complete.</p> : null}
            {live.reasoning === "" ? null : <Reasoning text={live.reasoning} isOpen={live.text === ""} />}
            {live.text === "" ? null : (
              <article class="entry answer">
                <Markdown text={live.text} />
              </article>
            )}
            {live.calls.map(({ id, name, params }) => (
              <p key={id} class="note">
                <Text of={CallSummary.describeCall(name, params)} />{" "}
                <span class="muted">{count(CallSummary.writtenLength(params))} characters</span>
              </p>
            ))}
            {[...live.output].map(([call, text]) => <AnsiText key={call} text={text} label="Output of the running command" />)}
            {live.notices.map((notice, i) => (
              <p key={i} class="note">
                <Text of={notice} />
              </p>
            ))}
            {live.saving === undefined ? null : <p class="note">Saving a checkpoint: {live.saving.saved} of {live.saving.total} files</p>}
          </div>
        )}
      </div>
      {isPinned || isPast ? null : <button type="button" class="button to-end" onClick={() => setPinned(true)}>Jump to the end</button>}
    </div>
  )
}
