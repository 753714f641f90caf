/** Whether a task may continue: a table of checks of its usage against its limits. */
import * as Budget from "./Budget.ts"
import type { Limits } from "./Limits.ts"
import type { Session } from "./Session.ts"

/** The limit that ends a task: the reason of its TaskFailed event, and a message. */
export interface LimitReached {
  readonly reason: "turns" | "time" | "mistakes" | "repeats" | "budget" | "approval" | "provider" | "context"
  readonly message: string
}

type Check = (session: Session, limits: Limits) => LimitReached | undefined

const checks: ReadonlyArray<Check> = [
  ({ calls, settings }) =>
    settings.onAsk === "exit" && calls.some(({ outcome }) => outcome?.unanswered === true)
      ? { reason: "approval", message: "The model asked a question, and no one can answer." }
      : undefined,
  ({ task }, { turns = Infinity }) => {
    const limit = turns + (task.raised?.turns ?? 0)
    return task.turns >= limit ? { reason: "turns", message: `Reached the limit of ${limit} turn${limit === 1 ? "" : "s"}.` } : undefined
  },
  ({ task, time }, { wallMs = Infinity }) => {
    const limit = wallMs + (task.raised?.ms ?? 0)
    return time - task.startedAt >= limit ? { reason: "time", message: `Reached the time limit of ${Math.round(limit / 1000)} s.` }
      : undefined
  },
  ({ task }, { mistakes }) =>
    task.mistakes >= mistakes
      ? { reason: "mistakes", message: `${task.mistakes} responses in a row had no successful tool call.` }
      : undefined,
  // Where nobody is asked at limits, but for approvals, the call itself needs one (JudgeCalls).
  ({ settings, task }, { askRepeats, repeats }) =>
    (settings.onAsk !== "ask" || askRepeats === true) && task.repeats > repeats
      ? { reason: "repeats", message: `The same tool call was made ${task.repeats} times in a row.` }
      : undefined,
  // In an interactive session the user is asked for more (Step).
  ({ budget: { refusal }, settings }) =>
    refusal !== undefined && (settings.onAsk !== "ask" || refusal.level === "parent")
      ? { reason: "budget", message: Budget.refusalMessage(refusal) }
      : undefined
]

/** The first limit that stops the next model request. */
export const checkLimits: (session: Session, limits: Limits) => LimitReached | undefined = (session, limits) => {
  for (const row of checks) {
    const limitReached = row(session, limits)
    if (limitReached !== undefined) return limitReached
  }
  return undefined
}
