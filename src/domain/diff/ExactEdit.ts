/**
 * One exact text for another, as Anthropic's text editor tool taught models to ask for it. The old text may stand within
 * a line when it is found exactly once, or anywhere with `replace_all`; an empty one makes a file.
 */
import * as Result from "effect/Result"
import type { Edits } from "./Edit.ts"
import { type EditError, fail } from "./EditError.ts"

/** The parameters as tools receive them. */
export interface Input {
  readonly old_text: string
  readonly new_text: string
  readonly replace_all?: boolean
  readonly path?: string
}

/** O(text). Fails with `NoChange` when both texts are the same. */
export const parse = ({ new_text, old_text, path, replace_all }: Input): Result.Result<Edits, EditError> =>
  old_text === new_text
    ? Result.fail(fail("NoChange", "old_text and new_text are the same", path === undefined ? {} : { path }))
    : Result.succeed({
      format: "exact",
      files: [{
        _tag: "Exact",
        oldText: old_text,
        newText: new_text,
        all: replace_all ?? false,
        ...(path === undefined ? {} : { path })
      }],
      warnings: []
    })
