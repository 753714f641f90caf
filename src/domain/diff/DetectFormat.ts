/** Detects the format of a text by its first marker, so that one parameter may take any of them. */
import * as Result from "effect/Result"
import * as ApplyPatch from "./ApplyPatch.ts"
import type { Edits, FileEdit } from "./Edit.ts"
import { type EditError, fail } from "./EditError.ts"
import { isSamePath } from "./PatchText.ts"
import * as SearchReplace from "./SearchReplace.ts"
import * as UnifiedDiff from "./UnifiedDiff.ts"

export type TextFormat = "search-replace" | "unified-diff" | "apply-patch"

/** The format of the first line that identifies one, or nothing. O(text up to there). */
export const detectFormat = (text: string): TextFormat | undefined => {
  let minus = false
  for (let from = text.startsWith("\ufeff") ? 1 : 0; from < text.length;) {
    const newline = text.indexOf("\n", from)
    const to = newline < 0 ? text.length : newline
    const line = text.slice(from, text[to - 1] === "\r" ? to - 1 : to)
    if (SearchReplace.isStart(line)) return "search-replace"
    if (ApplyPatch.isStart(line)) return "apply-patch"
    if (UnifiedDiff.isStart(line) || minus && line.startsWith("+++ ")) return "unified-diff"
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
 * Parses a text in any format. With `path`, the edit is for that file: a patch that names another, or more than one, is
 * an error; a name that is a suffix of the path is the same file.
 */
export const parseAny = (text: string, path?: string): Result.Result<Edits, EditError> => {
  const format = detectFormat(text)
  if (format === undefined) {
    return Result.fail(fail("NoEdit", "the input contains no SEARCH/REPLACE block, no hunk of a unified diff and no `*** Begin Patch`"))
  }
  return Result.flatMap(parsers[format](text), (edits) => path === undefined ? Result.succeed(edits) : restrictToPath(edits, path))
}

const restrictToPath = (edits: Edits, path: string): Result.Result<Edits, EditError> => {
  const other = edits.files.find((edit) => edit.path !== undefined && !isSamePath(edit.path, path))
  if (other !== undefined) {
    return Result.fail(fail("OtherFile", `the patch edits ${other.path}, but the call names ${path}`, { path }))
  }
  if (edits.files.length > 1) {
    return Result.fail(fail("PathTwice", "the patch has several sections for this file: combine them into one", { path }))
  }
  return Result.succeed({ ...edits, files: edits.files.map((edit): FileEdit => ({ ...edit, path })) })
}
