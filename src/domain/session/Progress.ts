/**
 * Everything that is running, as one tree folded from logs: a session's, and those of the sessions it started. Events
 * of different sessions may arrive in any order; events of one session arrive in sequence.
 */
import type { Live, SessionEvent, Settled } from "./SessionEvent.ts"

/** `synthesis`: several reports are combined into one text; `retry`: a request is tried again. */
export type Kind = "child" | "command" | "compaction" | "retry" | "synthesis" | "tool"

/**
 * Something that is running. `parentId` is the id of its parent, absent for the session that is followed; `name` is a tool's or a
 * subagent's; `detail` describes it. A call that delegates work has `total` parts, of which `done` have ended.
 */
export interface Work {
  readonly id: string
  readonly parentId: string | undefined
  readonly kind: Kind
  readonly name: string
  readonly detail: string
  /** ms since the epoch. */
  readonly startedAt: number
  readonly total?: number
  readonly done?: number
}

/** Something that happened to it; `ms` is its duration. */
export interface ProgressEvent {
  readonly time: number
  readonly phase: "started" | "updated" | "ended" | "failed"
  readonly work: Work
  readonly note: string
  readonly ms: number
}

/** What has ended under one name: how many times, how many of these failed, and the total duration in ms. */
export interface Tally {
  readonly kind: Kind
  readonly count: number
  readonly failed: number
  readonly ms: number
}

/** A state belongs to the step that receives it: `moments` grows in place. `fresh` is what the last event added. */
export interface Progress {
  readonly since: number
  readonly time: number
  /** In the order in which they began. */
  readonly running: ReadonlyMap<string, Work>
  readonly tallies: ReadonlyMap<string, Tally>
  /** Calls that models have written and that are not running yet, by id: a tool's name and what it is about. */
  readonly proposed: ReadonlyMap<string, Pick<Work, "detail" | "kind" | "name">>
  /** At least the last thousand moments. */
  readonly progressEvents: Array<ProgressEvent>
  readonly newEvents: ReadonlyArray<ProgressEvent>
}

export const initial = (): Progress => ({
  since: 0,
  time: 0,
  running: new Map(),
  tallies: new Map(),
  proposed: new Map(),
  progressEvents: [],
  newEvents: []
})

/** The number of moments to retain. */
export const maxEvents = 1000

/** The last of them, the newest at the end. */
export const recent = ({ progressEvents }: Progress): ReadonlyArray<ProgressEvent> => progressEvents.slice(-maxEvents)

/** After an event of `session`; `root` is the session that is followed. */
export const update = (progress: Progress, root: string, session: string, { event, time }: SessionEvent): Progress => {
  const now = { ...at(progress, time), since: progress.since === 0 ? time : progress.since }
  return (steps[event._tag] as Step<Settled> | undefined)?.(now, event, {
    session,
    parentId: session === root ? undefined : session,
    time
  }) ?? now
}

/** After a live event; `time` in ms since the epoch. */
export const updateLive = (progress: Progress, session: string, event: Live, time: number): Progress =>
  event._tag === "Output" ? updated(at(progress, time), `${session}/${event.call}`, lastLine(event.text), time) : at(progress, time)

const at = (progress: Progress, time: number): Progress => ({ ...progress, time: Math.max(progress.time, time), newEvents: [] })

interface At {
  readonly session: string
  readonly parentId: string | undefined
  readonly time: number
}

type Step<E> = (progress: Progress, event: E, at: At) => Progress
type Steps = { readonly [Tag in Settled["_tag"]]?: Step<Extract<Settled, { readonly _tag: Tag }>> }

