/** One edit of one file, whatever kind it is. */
import * as Result from "effect/Result"
import type { Edits, FileEdit } from "./Edit.ts"
import { type EditError, fail, type Failure } from "./EditError.ts"
import * as ExactEdit from "./ExactEdit.ts"
import type { Target } from "./Locate.ts"
import { isSamePath } from "./PatchText.ts"
import { splice } from "./Splice.ts"
import * as Update from "./Update.ts"
import { replaceContent } from "./ReplaceContent.ts"

export interface Options {
  /** The least similarity at which a text may stand in for one that is not in the file: 0.9 by default. */
  readonly similarity?: number
  /** `whole` lets an empty search text replace a file that has content. */
  readonly replace?: "whole"
}

export type ApplyResult = Update.ApplyResult

/**
 * The edits of a call that edits one file; with `path`, the edits of that file among several. `target` is the content
 * prepared for searching, if that was done already.
 */
export const applyOne = (
  content: string,
  { files, warnings }: Edits,
  options: Options,
  path?: string,
  target?: Target
): Result.Result<ApplyResult, EditError> => {
  const [edit, ...others] = path === undefined ? files : files.filter((file) => file.path === undefined || isSamePath(file.path, path))
  return edit === undefined || others.length > 0
    ? Result.fail(fail("OtherFile", `the input edits ${files.length} files instead of one`))
    : Result.map(applyFile(content, edit, options, target), (result) => ({ ...result, warnings: [...warnings, ...result.warnings] }))
}

/** The content is `""` if the file does not exist or was deleted. */
export const applyFile = (
  content: string,
  edit: FileEdit,
  options: Options,
  target?: Target
): Result.Result<ApplyResult, EditError> => {
  switch (edit._tag) {
    case "Update":
      return Update.update(content, edit, options, target)
    case "Exact":
      return ExactEdit.applyExact(content, edit, options)
    case "Add":
      return Update.isEmpty(content) || options.replace === "whole"
        ? Result.succeed(replaceContent(content, edit.content))
        : Result.fail(fail("FileExists", "the file already exists: change it instead of adding it", pathDetails(edit)))
    case "Delete":
      return Update.remove(content, edit, options)
    case "Restore":
      return restore(content, edit)
  }
}

const pathDetails = ({ path }: FileEdit): Pick<Failure, "path"> => path === undefined ? {} : { path }

/** Restores what an edit removed. */
const restore = (content: string, edit: Extract<FileEdit, { readonly _tag: "Restore" }>): Result.Result<ApplyResult, EditError> => {
  if (!content.startsWith(edit.remove, edit.at)) {
    return Result.fail(fail("NotFound", "the file has changed since the edit that should be undone", pathDetails(edit)))
  }
  return Result.succeed(splice(content, [{ start: edit.at, end: edit.at + edit.remove.length, text: edit.insert }]))
}
