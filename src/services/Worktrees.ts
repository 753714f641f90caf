/**
 * Folders of their own for children that edit: each begins with its parent's files as they are, and what was done in it is
 * merged at the end. Without a layer there are none, and children share the folder.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Brought } from "../domain/subagent/MergedWork.ts"
import type { CheckpointError } from "../domain/workspace/Checkpoint.ts"
import type { Agent } from "./Agent.ts"

/** A child's folder by its name, and whether its work is to be merged; `place` is its task's number in the call, `title` what people call it. */
export interface Part {
  readonly name: string
  readonly title: string
  readonly place: number
  readonly merges: boolean
}

export interface Folders {
  /** Why children of a call in this folder share it; undefined where each can have its own. */
  readonly sharing: (call: string, cwd: string) => Effect.Effect<string | undefined>
  /** The folder of that name, made where it is not there yet, and an agent that works in it for as long as the scope lasts. */
  readonly open: (cwd: string, name: string) => Effect.Effect<{ readonly cwd: string; readonly agent: Agent["Service"] }, CheckpointError, Scope.Scope>
  /**
   * Merges, in this order, what was done in these folders into the files of `cwd`, as one change. What can't be merged is left
   * on its branch. Done once more after a death, it comes to the same.
   */
  readonly gather: (call: string, cwd: string, parts: ReadonlyArray<Part>) => Effect.Effect<ReadonlyArray<Brought>>
  /** Removes the folders, and the branches of what was merged. */
  readonly tidy: (cwd: string, work: ReadonlyArray<Brought>) => Effect.Effect<void>
  /** Keeps what was done in these folders on their branches: nothing is merged, and nothing is lost. */
  readonly keep: (cwd: string, parts: ReadonlyArray<Part>) => Effect.Effect<ReadonlyArray<Brought>>
}

const none: Folders = {
  sharing: () => Effect.succeed("there are no worktrees here"),
  open: () => Effect.die(new Error("there are no worktrees here")),
  gather: () => Effect.succeed([]),
  tidy: () => Effect.void,
  keep: () => Effect.succeed([])
}

export const Worktrees = Context.Reference<Folders>("dacapo/Worktrees", { defaultValue: () => none })
