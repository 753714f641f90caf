/**
 * Re-indentation: if a search text is indented differently from the file, the replacement is shifted like the lines it replaces.
 * Each line takes the file's indentation of the matched line above it, plus its own beyond that line, in the file's unit.
 */
import * as Lines from "./Lines.ts"

/** One indentation of the search text, and its counterpart in the file. */
interface Shift {
  readonly expected: string
  readonly actual: string
}

/** How a file (or the writer of a patch) indents one step. */
export interface Unit {
  readonly tabs: boolean
  /** Columns of a step in spaces. */
  readonly width: number
}

export type Reindent = (line: string) => string

const identity: Reindent = (line) => line

/** `fileLines` are the lines of the file that `search` matched, one to one. O(lines of the block). */
export const reindent = (
  lines: Lines.Lines,
  fileLines: ReadonlyArray<string>,
  search: ReadonlyArray<string>,
  replace: ReadonlyArray<string>
): Reindent => {
  const shifts = indentShifts(fileLines, search)
  const first = shifts[0]
  if (first === undefined || shifts.every(({ actual, expected }) => actual === expected)) return identity
  const patchUnit = unitOf([...search, ...replace])
  const fileUnit = unitOf(fileLines) ?? unitOf(sample(lines)) ?? patchUnit ?? { tabs: false, width: 4 }
  const width = patchUnit === undefined || patchUnit.tabs ? fileUnit.width : patchUnit.width
  const unit = { tabs: fileUnit.tabs, width }
  return (line) => {
    const lineIndent = indentation(line)
    if (lineIndent.length === line.length) return line
    const base = shifts.reduce<Shift | undefined>(
      (best, shift) =>
        lineIndent.startsWith(shift.expected) && (best === undefined || shift.expected.length > best.expected.length) ? shift : best,
      undefined
    )
    const indent = base === undefined ?
      shallower(first, lineIndent, unit) :
      base.actual + convert(lineIndent.slice(base.expected.length), unit)
    return indent + line.slice(lineIndent.length)
  }
}

/** The white space at the start of a line. */
export const indentation = (line: string): string => line.slice(0, line.length - line.trimStart().length)

/** One pair for each indentation of the search text: the first line with it decides. */
const indentShifts = (fileLines: ReadonlyArray<string>, search: ReadonlyArray<string>): Array<Shift> => {
  const shifts = new Map<string, Shift>()
  search.forEach((line, i) => {
    const indent = indentation(line)
    const fileLine = fileLines[i]!
    if (indent.length < line.length && fileLine.trim() !== "" && !shifts.has(indent)) {
      shifts.set(indent, { expected: indent, actual: indentation(fileLine) })
    }
  })
  return [...shifts.values()]
}

/** A line with less indentation than any matched one: the file's first, less what the writer removed. */
const shallower = ({ actual, expected }: Shift, lineIndent: string, unit: Unit): string => {
  const excess = convert(" ".repeat(Math.max(0, columns(expected, unit.width) - columns(lineIndent, unit.width))), unit)
  return actual.slice(0, Math.max(0, actual.length - excess.length))
}

/** White space in the file's unit; a remainder smaller than a step stays spaces. */
const convert = (space: string, { tabs, width }: Unit): string => {
  const columnCount = columns(space, width)
  return tabs ? "\t".repeat(Math.floor(columnCount / width)) + " ".repeat(columnCount % width) : " ".repeat(columnCount)
}

const columns = (space: string, width: number): number => {
  let count = 0
  for (const char of space) count += char === "\t" ? width : 1
  return count
}

/** The smallest step between the indentations of some lines, or nothing if none is indented. */
const unitOf = (lines: ReadonlyArray<string>): Unit | undefined => {
  const indents = lines.filter((line) => line.trim() !== "").map(indentation)
  if (indents.some((indent) => indent.startsWith("\t"))) return { tabs: true, width: 4 }
  const widths = [...new Set(indents.map((indent) => indent.length))].sort((a, b) => a - b)
  const steps = widths.map((width, i) => width - (widths[i - 1] ?? 0)).filter((step) => step > 0)
  return steps.length === 0 ? undefined : { tabs: false, width: steps.reduce((min, step) => Math.min(min, step)) }
}

/** Enough of the file to determine how it indents. */
const sample = (lines: Lines.Lines): Array<string> => Lines.slice(lines, 0, Math.min(lines.count, 200))

/** Line numbers that a model copied from what it was shown: `12 | x`, `12→x`, `12<tab>x`, and `12: x`. */

const numberedLine = /^\s*(\d+)(?: ?\| ?|→|\t|: ?)(.*)$/s

/** The lines without their numbers and the first number, if every line has one and they count up by one. O(text). */
export const strip = (lines: ReadonlyArray<string>): { readonly lines: Array<string>; readonly first: number } | undefined => {
  const texts: Array<string> = []
  let first = 0
  for (const line of lines) {
    const match = numberedLine.exec(line)
    if (match === null) return undefined
    const number = Number(match[1])
    if (texts.length === 0) first = number
    else if (number !== first + texts.length) return undefined
    texts.push(match[2]!)
  }
  return texts.length === 0 ? undefined : { lines: texts, first }
}

/** The same for numbers that need not be consecutive, as in a replacement with lines added or left out. */
export const stripAny = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const texts = lines.map((line) => numberedLine.exec(line)?.[2])
  return texts.every((line) => line !== undefined) ? texts : lines
}
