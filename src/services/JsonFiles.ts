/**
 * JSON files that people see in parallel and several processes change: settings, secrets, the state of a workspace.
 * What is changed counts at once and is written soon; nobody's change is lost, and no file is ever half.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { SettingsError } from "../domain/config/SettingsError.ts"

/** Keys from the outermost in. */
export type Path = ReadonlyArray<string>

/** What becomes of a value; undefined is none, before and after. */
export type Change = (before: Schema.Json | undefined) => Schema.Json | undefined

/** Each file is written by itself: one that can't be written keeps none of the others waiting. */
export interface KeptFile {
  /** What the file says now, with what is not on disk yet; undefined for no file, or an empty one. The same value while nothing has changed. */
  readonly value: Effect.Effect<Schema.Json | undefined, SettingsError>
  /** Where the items of the list at a path stand in the text, each by its line from 1; none where there is no list. */
  readonly lines: (path: Path) => Effect.Effect<ReadonlyArray<number>, SettingsError>
  /**
   * Changes the value at a path: seen at once, on disk within half a second. It is applied to what the file says when
   * it is written, so that two processes that add to one list both have their entry. Comments of the file stay.
   */
  readonly change: (path: Path, change: Change) => Effect.Effect<void>
  /**
   * Changes the value at a path on disk, before it returns: `decide` is given what the file says, with no other process
   * between, and gives its own result and what becomes of the value.
   */
  readonly changeNow: <A>(path: Path, decide: (before: Schema.Json | undefined) => readonly [A, Schema.Json | undefined]) => Effect.Effect<A, SettingsError>
  /** What has been changed and is not on disk yet. */
  readonly pending: Effect.Effect<ReadonlyArray<Path>>
  /** Writes what is pending; what can't be written stays pending. */
  readonly flush: Effect.Effect<void, SettingsError>
}

export class KeptFiles extends Context.Service<KeptFiles, {
  /**
   * The file at an absolute path, readable by its owner alone once we write it; one that we make begins with a comment, `about`. All is
   * flushed when the layer closes.
   */
  readonly at: (file: string, about?: string) => Effect.Effect<KeptFile>
}>()("dacapo/KeptFiles") {}
