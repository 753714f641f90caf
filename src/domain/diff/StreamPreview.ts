/**
 * What a file becomes, while the edit is still being written. Each push costs what it brings: a block is looked up in
 * the index once its search text is whole, and from then on its replacement grows line by line. Blocks that need the
 * others to be settled, or can only be found by similarity, show at the end.
 */
import * as Result from "effect/Result"
import { type Applied, applyOne, type Options } from "./ApplyFile.ts"
import * as ApplyPatch from "./ApplyPatch.ts"
import { change, respell } from "./BlockChange.ts"
import type { TextFormat } from "./DetectFormat.ts"
import type { Block, Edits } from "./Edit.ts"
import type { EditError } from "./EditError.ts"
import * as Locate from "./Locate.ts"
import { isSame } from "./PatchPath.ts"
import * as Rewrite from "./WriteEdits.ts"
import * as SearchReplace from "./SearchReplace.ts"
import { type Placed, settleEarly } from "./PlaceBlocks.ts"
import * as UnifiedDiff from "./UnifiedDiff.ts"

/** What a preview needs of a format: its parser, the blocks so far, and the one that is arriving. */
interface Reader {
  readonly push: (text: string) => void
  readonly end: () => Result.Result<Edits, EditError>
  readonly blocks: ReadonlyArray<Block>
  /** The file of each block, where the format names one. */
  readonly owners: ReadonlyArray<string | undefined>
  readonly arriving: () => Block | undefined
  /** The lines of its replacement from the given one on. */
  readonly lines: (from: number) => ReadonlyArray<string>
}

/** A block whose replacement is arriving. */
interface Live {
  readonly index: number
  readonly end: number
  readonly write: (lines: ReadonlyArray<string>) => ReadonlyArray<string>
  /** Settled edits below it. */
  readonly below: ReadonlyArray<Rewrite.LineEdit>
  shown: number
  writer: Rewrite.Writer
}

/** Belongs to the step that takes it. */
export interface Preview {
  readonly target: Locate.Target
  readonly path: string | undefined
  readonly reader: Reader
  /** Sorted and apart, of the blocks that are whole. */
  readonly edits: Array<Rewrite.LineEdit>
  /** All of them written. */
  writer: Rewrite.Writer
  seen: number
  /** The block that `live` was last asked for: each is looked up once. */
  asked: number
  live: Live | undefined
  newline: boolean | undefined
}

/** A preview of one file under edits in the given format; of a patch of several files, the one with that path. O(content). */
export const initial = (content: string, format: TextFormat, path?: string): Preview => {
  const target = Locate.target(content)
  return {
    target,
    path,
    reader: readers[format](),
    edits: [],
    writer: Rewrite.begin(target.lines),
    seen: 0,
    asked: 0,
    live: undefined,
    newline: undefined
  }
}

/** Takes the next piece of the input. O(piece) where blocks come from top to bottom. */
export const push = (preview: Preview, text: string): Preview => {
  const { reader } = preview
  reader.push(text)
  for (; preview.seen < reader.blocks.length; preview.seen++) {
    const owner = reader.owners[preview.seen]
    const mine = owner === undefined || preview.path === undefined || isSame(owner, preview.path)
    if (mine) settleBlock(preview, reader.blocks[preview.seen]!)
  }
  if (preview.asked <= preview.seen) openLive(preview)
  if (preview.live !== undefined) grow(preview, preview.live)
  return preview
}

/** The content so far; a view, joined from what is there without copying it. */
export const content = ({ live, newline, target: { lines }, writer }: Preview): string => {
  if (live === undefined) return Rewrite.finish(writer, lines, newline)
  const done = live.below.reduce((at, edit) => Rewrite.write(at, lines, edit), Rewrite.skip(live.writer, live.end))
  return Rewrite.finish(done, lines, newline)
}

