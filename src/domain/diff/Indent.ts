/**
 * Re-indentation: a replacement written against a search text whose indentation differs from the file's is shifted as
 * the lines that it replaces were. Each line takes the file's indentation of the matched line under which it stands,
 * plus its own beyond that line, in the file's unit.
 */
import * as Lines from "./Lines.ts"

/** One indentation of the search text, and what the file has in its place. */
interface Shift {
  readonly written: string
  readonly found: string
}

/** How a file (or the writer of a patch) indents one step. */
export interface Unit {
  readonly tabs: boolean
  /** Columns of a step in spaces. */
  readonly width: number
}

export type Reindent = (line: string) => string

const same: Reindent = (line) => line

/** `found` are the lines of the file that `search` matched, one for one. O(lines of the block). */
export const reindent = (
  lines: Lines.Lines,
  found: ReadonlyArray<string>,
  search: ReadonlyArray<string>,
  replace: ReadonlyArray<string>
): Reindent => {
  const shifts = pairs(found, search)
  const first = shifts[0]
  if (first === undefined || shifts.every(({ found, written }) => found === written)) return same
  const theirs = unitOf([...search, ...replace])
  const ours = unitOf(found) ?? unitOf(sample(lines)) ?? theirs ?? { tabs: false, width: 4 }
  const width = theirs === undefined || theirs.tabs ? ours.width : theirs.width
  const unit = { tabs: ours.tabs, width }
  return (line) => {
    const own = indentation(line)
    if (own.length === line.length) return line
    const under = shifts.reduce<Shift | undefined>(
      (best, shift) =>
        own.startsWith(shift.written) && (best === undefined || shift.written.length > best.written.length) ? shift : best,
      undefined
    )
    const indent = under === undefined ?
      shallower(first, own, unit) :
      under.found + convert(own.slice(under.written.length), unit)
    return indent + line.slice(own.length)
  }
}

/** The white space at the start of a line. */
export const indentation = (line: string): string => line.slice(0, line.length - line.trimStart().length)

/** One pair for each indentation of the search text: the first line that has it decides. */
const pairs = (found: ReadonlyArray<string>, search: ReadonlyArray<string>): Array<Shift> => {
  const shifts = new Map<string, Shift>()
  search.forEach((line, i) => {
    const written = indentation(line)
    const there = found[i]!
    if (written.length < line.length && there.trim() !== "" && !shifts.has(written)) {
      shifts.set(written, { written, found: indentation(there) })
    }
  })
  return [...shifts.values()]
}

/** A line with less indentation than any matched one: the file's first, less what the writer took away. */
const shallower = ({ found, written }: Shift, own: string, unit: Unit): string => {
  const less = convert(" ".repeat(Math.max(0, columns(written, unit.width) - columns(own, unit.width))), unit)
  return found.slice(0, Math.max(0, found.length - less.length))
}

/** White space in the file's unit; what is less than a step stays spaces. */
const convert = (space: string, { tabs, width }: Unit): string => {
  const wide = columns(space, width)
  return tabs ? "\t".repeat(Math.floor(wide / width)) + " ".repeat(wide % width) : " ".repeat(wide)
}

const columns = (space: string, width: number): number => {
  let wide = 0
  for (const char of space) wide += char === "\t" ? width : 1
  return wide
}

/** The smallest step between the indentations of some lines, or nothing when none is indented. */
const unitOf = (lines: ReadonlyArray<string>): Unit | undefined => {
  const indents = lines.filter((line) => line.trim() !== "").map(indentation)
  if (indents.some((indent) => indent.startsWith("\t"))) return { tabs: true, width: 4 }
  const widths = [...new Set(indents.map((indent) => indent.length))].sort((a, b) => a - b)
  const steps = widths.map((width, i) => width - (widths[i - 1] ?? 0)).filter((step) => step > 0)
  return steps.length === 0 ? undefined : { tabs: false, width: steps.reduce((least, step) => Math.min(least, step)) }
}

/** Enough of the file to see how it indents. */
const sample = (lines: Lines.Lines): Array<string> => Lines.slice(lines, 0, Math.min(lines.count, 200))
