/** Renders running work for the screen, as log lines and as JSON. */
import * as Progress from "../../../domain/session/Progress.ts"
import type * as StreamJsonSchema from "../json/StreamJsonSchema.ts"
import * as CallSummary from "../view/CallSummary.ts"
import { text } from "../view/DisplayText.ts"
import type { Theme } from "./Theme.ts"

/** Subagents as a tree below the call that started them; empty without subagents. */
export const tree = (progress: Progress.Progress, theme: Theme, now: number): ReadonlyArray<string> =>
  Progress.tree(progress).flatMap(({ depth, work }) =>
    depth === 0 && work.total === undefined ? [] : [branch(progress, work, depth, theme, now)]
  )

const branch = (progress: Progress.Progress, work: Progress.Work, depth: number, theme: Theme, now: number): string => {
  const remainingMs = Progress.estimate(progress, work, now)
  const parts = work.total === undefined ? "" : ` ${bar(work.done ?? 0, work.total)} ${work.done ?? 0}/${work.total}`
  const timing = [
    durationText(Math.max(0, now - work.startedAt)),
    remainingMs === undefined ? "" : `about ${durationText(remainingMs)} left`
  ].filter((part) => part !== "").join(", ")
  return `${"  ".repeat(depth)}${depth === 0 ? theme.accent("◐") : theme.dim("└")} ${
    depth === 0 ? CallSummary.label(label(work)) : label(work)
  }${parts} ${theme.dim(timing)}`
}

const barWidth = 10

const bar = (done: number, total: number): string => {
  const full = Math.round(barWidth * done / Math.max(1, total))
  return "█".repeat(full) + "░".repeat(barWidth - full)
}

/** A name with its detail, on one line. */
const label = ({ detail, kind, name }: Progress.Work): string => {
  const line = text(detail === "" || kind === "child" ? name : `${name} ${detail}`).replaceAll("\n", " ")
  return line.length <= 100 ? line : `${line.slice(0, 99)}…`
}

/** `120 ms`, `3.4 s`, `2 min 5 s`. */
export const durationText = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms`
    : ms < 60_000 ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round(ms % 60_000 / 1000)} s`

const signs: Readonly<Record<Progress.ProgressEvent["phase"], (theme: Theme) => string>> = {
  started: ({ accent }) => accent("▸"),
  updated: ({ dim }) => dim("·"),
  ended: ({ good }) => good("✓"),
  failed: ({ bad }) => bad("✗")
}

/** A progress event as a log line: what happened, in which state, and how long it took. */
export const line = (progress: Progress.Progress, { ms, note, phase: state, work }: Progress.ProgressEvent, theme: Theme): string => {
  const parent = progress.running.get(work.parentId ?? "")
  const parentLabel = parent?.kind === "child" ? `${text(parent.name)}: ` : ""
  const noteText = state === "started" || note === "" ? "" : `: ${text(note).replaceAll("\n", " ")}`
  return `${signs[state](theme)} ${parentLabel}${label(work)}${noteText}${state === "started" ? "" : theme.dim(` (${durationText(ms)})`)}`
}

/** The totals in one line; empty if no tool ran. */
export const summary = (progress: Progress.Progress): string => {
  const { by, count, failed, perSecond } = Progress.summary(progress)
  if (by.every(({ kind }) => kind === "retry")) return ""
  const each = by.map(({ count, failed, mean, name }) =>
    `${count} × ${text(name)} ${durationText(mean)}${failed === 0 ? "" : ` (${failed} failed)`}`
  )
  return `${count} finished${failed === 0 ? "" : `, ${failed} of them failed`}, ${perSecond.toFixed(1)} per second. Average: ${
    each.join(", ")
  }`
}

/** A progress event as JSON. Times in ms; `left_ms` is an estimate. */
export const json = (
  session: string,
  progress: Progress.Progress,
  { ms, note, time, phase, work }: Progress.ProgressEvent
): StreamJsonSchema.Moment => {
  const remainingMs = Progress.estimate(progress, work, time)
  return {
    type: "system",
    subtype: "progress",
    session_id: session,
    state: phase,
    kind: work.kind,
    name: work.name,
    id: work.id,
    parent: work.parentId ?? null,
    ...(work.total === undefined ? {} : { total: work.total, done: work.done ?? 0 }),
    ...(note === "" ? {} : { note }),
    ms,
    ...(remainingMs === undefined ? {} : { left_ms: remainingMs }),
    running: progress.running.size
  }
}

/** The totals as JSON. */
export const jsonSummary = (session: string, progress: Progress.Progress): StreamJsonSchema.Summary => {
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
