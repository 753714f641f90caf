/** What a session is at work on. */
import type { Settled } from "./SessionEvent.ts"

/** From UserSaid to TaskFinished or TaskFailed. */
export interface Task {
  readonly state: "idle" | "running" | "interrupted" | "finished" | "failed"
  /** Model responses so far. */
  readonly turns: number
  /** ms since the epoch of the UserSaid that began it. */
  readonly since: number
  readonly mistakes: number
  /** How often the last response's calls came in a row, and what they were. */
  readonly repeats: number
  readonly signature: string
  /** The result of a finished task, the message of a failed one. */
  readonly result: string
  readonly failure?: Extract<Settled, { _tag: "TaskFailed" }>["reason"]
}

/** Before the first, and where each begins. */
export const idle: Task = { state: "idle", turns: 0, since: 0, mistakes: 0, repeats: 0, signature: "", result: "" }
