/**
 * Applies edits to one file or to many: all of them or none. Every outcome says which lines changed and how they were
 * found; every failure says which block, why, and what is nearest to it.
 */
import * as Result from "effect/Result"
import type { Edits, FileEdit, Hunk } from "./Edit.ts"
import { EditError, fail, type Failure } from "./EditError.ts"
import * as Exact from "./Exact.ts"
import { splice } from "./Splice.ts"
import * as Update from "./Update.ts"
import { whole } from "./Whole.ts"

export interface Options {
  /** The least similarity at which a text that is nowhere in the file may stand for it: 0.9 unless told. */
  readonly similarity?: number
  /** `whole` lets an empty search text replace a file that has content. */
  readonly replace?: "whole"
}

export interface Applied {
  readonly content: string
  readonly hunks: ReadonlyArray<Hunk>
  readonly warnings: ReadonlyArray<string>
}

/**
 * Applies the edits of one file to its content; a missing file is `""`, and so is what is left of a deleted one.
 * O(content + edits) unless a block can only be found by similarity.
 */
export const apply = (content: string, edits: Edits, options: Options = {}): Result.Result<Applied, EditError> => {
  const edit = edits.files[0]
  if (edit === undefined || edits.files.length > 1) {
    return Result.fail(fail("OtherFile", `the input edits ${edits.files.length} files, not one`))
  }
  return Result.map(applyFile(content, edit, options), (applied) => warned(edits.warnings, applied))
}

const warned = (warnings: ReadonlyArray<string>, applied: Applied): Applied =>
  warnings.length === 0 ? applied : { ...applied, warnings: [...warnings, ...applied.warnings] }

/** One edit of one file that exists, or of none: `""`. */
const applyFile = (content: string, edit: FileEdit, options: Options): Result.Result<Applied, EditError> => {
  switch (edit._tag) {
    case "Update":
      return Update.update(content, edit, options)
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

/**
 * The edit that undoes another: on `after` it gives `before`, to the character. It fails on a file whose changed part
 * has changed since. O(content).
 */
export const invert = (before: string, after: string, path?: string): Edits => {
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before.charCodeAt(head) === after.charCodeAt(head)) head++
  let tail = 0
  while (
    tail < shorter - head && before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  ) tail++
  return {
    format: "undo",
    files: [{
      _tag: "Restore",
      at: head,
      remove: after.slice(head, after.length - tail),
      insert: before.slice(head, before.length - tail),
      ...(path === undefined ? {} : { path })
    }],
    warnings: []
  }
}

/** A change of one file as a unified diff that `git apply` accepts. */
export { print } from "./Print.ts"
