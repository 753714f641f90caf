/**
 * Applies edits to one file or to many: all of them or none. Every outcome says which lines changed and how they were
 * found; every failure says which block, why, and what is nearest to it.
 */
import type * as Result from "effect/Result"
import { type Applied, applyOne, type Options } from "./ApplyFile.ts"
import type { Edits } from "./Edit.ts"
import type { EditError } from "./EditError.ts"

export { applyAll, type Files, type Outcome, outcomes } from "./ApplyAll.ts"
export type { Applied, Options } from "./ApplyFile.ts"
export { print } from "./Print.ts"

/**
 * Applies the edits of one file to its content; a missing file is `""`, and so is what is left of a deleted one.
 * O(content + edits) unless a block can only be found by similarity.
 */
export const apply = (content: string, edits: Edits, options: Options = {}): Result.Result<Applied, EditError> =>
  applyOne(content, edits, options)

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