/** The edits as they are applied in the end: what `Apply.apply` says of the whole input. */
export const end = ({ path, reader, target }: Preview, options: Options = {}): Result.Result<Applied, EditError> =>
  Result.flatMap(reader.end(), (edits) => applyOne(target.lines.text, edits, options, path, target))

const readers: Readonly<Record<TextFormat, () => Reader>> = {
  "search-replace": () => {
    const state = SearchReplace.initial()
    return {
      push: (text) => SearchReplace.push(state, text),
      end: () => SearchReplace.end(state),
      blocks: state.blocks,
      owners: [],
      arriving: () => SearchReplace.arriving(state),
      // A second line of = leaves the block in doubt: nothing more of it is shown until it is whole.
      lines: (from) => state.open?.rules.length === 1 ? state.open.body.slice(state.open.rules[0]!.at + 1 + from) : []
    }
  },
  "unified-diff": () => {
    const state = UnifiedDiff.initial()
    const { blocks, owners } = state
    return { push: (text) => UnifiedDiff.push(state, text), end: () => UnifiedDiff.end(state), blocks, owners, ...whole }
  },
  "apply-patch": () => {
    const state = ApplyPatch.initial()
    const { blocks, owners } = state
    return { push: (text) => ApplyPatch.push(state, text), end: () => ApplyPatch.end(state), blocks, owners, ...whole }
  }
}

/** Formats whose hunks say what to find only when they are whole. */
const whole: Pick<Reader, "arriving" | "lines"> = { arriving: () => undefined, lines: () => [] }

const settleBlock = (preview: Preview, block: Block): void => {
  const { target: { lines } } = preview
  if (preview.live?.index === block.index) preview.live = undefined
  const placed = settleEarly(preview.target, block)
  if (placed === undefined || !isFree(preview, placed)) return
  if (block.finalNewline !== undefined && placed.place.start + placed.search.length === lines.count) {
    preview.newline = block.finalNewline
  }
  for (const edit of change(lines, placed).edits) {
    if (edit.start >= preview.writer.at) {
      preview.edits.push(edit)
      preview.writer = Rewrite.write(preview.writer, lines, edit)
    } else {
      preview.edits.splice(below(preview, edit.start), 0, edit)
      preview.writer = preview.edits.reduce((at, each) => Rewrite.write(at, lines, each), Rewrite.begin(lines))
    }
  }
}

/** The block has its separator: its replacement is shown from here on. */
const openLive = (preview: Preview): void => {
  const { target } = preview
  const block = preview.reader.arriving()
  if (block === undefined) return
  preview.asked = block.index
  const placed = settleEarly(target, block)
  if (placed === undefined || !isFree(preview, placed)) return
  const { place, search } = placed
  const at = below(preview, place.start)
  const writer = at === preview.edits.length
    ? preview.writer
    : preview.edits.slice(0, at).reduce((at, edit) => Rewrite.write(at, target.lines, edit), Rewrite.begin(target.lines))
  preview.live = {
    index: placed.block.index,
    end: place.start + search.length,
    write: respell(target.lines, placed).write,
    below: preview.edits.slice(at),
    shown: 0,
    writer: Rewrite.copy(writer, target.lines, place.start)
  }
}

const grow = ({ reader, target }: Preview, live: Live): void => {
  const fresh = reader.lines(live.shown)
  live.shown += fresh.length
  live.writer = Rewrite.add(live.writer, target.lines, live.write(fresh))
}

/** Whether no settled edit touches the lines. */
const isFree = (preview: Preview, { place, search }: Placed): boolean => {
  const at = below(preview, place.start)
  const above = preview.edits[at - 1]
  const next = preview.edits[at]
  return (above === undefined || above.end <= place.start) && (next === undefined || next.start >= place.start + search.length)
}

/** How many settled edits begin above the line. O(log edits). */
const below = ({ edits }: Preview, line: number): number => {
  let low = 0
  let high = edits.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (edits[middle]!.start < line) low = middle + 1
    else high = middle
  }
  return low
}
