/** Checkpoints of the workspace's files during a session, so that it can always be rewound. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CheckpointError } from "../domain/workspace/Checkpoint.ts"
import type { Change, Checkpoint, Comparison } from "../domain/workspace/Checkpoint.ts"
import type { StoredFiles, StoredRepository } from "../domain/workspace/StoredFiles.ts"

/**
 * Where packs go: `put` returns the digest of the blob. `since` is what the log carries already; `joins` is the event that is
 * logged together with the checkpoint: the end of this call, or a rewind.
 */
export interface StorePacks {
  readonly since: StoredFiles | undefined
  readonly put: (bytes: Uint8Array) => Effect.Effect<string>
  readonly joins?: { readonly call: string } | "rewind"
}

/** A checkpoint; with `store`, the blobs of its files: `pack` as a Git pack, `repository` as what the folder has of one. */
export interface SavedCheckpoint extends Checkpoint {
  readonly pack?: string
  readonly repository?: StoredRepository
}

export class Checkpoints extends Context.Service<Checkpoints, {
  /**
   * Starts to capture the current files, and returns at once: the session's next `save` waits for it, stores it, and
   * reports errors.
   */
  readonly begin: (session: string) => Effect.Effect<void>
  /**
   * Saves what differs from the last one, with counts of the changes. `onProgress` receives the number of files now and then.
   * With `store`, the result names packs of what was added (SessionEvent, CheckpointSaved).
   */
  readonly save: (
    options: {
      readonly session: string
      readonly seq: number
      readonly why: string
      readonly onProgress?: (saved: number, total: number) => void
      readonly store?: StorePacks
    }
  ) => Effect.Effect<SavedCheckpoint, CheckpointError>
  /** Oldest first. */
  readonly list: (session: string) => Effect.Effect<ReadonlyArray<Checkpoint>, CheckpointError>
  /** The differences between two checkpoints. */
  readonly changes: (from: string, to: string) => Effect.Effect<ReadonlyArray<Change>, CheckpointError>
  /** A unified diff between two checkpoints, or to the current files. */
  readonly diff: (from: string, to?: string) => Effect.Effect<Comparison, CheckpointError>
  /** What `restore` would change, without doing it: files created since are named and stay unless `remove` lists them. */
  readonly preview: (id: string) => Effect.Effect<ReadonlyArray<Change>, CheckpointError>
  /**
   * Restores every file of the checkpoint; deletes only what `remove` names. The previous state is saved as the
   * checkpoint `before`, of this session and seq.
   */
  readonly restore: (
    id: string,
    options: { readonly session: string; readonly seq: number; readonly remove: ReadonlyArray<string> }
  ) => Effect.Effect<{ readonly before: string; readonly changes: ReadonlyArray<Change> }, CheckpointError>
  /** A checkpoint and the earlier ones also belong to this session, and stay as long as it does. */
  readonly adopt: (session: string, id: string) => Effect.Effect<void, CheckpointError>
  /** Deletes the checkpoints of these sessions, and everything that no other session's need. */
  readonly forget: (sessions: ReadonlyArray<string>) => Effect.Effect<void, CheckpointError>
}>()("dacapo/Checkpoints") {}
