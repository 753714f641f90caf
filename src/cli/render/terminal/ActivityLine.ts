/** What the session is doing, for how long, and how many tokens the model has written in this task. */
import * as BlockLines from "../text/BlockLines.ts"
import type { Theme } from "../text/Theme.ts"
import * as StreamingResponse from "../view/StreamingResponse.ts"
import type { View } from "../view/View.ts"
import type { Screen } from "./ScreenState.ts"

const signs = ["◐", "◓", "◑", "◒"] as const

/** How often the time is looked at. */
export const tickMs = 1_000

/** After this long, whole seconds matter less. */
const longMs = 10_000

/**
 * The time between two frames, in which the sign turns a quarter: calm, and cheap, as each frame redraws all live rows (about 9 ms on a
 * busy machine).
 */
export const frameMs = (screen: Screen): number => screen.now - activity(screen).startedAt < longMs ? tickMs : 2 * tickMs

/** Whether the session works on something that the user does not hold up. */
export const isActive = ({ isInterrupting, pending, view: { isWorking, pause } }: Screen): boolean =>
  isWorking && pending === undefined && pause === undefined && !isInterrupting

export const lines = (screen: Screen, theme: Theme, columns: number): ReadonlyArray<string> => {
  if (!isActive(screen)) return []
  const { now, view } = screen
  const { startedAt, text } = activity(screen)
  const tokens = view.taskTokens + streamedTokens(view)
  const figures = [
    elapsed(now - startedAt),
    ...(tokens === 0 ? [] : [`${BlockLines.thousands(tokens)} tokens`])
  ].join(", ")
  const sign = screen.hasMotion ? signs[Math.floor(now / frameMs(screen)) % signs.length]! : signs[0]
  const room = columns - figures.length - 3
  return [`${theme.accent(sign)} ${BlockLines.cut(text, room)} ${theme.dim(figures)}`]
}

interface Activity {
  readonly text: View["status"]["model"]
  /** ms since the epoch. */
  readonly startedAt: number
}

const activity = ({ progress, view }: Screen): Activity => {
  const { answer, calls, saving, thought } = view
  const [first, ...others] = calls.filter(({ state }) => state === "running")
  if (first !== undefined) {
    const text = others.length === 0 ? "Running" : `Running ${others.length + 1} tools`
    return { text: text as Activity["text"], startedAt: progress.running.get(`/${first.id}`)?.startedAt ?? view.changedAt }
  }
  const text = saving !== undefined
    ? saving.total === 0 ? "Saving a checkpoint" : `Saving a checkpoint, ${saving.saved} of ${saving.total} files`
    : calls.some(({ state }) => state === "writing") || StreamingResponse.hasText(answer) ? "Writing"
    : thought.safe !== "" ? "Thinking"
    : calls.some(({ state }) => state === "waiting") ? "Preparing"
    : "Waiting for the model"
  return { text: text as Activity["text"], startedAt: view.changedAt }
}

/** An estimate for the response that is being written: four characters per token. */
const streamedTokens = ({ calls, streamedLength }: View): number =>
  Math.ceil(calls.reduce((sum, { writtenLength = 0 }) => sum + writtenLength, streamedLength) / 4)

const elapsed = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
