/** The subagents of a session: each runs its task under an Agent like any other session. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SubagentReport, SubagentTask } from "../domain/subagent/Subagent.ts"
import type { Agent, SessionOptions } from "./Agent.ts"

/**
 * One subagent: `options` are its start options, unless it has begun, as the agent profile that its `task` names.
 * `index` is its task's number in the call. `worktree` names its own folder; absent, it works in its parent's.
 */
export interface SubagentRun {
  readonly session: string
  readonly call: string
  readonly index: number
  readonly task: SubagentTask
  readonly prompt: string
  readonly options: SessionOptions
  readonly timeoutMs: number
  readonly worktree?: string
}

export class Subagents extends Context.Service<Subagents, {
  /** The id of the session that works on a call's task. */
  readonly id: (call: string, index: number) => Effect.Effect<string>
  /**
   * Runs a subagent's task to its end, from where it is: one that was left unfinished continues. Failures are its
   * report. Interrupting ends the subagent, and returns when nothing of it runs.
   */
  readonly run: (subagent: SubagentRun) => Effect.Effect<SubagentReport, never, Agent>
}>()("dacapo/Children") {}
