/**
 * What runs, as one tree folded from logs: a session's, and those of the sessions that it started. What they bring comes
 * in any order between sessions, and in its own order within each.
 */
import type { Live, SessionEvent, Settled } from "./SessionEvent.ts"

/** `synthesis`: several reports are made into one text; `retry`: a request is tried again. */
export type Kind = "child" | "command" | "compaction" | "retry" | "synthesis" | "tool"

/**
 * Something that runs. `under` is the id of what it belongs to, absent for the session that is followed; `name` is a tool's or
 * a child's; `detail` says what it is about. A call that gives work away has `total` parts, of which `done` have ended.
 */
export interface Work {
  readonly id: string
  readonly under: string | undefined
  readonly kind: Kind
  readonly name: string
  readonly detail: string
  /** ms since the epoch. */
  readonly since: number
  readonly total?: number
  readonly done?: number
}

/** Something that happened to it; `ms` is how long it took. */
export interface Moment {
  readonly time: number
  readonly what: "started" | "updated" | "ended" | "failed"
  readonly work: Work
  readonly note: string
  readonly ms: number
}

/** What has ended of one name: how often, how often in failure, and how long all of it took, in ms. */
export interface Tally {
  readonly kind: Kind
  readonly count: number
  readonly failed: number
  readonly ms: number
}

/** A state belongs to the step that takes it: `moments` grows in place. `fresh` is what the last event brought. */
export interface Progress {
  readonly since: number
  readonly time: number
  /** In the order in which they began. */
  readonly running: ReadonlyMap<string, Work>
  readonly ended: ReadonlyMap<string, Tally>
  /** The calls that models have written and that do not run yet, by id: a tool's name and what it is about. */
  readonly proposed: ReadonlyMap<string, Pick<Work, "detail" | "kind" | "name">>
  /** Of at least the last thousand moments. */
  readonly moments: Array<Moment>
  readonly fresh: ReadonlyArray<Moment>
}

export const initial = (): Progress => ({ since: 0, time: 0, running: new Map(), ended: new Map(), proposed: new Map(), moments: [], fresh: [] })

/** Moments that are kept. */
export const kept = 1000

/** The last of them, the newest at the end. */
export const recent = ({ moments }: Progress): ReadonlyArray<Moment> => moments.slice(-kept)

/** After an event of `session`; `root` is the session that is followed. */
export const update = (progress: Progress, root: string, session: string, { event, time }: SessionEvent): Progress => {
  const now = { ...at(progress, time), since: progress.since === 0 ? time : progress.since }
  return (steps[event._tag] as Step<Settled> | undefined)?.(now, event, { session, under: session === root ? undefined : session, time }) ?? now
}

/** After something that was only shown; `time` in ms since the epoch. */
export const live = (progress: Progress, session: string, event: Live, time: number): Progress =>
  event._tag === "Output" ? updated(at(progress, time), `${session}/${event.call}`, lastLine(event.text), time) : at(progress, time)

const at = (progress: Progress, time: number): Progress => ({ ...progress, time: Math.max(progress.time, time), fresh: [] })

interface At {
  readonly session: string
  readonly under: string | undefined
  readonly time: number
}

type Step<E> = (progress: Progress, event: E, at: At) => Progress
type Steps = { readonly [Tag in Settled["_tag"]]?: Step<Extract<Settled, { readonly _tag: Tag }>> }

