/**
 * Where a later part of a Markdown text begins: in which list items, code block or table. A streaming response is printed in
 * parts, and a long text is read in parts. Follows lines and reads no syntax within them.
 */

/** `indents`: the columns of the text of open list items, outermost first. `fence`: the first line of the open code block. */
export interface Context {
  readonly indents: ReadonlyArray<number>
  readonly fence?: string | undefined
  /** The header and delimiter row of the open table. */
  readonly table?: string | undefined
  /** The line before, without the indentation of its list item. */
  readonly previous?: string | undefined
}

/** The beginning of a text. */
export const start: Context = { indents: [] }

/** The context after a part, which ends at the end of a line or anywhere in the last line. */
export const after = (part: string, context: Context): Context => linesOf(part).reduce(afterLine, context)

/**
 * Where to divide a text between `min` and `max` characters: before a block that follows an empty line, if there is one,
 * otherwise after a line, otherwise after a word.
 */
export const breakPoint = (text: string, context: Context, min: number, max: number): number => {
  let at = 0
  let afterBlock = 0
  let current = context
  for (const line of linesOf(text.slice(0, max))) {
    if (at > 0 && current.fence === undefined && current.previous === "" && /^\S/.test(line)) afterBlock = at
    if (at + line.length + 1 > max) break
    current = afterLine(current, line)
    at += line.length + 1
  }
  return afterBlock >= min ? afterBlock : at >= min ? at : Math.max(at, text.lastIndexOf(" ", max - 1) + 1) || max
}

const linesOf = (part: string): ReadonlyArray<string> => (part.endsWith("\n") ? part.slice(0, -1) : part).split("\n")

const afterLine = (context: Context, line: string): Context => {
  if (line.trim() === "") return { ...context, previous: "", table: context.fence === undefined ? undefined : context.table }
  const indent = line.search(/[^ ]/)
  const indents = context.indents.filter((column) => column <= indent)
  const isInside = indents.length === context.indents.length
  const content = line.slice(indents.at(-1) ?? 0)
  if (isInside && context.fence !== undefined) return { ...context, fence: isClosed(content, context.fence) ? undefined : context.fence }
  const [innerIndents, text] = openItems(content, indents)
  const fence = /^ {0,3}(`{3,}(?!.*`)|~{3,})/.test(text) ? text.trim().slice(0, maxFenceLength) : undefined
  const isTable = fence === undefined && isInside && innerIndents.length === indents.length && !/^ {0,3}(?:>|#{1,6} )/.test(text)
  const opened = context.previous?.includes("|") === true && /^[ |:-]*-[ |:-]*$/.test(text) ? `${context.previous}\n${text}` : undefined
  return { indents: innerIndents, fence, table: isTable ? context.table ?? opened : undefined, previous: text }
}

const maxFenceLength = 100

/** Whether a line ends the code block that a line began: with at least as many marks, and nothing else. */
const isClosed = (line: string, fence: string): boolean => {
  const [mark = ""] = /^(?:`+|~+)/.exec(fence) ?? []
  const [, closing = ""] = /^ {0,3}(`{3,}|~{3,}) *$/.exec(line) ?? []
  return closing.startsWith(mark)
}

/** Items nested deeper are text. */
const maxDepth = 24

/** The list items that begin in a line, and the text behind their marks. */
const openItems = (line: string, indents: ReadonlyArray<number>): readonly [ReadonlyArray<number>, string] => {
  const columns = [...indents]
  let text = line
  while (columns.length < maxDepth && !/^ {0,3}([-*_])(?: *\1){2,} *$/.test(text)) {
    const [mark] = /^ {0,3}(?:[-*+]|\d{1,9}[.)]) {1,4}(?=\S)/.exec(text) ?? []
    if (mark === undefined) break
    columns.push((columns.at(-1) ?? 0) + mark.length)
    text = text.slice(mark.length)
  }
  return [columns, text]
}
