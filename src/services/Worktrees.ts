/**
 * Separate folders for subagents that edit: each starts with its parent's current files, and its work is merged at the
 * end. Without a layer there are none, and subagents share the folder.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SubagentWork } from "../domain/subagent/MergedWork.ts"
import type { CheckpointError } from "../domain/workspace/Checkpoint.ts"
import type { Agent } from "./Agent.ts"

/**
 * A subagent's folder by its name, and whether its work is to be merged; `index` is its task's number in the call,
 * `title` its display name.
 */
export interface SubagentWorktree {
  readonly name: string
  readonly title: string
  readonly index: number
  readonly shouldMerge: boolean
}

/** The folders of subagents that edit. */
export interface WorktreeService {
  /** Why subagents of a call in this folder share it; undefined if each can have its own. */
  readonly sharingReason: (call: string, cwd: string) => Effect.Effect<string | undefined>
  /** The folder of that name, created if missing, and an agent that works in it for as long as the scope lasts. */
  readonly open: (
    cwd: string,
    name: string
  ) => Effect.Effect<{ readonly cwd: string; readonly agent: Agent["Service"] }, CheckpointError, Scope.Scope>
  /**
   * Merges, in this order, the work in these folders into the files of `cwd`, as one change. What can't be merged is
   * left on its branch. Repeating it after a crash gives the same result.
   */
  readonly merge: (call: string, cwd: string, worktrees: ReadonlyArray<SubagentWorktree>) => Effect.Effect<ReadonlyArray<SubagentWork>>
  /** Removes the folders, and the branches of merged work. */
  readonly cleanUp: (cwd: string, work: ReadonlyArray<SubagentWork>) => Effect.Effect<void>
  /** Preserves the work of these folders on their branches: nothing is merged, and nothing is lost. */
  readonly keepBranches: (cwd: string, worktrees: ReadonlyArray<SubagentWorktree>) => Effect.Effect<ReadonlyArray<SubagentWork>>
}

const none: WorktreeService = {
  sharingReason: () => Effect.succeed("worktrees are not available here"),
  open: () => Effect.die(new Error("worktrees are not available here")),
  merge: () => Effect.succeed([]),
  cleanUp: () => Effect.void,
  keepBranches: () => Effect.succeed([])
}

export const Worktrees = Context.Reference<WorktreeService>("dacapo/Worktrees", { defaultValue: () => none })
