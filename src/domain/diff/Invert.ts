/** The edits that undo other edits. */
import type { Outcome } from "./ApplyAll.ts"
import type { Edits, FileEdit } from "./Edit.ts"

/**
 * The edit that, on `after`, gives `before` to the character. It fails on a file whose changed part has changed since.
 * O(content).
 */
export const invert = (before: string, after: string, path?: string): Edits =>
  undo([restore(before, after, path === undefined ? {} : { path })])

/** The edits that undo the outcome of several files: what was made goes, what went comes back, what moved moves back. */
export const invertAll = (outcomes: ReadonlyArray<Outcome>): Edits =>
  undo(outcomes.map(({ after, before, moveTo, path }): FileEdit => {
    if (before === null) return { _tag: "Delete", path }
    if (after === null) return { _tag: "Add", path, content: before }
    return restore(before, after, moveTo === undefined ? { path } : { path: moveTo, moveTo: path })
  }))

const undo = (files: ReadonlyArray<FileEdit>): Edits => ({ format: "undo", files, warnings: [] })

/** What differs between what both texts begin and end with. */
const restore = (before: string, after: string, names: { readonly path?: string; readonly moveTo?: string }): FileEdit => {
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before.charCodeAt(head) === after.charCodeAt(head)) head++
  let tail = 0
  while (
    tail < shorter - head && before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  ) tail++
  return {
    _tag: "Restore",
    at: head,
    remove: after.slice(head, after.length - tail),
    insert: before.slice(head, before.length - tail),
    ...names
  }
}
