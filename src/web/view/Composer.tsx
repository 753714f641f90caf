/** Where the user writes: a task, or during one, steering and what comes after it. */
import { useRef, useState } from "preact/hooks"
import type { Delivery } from "../../domain/session/SessionEvent.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { SessionStore } from "../client/SessionStore.ts"
import { SessionSettings } from "./SessionSettings.tsx"
import { Button } from "./Text.tsx"

export const Composer = ({ session, store }: { readonly store: SessionStore; readonly session: Session }) => {
  const [text, setText] = useState("")
  const input = useRef<HTMLTextAreaElement>(null)
  const isRunning = session.task.state === "running"
  const queued = session.queue.length
  const send = async (delivery?: Delivery) => {
    if (text.trim() === "") return
    const message = text
    setText("")
    if (!await store.operate({ _tag: "Say", session: store.id, text: message, ...(delivery === undefined ? {} : { delivery }) }))
      setText(message)
    input.current?.focus()
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing) return
    if (event.key === "Escape" && isRunning) void store.operate({ _tag: "Interrupt", session: store.id })
    if (event.key !== "Enter" || event.shiftKey) return
    event.preventDefault()
    void send(isRunning ? event.altKey ? "queue" : "steer" : undefined)
  }
  return (
    <form class="composer" onSubmit={(event) => (event.preventDefault(), void send(isRunning ? "steer" : undefined))}>
      <label class="hidden" for="composer">Message</label>
      <textarea
        id="composer"
        ref={input}
        rows={Math.min(8, Math.max(1, text.split("\n").length))}
        placeholder={isRunning ? "Steer the running task" : "Describe a task"}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={onKey}
      />
      <div class="bar">
        <SessionSettings store={store} session={session} />
        {queued === 0 ? null : <span class="tag">{queued} queued</span>}
        {isRunning
          ? (
            <>
              <Button isDanger onPress={() => void store.operate({ _tag: "Interrupt", session: store.id })} hint="Esc">Interrupt</Button>
              <Button isDisabled={text.trim() === ""} onPress={() => void send("queue")} hint="Alt ↵">Queue</Button>
              <Button isPrimary isDisabled={text.trim() === ""} onPress={() => void send("steer")} hint="↵">Steer</Button>
            </>
          )
          : <Button isPrimary isDisabled={text.trim() === ""} onPress={() => void send()} hint="↵">Send</Button>}
      </div>
    </form>
  )
}
