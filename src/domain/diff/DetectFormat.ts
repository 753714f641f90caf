/** Which format a text is in, told by its first marker, so that one parameter may take any of them. */
import * as Result from "effect/Result"
import * as ApplyPatch from "./ApplyPatch.ts"
import type { Edits, FileEdit } from "./Edit.ts"
import { type EditError, fail } from "./EditError.ts"
import { isSame } from "./PatchPath.ts"
import * as SearchReplace from "./SearchReplace.ts"
import * as UnifiedDiff from "./UnifiedDiff.ts"

export type TextFormat = "search-replace" | "unified-diff" | "apply-patch"

/** The format of the first line that belongs to one, or nothing. O(text up to there). */
export const detect = (text: string): TextFormat | undefined => {
  let minus = false
  for (let from = text.startsWith("\ufeff") ? 1 : 0; from < text.length;) {
    const newline = text.indexOf("\n", from)
    const to = newline < 0 ? text.length : newline
    const line = text.slice(from, text[to - 1] === "\r" ? to - 1 : to)
    if (SearchReplace.opens(line)) return "search-replace"
    if (ApplyPatch.opens(line)) return "apply-patch"
    if (UnifiedDiff.opens(line) || minus && line.startsWith("+++ ")) return "unified-diff"
    minus = line.startsWith("--- ")
    from = to + 1
  }
  return undefined
}

const parsers: Readonly<Record<TextFormat, (text: string) => Result.Result<Edits, EditError>>> = {
  "search-replace": SearchReplace.parse,
  "unified-diff": UnifiedDiff.parse,
  "apply-patch": ApplyPatch.parse
}

/**
 * Parses whichever format the text is in. With `path`, the edit is for that file: a patch that names another, or more
 * than one, is an error, and a name that is the end of the path is the same file.
 */
export const parseAny = (text: string, path?: string): Result.Result<Edits, EditError> => {
  const format = detect(text)
  if (format === undefined) {
    return Result.fail(fail("NoEdit", "the input holds no SEARCH/REPLACE block, no hunk of a unified diff and no `*** Begin Patch`"))
  }
  return Result.flatMap(parsers[format](text), (edits) => path === undefined ? Result.succeed(edits) : only(edits, path))
}

const only = (edits: Edits, path: string): Result.Result<Edits, EditError> => {
  const other = edits.files.find((edit) => edit.path !== undefined && !isSame(edit.path, path))
  if (other !== undefined) {
    return Result.fail(fail("OtherFile", `the patch edits ${other.path}, the call ${path}`, { path }))
  }
  if (edits.files.length > 1) {
    return Result.fail(fail("PathTwice", "the patch has several sections for this file: make it one", { path }))
  }
  return Result.succeed({ ...edits, files: edits.files.map((edit): FileEdit => ({ ...edit, path })) })
}
