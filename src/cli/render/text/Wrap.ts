/** Wraps lines to the terminal's width. Continuation lines are indented to the first word of the text. */
import wrap from "wrap-ansi"
import { width } from "./CellWidth.ts"

const stylePattern = "(?:\\u001b\\[[\\d;]*m)*"

/** Leading spaces and the mark of a list item, call, quotation or diff, or the number and sign of a diff row, with colours. */
const leadPattern = new RegExp(
  `^${stylePattern}(?: ${stylePattern})*(?:(?:[·?✓✗⊘■◐▸☐☑•│>…└+-]|\\d+[.)]|\\d+${stylePattern} [ +-](?= ))${stylePattern}(?: ${stylePattern})*)?`
)

/** Wraps one line; a quotation keeps its bar. */
export const lines = (line: string, columns: number): ReadonlyArray<string> => {
  if (width(line) <= columns) return [fill(line, columns)]
  const match = leadPattern.exec(line)?.[0] ?? ""
  const prefix = width(match) > columns / 3 ? "" : match
  const indent = width(prefix)
  const body = prefix.replaceAll(/[^\u001b]*?(\u001b\[[\d;]*m)|[^\u001b]+$/g, "$1") + line.slice(prefix.length)
  const [first = "", ...rest] = wrap(body, columns - indent, { hard: true }).split("\n")
  const margin = prefix.includes("│") ? prefix : " ".repeat(indent)
  return [prefix + first, ...rest.map((line) => `${margin}${line}`)].map((line) => fill(line, columns))
}

/** Extends a background that reaches the end of the line to the full width. */
const fill = (line: string, columns: number): string =>
  line.endsWith(backgroundEnd) ? `${line.slice(0, -backgroundEnd.length)}${" ".repeat(Math.max(0, columns - width(line)))}${backgroundEnd}`
    : line

const backgroundEnd = "\u001b[49m"

/** A row of two columns, the second wrapped to the remaining width; wider words are broken only with `hard`. */
export const row = (heading: string, text: string, columns: number, { hard = false } = {}): ReadonlyArray<string> => {
  const indent = width(heading)
  const [first = "", ...rest] = columns - indent < 20 ? [text] : wrap(text, columns - indent, { hard }).split("\n")
  return [heading + first, ...rest.map((line) => `${" ".repeat(indent)}${line}`)]
}

/** Wraps input after a prompt of so many cells; all spaces are kept. */
export const inputLines = (line: string, promptWidth: number, columns: number): ReadonlyArray<string> =>
  wrap(line, Math.max(1, columns - promptWidth), { hard: true, trim: false }).split("\n")

/** Places items in as few lines as possible without breaking any. */
export const items = (items: ReadonlyArray<string>, separator: string, columns: number): ReadonlyArray<string> =>
  items.reduce<Array<string>>((rows, item) => {
    const joined = rows.length === 0 ? undefined : `${rows.at(-1)}${separator}${item}`
    return joined !== undefined && width(joined) <= columns ? rows.with(-1, joined) : [...rows, item]
  }, [])
