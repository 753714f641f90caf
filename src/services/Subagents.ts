/** The sessions that a session starts: each runs its task under an Agent like any other. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Report, Task } from "../domain/subagent/Subagent.ts"
import type { Agent, Wanted } from "./Agent.ts"

/**
 * One child: `wanted` is what it starts with, unless it has begun, as the agent that its `task` names. `place` is its task's number in the call. `apart` names the
 * folder that it has to itself; absent, it works in its parent's.
 */
export interface Child {
  readonly session: string
  readonly call: string
  readonly place: number
  readonly task: Task
  readonly prompt: string
  readonly wanted: Wanted
  readonly timeoutMs: number
  readonly apart?: string
}

export class Children extends Context.Service<Children, {
  /** The id of the session that does a call's task. */
  readonly id: (call: string, place: number) => Effect.Effect<string>
  /**
   * Runs a child's task to its end, from where it is: one that a process left in its middle goes on. What goes wrong is
   * its report. Interrupting ends the child, and returns when nothing of it runs.
   */
  readonly run: (child: Child) => Effect.Effect<Report, never, Agent>
}>()("dacapo/Children") {}
