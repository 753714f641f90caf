/** The text formats of edits: to add one is a line, with the marker that only it begins with. */
import type * as Result from "effect/Result"
import type { Edits } from "../../domain/diff/Edit.ts"
import type { EditError } from "../../domain/diff/EditError.ts"
import * as SearchReplace from "../../domain/diff/SearchReplace.ts"

/** `marker` matches the first line of an edit, in any place of the text. */
export interface Format {
  readonly name: string
  readonly marker: RegExp
  readonly parse: (text: string) => Result.Result<Edits, EditError>
}

export const builtin: readonly [Format, ...ReadonlyArray<Format>] = [
  { name: "search-replace", marker: /^[ \t]*(?:-{3,}|<{3,}) ?SEARCH>?[ \t]*\r?$/m, parse: SearchReplace.parse }
]
