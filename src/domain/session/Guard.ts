/** Whether a task may go on: a table over what it has used and the limits that it was given. */
import * as Budget from "./Budget.ts"
import type { Limits } from "./Limits.ts"
import type { Session } from "./Session.ts"

/** A limit that is reached: the reason that TaskFailed carries, and a sentence. */
export interface Reached {
  readonly reason: "turns" | "time" | "mistakes" | "repeats" | "budget" | "approval" | "provider" | "context"
  readonly message: string
}

type Check = (session: Session, limits: Limits) => Reached | undefined

const table: ReadonlyArray<Check> = [
  ({ calls, settings }) =>
    settings.onAsk === "exit" && calls.some(({ outcome }) => outcome?.unanswered === true)
      ? { reason: "approval", message: "The model asked a question that no one can answer." }
      : undefined,
  ({ task }, { turns }) =>
    turns !== undefined && task.turns >= turns
      ? { reason: "turns", message: `The limit of ${turns} turn${turns === 1 ? "" : "s"} is reached.` }
      : undefined,
  ({ task, time }, { wallMs }) =>
    wallMs !== undefined && time - task.since >= wallMs
      ? { reason: "time", message: `The time limit of ${Math.round(wallMs / 1000)} s is reached.` }
      : undefined,
  ({ task }, { mistakes }) =>
    task.mistakes >= mistakes
      ? { reason: "mistakes", message: `${task.mistakes} responses in a row had no call that succeeded.` }
      : undefined,
  // Where someone is there, the call itself is asked about (Propose).
  ({ settings, task }, { repeats }) =>
    settings.onAsk !== "ask" && task.repeats > repeats
      ? { reason: "repeats", message: `The same call was made ${task.repeats} times in a row.` }
      : undefined,
  // Where someone is there, they are asked for more (Step).
  ({ budget: { exhausted }, settings }) =>
    exhausted !== undefined && (settings.onAsk !== "ask" || exhausted.level === "parent")
      ? { reason: "budget", message: Budget.sentence(exhausted) }
      : undefined
]

/** The first limit that keeps the next model request from going out. */
export const check: (session: Session, limits: Limits) => Reached | undefined = (session, limits) => {
  for (const row of table) {
    const reached = row(session, limits)
    if (reached !== undefined) return reached
  }
  return undefined
}