const steps: Steps = {
  ModelResponded: (progress, { content }, at) => {
    const calls = content.flatMap((part) => part._tag === "ToolCall" ? [[`${at.session}/${part.id}`, { name: part.name, detail: firstText(part.params), kind: "tool" as const }] as const] : [])
    return { ...answered(progress, at, ""), proposed: new Map([...progress.proposed, ...calls]) }
  },
  ModelFailed: (progress, { message }, at) => answered(progress, at, message),
  ModelRetrying: (progress, { attempt, message }, at) =>
    begun(answered(progress, at, message), { id: `${at.session}/retry`, under: at.under, kind: "retry", name: "retry", detail: `attempt ${attempt} failed: ${message}`, since: at.time }),
  ToolProposed: (progress, { call, kind }, at) => {
    const id = `${at.session}/${call}`
    const known = progress.proposed.get(id) ?? { name: call, detail: "", kind: "tool" as const }
    return { ...progress, proposed: new Map(progress.proposed).set(id, { ...known, kind: kind === "command" ? "command" : "tool" }) }
  },
  ToolStarted: (progress, { call }, at) => {
    const id = `${at.session}/${call}`
    return begun(progress, { id, under: at.under, since: at.time, ...progress.proposed.get(id) ?? { name: call, detail: "", kind: "tool" } })
  },
  ToolFinished: (progress, { call, outcome: { content, status } }, at) => {
    const id = `${at.session}/${call}`
    const proposed = new Map(progress.proposed)
    proposed.delete(id)
    const why = status === "succeeded" ? "" : content.flatMap((part) => part._tag === "Text" ? [part.text] : []).join("\n")
    return ended({ ...progress, proposed }, id, at.time, status === "succeeded", firstLine(why))
  },
  ChildStarted: (progress, { call, name, of, session }, at) => {
    const above = `${at.session}/${call}`
    return begun(counted(progress, above, 0, of), { id: session, under: above, kind: "child", name, detail: "", since: at.time })
  },
  ChildFinished: (progress, { call, report, session }, at) =>
    ended(counted(progress, `${at.session}/${call}`, 1), session, at.time, report.status === "finished", report.status === "finished" ? "" : `${report.status}: ${firstLine(report.result)}`),
  SummaryRequested: (progress, _, at) => begun(progress, { id: `${at.session}/summary`, under: at.under, kind: "compaction", name: "compaction", detail: "", since: at.time }),
  ContextCompacted: (progress, { failed }, at) => ended(progress, `${at.session}/summary`, at.time, failed === undefined, failed ?? ""),
  SynthesisRequested: (progress, { call }, at) =>
    begun(progress, { id: `${at.session}/${call}/synthesis`, under: `${at.session}/${call}`, kind: "synthesis", name: "synthesis", detail: "", since: at.time }),
  SynthesisEnded: (progress, { call, failed }, at) => ended(progress, `${at.session}/${call}/synthesis`, at.time, failed === undefined, failed ?? ""),
  // What ran when a process died runs no more.
  Resumed: (progress, _, { session, time }) => stopped(progress, session, time),
  TaskFailed: (progress, _, { session, time }) => stopped(progress, session, time)
}

const begun = (progress: Progress, work: Work): Progress =>
  told({ ...progress, running: new Map(progress.running).set(work.id, work) }, { time: work.since, what: "started", work, note: work.detail, ms: 0 })

const updated = (progress: Progress, id: string, note: string, time: number): Progress => {
  const work = progress.running.get(id)
  return work === undefined ? progress : told(progress, { time, what: "updated", work, note, ms: Math.max(0, time - work.since) })
}

/** Ends it and all under it. */
const ended = (progress: Progress, id: string, time: number, succeeded: boolean, note: string): Progress => {
  const work = progress.running.get(id)
  if (work === undefined) return progress
  const below = [...progress.running.values()].filter(({ under }) => under === id)
  const rest = below.reduce((all, inner) => ended(all, inner.id, time, false, ""), progress)
  const running = new Map(rest.running)
  running.delete(id)
  const ms = Math.max(0, time - work.since)
  const tally = rest.ended.get(called(work)) ?? { kind: work.kind, count: 0, failed: 0, ms: 0 }
  const sum = { kind: work.kind, count: tally.count + 1, failed: tally.failed + (succeeded ? 0 : 1), ms: tally.ms + ms }
  return told({ ...rest, running, ended: new Map(rest.ended).set(called(work), sum) }, { time, what: succeeded ? "ended" : "failed", work, note, ms })
}

