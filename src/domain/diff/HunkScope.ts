/** Where a V4A hunk may stand under its `@@` headers, and where an addition without context goes. */
import type { Block } from "./Edit.ts"
import { fold } from "./NormalizeLine.ts"
import { indentation } from "./Indent.ts"
import * as LineIndex from "./LineIndex.ts"
import * as Lines from "./Lines.ts"
import type { Place, Target } from "./Locate.ts"

/** The lines under a header: `[from, to)`, the header's own line first. */
interface Span {
  readonly from: number
  readonly to: number
}

/**
 * The places inside what the headers open; else those below the last header; else all, when no header settles it.
 */
export const within = (
  target: Target,
  headers: ReadonlyArray<string>,
  places: ReadonlyArray<Place>
): ReadonlyArray<Place> => {
  if (headers.length === 0 || places.length < 2) return places
  const spans = open(target, headers)
  const inside = places.filter(({ start }) => spans.some(({ from, to }) => start >= from && start < to))
  if (inside.length > 0) return inside
  const top = spans[0]
  const below = top === undefined ? [] : places.filter(({ start }) => start > top.from)
  return below.length > 0 ? below : places
}

/**
 * Lines that are only added go after their `@@` header, after the line their hunk names, or to the end of the file. An
 * `@@` header that is not in the file, or is there several times, leaves them without a place or with several.
 */
export const insertion = (target: Target, block: Block): ReadonlyArray<Place> => {
  const at = (start: number): Place => ({ start, strategy: "position", confidence: 1 })
  if (block.scopes !== undefined && block.scopes.length > 0) {
    return open(target, block.scopes).map(({ from }) => at(from + 1))
  }
  return [at(Math.min(block.hint ?? target.lines.count, target.lines.count))]
}

/** The spans of the innermost header, each inside a span of the header before it if there is one there. */
const open = (target: Target, headers: ReadonlyArray<string>): ReadonlyArray<Span> =>
  headers.reduce<ReadonlyArray<Span>>((outer, header) => {
    const found = occurrences(target, header).map((line) => ({ from: line, to: endOf(target.lines, line) }))
    const inside = found.filter(({ from }) => outer.some((span) => from >= span.from && from < span.to))
    const top = outer[0]
    return inside.length > 0 || top === undefined ? inside : found.filter(({ from }) => from > top.from)
  }, [{ from: 0, to: target.lines.count }])

/** Lines that are the header, else that begin with it. */
const occurrences = ({ index, lines }: Target, header: string): ReadonlyArray<number> => {
  const folded = fold(header)
  const whole = LineIndex.occurrences(index, folded)
  if (whole.length > 0 || folded === "") return whole
  const begun: Array<number> = []
  for (let line = 0; line < lines.count; line++) {
    if (fold(Lines.at(lines, line)).startsWith(folded)) begun.push(line)
  }
  return begun
}

/** A scope ends before the next line that is indented no deeper than its header and is more than a bracket. */
const endOf = (lines: Lines.Lines, header: number): number => {
  const depth = indentation(Lines.at(lines, header)).length
  for (let line = header + 1; line < lines.count; line++) {
    const text = Lines.at(lines, line)
    const indent = indentation(text)
    if (indent.length < text.length && indent.length <= depth && !/^[()[\]{}]/.test(text.slice(indent.length))) return line
  }
  return lines.count
}
