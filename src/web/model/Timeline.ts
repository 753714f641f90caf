/**
 * The conversation of a session as the page shows it: a fold over settled events. The array of entries grows in place; an entry is
 * replaced, never changed, so that a view compares entries by identity.
 */
import * as ErrorReport from "../../domain/ErrorReport.ts"
import type { Content, ResultContent } from "../../domain/message/Message.ts"
import * as Model from "../../domain/provider/Model.ts"
import type { SessionEvent, Settled } from "../../domain/session/SessionEvent.ts"
import type { Access } from "../../domain/tool/Access.ts"
import type { Outcome } from "../../domain/tool/Outcome.ts"

type Of<Tag extends Settled["_tag"]> = Extract<Settled, { readonly _tag: Tag }>
type Image = Extract<Content | ResultContent, { readonly _tag: "Image" }>

export type Tone = "info" | "good" | "warn" | "bad"

/** A delegated task of a call: a session of its own. */
export interface Subagent {
  readonly session: string
  readonly name: string
  readonly report: Of<"ChildFinished">["report"] | undefined
}

export interface ToolEntry {
  readonly _tag: "Tool"
  readonly seq: number
  readonly time: number
  readonly id: string
  readonly name: string
  readonly params: unknown
  readonly access: ReadonlyArray<Access>
  readonly kind: "read" | "edit" | "command"
  readonly risk: "low" | "medium" | "high" | undefined
  readonly reason: string
  /** What the rules decided, by which rule, and the rules that would allow the call. */
  readonly verdict: Of<"ToolProposed">["decision"] | undefined
  readonly rule: string | undefined
  readonly offer: ReadonlyArray<string>
  readonly decision: Of<"ApprovalDecided"> | undefined
  readonly state: "proposed" | "asked" | "running" | "done"
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
  readonly outcome: Outcome | undefined
  readonly subagents: ReadonlyArray<Subagent>
}

/**
 * `seq` is the event that an entry begins with, `time` when it was logged in ms since the epoch. `isLeft`: the conversation went back
 * to before it.
 */
export type Entry = EntryCase & { readonly isLeft?: boolean }

type EntryCase =
  | {
    readonly _tag: "User"
    readonly seq: number
    readonly time: number
    readonly text: string
    readonly delivery: Of<"UserSaid">["delivery"]
    readonly images: ReadonlyArray<Image>
  }
  | { readonly _tag: "Answer"; readonly seq: number; readonly time: number; readonly index: number; readonly text: string }
  | { readonly _tag: "Reasoning"; readonly seq: number; readonly time: number; readonly index: number; readonly text: string }
  | ToolEntry
  | { readonly _tag: "Note"; readonly seq: number; readonly time: number; readonly text: string; readonly tone: Tone }
  /** Of a fork: the session that it comes from, and the last event of both. */
  | { readonly _tag: "Origin"; readonly seq: number; readonly time: number; readonly session: string; readonly at: number }
  | {
    readonly _tag: "Checkpoint"
    readonly seq: number
    readonly time: number
    readonly id: string
    readonly why: string
    readonly files: number
  }
  | { readonly _tag: "Rewound"; readonly seq: number; readonly time: number; readonly to: number; readonly text: string }
  | { readonly _tag: "End"; readonly seq: number; readonly time: number; readonly text: string; readonly tone: Tone }

export interface Timeline {
  /** Grows in place: the fold owns the array. */
  readonly entries: Array<Entry>
  /** Where the entry of each tool call is. */
  readonly calls: Map<string, number>
}

export const make = (): Timeline => ({ entries: [], calls: new Map() })

/** A copy that grows on its own. */
export const copy = ({ calls, entries }: Timeline): Timeline => ({ entries: entries.slice(), calls: new Map(calls) })

/** Adds one event; returns whether anything changed. */
export const push = (timeline: Timeline, at: SessionEvent): boolean => {
  if (at.event._tag === "Rewound" && at.event.conversation) leave(timeline, at.event.to)
  const entries = added(timeline, at)
  for (const entry of entries) {
    if (entry._tag === "Tool") timeline.calls.set(entry.id, timeline.entries.length)
    timeline.entries.push(entry)
  }
  return entries.length > 0 || changed(timeline, at)
}

/** The model does not see what came after the event `to` any more. */
const leave = ({ entries }: Timeline, to: number): void => {
  for (let i = entries.length - 1; i >= 0 && entries[i]!.seq > to; i--) entries[i] = { ...entries[i]!, isLeft: true }
}

