/**
 * Applies edits to one file or to many: all of them or none. Every outcome says which lines changed and how they were
 * located; every failure names the block, the cause, and the nearest match.
 */
import type * as Result from "effect/Result"
import { type ApplyResult, type Options, applyOne } from "./ApplyFile.ts"
import type { Edits, FileEdit } from "./Edit.ts"
import type { EditError } from "./EditError.ts"
import type { FileChange } from "./ApplyAll.ts"

export { applyAll, type Files, type FileChange, fileChanges } from "./ApplyAll.ts"
export type { ApplyResult, Options } from "./ApplyFile.ts"
export { initial as preview } from "./StreamPreview.ts"
export { print } from "./PrintDiff.ts"

/**
 * Applies the edits of one file to its content; a missing file is `""`, and so is the result of a deletion. O(content +
 * edits) unless a block can only be located by similarity.
 */
export const apply = (content: string, edits: Edits, options: Options = {}): Result.Result<ApplyResult, EditError> =>
  applyOne(content, edits, options)

// The edits that undo other edits.

/** The edit that turns `after` back into exactly `before`. It fails on a file whose changed part has changed since. O(content). */
export const invert = (oldText: string, newText: string, path?: string): Edits =>
  undo([restore(oldText, newText, path === undefined ? {} : { path })])

/** The edits that undo the outcome of several files: created files are deleted, deleted ones restored, moved ones moved back. */
export const invertAll = (outcomes: ReadonlyArray<FileChange>): Edits =>
  undo(outcomes.map(({ newContent: newText, oldContent: oldText, moveTo, path }): FileEdit => {
    if (oldText === null) return { _tag: "Delete", path }
    if (newText === null) return { _tag: "Add", path, content: oldText }
    return restore(oldText, newText, moveTo === undefined ? { path } : { path: moveTo, moveTo: path })
  }))

const undo = (files: ReadonlyArray<FileEdit>): Edits => ({ format: "undo", files, warnings: [] })

/** The part that differs, between the common beginning and end of both texts. */
const restore = (oldText: string, newText: string, names: { readonly path?: string; readonly moveTo?: string }): FileEdit => {
  const shorter = Math.min(oldText.length, newText.length)
  let head = 0
  while (head < shorter && oldText.charCodeAt(head) === newText.charCodeAt(head)) head++
  let tail = 0
  while (
    tail < shorter - head && oldText.charCodeAt(oldText.length - 1 - tail) === newText.charCodeAt(newText.length - 1 - tail)
  ) tail++
  return {
    _tag: "Restore",
    at: head,
    remove: newText.slice(head, newText.length - tail),
    insert: oldText.slice(head, oldText.length - tail),
    ...names
  }
}
