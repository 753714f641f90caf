/** What a placed block does to the lines of its file: the lines that go, and those that come, as the file writes them. */
import type { Hunk } from "./Edit.ts"
import type { Failure } from "./EditError.ts"
import { unescape } from "./NormalizeLine.ts"
import { reindent } from "./Indent.ts"
import * as LineNumbers from "./LineNumbers.ts"
import * as Lines from "./Lines.ts"
import type { LineEdit } from "./WriteEdits.ts"
import { at, type Placed } from "./PlaceBlocks.ts"

export interface Change {
  readonly placed: Placed
  /** One, or one for each run of changed lines where the format tells context apart. */
  readonly edits: ReadonlyArray<LineEdit>
  readonly warnings: ReadonlyArray<string>
}

export const noChange = "the replacement equals what it replaces"

/** O(block). */
export const change = (lines: Lines.Lines, placed: Placed): Change => {
  const { block: { keep }, place, replace, search } = placed
  const { escaped, numbered, write } = respell(lines, placed)
  const written = write(replace)
  const edits = keep === undefined
    ? [{ start: place.start, end: place.start + search.length, lines: written }]
    : runs(place.start, search.length, written, keep)
  return { placed, edits, warnings: warnings(placed, numbered, escaped) }
}

/** How the lines of a replacement are spelled in the file, told from how its search text differs from what it found. */
export const respell = (lines: Lines.Lines, { located, place, replace: all, search }: Placed): {
  readonly numbered: boolean
  readonly escaped: boolean
  readonly write: (replace: ReadonlyArray<string>) => ReadonlyArray<string>
} => {
  const found = Lines.slice(lines, place.start, place.start + search.length)
  const numbered = located.firstNumber !== undefined
  const escaped = place.strategy === "look-alike" && located.search.some((line, i) => escapes(line) > escapes(found[i]!))
  const shift = reindent(lines, found, located.search, numbered ? LineNumbers.stripAny(all) : all)
  return {
    numbered,
    escaped,
    write: (replace) => {
      const plain = numbered ? LineNumbers.stripAny(replace) : replace
      return (escaped ? plain.map(unescape) : plain).map(shift)
    }
  }
}

const escapes = (line: string): number => line.length - unescape(line).length

/** The changed lines between the lines of context, which stay the file's own. */
const runs = (
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
    const kept = keep[i]!
    if (kept < 0) {
      added.push(line)
    } else {
      flush(kept)
      from = kept + 1
    }
  })
  flush(length)
  return edits
}

const warnings = ({ block, place, search }: Placed, numbered: boolean, escaped: boolean): ReadonlyArray<string> => {
  const told: Array<string> = []
  if (numbered) told.push(`block ${block.index}: took the line numbers off its lines`)
  if (escaped) told.push(`block ${block.index}: took the backslashes off its quotes, as the file has them`)
  if (place.strategy === "anchors" || place.strategy === "similar") {
    const percent = Math.round(place.confidence * 100)
    const how = place.strategy === "anchors" ? `by its first and last line (the middle is ${percent}% similar)` : `by similarity (${percent}%)`
    told.push(`block ${block.index}: found ${how} at lines ${place.start + 1}-${place.start + search.length}`)
  }
  return told
}

/** Top to bottom, in the order of their edits. */
export const byPlace = ({ placed: a }: Change, { placed: b }: Change): number =>
  a.place.start - b.place.start || a.search.length - b.search.length

/** Blocks that would leave the file as it is. */
export const idle = (lines: Lines.Lines, changes: ReadonlyArray<Change>): ReadonlyArray<Failure> =>
  changes.filter(({ edits, placed }) =>
    placed.block.finalNewline === undefined && (repeats(placed) || edits.every((edit) => leaves(lines, edit)))
  ).map(({ placed }) => ({ reason: "NoChange", message: noChange, ...at(placed.block) }))

const repeats = ({ replace, search }: Placed): boolean =>
  search.length === replace.length && search.every((line, i) => line === replace[i])

const leaves = (lines: Lines.Lines, { end, lines: added, start }: LineEdit): boolean =>
  added.length === end - start && added.every((line, i) => line === Lines.at(lines, start + i))

/** Pairs of blocks that change the same lines. Context may be shared. */
export const overlaps = (changes: ReadonlyArray<Change>): ReadonlyArray<Failure> => {
  const failures: Array<Failure> = []
  let last: { readonly edit: LineEdit; readonly change: Change } | undefined
  const edits = changes.flatMap((change) => change.edits.map((edit) => ({ edit, change })))
    .sort((a, b) => a.edit.start - b.edit.start || a.edit.end - b.edit.end)
  for (const next of edits) {
    if (last !== undefined && next.edit.start < last.edit.end) {
      const [one, other] = [last.change.placed.block, next.change.placed.block]
        .sort((a, b) => a.index - b.index)
      const line = next.edit.start + 1
      failures.push({
        reason: "Overlap",
        message: `blocks ${one!.index} and ${other!.index} both change line ${line}: make them one block`,
        ...at(other!)
      })
    }
    if (last === undefined || next.edit.end >= last.edit.end) last = next
  }
  return failures
}

/** What the patch says of the newline at the end of the file, from a block that reaches it. */
export const newlineAtEnd = (lines: Lines.Lines, changes: ReadonlyArray<Change>): boolean | undefined =>
  changes.find(({ placed }) =>
    placed.block.finalNewline !== undefined && placed.place.start + placed.search.length === lines.count
  )?.placed.block.finalNewline

/** The ranges of the blocks before and after; the changes and their edits are sorted. O(changes). */
export const hunks = (changes: ReadonlyArray<Change>, edits: ReadonlyArray<LineEdit>): ReadonlyArray<Hunk> => {
  let passed = 0
  let grown = 0
  return changes.map(({ edits: own, placed: { place, search } }) => {
    while (passed < edits.length && edits[passed]!.start <= place.start && !own.includes(edits[passed]!)) {
      grown += growth(edits[passed++]!)
    }
    const newLines = search.length + own.reduce((sum, edit) => sum + growth(edit), 0)
    return {
      oldStart: search.length === 0 ? place.start : place.start + 1,
      oldLines: search.length,
      newStart: newLines === 0 ? place.start + grown : place.start + grown + 1,
      newLines,
      strategy: place.strategy
    }
  })
}

const growth = ({ end, lines, start }: LineEdit): number => lines.length - (end - start)
