/** Running work on a screen, in lines and as JSON. */
import * as Progress from "../../../domain/session/Progress.ts"
import type * as Protocol from "../json/StreamJsonSchema.ts"
import { text } from "../view/DisplayText.ts"
import type { Theme } from "./Theme.ts"

/** What children do, as a tree under the call that gave them their work; empty where nobody was given any. */
export const tree = (progress: Progress.Progress, theme: Theme, now: number): ReadonlyArray<string> =>
  Progress.tree(progress).flatMap(({ depth, work }) =>
    depth === 0 && work.total === undefined ? [] : [branch(progress, work, depth, theme, now)])

const branch = (progress: Progress.Progress, work: Progress.Work, depth: number, theme: Theme, now: number): string => {
  const left = Progress.estimate(progress, work, now)
  const parts = work.total === undefined ? "" : ` ${bar(work.done ?? 0, work.total)} ${work.done ?? 0}/${work.total}`
  const told = [took(Math.max(0, now - work.since)), left === undefined ? "" : `about ${took(left)} left`].filter((part) => part !== "").join(", ")
  return `${"  ".repeat(depth)}${depth === 0 ? theme.accent("◐") : theme.dim("└")} ${what(work)}${parts} ${theme.dim(told)}`
}

const cells = 10

const bar = (done: number, total: number): string => {
  const full = Math.round(cells * done / Math.max(1, total))
  return "█".repeat(full) + "░".repeat(cells - full)
}

/** A name and what it is about, on one line. */
const what = ({ detail, kind, name }: Progress.Work): string => {
  const line = text(detail === "" || kind === "child" ? name : `${name} ${detail}`).replaceAll("\n", " ")
  return line.length <= 100 ? line : `${line.slice(0, 99)}…`
}

/** `120 ms`, `3.4 s`, `2 min 5 s`. */
export const took = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms`
  : ms < 60_000 ? `${(ms / 1000).toFixed(1)} s`
  : `${Math.floor(ms / 60_000)} min ${Math.round(ms % 60_000 / 1000)} s`

const signs: Readonly<Record<Progress.Moment["what"], (theme: Theme) => string>> = {
  started: ({ accent }) => accent("▸"),
  updated: ({ dim }) => dim("·"),
  ended: ({ good }) => good("✓"),
  failed: ({ bad }) => bad("✗")
}

/** A moment as a line, for output that only grows: who did what, in which state, and how long it took. */
export const line = (progress: Progress.Progress, { ms, note, what: state, work }: Progress.Moment, theme: Theme): string => {
  const owner = progress.running.get(work.under ?? "")
  const whose = owner?.kind === "child" ? `${text(owner.name)}: ` : ""
  const said = state === "started" || note === "" ? "" : `: ${text(note).replaceAll("\n", " ")}`
  return `${signs[state](theme)} ${whose}${what(work)}${said}${state === "started" ? "" : theme.dim(` (${took(ms)})`)}`
}

/** What it all came to, in one line; empty where no tool ran. */
export const summary = (progress: Progress.Progress): string => {
  const { by, count, failed, perSecond } = Progress.summary(progress)
  if (by.every(({ kind }) => kind === "retry")) return ""
  const each = by.map(({ count, failed, mean, name }) => `${count} × ${text(name)} ${took(mean)}${failed === 0 ? "" : ` (${failed} failed)`}`)
  return `${count} ended${failed === 0 ? "" : `, ${failed} in failure`}, ${perSecond.toFixed(1)} a second. On average ${each.join(", ")}`
}

/** A moment for programs. Times in ms; `left` is an estimate. */
export const json = (session: string, progress: Progress.Progress, { ms, note, time, what, work }: Progress.Moment): Protocol.Moment => {
  const left = Progress.estimate(progress, work, time)
  return {
    type: "system",
    subtype: "progress",
    session_id: session,
    state: what,
    kind: work.kind,
    name: work.name,
    id: work.id,
    parent: work.under ?? null,
    ...(work.total === undefined ? {} : { total: work.total, done: work.done ?? 0 }),
    ...(note === "" ? {} : { note }),
    ms,
    ...(left === undefined ? {} : { left_ms: left }),
    running: progress.running.size
  }
}

/** The summary for programs. */
export const jsonSummary = (session: string, progress: Progress.Progress): Protocol.Summary => {
  const { by, count, failed, ms, perSecond } = Progress.summary(progress)
  return {
    type: "system",
    subtype: "progress_summary",
    session_id: session,
    ended: count,
    failed,
    ms,
    per_second: Number(perSecond.toFixed(3)),
    by: by.map(({ mean, ...one }) => ({ ...one, mean_ms: Math.round(mean) }))
  }
}
