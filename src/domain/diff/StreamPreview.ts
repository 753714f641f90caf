/**
 * Shows a file under an edit that is still being written. Each push costs what it adds: a block is looked up in the
 * index once its search text is complete, and from then on its replacement grows line by line. Blocks that depend on
 * others, or can only be located by similarity, appear at the end.
 */
import * as Result from "effect/Result"
import { type ApplyResult, applyOne, type Options } from "./ApplyFile.ts"
import * as ApplyPatch from "./ApplyPatch.ts"
import { blockChange, respell } from "./BlockChange.ts"
import type { TextFormat } from "./DetectFormat.ts"
import type { Block, Edits } from "./Edit.ts"
import type { EditError } from "./EditError.ts"
import * as Locate from "./Locate.ts"
import { isSamePath } from "./PatchText.ts"
import * as WriteEdits from "./WriteEdits.ts"
import * as SearchReplace from "./SearchReplace.ts"
import { type Placement, placeEarly } from "./PlaceBlocks.ts"
import * as UnifiedDiff from "./UnifiedDiff.ts"

/** What a preview needs of a format: its parser, the blocks so far, and the one that is arriving. */
interface Reader {
  readonly push: (text: string) => void
  readonly end: () => Result.Result<Edits, EditError>
  readonly blocks: ReadonlyArray<Block>
  /** The file of each block, if the format names one. */
  readonly owners: ReadonlyArray<string | undefined>
  readonly arriving: () => Block | undefined
  /** The lines of its replacement from the given one on. */
  readonly lines: (from: number) => ReadonlyArray<string>
}

/** A block whose replacement is arriving. */
interface ActiveBlock {
  readonly index: number
  readonly end: number
  readonly write: (lines: ReadonlyArray<string>) => ReadonlyArray<string>
  /** Settled edits below it. */
  readonly editsBelow: ReadonlyArray<WriteEdits.LineEdit>
  lineCount: number
  writer: WriteEdits.Writer
}

/** Belongs to the step that receives it. */
export interface Preview {
  readonly target: Locate.Target
  readonly path: string | undefined
  readonly reader: Reader
  /** Sorted and disjoint, from the complete blocks. */
  readonly edits: Array<WriteEdits.LineEdit>
  /** All of them written. */
  writer: WriteEdits.Writer
  blockCount: number
  /** The block that was looked up last: each is looked up once. */
  lastLookup: number
  active: ActiveBlock | undefined
  newline: boolean | undefined
}

/** A preview of one file under edits in the given format; of a patch with several files, the one with that path. O(content). */
export const initial = (content: string, format: TextFormat, path?: string): Preview => {
  const target = Locate.target(content)
  return {
    target,
    path,
    reader: readers[format](),
    edits: [],
    writer: WriteEdits.begin(target.lines),
    blockCount: 0,
    lastLookup: 0,
    active: undefined,
    newline: undefined
  }
}

/** Processes the next piece of the input. O(piece) if blocks come from top to bottom. */
export const push = (preview: Preview, text: string): Preview => {
  const { reader } = preview
  reader.push(text)
  for (; preview.blockCount < reader.blocks.length; preview.blockCount++) {
    const owner = reader.owners[preview.blockCount]
    const isTarget = owner === undefined || preview.path === undefined || isSamePath(owner, preview.path)
    if (isTarget) settleBlock(preview, reader.blocks[preview.blockCount]!)
  }
  if (preview.lastLookup <= preview.blockCount) openActive(preview)
  if (preview.active !== undefined) growActive(preview, preview.active)
  return preview
}

/** The content so far; a view, joined from existing parts without copying. */
export const content = ({ active, newline, target: { lines }, writer }: Preview): string => {
  if (active === undefined) return WriteEdits.finish(writer, lines, newline)
  const finalWriter = active.editsBelow.reduce(
    (at, edit) => WriteEdits.writeEdit(at, lines, edit),
    WriteEdits.skip(active.writer, active.end)
  )
  return WriteEdits.finish(finalWriter, lines, newline)
}

