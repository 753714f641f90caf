/**
 * JSON files that people edit and several processes change: settings, secrets, the state of a workspace. A change is
 * visible at once and written soon; no change is lost, and no file is ever half-written.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { SettingsError } from "../domain/config/SettingsError.ts"

/** Keys from the outermost in. */
export type Path = ReadonlyArray<string>

/** The new value; undefined means none, before and after. */
export type Change = (current: Schema.Json | undefined) => Schema.Json | undefined

/** Each file is written separately: a failed write delays none of the others. */
export interface JsonFile {
  /**
   * The file's current value, including changes that are not on disk yet; undefined for a missing or empty file. The
   * same value while nothing has changed.
   */
  readonly value: Effect.Effect<Schema.Json | undefined, SettingsError>
  /** The line, from 1, of each item of the list at a path; none if there is no list. */
  readonly lines: (path: Path) => Effect.Effect<ReadonlyArray<number>, SettingsError>
  /**
   * Changes the value at a path: visible at once, on disk within half a second. It is applied to the file's content at
   * the time of writing, so that two processes that add to one list both succeed. Comments in the file stay.
   */
  readonly change: (path: Path, change: Change) => Effect.Effect<void>
  /**
   * Changes the value at a path on disk, before it returns: `decide` receives the file's value, with no other process
   * in between, and returns its own result and the new value.
   */
  readonly changeNow: <A>(
    path: Path,
    decide: (current: Schema.Json | undefined) => readonly [A, Schema.Json | undefined]
  ) => Effect.Effect<A, SettingsError>
  /** Changes that are not on disk yet. */
  readonly pending: Effect.Effect<ReadonlyArray<Path>>
  /** Writes pending changes; what can't be written stays pending. */
  readonly flush: Effect.Effect<void, SettingsError>
}

export class JsonFiles extends Context.Service<JsonFiles, {
  /**
   * The file at an absolute path, readable only by its owner once we write it; one that we create begins with a
   * comment, `headerComment`. Everything is flushed when the layer closes.
   */
  readonly at: (file: string, headerComment?: string) => Effect.Effect<JsonFile>
}>()("dacapo/KeptFiles") {}
