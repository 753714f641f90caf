/** Where a V4A hunk may be placed under its `@@` headers, and where an addition without context goes. */
import type { Block } from "./Edit.ts"
import { normalizeLine } from "./NormalizeLine.ts"
import { indentation } from "./Indent.ts"
import * as LineIndex from "./LineIndex.ts"
import * as Lines from "./Lines.ts"
import type { Place, Target } from "./Locate.ts"

/** The lines under a header: `[from, to)`, the header's own line first. */
interface Span {
  readonly from: number
  readonly to: number
}

/** The places inside the headers' scopes; else those below the last header; else all, if no header narrows it down. */
export const placesInScope = (
  target: Target,
  headers: ReadonlyArray<string>,
  places: ReadonlyArray<Place>
): ReadonlyArray<Place> => {
  if (headers.length === 0 || places.length < 2) return places
  const spans = headerSpans(target, headers)
  const inside = places.filter(({ start }) => spans.some(({ from, to }) => start >= from && start < to))
  if (inside.length > 0) return inside
  const top = spans[0]
  const below = top === undefined ? [] : places.filter(({ start }) => start > top.from)
  return below.length > 0 ? below : places
}

/** Whether the headers match nothing: one of them is not in the file, or not inside the one before it. */
export const isMissing = (target: Target, headers: ReadonlyArray<string>): boolean =>
  headers.length > 0 && headerSpans(target, headers).length === 0

/**
 * Lines that are only added go after their `@@` header, after the line their hunk names, or to the end of the file. An
 * `@@` header that is not in the file, or occurs several times, leaves them without a place or with several.
 */
export const insertionPlaces = (target: Target, block: Block): ReadonlyArray<Place> => {
  const placeAt = (start: number): Place => ({ start, strategy: "position", confidence: 1 })
  if (block.scopes !== undefined && block.scopes.length > 0) {
    return headerSpans(target, block.scopes).map(({ from }) => placeAt(from + 1))
  }
  return [placeAt(Math.min(block.hint ?? target.lines.count, target.lines.count))]
}

/** The scopes of the innermost header, each inside a scope of the header before it if possible. */
const headerSpans = (target: Target, headers: ReadonlyArray<string>): ReadonlyArray<Span> =>
  headers.reduce<ReadonlyArray<Span>>((outer, header) => {
    const spans = occurrences(target, header).map((line) => ({ from: line, to: scopeEnd(target.lines, line) }))
    const inside = spans.filter(({ from }) => outer.some((span) => from >= span.from && from < span.to))
    const top = outer[0]
    return inside.length > 0 || top === undefined ? inside : spans.filter(({ from }) => from > top.from)
  }, [{ from: 0, to: target.lines.count }])

/** Lines equal to the header, else those that begin with it. */
const occurrences = ({ index, lines }: Target, header: string): ReadonlyArray<number> => {
  const folded = normalizeLine(header)
  const exactMatches = LineIndex.occurrences(index, folded)
  if (exactMatches.length > 0 || folded === "") return exactMatches
  const prefixMatches: Array<number> = []
  for (let line = 0; line < lines.count; line++) {
    if (normalizeLine(Lines.at(lines, line)).startsWith(folded)) prefixMatches.push(line)
  }
  return prefixMatches
}

/** A scope ends before the next line that is indented no deeper than its header and is more than a bracket. */
const scopeEnd = (lines: Lines.Lines, header: number): number => {
  const depth = indentation(Lines.at(lines, header)).length
  for (let line = header + 1; line < lines.count; line++) {
    const text = Lines.at(lines, line)
    const indent = indentation(text)
    if (indent.length < text.length && indent.length <= depth && !/^[()[\]{}]/.test(text.slice(indent.length))) return line
  }
  return lines.count
}
