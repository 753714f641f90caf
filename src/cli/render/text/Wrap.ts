/** Lines as wide as a terminal. What goes on in a further line stands under the first word of its text. */
import wrap from "wrap-ansi"
import { width } from "./BlockLines.ts"

const paints = "(?:\\u001b\\[[\\d;]*m)*"

/** Blanks and the sign of a list, a call, a quotation or a diff, with the colours between them. */
const lead = new RegExp(`^${paints}(?: ${paints})*(?:(?:[·?✓✗⊘■◐▸☐☑•│>…└+-]|\\d+[.)])${paints}(?: ${paints})*)?`)

/** One line in as many as it takes. */
export const lines = (line: string, columns: number): ReadonlyArray<string> => {
  if (width(line) <= columns) return [line]
  const found = lead.exec(line)?.[0] ?? ""
  const prefix = width(found) > columns / 3 ? "" : found
  const indent = width(prefix)
  const body = prefix.replaceAll(/[^\u001b]*?(\u001b\[[\d;]*m)|[^\u001b]+$/g, "$1") + line.slice(prefix.length)
  const [first = "", ...rest] = wrap(body, columns - indent, { hard: true }).split("\n")
  return [prefix + first, ...rest.map((line) => `${" ".repeat(indent)}${line}`)]
}

/** A row of two columns, the second as wide as what is left of the terminal; a word that is wider is not cut. */
export const row = (head: string, text: string, columns: number): ReadonlyArray<string> => {
  const indent = width(head)
  const [first = "", ...rest] = columns - indent < 20 ? [text] : wrap(text, columns - indent).split("\n")
  return [head + first, ...rest.map((line) => `${" ".repeat(indent)}${line}`)]
}

/** What is being typed, behind a sign of so many cells: every blank of it is kept. */
export const typed = (line: string, sign: number, columns: number): ReadonlyArray<string> =>
  wrap(line, Math.max(1, columns - sign), { hard: true, trim: false }).split("\n")

/** Items one after the other, in as many lines as they take; none is broken. */
export const items = (items: ReadonlyArray<string>, between: string, columns: number): ReadonlyArray<string> =>
  items.reduce<Array<string>>((rows, item) => {
    const longer = rows.length === 0 ? undefined : `${rows.at(-1)}${between}${item}`
    return longer !== undefined && width(longer) <= columns ? rows.with(-1, longer) : [...rows, item]
  }, [])
