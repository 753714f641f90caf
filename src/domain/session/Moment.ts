/** Which checkpoint shows the files as they were at a moment of a session. */
import * as Data from "effect/Data"
import type { SessionEvent } from "./SessionEvent.ts"

/** `Now`: nothing of ours has changed them since. `Unknown`: something did that no checkpoint stands around. */
export type Files = Data.TaggedEnum<{ Saved: { readonly id: string }; Now: {}; Unknown: {} }>
export const Files = Data.taggedEnum<Files>()

/**
 * What happened to the files, in order: they were saved; a tool of ours changed them; they went to another moment
 * (`Moved`: a rewind, or a fork, which begins in files that went on); the user had them to themselves (`Left`: between
 * two tasks, when people edit).
 */
type Mark = { readonly seq: number } & ({ readonly _tag: "Saved"; readonly id: string } | { readonly _tag: "Changed" | "Left" | "Moved" })

const marks = (events: ReadonlyArray<SessionEvent>): ReadonlyArray<Mark> => {
  const changing = new Set<string>()
  return events.flatMap(({ event, seq }): ReadonlyArray<Mark> => {
    switch (event._tag) {
      case "ToolProposed":
        if (event.kind === "read") changing.delete(event.call)
        else changing.add(event.call)
        return []
      case "ToolFinished":
        return changing.has(event.call) && event.outcome.status !== "denied" ? [{ seq, _tag: "Changed" }] : []
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
 * The files after the event `seq`. Of two checkpoints that nothing of ours parts from it, the one that stands beside it,
 * else the one that the user's own edits don't part from it either.
 */
export const files = (events: ReadonlyArray<SessionEvent>, seq: number): Files => {
  const all = marks(events)
  const past = all.filter((mark) => mark.seq <= seq)
  const coming = all.filter((mark) => mark.seq > seq && mark._tag !== "Left")
  const last = past.findLast(({ _tag }) => _tag !== "Left")
  const next = coming[0]
  const before = last?._tag === "Saved" ? Files.Saved({ id: last.id }) : undefined
  const after = next === undefined ? Files.Now() : next._tag === "Saved" ? Files.Saved({ id: next.id }) : undefined
  const later = past.at(-1)?._tag === "Left" || (next?.seq === seq + 1 && last?.seq !== seq)
  return (later ? after ?? before : before ?? after) ?? Files.Unknown()
}

/** Pairs of checkpoints after `seq` that differ by what we did, and not the user: by tools, and by going back. */
export const ours = (events: ReadonlyArray<SessionEvent>, seq: number): ReadonlyArray<readonly [from: string, to: string]> => [
  ...byTools(events, seq),
  ...events.slice(seq + 1).flatMap(({ event, seq }) => {
    if (event._tag !== "Rewound" || event.before === undefined) return []
    const target = files(events.slice(0, seq), event.to)
    return target._tag === "Saved" ? [[event.before, target.id] as const] : []
  })
]

const byTools = (events: ReadonlyArray<SessionEvent>, seq: number) => {
  const pairs: Array<readonly [string, string]> = []
  let from: string | undefined
  let changed = false
  for (const mark of marks(events)) {
    if (mark._tag === "Changed") changed = true
    else if (mark._tag === "Saved") {
      if (from !== undefined && changed && mark.seq > seq) pairs.push([from, mark.id])
      from = mark.id
      changed = false
    } else from = undefined
  }
  return pairs
}
