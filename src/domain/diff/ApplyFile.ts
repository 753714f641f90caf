/** One edit of one file, whatever kind it is. */
import * as Result from "effect/Result"
import type { Edits, FileEdit } from "./Edit.ts"
import { type EditError, fail, type Failure } from "./EditError.ts"
import * as Exact from "./Exact.ts"
import type { Target } from "./Locate.ts"
import { isSame } from "./PatchPath.ts"
import { splice } from "./Splice.ts"
import * as Update from "./Update.ts"
import { whole } from "./ReplaceContent.ts"

export interface Options {
  /** The least similarity at which a text that is nowhere in the file may stand for it: 0.9 unless told. */
  readonly similarity?: number
  /** `whole` lets an empty search text replace a file that has content. */
  readonly replace?: "whole"
}

export type Applied = Update.Applied

/**
 * The edits of a call that edits one file; with `path`, the edits of that file among several. `target` is the content
 * made ready to be searched, where that has been done already.
 */
export const applyOne = (
  content: string,
  { files, warnings }: Edits,
  options: Options,
  path?: string,
  target?: Target
): Result.Result<Applied, EditError> => {
  const [edit, ...others] = path === undefined ? files : files.filter((each) => each.path === undefined || isSame(each.path, path))
  return edit === undefined || others.length > 0
    ? Result.fail(fail("OtherFile", `the input edits ${files.length} files, not one`))
    : Result.map(applyFile(content, edit, options, target), (applied) => ({ ...applied, warnings: [...warnings, ...applied.warnings] }))
}

/** The content is `""` where there is no file, and where it is deleted. */
export const applyFile = (
  content: string,
  edit: FileEdit,
  options: Options,
  target?: Target
): Result.Result<Applied, EditError> => {
  switch (edit._tag) {
    case "Update":
      return Update.update(content, edit, options, target)
    case "Exact":
      return Exact.exact(content, edit, options)
    case "Add":
      return isEmpty(content) || options.replace === "whole"
        ? Result.succeed(whole(content, edit.content))
        : Result.fail(fail("FileExists", "the file exists already: change it instead of adding it", named(edit)))
    case "Delete":
      return Update.remove(content, edit, options)
    case "Restore":
      return restore(content, edit)
  }
}

const isEmpty = (content: string): boolean => content === "" || content === "\ufeff"

const named = ({ path }: FileEdit): Pick<Failure, "path"> => path === undefined ? {} : { path }

/** Puts back what an edit took. */
const restore = (content: string, edit: Extract<FileEdit, { readonly _tag: "Restore" }>): Result.Result<Applied, EditError> => {
  if (!content.startsWith(edit.remove, edit.at)) {
    return Result.fail(fail("NotFound", "the file has changed since the edit that is to be undone", named(edit)))
  }
  return Result.succeed(splice(content, [{ start: edit.at, end: edit.at + edit.remove.length, text: edit.insert }]))
}