const steps: Steps = {
  ModelResponded: (progress, { content }, at) => {
    const calls = content.flatMap((part) =>
      part._tag === "ToolCall"
        ? [[`${at.session}/${part.id}`, { name: part.name, detail: firstText(part.params), kind: "tool" as const }] as const] : []
    )
    return { ...endRetry(progress, at, ""), proposed: new Map([...progress.proposed, ...calls]) }
  },
  ModelFailed: (progress, { message }, at) => endRetry(progress, at, message),
  ModelRetrying: (progress, { attempt, message }, at) =>
    start(endRetry(progress, at, message), {
      id: `${at.session}/retry`,
      parentId: at.parentId,
      kind: "retry",
      name: "retry",
      detail: `attempt ${attempt} failed: ${message}`,
      startedAt: at.time
    }),
  ToolProposed: (progress, { call, kind }, at) => {
    const id = `${at.session}/${call}`
    const previous = progress.proposed.get(id) ?? { name: call, detail: "", kind: "tool" as const }
    return { ...progress, proposed: new Map(progress.proposed).set(id, { ...previous, kind: kind === "command" ? "command" : "tool" }) }
  },
  ToolStarted: (progress, { call }, at) => {
    const id = `${at.session}/${call}`
    return start(progress, {
      id,
      parentId: at.parentId,
      startedAt: at.time,
      ...progress.proposed.get(id) ?? { name: call, detail: "", kind: "tool" }
    })
  },
  ToolFinished: (progress, { call, outcome: { content, status } }, at) => {
    const id = `${at.session}/${call}`
    const proposed = new Map(progress.proposed)
    proposed.delete(id)
    const why = status === "succeeded" ? "" : content.flatMap((part) => part._tag === "Text" ? [part.text] : []).join("\n")
    return end({ ...progress, proposed }, id, at.time, status === "succeeded", firstLine(why))
  },
  ChildStarted: (progress, { call, name, of, session }, at) => {
    const parentId = `${at.session}/${call}`
    return start(addDone(progress, parentId, 0, of), {
      id: session,
      parentId: parentId,
      kind: "child",
      name,
      detail: "",
      startedAt: at.time
    })
  },
  ChildFinished: (progress, { call, report, session }, at) =>
    end(
      addDone(progress, `${at.session}/${call}`, 1),
      session,
      at.time,
      report.status === "finished",
      report.status === "finished" ? "" : `${report.status}: ${firstLine(report.result)}`
    ),
  SummaryRequested: (progress, _, at) =>
    start(progress, {
      id: `${at.session}/summary`,
      parentId: at.parentId,
      kind: "compaction",
      name: "compaction",
      detail: "",
      startedAt: at.time
    }),
  ContextCompacted: (progress, { failed }, at) => end(progress, `${at.session}/summary`, at.time, failed === undefined, failed ?? ""),
  SynthesisRequested: (progress, { call }, at) =>
    start(progress, {
      id: `${at.session}/${call}/synthesis`,
      parentId: `${at.session}/${call}`,
      kind: "synthesis",
      name: "synthesis",
      detail: "",
      startedAt: at.time
    }),
  SynthesisEnded: (progress, { call, failed }, at) =>
    end(progress, `${at.session}/${call}/synthesis`, at.time, failed === undefined, failed ?? ""),
  // When a process dies or is stopped, nothing it ran is running any more.
  Interrupted: (progress, _, { session, time }) => stopAll(progress, session, time),
  Resumed: (progress, _, { session, time }) => stopAll(progress, session, time),
  TaskFailed: (progress, _, { session, time }) => stopAll(progress, session, time)
}

const start = (progress: Progress, work: Work): Progress =>
  record({ ...progress, running: new Map(progress.running).set(work.id, work) }, {
    time: work.startedAt,
    phase: "started",
    work,
    note: work.detail,
    ms: 0
  })

const updated = (progress: Progress, id: string, note: string, time: number): Progress => {
  const work = progress.running.get(id)
  return work === undefined ? progress : record(progress, { time, phase: "updated", work, note, ms: Math.max(0, time - work.startedAt) })
}

/** Ends it and everything under it. */
const end = (progress: Progress, id: string, time: number, succeeded: boolean, note: string): Progress => {
  const work = progress.running.get(id)
  if (work === undefined) return progress
  const below = [...progress.running.values()].filter(({ parentId }) => parentId === id)
  const withoutInner = below.reduce((state, inner) => end(state, inner.id, time, false, ""), progress)
  const running = new Map(withoutInner.running)
  running.delete(id)
  const ms = Math.max(0, time - work.startedAt)
  const tally = withoutInner.tallies.get(tallyName(work)) ?? { kind: work.kind, count: 0, failed: 0, ms: 0 }
  const sum = { kind: work.kind, count: tally.count + 1, failed: tally.failed + (succeeded ? 0 : 1), ms: tally.ms + ms }
  return record({ ...withoutInner, running, tallies: new Map(withoutInner.tallies).set(tallyName(work), sum) }, {
    time,
    phase: succeeded ? "ended" : "failed",
    work,
    note,
    ms
  })
}

