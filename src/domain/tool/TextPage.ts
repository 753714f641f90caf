/** A page of a text with line numbers: what read_file shows in one call. */
import type { Extent } from "../workspace/Touch.ts"
import * as Clip from "./Clip.ts"

/** Limits of one page. */
export const limits = { lines: 2000, characters: 48_000 }

/** `empty`: nothing of what was asked for is there. `extent` is what of the text the page shows. */
export interface Page {
  readonly text: string
  readonly empty: boolean
  readonly extent?: Extent
}

/** Lines `from` to `to`, from 1 and both inclusive, as `12 | text`, and how to get the rest where there is more. */
export const of = (text: string, { from, to }: { readonly from: number; readonly to: number }): Page => {
  if (text === "") return { text: "The file is empty.", empty: false, extent: "all" }
  const lines = split(text)
  const first = Math.max(1, from)
  const last = Math.min(to, lines.length)
  if (first > lines.length) return { text: `There is no line ${first}: the file has ${count(lines.length)}.`, empty: true }
  if (last < first) return { text: `end_line ${to} is before start_line ${first}; the file has ${count(lines.length)}.`, empty: true }
  const shown = numbered(lines, first, last)
  const end = first + shown.length - 1
  const extent = first === 1 && end === lines.length ? "all" : { from: first, to: end }
  return { text: [...shown, ...rest(end, last, lines.length)].join("\n"), empty: false, extent }
}

/** Lines with their numbers until a limit of the page is reached; at least one, clipped if it must be. */
export const numbered = (lines: ReadonlyArray<string>, first: number, last: number): ReadonlyArray<string> => {
  const shown: Array<string> = []
  let characters = 0
  for (let n = first; n <= last && shown.length < limits.lines; n++) {
    const line = `${n} | ${lines[n - 1] ?? ""}`
    if (characters + line.length + 1 > limits.characters) {
      if (shown.length === 0) shown.push(Clip.line(line, limits.characters))
      break
    }
    characters += line.length + 1
    shown.push(line)
  }
  return shown
}

/** The lines of a text, without its byte order mark; a final newline ends the last line and begins none. */
export const split = (text: string): ReadonlyArray<string> => {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/)
  if (lines.at(-1) === "") lines.pop()
  return lines
}

const rest = (end: number, last: number, total: number): ReadonlyArray<string> =>
  end < last ? [`[${count(total)} in all; this page ends at line ${end}. Go on with start_line ${end + 1}.]`]
  : end < total ? [`[${count(total)} in all.]`]
  : []

const count = (lines: number): string => `${lines} line${lines === 1 ? "" : "s"}`
