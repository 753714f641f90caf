/** The workspace's files at moments of a session, so that it can always go back. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CheckpointError } from "../domain/workspace/Checkpoint.ts"
import type { Checkpoint, Change } from "../domain/workspace/Checkpoint.ts"

export class Checkpoints extends Context.Service<Checkpoints, {
  /** Saves what differs from the last one; `counts` compares with it. */
  readonly save: (options: { readonly session: string; readonly seq: number; readonly why: string }) => Effect.Effect<Checkpoint, CheckpointError>
  /** Oldest first. */
  readonly list: (session: string) => Effect.Effect<ReadonlyArray<Checkpoint>, CheckpointError>
  /** A unified diff from one to another, or to the files as they are now. */
  readonly diff: (from: string, to?: string) => Effect.Effect<{ readonly patch: string; readonly changes: ReadonlyArray<Change> }, CheckpointError>
  /** What `restore` would change, without doing it: files made since are named and stay unless `remove` lists them. */
  readonly preview: (id: string) => Effect.Effect<ReadonlyArray<Change>, CheckpointError>
  /** Brings every file of the checkpoint back; deletes only what `remove` names. */
  readonly restore: (id: string, options: { readonly remove: ReadonlyArray<string> }) => Effect.Effect<ReadonlyArray<Change>, CheckpointError>
}>()("efferent/Checkpoints") {}