const added = (timeline: Timeline, { event, seq, time }: SessionEvent): ReadonlyArray<Entry> => {
  const at = { seq, time }
  const note = (text: string, tone: Tone = "info"): ReadonlyArray<Entry> => [{ _tag: "Note", ...at, text, tone }]
  switch (event._tag) {
    case "SessionStarted":
      return event.origin === undefined ? [] : [{ _tag: "Origin", ...at, session: event.origin.id, at: event.origin.seq }]
    case "UserSaid":
      return [{
        _tag: "User",
        ...at,
        text: event.text,
        delivery: event.delivery,
        images: (event.parts ?? []).flatMap((part) => part._tag === "Image" ? [part] : [])
      }, ...(event.parts ?? []).flatMap((part) => part._tag === "Text" && part.origin === "notice" ? note(part.text, "warn") : [])]
    case "ModelResponded":
      return [
        ...event.content.flatMap((part, index): ReadonlyArray<Entry> =>
          part._tag === "Text" ? part.text.trim() === "" ? [] : [{ _tag: "Answer", ...at, index, text: part.text }]
            : part._tag === "Reasoning" ? part.text.trim() === "" ? [] : [{ _tag: "Reasoning", ...at, index, text: part.text }]
            : part._tag === "ToolCall" ? [tool(at, part)]
            : []
        ),
        ...event.warnings.flatMap((warning) => note(warning, "warn"))
      ]
    case "ModelRetrying":
      return note(`Attempt ${event.attempt} failed: ${event.message}`, "warn")
    case "ModelWaiting":
      return note(event.message, "warn")
    case "ModelFailed":
      return event.reason._tag === "Interrupted"
        ? event.said === undefined || event.said.trim() === "" ? [] : [{ _tag: "Answer", ...at, index: 0, text: event.said }]
        : note(event.message, "bad")
    case "FallbackTaken":
      return note(`${event.why} Continuing with ${event.model.provider}/${event.model.id}.`, "warn")
    case "ModeSwitched":
      return note(`Permission mode: ${event.mode}.`)
    case "ModelSwitched":
      return note(`Model: ${Model.nameWithEffort(event.model)}.`)
    case "ContextCompacted":
      return note(
        event.before === event.after ? "Nothing to compact yet."
          : `Compacted: the conversation went from about ${event.before} to ${event.after} tokens.`
      )
    case "CheckpointSaved":
      return event.counts.files === 0 && timeline.entries.length > 0 ? []
        : [{ _tag: "Checkpoint", ...at, id: event.id, why: event.why, files: event.counts.files }]
    case "CheckpointsOff":
      return note(`Checkpoints are off: ${event.why}`, "warn")
    case "BudgetExhausted":
      return note(
        `The ${event.level} budget is exhausted: ${event.left} of ${event.limit} ${event.unit} left, ${event.needs} needed.`,
        "bad"
      )
    case "HookRan":
      return event.notice === undefined ? [] : note(event.notice)
    case "Interrupted":
      return [{ _tag: "End", ...at, text: event.why, tone: "warn" }]
    case "Rewound":
      return [{
        _tag: "Rewound",
        ...at,
        to: event.to,
        text: `Rewound ${
          event.files && event.conversation ? "files and conversation" : event.files ? "files" : "the conversation"
        } to event ${event.to}.`
      }]
    case "TaskFinished":
      return isRepeated(timeline, event.result) ? [{ _tag: "End", ...at, text: "", tone: "good" }]
        : [{ _tag: "End", ...at, text: event.result, tone: "good" }]
    case "TaskFailed":
      return [{ _tag: "End", ...at, text: ErrorReport.line(ErrorReport.ofTask(event)), tone: "bad" }]
    default:
      return []
  }
}

/** A result that only repeats the last answer is on the screen already. */
const isRepeated = ({ entries }: Timeline, result: string): boolean => {
  const last = entries.findLast((entry) => entry._tag === "Answer" || entry._tag === "User")
  return result.trim() === "" || (last?._tag === "Answer" && last.text.trim() === result.trim())
}

const tool = (
  at: { readonly seq: number; readonly time: number },
  { id, name, params }: { readonly id: string; readonly name: string; readonly params: unknown }
): ToolEntry => ({
  _tag: "Tool",
  ...at,
  id,
  name,
  params,
  access: [],
  kind: "read",
  risk: undefined,
  reason: "",
  verdict: undefined,
  rule: undefined,
  offer: [],
  decision: undefined,
  state: "proposed",
  startedAt: undefined,
  endedAt: undefined,
  outcome: undefined,
  subagents: []
})

/** Events that say more about a call. */
const changed = (timeline: Timeline, { event, time }: SessionEvent): boolean => {
  if (!("call" in event) || typeof event.call !== "string") return false
  const index = timeline.calls.get(event.call)
  const entry = index === undefined ? undefined : timeline.entries[index]
  if (index === undefined || entry?._tag !== "Tool") return false
  const changes = callChanges(entry, event, time)
  if (changes === undefined) return false
  timeline.entries[index] = { ...entry, ...changes }
  return true
}

const callChanges = (entry: ToolEntry, event: Settled, time: number): Partial<ToolEntry> | undefined => {
  switch (event._tag) {
    case "ToolProposed":
      return {
        ...{ access: event.access, kind: event.kind, risk: event.risk, reason: event.reason },
        ...{ verdict: event.decision, rule: event.rule, offer: event.offer }
      }
    case "ApprovalAsked":
      return { state: "asked" }
    case "ApprovalDecided":
      return { decision: event, state: "proposed", ...(event.params === undefined ? {} : { params: event.params }) }
    case "ToolStarted":
      return { state: "running", startedAt: time }
    case "ToolFinished":
      return { state: "done", outcome: event.outcome, endedAt: time }
    case "ChildStarted":
      return { subagents: [...entry.subagents, { session: event.session, name: event.name, report: undefined }] }
    case "ChildFinished":
      return { subagents: entry.subagents.map((one) => one.session === event.session ? { ...one, report: event.report } : one) }
    default:
      return undefined
  }
}