/** The edits as finally applied: what `Apply.apply` makes of the complete input. */
export const end = ({ path, reader, target }: Preview, options: Options = {}): Result.Result<ApplyResult, EditError> =>
  Result.flatMap(reader.end(), (edits) => applyOne(target.lines.text, edits, options, path, target))

const readers: Readonly<Record<TextFormat, () => Reader>> = {
  "search-replace": () => {
    const state = SearchReplace.initial()
    return {
      push: (text) => SearchReplace.push(state, text),
      end: () => SearchReplace.end(state),
      blocks: state.blocks,
      owners: [],
      arriving: () => SearchReplace.incomingBlock(state),
      // A second line of = makes the block uncertain: no more of it is shown until it is complete.
      lines: (from) => state.open?.rules.length === 1 ? state.open.body.slice(state.open.rules[0]!.at + 1 + from) : []
    }
  },
  "unified-diff": () => {
    const state = UnifiedDiff.initial()
    const { blocks, owners } = state
    return { push: (text) => UnifiedDiff.push(state, text), end: () => UnifiedDiff.end(state), blocks, owners, ...noIncoming }
  },
  "apply-patch": () => {
    const state = ApplyPatch.initial()
    const { blocks, owners } = state
    return { push: (text) => ApplyPatch.push(state, text), end: () => ApplyPatch.end(state), blocks, owners, ...noIncoming }
  }
}

/** Formats whose hunks reveal their search text only when they are complete. */
const noIncoming: Pick<Reader, "arriving" | "lines"> = { arriving: () => undefined, lines: () => [] }

const settleBlock = (preview: Preview, block: Block): void => {
  const { target: { lines } } = preview
  if (preview.active?.index === block.index) preview.active = undefined
  const placement = placeEarly(preview.target, block)
  if (placement === undefined || !isFree(preview, placement)) return
  if (block.finalNewline !== undefined && placement.place.start + placement.search.length === lines.count) {
    preview.newline = block.finalNewline
  }
  for (const edit of blockChange(lines, placement).edits) {
    if (edit.start >= preview.writer.at) {
      preview.edits.push(edit)
      preview.writer = WriteEdits.writeEdit(preview.writer, lines, edit)
    } else {
      preview.edits.splice(countAbove(preview, edit.start), 0, edit)
      preview.writer = preview.edits.reduce((at, each) => WriteEdits.writeEdit(at, lines, each), WriteEdits.begin(lines))
    }
  }
}

/** The block has its separator: its replacement is shown from here on. */
const openActive = (preview: Preview): void => {
  const { target } = preview
  const block = preview.reader.arriving()
  if (block === undefined) return
  preview.lastLookup = block.index
  const placement = placeEarly(target, block)
  if (placement === undefined || !isFree(preview, placement)) return
  const { place, search } = placement
  const at = countAbove(preview, place.start)
  const writer = at === preview.edits.length
    ? preview.writer
    : preview.edits.slice(0, at).reduce((at, edit) => WriteEdits.writeEdit(at, target.lines, edit), WriteEdits.begin(target.lines))
  preview.active = {
    index: placement.block.index,
    end: place.start + search.length,
    write: respell(target.lines, placement).write,
    editsBelow: preview.edits.slice(at),
    lineCount: 0,
    writer: WriteEdits.copy(writer, target.lines, place.start)
  }
}

const growActive = ({ reader, target }: Preview, active: ActiveBlock): void => {
  const newLines = reader.lines(active.lineCount)
  active.lineCount += newLines.length
  active.writer = WriteEdits.add(active.writer, target.lines, active.write(newLines))
}

/** Whether no settled edit touches the lines. */
const isFree = (preview: Preview, { place, search }: Placement): boolean => {
  const at = countAbove(preview, place.start)
  const above = preview.edits[at - 1]
  const next = preview.edits[at]
  return (above === undefined || above.end <= place.start) && (next === undefined || next.start >= place.start + search.length)
}

/** How many settled edits begin above the line. O(log edits). */
const countAbove = ({ edits }: Preview, line: number): number => {
  let low = 0
  let high = edits.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (edits[middle]!.start < line) low = middle + 1
    else high = middle
  }
  return low
}