/** Children are of one kind, whatever they are called. */
const called = ({ kind, name }: Pick<Work, "kind" | "name">): string => kind === "child" ? kind : name

/** A retry lasts until the next answer. */
const answered = (progress: Progress, { session, time }: At, why: string): Progress => ended(progress, `${session}/retry`, time, why === "", why)

const counted = (progress: Progress, id: string, done: number, total?: number): Progress => {
  const work = progress.running.get(id)
  if (work === undefined) return progress
  const next = { ...work, total: total ?? work.total ?? 0, done: (work.done ?? 0) + done }
  return { ...progress, running: new Map(progress.running).set(id, next) }
}

const stopped = (progress: Progress, session: string, time: number): Progress =>
  [...progress.running.values()].filter(({ id }) => id.startsWith(`${session}/`)).reduce((all, { id }) => ended(all, id, time, false, "stopped"), progress)

const told = (progress: Progress, moment: Moment): Progress => {
  progress.moments.push(moment)
  if (progress.moments.length >= 2 * kept) progress.moments.splice(0, progress.moments.length - kept)
  return { ...progress, fresh: [...progress.fresh, moment] }
}

/** ms between two showings of what goes on, by how much runs: more is told less often, and twice a second at least. */
export const pace = ({ running }: Progress): number => Math.min(50 * running.size, 500)

/** Whether a moment is shown, when one was shown last at `last` (ms since the epoch): starts, ends and errors always are. */
export const isDue = (progress: Progress, { time, what }: Moment, last: number): boolean => what !== "updated" || time - last >= pace(progress)

/** What runs in the order of the tree; `depth` counts what it belongs to. */
export interface Branch {
  readonly work: Work
  readonly depth: number
}

export const tree = (progress: Progress, under?: string, depth = 0): ReadonlyArray<Branch> =>
  [...progress.running.values()].filter((work) => work.under === under).flatMap((work) => [{ work, depth }, ...tree(progress, work.id, depth + 1)])

/** ms that something will still take, where there is anything to tell by: its parts that have ended, or three others of its name. */
export const estimate = ({ ended }: Progress, { done = 0, kind, name, since, total = 0 }: Work, now: number): number | undefined => {
  const ms = Math.max(0, now - since)
  if (total > 0) return done === 0 || done >= total ? undefined : Math.round(ms / done * (total - done))
  const tally = ended.get(called({ kind, name }))
  return tally === undefined || tally.count < 3 ? undefined : Math.max(0, Math.round(tally.ms / tally.count - ms))
}

/** `mean` in ms; `perSecond` counts what ended in each second since the first event. */
export interface Summary {
  readonly count: number
  readonly failed: number
  readonly ms: number
  readonly perSecond: number
  readonly by: ReadonlyArray<{ readonly name: string; readonly kind: Kind; readonly count: number; readonly failed: number; readonly mean: number }>
}

/** What it all came to; the most frequent first. */
export const summary = ({ ended, since, time }: Progress): Summary => {
  const all = [...ended].map(([name, { count, failed, kind, ms }]) => ({ name, kind, count, failed, mean: ms / count }))
  const sum = (of: (one: Summary["by"][number]) => number) => all.reduce((total, one) => total + of(one), 0)
  const ms = Math.max(0, time - since)
  const count = sum((one) => one.count)
  return { count, failed: sum((one) => one.failed), ms, perSecond: ms === 0 ? 0 : count * 1000 / ms, by: all.sort((a, b) => b.count - a.count) }
}

const firstText = (params: unknown): string => {
  const text = typeof params === "object" && params !== null ? Object.values(params).find((value) => typeof value === "string") : undefined
  return text === undefined ? "" : firstLine(String(text))
}

const firstLine = (text: string): string => text.trim().split("\n", 1)[0]!.slice(0, 200)
const lastLine = (text: string): string => (text.trimEnd().split("\n").at(-1) ?? "").slice(-200)