/** All subagents count as one kind, whatever their names. */
const tallyName = ({ kind, name }: Pick<Work, "kind" | "name">): string => kind === "child" ? kind : name

/** A retry lasts until the next response. */
const endRetry = (progress: Progress, { session, time }: At, why: string): Progress =>
  end(progress, `${session}/retry`, time, why === "", why)

const addDone = (progress: Progress, id: string, done: number, total?: number): Progress => {
  const work = progress.running.get(id)
  if (work === undefined) return progress
  const next = { ...work, total: total ?? work.total ?? 0, done: (work.done ?? 0) + done }
  return { ...progress, running: new Map(progress.running).set(id, next) }
}

const stopAll = (progress: Progress, session: string, time: number): Progress =>
  [...progress.running.values()].filter(({ id }) => id.startsWith(`${session}/`)).reduce(
    (state, { id }) => end(state, id, time, false, "stopped"),
    progress
  )

const record = (progress: Progress, progressEvent: ProgressEvent): Progress => {
  progress.progressEvents.push(progressEvent)
  if (progress.progressEvents.length >= 2 * maxEvents) progress.progressEvents.splice(0, progress.progressEvents.length - maxEvents)
  return { ...progress, newEvents: [...progress.newEvents, progressEvent] }
}

/**
 * The interval between progress updates in ms, by how much is running: with more to report, updates are rarer, but come
 * at least twice a second.
 */
export const minIntervalMs = ({ running }: Progress): number => Math.min(50 * running.size, 500)

/** Whether to show a moment when the last one was shown at `last` (ms since the epoch): starts, ends and errors always are. */
export const isDue = (progress: Progress, { time, phase }: ProgressEvent, last: number): boolean =>
  phase !== "updated" || time - last >= minIntervalMs(progress)

/** Everything that is running, in tree order; `depth` counts its ancestors. */
export interface Branch {
  readonly work: Work
  readonly depth: number
}

export const tree = (progress: Progress, parentId?: string, depth = 0): ReadonlyArray<Branch> =>
  [...progress.running.values()].filter((work) => work.parentId === parentId).flatMap((
    work
  ) => [{ work, depth }, ...tree(progress, work.id, depth + 1)])

/** The estimated remaining time in ms, if there is a basis for it: completed parts, or three earlier ones of the same name. */
export const estimate = ({ tallies }: Progress, { done = 0, kind, name, startedAt, total = 0 }: Work, now: number): number | undefined => {
  const ms = Math.max(0, now - startedAt)
  if (total > 0) return done === 0 || done >= total ? undefined : Math.round(ms / done * (total - done))
  const tally = tallies.get(tallyName({ kind, name }))
  return tally === undefined || tally.count < 3 ? undefined : Math.max(0, Math.round(tally.ms / tally.count - ms))
}

/** `mean` in ms; `perSecond` counts what ended in each second since the first event. */
export interface Summary {
  readonly count: number
  readonly failed: number
  readonly ms: number
  readonly perSecond: number
  readonly by: ReadonlyArray<
    { readonly name: string; readonly kind: Kind; readonly count: number; readonly failed: number; readonly mean: number }
  >
}

/** The summary of everything; the most frequent first. */
export const summary = ({ tallies, since, time }: Progress): Summary => {
  const rows = [...tallies].map(([name, { count, failed, kind, ms }]) => ({ name, kind, count, failed, mean: ms / count }))
  const sum = (of: (one: Summary["by"][number]) => number) => rows.reduce((total, one) => total + of(one), 0)
  const ms = Math.max(0, time - since)
  const count = sum((one) => one.count)
  return {
    count,
    failed: sum((one) => one.failed),
    ms,
    perSecond: ms === 0 ? 0 : count * 1000 / ms,
    by: rows.sort((a, b) => b.count - a.count)
  }
}

const firstText = (params: unknown): string => {
  const text = typeof params === "object" && params !== null ? Object.values(params).find((value) => typeof value === "string") : undefined
  return text === undefined ? "" : firstLine(String(text))
}

const firstLine = (text: string): string => text.trim().split("\n", 1)[0]!.slice(0, 200)
const lastLine = (text: string): string => (text.trimEnd().split("\n").at(-1) ?? "").slice(-200)
