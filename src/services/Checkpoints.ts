/** The workspace's files at moments of a session, so that it can always go back. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CheckpointError } from "../domain/workspace/Checkpoint.ts"
import type { Change, Checkpoint, Compared } from "../domain/workspace/Checkpoint.ts"

export class Checkpoints extends Context.Service<Checkpoints, {
  /** Starts to take the files as they are now, and returns at once: the session's next `save` waits for it, keeps it, and tells what went wrong. */
  readonly begin: (session: string) => Effect.Effect<void>
  /** Saves what differs from the last one; `counts` compares with it. */
  readonly save: (options: { readonly session: string; readonly seq: number; readonly why: string }) => Effect.Effect<Checkpoint, CheckpointError>
  /** Oldest first. */
  readonly list: (session: string) => Effect.Effect<ReadonlyArray<Checkpoint>, CheckpointError>
  /** What differs from one to another. */
  readonly changes: (from: string, to: string) => Effect.Effect<ReadonlyArray<Change>, CheckpointError>
  /** A unified diff from one to another, or to the files as they are now. */
  readonly diff: (from: string, to?: string) => Effect.Effect<Compared, CheckpointError>
  /** What `restore` would change, without doing it: files made since are named and stay unless `remove` lists them. */
  readonly preview: (id: string) => Effect.Effect<ReadonlyArray<Change>, CheckpointError>
  /** Brings every file of the checkpoint back; deletes only what `remove` names. What was there is saved as the checkpoint `before`, of this session and seq. */
  readonly restore: (
    id: string,
    options: { readonly session: string; readonly seq: number; readonly remove: ReadonlyArray<string> }
  ) => Effect.Effect<{ readonly before: string; readonly changes: ReadonlyArray<Change> }, CheckpointError>
  /** A checkpoint and those before it belong to this session too, and stay for as long as it does. */
  readonly adopt: (session: string, id: string) => Effect.Effect<void, CheckpointError>
  /** Drops the checkpoints of these sessions, and all that no other session's need. */
  readonly forget: (sessions: ReadonlyArray<string>) => Effect.Effect<void, CheckpointError>
}>()("dacapo/Checkpoints") {}
