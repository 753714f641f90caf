/** Whether a hunk has been applied before: its new side stands where its old side should. */
import type { Block } from "./Edit.ts"
import { fold, hash } from "./Fold.ts"
import * as LineIndex from "./LineIndex.ts"
import * as Lines from "./Lines.ts"
import type { Place, Target } from "./Locate.ts"

/**
 * Only hunks with context can be told to be applied. When the old side is nowhere, the new side being somewhere says
 * so. When the old side is only context it is still there: then the hunk has been applied if the added lines stand at
 * its edge too, where a hunk that is fresh must touch the edge of the file.
 */
export const isApplied = (target: Target, { keep, replace, search }: Block, places: ReadonlyArray<Place>): boolean => {
  if (keep === undefined || !keep.some((line) => line >= 0)) return false
  if (places.length === 0) return stands(target, replace).length > 0
  if (keep.filter((line) => line >= 0).length < search.length) return false
  const leading = keep.findIndex((line) => line >= 0)
  const trailing = keep.length - 1 - keep.findLastIndex((line) => line >= 0)
  if (leading + trailing !== keep.length - search.length) return false
  const done = new Set(stands(target, replace))
  return places.every(({ start }) =>
    (leading > 0) !== (trailing > 0) && done.has(start - leading) &&
    (leading > 0 ? start > 0 : start + search.length < target.lines.count)
  )
}

/** Where lines stand as they are written. */
const stands = ({ index, lines }: Target, wanted: ReadonlyArray<string>): ReadonlyArray<number> =>
  LineIndex.find(index, wanted.map((line) => hash(fold(line))))
    .filter((start) => wanted.every((line, i) => Lines.at(lines, start + i) === line))
