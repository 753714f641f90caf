/** The edit engine: parsing edits, applying them to a text, and showing what changed. */
import * as Context from "effect/Context"
import type * as Result from "effect/Result"
import type { Edits, Hunk } from "../domain/diff/Edit.ts"
import type { EditError } from "../domain/diff/EditError.ts"
import type { Input as ExactInput } from "../domain/diff/ExactEdit.ts"

/** What came of applying edits to one text. */
export interface Applied {
  readonly content: string
  readonly hunks: ReadonlyArray<Hunk>
  readonly warnings: ReadonlyArray<string>
}

export class Diff extends Context.Service<Diff, {
  /** Edits in any of the text formats, told apart by the first marker. */
  readonly parse: (text: string) => Result.Result<Edits, EditError>
  /** One exact text for another. */
  readonly exact: (input: ExactInput) => Result.Result<Edits, EditError>
  /** All edits or none. `path` is the file that the call means: edits that name another one are an error. */
  readonly apply: (content: string, edits: Edits, path: string) => Result.Result<Applied, EditError>
  /** A unified diff of two texts of one file; null: it is not there. Empty where they are the same. */
  readonly print: (path: string, before: string | null, after: string | null) => string
}>()("efferent/Diff") {}
