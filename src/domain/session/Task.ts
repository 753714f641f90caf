/** The task a session is working on. */
import * as Schema from "effect/Schema"

/** Why a task ended without a result. */
export const TaskFailure = Schema.Literals([
  "provider",
  "turns",
  "time",
  "mistakes",
  "repeats",
  "budget",
  "approval",
  "context",
  "interrupted",
  "hook",
  "defect"
])
export type TaskFailure = typeof TaskFailure.Type

/** From UserSaid to TaskFinished or TaskFailed. */
export interface Task {
  readonly state: "idle" | "running" | "interrupted" | "finished" | "failed"
  /** Model responses so far. */
  readonly turns: number
  /** ms since the epoch of the UserSaid that began it. */
  readonly startedAt: number
  readonly mistakes: number
  /** How many times in a row the last response's calls were made, and what they were. */
  readonly repeats: number
  readonly signature: string
  /** The result of a finished task, the message of a failed one. */
  readonly result: string
  readonly failure?: TaskFailure
  /** What the user added to the limits of this task. */
  readonly raised?: { readonly turns: number; readonly ms: number }
}

/** A limit at which the user may let a task continue. */
export const RaisableLimit = Schema.Literals(["turns", "time", "mistakes", "repeats"])
export type RaisableLimit = typeof RaisableLimit.Type

/** Before the first task, and where each begins. */
export const idleTask: Task = { state: "idle", turns: 0, startedAt: 0, mistakes: 0, repeats: 0, signature: "", result: "" }
