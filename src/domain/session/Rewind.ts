/** What a session can rewind to from memory: the events since its last compaction, and the state before them. */
import * as Data from "effect/Data"
import * as Struct from "effect/Struct"
import type { Content } from "../message/Message.ts"
import * as ToolCalls from "./ToolCalls.ts"
import type { SessionEvent } from "./SessionEvent.ts"
import { type RewindHistory, type Session, empty } from "./SessionState.ts"

export const emptyHistory: RewindHistory = empty.past

/** The past of a state that remembers nothing earlier. */
export const startHistory = (base: Session): RewindHistory => ({ base: { ...base, past: emptyHistory }, events: [], length: 0 })

export const appendEvent = ({ events, base, length }: RewindHistory, at: SessionEvent): RewindHistory => {
  const ownEvents = length > 0 && events.length === length ? events : events.slice(0, length)
  ownEvents.push(at)
  return { base, events: ownEvents, length: length + 1 }
}

/** The events up to and with `seq`. */
export const eventsUpTo = ({ events, length }: RewindHistory, seq: number): ReadonlyArray<SessionEvent> =>
  events.slice(0, length).filter((at) => at.seq <= seq)

/** Whether a moment lies before everything that is remembered. */
export const isBeforeHistory = ({ base }: RewindHistory, seq: number): boolean => base !== undefined && seq < base.seq

/**
 * The conversation as it stood in an earlier state: this goes back, while usage, checkpoints and file facts cover
 * everything that ever happened. Nothing of it resumes without being asked.
 */
export const rewoundConversation = (target: Session): Partial<Session> => ({
  ...Struct.pick(target, conversationKeys),
  requestFailure: undefined,
  activeFallback: undefined,
  wait: undefined,
  ...withoutOpenWork(target)
})

const conversationKeys = [
  "assistantMessageCount",
  "requestTokens",
  "facts",
  "windowUsage",
  "grants",
  "messages",
  "nearMiss",
  "partialText",
  "queue",
  "pendingContent",
  "stop",
  "system",
  "todo",
  "tools"
] as const satisfies ReadonlyArray<keyof Session>

/** A task that was in progress waits for the user; its open calls have ended. */
export const withoutOpenWork = ({ calls, model, task }: Session): Pick<Session, "calls" | "model" | "task"> => ({
  calls: calls.map((call) => call.state === "done" ? call : { ...call, state: "done", outcome: ToolCalls.finalOutcome(call) }),
  model: model === "requested" ? "awaited" : model,
  task: task.state === "running" ? { ...task, state: "interrupted" } : task
})

/** The note to the model when its files and its conversation are from different moments. */
export const mismatchReminder = (conversation: boolean, files: boolean): ReadonlyArray<Content> =>
  conversation === files ? [] : [{ _tag: "Text", text: files ? filesRewoundNotice : filesStayed, origin: "reminder" }]

const filesRewoundNotice =
  "I restored the files to an earlier state, so they no longer match your last edits. Read them again before you rely on them."
const filesStayed =
  "I rewound our conversation but not the files, so they may contain later changes. Read them again before you rely on them."

// Which checkpoint shows the files as they were at a moment of a session.

/** `Now`: none of our tools changed the files since. `Unknown`: something changed them that no checkpoint covers. */
export type Files = Data.TaggedEnum<{ Saved: { readonly id: string }; Now: {}; Unknown: {} }>
export const Files = Data.taggedEnum<Files>()

/**
 * What happened to the files, in order: they were saved; one of our tools changed them; they were moved to another
 * state (`Moved`: a rewind, or a fork, which starts from files that moved on); the user had them (`Left`: between two
 * tasks, when people edit).
 */
type FileMark =
  & { readonly seq: number }
  & ({ readonly _tag: "Saved"; readonly id: string } | { readonly _tag: "Changed" | "Left" | "Moved" })

const fileMarks = (events: ReadonlyArray<SessionEvent>): ReadonlyArray<FileMark> => {
  const changingCalls = new Set<string>()
  return events.flatMap(({ event, seq }): ReadonlyArray<FileMark> => {
    switch (event._tag) {
      case "ToolProposed":
        if (event.kind === "read") changingCalls.delete(event.call)
        else changingCalls.add(event.call)
        return []
      case "ToolFinished":
        return changingCalls.has(event.call) && event.outcome.status !== "denied" ? [{ seq, _tag: "Changed" }] : []
      case "CheckpointSaved":
        return [{ seq, _tag: "Saved", id: event.id }]
      case "Rewound":
        return event.before === undefined ? [] : [{ seq, _tag: "Saved", id: event.before }, { seq, _tag: "Moved" }]
      case "SessionStarted":
        return event.origin === undefined ? [] : [{ seq, _tag: "Moved" }]
      case "UserSaid":
        return event.delivery === "task" ? [{ seq, _tag: "Left" }] : []
      default:
        return []
    }
  })
}

/**
 * The files after the event `seq`. Of two checkpoints with no change of ours in between, the adjacent one is chosen, or
 * else the one that the user's own edits don't separate from it either.
 */
export const filesAt = (events: ReadonlyArray<SessionEvent>, seq: number): Files => {
  const allMarks = fileMarks(events)
  const earlier = allMarks.filter((mark) => mark.seq <= seq)
  const later = allMarks.filter((mark) => mark.seq > seq && mark._tag !== "Left")
  const last = earlier.findLast(({ _tag }) => _tag !== "Left")
  const next = later[0]
  const before = last?._tag === "Saved" ? Files.Saved({ id: last.id }) : undefined
  const after = next === undefined ? Files.Now() : next._tag === "Saved" ? Files.Saved({ id: next.id }) : undefined
  const isAfterTurn = earlier.at(-1)?._tag === "Left" || (next?.seq === seq + 1 && last?.seq !== seq)
  return (isAfterTurn ? after ?? before : before ?? after) ?? Files.Unknown()
}

/** Pairs of checkpoints after `seq` that differ by our changes and not the user's: those of tools, and of rewinds. */
export const agentChanges = (events: ReadonlyArray<SessionEvent>, seq: number): ReadonlyArray<readonly [from: string, to: string]> => [
  ...toolChanges(events, seq),
  ...events.slice(seq + 1).flatMap(({ event, seq }) => {
    if (event._tag !== "Rewound" || event.before === undefined) return []
    const target = filesAt(events.slice(0, seq), event.to)
    return target._tag === "Saved" ? [[event.before, target.id] as const] : []
  })
]

const toolChanges = (events: ReadonlyArray<SessionEvent>, seq: number) => {
  const pairs: Array<readonly [string, string]> = []
  let from: string | undefined
  let hasChanged = false
  for (const mark of fileMarks(events)) {
    if (mark._tag === "Changed") hasChanged = true
    else if (mark._tag === "Saved") {
      if (from !== undefined && hasChanged && mark.seq > seq) pairs.push([from, mark.id])
      from = mark.id
      hasChanged = false
    } else from = undefined
  }
  return pairs
}
