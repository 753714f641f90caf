/** The edit engine: parsing edits, applying them to a text, and showing what changed. */
import * as Context from "effect/Context"
import type * as Result from "effect/Result"
import type { ApplyResult, Files, FileChange } from "../domain/diff/Apply.ts"
import type { Edits } from "../domain/diff/Edit.ts"
import type { EditError } from "../domain/diff/EditError.ts"
import type { Input as ExactInput } from "../domain/diff/ExactEdit.ts"

export type { ApplyResult } from "../domain/diff/Apply.ts"

export class Diff extends Context.Service<Diff, {
  /** Edits of one file in any of the text formats, recognized by the first marker; those that name another file are an error. */
  readonly parse: (text: string, path: string) => Result.Result<Edits, EditError>
  /** One exact text for another. */
  readonly exact: (input: ExactInput) => Result.Result<Edits, EditError>
  /** All edits of one file or none; a missing file is "". */
  readonly apply: (content: string, edits: Edits) => Result.Result<ApplyResult, EditError>
  /** All edits of all files or none: the outcome of each, in the order of the edits. */
  readonly applyAll: (files: Files, edits: Edits) => Result.Result<ReadonlyArray<FileChange>, EditError>
  /** A unified diff of two texts of one file; null: it does not exist; `oldPath`: its previous path. Empty if nothing differs. */
  readonly print: (path: string, before: string | null, after: string | null, oldPath?: string) => string
}>()("dacapo/Diff") {}
