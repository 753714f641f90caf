/** A page of a text with line numbers: what read_file shows in one call. */
import type { Extent } from "../workspace/Touch.ts"
import * as Truncate from "./Truncate.ts"

/** Limits of one page. */
export const limits = { lines: 2000, characters: 48_000 }

/** `empty`: nothing in the requested range. `extent` is the part of the text that the page shows. */
export interface Page {
  readonly text: string
  readonly isEmpty: boolean
  readonly extent?: Extent
}

/** Lines `from` to `to`, from 1 and both inclusive, as `12 | text`, with a note on how to get the rest if there is more. */
export const of = (text: string, { from, to }: { readonly from: number; readonly to: number }): Page => {
  if (text === "") return { text: "The file is empty.", isEmpty: false, extent: "all" }
  const lines = split(text)
  const first = Math.max(1, from)
  const last = Math.min(to, lines.length)
  if (first > lines.length) return { text: `Line ${first} does not exist: the file has ${lineCount(lines.length)}.`, isEmpty: true }
  if (last < first) return { text: `end_line ${to} is before start_line ${first}; the file has ${lineCount(lines.length)}.`, isEmpty: true }
  const pageLines = numberLines(lines, first, last)
  const end = first + pageLines.length - 1
  const extent = first === 1 && end === lines.length ? "all" : { from: first, to: end }
  return { text: [...pageLines, ...pageNote(end, last, lines.length)].join("\n"), isEmpty: false, extent }
}

/** Numbered lines until a limit of the page is reached; at least one, clipped if necessary. */
export const numberLines = (lines: ReadonlyArray<string>, first: number, last: number): ReadonlyArray<string> => {
  const result: Array<string> = []
  let characters = 0
  for (let n = first; n <= last && result.length < limits.lines; n++) {
    const line = `${n} | ${lines[n - 1] ?? ""}`
    if (characters + line.length + 1 > limits.characters) {
      if (result.length === 0) result.push(Truncate.line(line, limits.characters))
      break
    }
    characters += line.length + 1
    result.push(line)
  }
  return result
}

/** The lines of a text, without its byte order mark; a final newline ends the last line and does not begin another. */
export const split = (text: string): ReadonlyArray<string> => {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/)
  if (lines.at(-1) === "") lines.pop()
  return lines
}

const pageNote = (end: number, last: number, total: number): ReadonlyArray<string> =>
  end < last ? [`[${lineCount(total)} in total. This page ends at line ${end}; continue with start_line ${end + 1}.]`]
    : end < total ? [`[${lineCount(total)} in total.]`]
    : []

const lineCount = (lines: number): string => `${lines} line${lines === 1 ? "" : "s"}`
