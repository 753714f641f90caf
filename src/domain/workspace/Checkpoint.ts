/** A saved state of the workspace's files. */
import * as Schema from "effect/Schema"
import { Counts } from "../session/SessionEvent.ts"

/** `id` is the commit in the shadow repository; `branch` and `head` are the user's own at that moment. */
export const Checkpoint = Schema.Struct({
  id: Schema.String,
  session: Schema.String,
  seq: Schema.Int,
  /** ms since the epoch. */
  time: Schema.Finite,
  why: Schema.String,
  branch: Schema.NullOr(Schema.String),
  head: Schema.NullOr(Schema.String),
  counts: Counts
}).annotate({ identifier: "Checkpoint" })
export type Checkpoint = typeof Checkpoint.Type

export const Change = Schema.Struct({
  path: Schema.String,
  kind: Schema.Literals(["created", "modified", "deleted"])
})
export type Change = typeof Change.Type

/** Changed lines; 0 if a file is not text. */
export const CountedChange = Schema.Struct({ ...Change.fields, added: Schema.Int, removed: Schema.Int })
export type CountedChange = typeof CountedChange.Type

/** How two checkpoints differ: as a unified diff, file by file, and in total. */
export interface Comparison {
  readonly patch: string
  readonly changes: ReadonlyArray<CountedChange>
  readonly counts: Counts
}

/** The total of all file differences. */
export const countChanges = (changes: ReadonlyArray<CountedChange>): Counts => ({
  files: changes.length,
  added: changes.reduce((lines, { added }) => lines + added, 0),
  removed: changes.reduce((lines, { removed }) => lines + removed, 0)
})

/**
 * `Refused`: a location too large or too general to be saved. `NoGit`: git is not installed. `NotFound`: the checkpoint
 * does not exist.
 */
export class CheckpointError extends Schema.TaggedError<CheckpointError>()("CheckpointError", {
  reason: Schema.Literals(["Refused", "NoGit", "NotFound", "Failed"]),
  message: Schema.String
}) {}
