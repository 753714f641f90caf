/** Whether a hunk has been applied before: its new side stands where its old side should. */
import type { Block } from "./Edit.ts"
import { fold, hash } from "./NormalizeLine.ts"
import * as LineIndex from "./LineIndex.ts"
import * as Lines from "./Lines.ts"
import type { Place, Target } from "./Locate.ts"

/** Only hunks with context can be told to be applied. `places` are those of the old side, sure or guessed. */
export const isApplied = (target: Target, block: Block, places: ReadonlyArray<Place>): boolean =>
  block.keep !== undefined && block.keep.some((line) => line >= 0) &&
  (places.every(({ strategy }) => strategy === "anchors" || strategy === "similar")
    ? isReplaced(target, block, places)
    : isAddedTwice(target, block, block.keep, places))

/** The old side is nowhere, or only something like it, and there stands the new side, which says enough to be known. */
const isReplaced = (target: Target, { keep = [], replace, search }: Block, guesses: ReadonlyArray<Place>): boolean =>
  (keep.includes(-1) || replace.filter((line) => line.trim() !== "").length > 1) &&
  stands(target, replace).some((at) =>
    guesses.length === 0 || guesses.some(({ start }) => at < start + search.length && start < at + replace.length)
  )

/**
 * The old side is only context, so it is there still. Hunks with numbers show as much context below as above but at the
 * edge of the file: one with context on one side alone has been applied if the added lines stand there elsewhere.
 */
const isAddedTwice = (
  target: Target,
  { hint, replace, search }: Block,
  keep: ReadonlyArray<number>,
  places: ReadonlyArray<Place>
): boolean => {
  const leading = keep.findIndex((line) => line >= 0)
  const trailing = keep.length - 1 - keep.findLastIndex((line) => line >= 0)
  const onlyAdds = hint !== undefined && leading + trailing === keep.length - search.length && (leading > 0) !== (trailing > 0)
  if (!onlyAdds) return false
  const done = new Set(stands(target, replace))
  return places.every(({ start }) =>
    done.has(start - leading) && (leading > 0 ? start > 0 : start + search.length < target.lines.count)
  )
}

/** Where lines stand as they are written. */
const stands = ({ index, lines }: Target, wanted: ReadonlyArray<string>): ReadonlyArray<number> =>
  LineIndex.find(index, wanted.map((line) => hash(fold(line))))
    .filter((start) => wanted.every((line, i) => Lines.at(lines, start + i) === line))
