/** What a session can go back to by itself: the events since its last compaction, and the state that they began from. */
import type { Content } from "../message/Message.ts"
import * as Outcome from "../tool/Outcome.ts"
import * as Calls from "./ToolCalls.ts"
import type { Session } from "./Session.ts"
import type { SessionEvent } from "./SessionEvent.ts"

/** `events` grow in place: only the newest state owns all of them, an older one its first `length`. */
export interface Past {
  readonly from: Session | undefined
  readonly events: Array<SessionEvent>
  readonly length: number
}

export const none: Past = { from: undefined, events: [], length: 0 }

/** The past of a state that nothing before it is remembered of. */
export const begin = (from: Session): Past => ({ from: { ...from, past: none }, events: [], length: 0 })

export const add = ({ events, from, length }: Past, at: SessionEvent): Past => {
  const own = length > 0 && events.length === length ? events : events.slice(0, length)
  own.push(at)
  return { from, events: own, length: length + 1 }
}

/** The events up to and with `seq`. */
export const upTo = ({ events, length }: Past, seq: number): ReadonlyArray<SessionEvent> =>
  events.slice(0, length).filter((at) => at.seq <= seq)

/** Whether a moment lies before all that is remembered. */
export const isBefore = ({ from }: Past, seq: number): boolean => from !== undefined && seq < from.seq

/**
 * What was said, as it stood in an earlier state: this goes back, while usage, checkpoints and file facts hold for all
 * that ever happened. Nothing of it runs on by itself.
 */
export const conversation = (earlier: Session): Partial<Session> => {
  const { answers, asked, facts, gauge, grants, messages, nearMiss, partial, queue, said, stop, system, todo } = earlier
  const unhindered = { setback: undefined, standIn: undefined, wait: undefined }
  return { answers, asked, facts, gauge, grants, messages, nearMiss, partial, queue, said, stop, system, todo, ...unhindered, ...stopped(earlier) }
}

/** A task that was in its middle waits for the user's word; its open calls have ended. */
export const stopped = ({ calls, model, task }: Session): Pick<Session, "calls" | "model" | "task"> => ({
  calls: calls.map(Calls.givenUp).map((call) => call.state === "done" ? call : { ...call, state: "done", outcome: left }),
  model: model === "requested" ? "awaited" : model,
  task: task.state === "running" ? { ...task, state: "interrupted" } : task
})

const left = Outcome.interrupted("The session was taken back to a moment before this was done.")

/** What the model is told where its files and its conversation are of different moments. */
export const told = (conversation: boolean, files: boolean): ReadonlyArray<Content> =>
  conversation === files ? [] : [{ _tag: "Text", text: files ? filesWentBack : filesStayed, origin: "reminder" }]

const filesWentBack = "I took the files back to an earlier moment: they are not as you left them. Read before you rely on them."
const filesStayed = "I took our conversation back to an earlier moment, but not the files: they may hold later changes. Read before you rely on them."
