/** What a placed block does to the lines of its file: the lines removed and the lines added, as the file spells them. */
import type { Hunk } from "./Edit.ts"
import type { Failure } from "./EditError.ts"
import { unescape } from "./NormalizeLine.ts"
import { reindent } from "./Indent.ts"
import * as Indent from "./Indent.ts"
import * as Lines from "./Lines.ts"
import type { LineEdit } from "./WriteEdits.ts"
import { blockLocation, type Placement } from "./PlaceBlocks.ts"

export interface BlockChange {
  readonly placement: Placement
  /** One, or one for each run of changed lines if the format marks context. */
  readonly edits: ReadonlyArray<LineEdit>
  readonly warnings: ReadonlyArray<string>
}

export const noChangeMessage = "the replacement equals what it replaces"

/** O(block). */
export const blockChange = (lines: Lines.Lines, placement: Placement): BlockChange => {
  const { block: { keep }, place, replace, search } = placement
  const { isEscaped, isNumbered, write } = respell(lines, placement)
  const newLines = write(replace)
  const edits = keep === undefined
    ? [{ start: place.start, end: place.start + search.length, lines: newLines }]
    : changedRuns(place.start, search.length, newLines, keep)
  return { placement, edits, warnings: warnings(placement, isNumbered, isEscaped) }
}

/** How the lines of a replacement are spelled in the file, inferred from how its search text differs from the match. */
export const respell = (lines: Lines.Lines, { location, place, replace: all, search }: Placement): {
  readonly isNumbered: boolean
  readonly isEscaped: boolean
  readonly write: (replace: ReadonlyArray<string>) => ReadonlyArray<string>
} => {
  const fileLines = Lines.slice(lines, place.start, place.start + search.length)
  const isNumbered = location.firstNumber !== undefined
  const isEscaped = place.strategy === "look-alike" && location.search.some((line, i) => escapes(line) > escapes(fileLines[i]!))
  const shift = reindent(lines, fileLines, location.search, isNumbered ? Indent.stripAny(all) : all)
  return {
    isNumbered,
    isEscaped,
    write: (replace) => {
      const plain = isNumbered ? Indent.stripAny(replace) : replace
      return (isEscaped ? plain.map(unescape) : plain).map(shift)
    }
  }
}

const escapes = (line: string): number => line.length - unescape(line).length

/** The changed lines between the lines of context, which stay as they are in the file. */
const changedRuns = (
  start: number,
  length: number,
  replace: ReadonlyArray<string>,
  keep: ReadonlyArray<number>
): ReadonlyArray<LineEdit> => {
  const edits: Array<LineEdit> = []
  let from = 0
  let added: Array<string> = []
  const flush = (to: number): void => {
    if (to > from || added.length > 0) edits.push({ start: start + from, end: start + to, lines: added })
    added = []
  }
  replace.forEach((line, i) => {
    const keepIndex = keep[i]!
    if (keepIndex < 0) {
      added.push(line)
    } else {
      flush(keepIndex)
      from = keepIndex + 1
    }
  })
  flush(length)
  return edits
}

const warnings = ({ block, place, search }: Placement, isNumbered: boolean, isEscaped: boolean): ReadonlyArray<string> => {
  const messages: Array<string> = []
  if (isNumbered) messages.push(`block ${block.index}: removed the line numbers from its lines`)
  if (isEscaped) messages.push(`block ${block.index}: removed the backslashes before its quotes, to match the file`)
  if (place.strategy === "anchors" || place.strategy === "similar") {
    const percent = Math.round(place.confidence * 100)
    const method = place.strategy === "anchors" ? `by its first and last line (the middle is ${percent}% similar)`
      : `by similarity (${percent}%)`
    messages.push(`block ${block.index}: matched ${method} at lines ${place.start + 1}-${place.start + search.length}`)
  }
  return messages
}

/** Top to bottom, in the order of their edits. */
export const byPosition = ({ placement: a }: BlockChange, { placement: b }: BlockChange): number =>
  a.place.start - b.place.start || a.search.length - b.search.length

/** Blocks that would leave the file unchanged. */
export const noChangeFailures = (lines: Lines.Lines, changes: ReadonlyArray<BlockChange>): ReadonlyArray<Failure> =>
  changes.filter(({ edits, placement }) =>
    placement.block.finalNewline === undefined && (isIdentical(placement) || edits.every((edit) => isNoop(lines, edit)))
  ).map(({ placement }) => ({ reason: "NoChange", message: noChangeMessage, ...blockLocation(placement.block) }))

const isIdentical = ({ replace, search }: Placement): boolean =>
  search.length === replace.length && search.every((line, i) => line === replace[i])

const isNoop = (lines: Lines.Lines, { end, lines: added, start }: LineEdit): boolean =>
  added.length === end - start && added.every((line, i) => line === Lines.at(lines, start + i))

/** Pairs of blocks that change the same lines. Context may be shared. */
export const overlaps = (changes: ReadonlyArray<BlockChange>): ReadonlyArray<Failure> => {
  const failures: Array<Failure> = []
  let last: { readonly edit: LineEdit; readonly change: BlockChange } | undefined
  const edits = changes.flatMap((change) => change.edits.map((edit) => ({ edit, change })))
    .sort((a, b) => a.edit.start - b.edit.start || a.edit.end - b.edit.end)
  for (const next of edits) {
    if (last !== undefined && next.edit.start < last.edit.end) {
      const [one, other] = [last.change.placement.block, next.change.placement.block]
        .sort((a, b) => a.index - b.index)
      const line = next.edit.start + 1
      failures.push({
        reason: "Overlap",
        message: `blocks ${one!.index} and ${other!.index} both change line ${line}: combine them into one block`,
        ...blockLocation(other!)
      })
    }
    if (last === undefined || next.edit.end >= last.edit.end) last = next
  }
  return failures
}

/** What the patch says about the newline at the end of the file, from a block that reaches it. */
export const newlineAtEnd = (lines: Lines.Lines, changes: ReadonlyArray<BlockChange>): boolean | undefined =>
  changes.find(({ placement }) =>
    placement.block.finalNewline !== undefined && placement.place.start + placement.search.length === lines.count
  )?.placement.block.finalNewline

/** The ranges of the blocks before and after; the changes and their edits are sorted. O(changes). */
export const hunks = (changes: ReadonlyArray<BlockChange>, edits: ReadonlyArray<LineEdit>): ReadonlyArray<Hunk> => {
  let editIndex = 0
  let lineOffset = 0
  return changes.map(({ edits: blockEdits, placement: { place, search } }) => {
    while (editIndex < edits.length && edits[editIndex]!.start <= place.start && !blockEdits.includes(edits[editIndex]!)) {
      lineOffset += growth(edits[editIndex++]!)
    }
    const newLines = search.length + blockEdits.reduce((sum, edit) => sum + growth(edit), 0)
    return {
      oldStart: search.length === 0 ? place.start : place.start + 1,
      oldLines: search.length,
      newStart: newLines === 0 ? place.start + lineOffset : place.start + lineOffset + 1,
      newLines,
      strategy: place.strategy
    }
  })
}

const growth = ({ end, lines, start }: LineEdit): number => lines.length - (end - start)
