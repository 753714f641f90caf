/** Renders Markdown as coloured lines. Without colour, the marks are kept. Loaded when the first text is shown. */
import wrap from "wrap-ansi"
import type * as MarkdownContext from "../../../domain/message/MarkdownContext.ts"
import * as MarkdownTree from "../../../domain/message/MarkdownTree.ts"
import { width } from "./BlockLines.ts"
import * as Highlight from "./Highlight.ts"
import type { Paint, Theme } from "./Theme.ts"
import type { SafeText } from "../view/DisplayText.ts"

/** `columns`: the width that tables may take. `isStreaming`: the last line may be incomplete. */
export interface Options {
  readonly context?: MarkdownContext.Context | undefined
  readonly columns?: number | undefined
  readonly isStreaming?: boolean
}

export const lines = (
  markdown: SafeText,
  theme: Theme,
  { columns = Infinity, context, isStreaming }: Options = {}
): ReadonlyArray<string> => {
  // The first characters of a list item, a rule or a delimiter row would make the line above a heading for a moment.
  const [, before, underline] = isStreaming === true ? /^([^]*\n)( {0,3}(?:-+|=+) *)$/.exec(markdown) ?? [] : []
  return underline === undefined
    ? blockLines(MarkdownTree.parse(markdown, context), { theme, columns, paint: [] })
    : [...blockLines(MarkdownTree.parse(before!.slice(0, -1), context), { theme, columns, paint: [] }), underline]
}

/** `paint`: the styles around a text. */
interface Style {
  readonly theme: Theme
  readonly columns: number
  readonly paint: ReadonlyArray<Paint>
}

const blockLines = (blocks: ReadonlyArray<MarkdownTree.Block>, style: Style): ReadonlyArray<string> =>
  blocks.flatMap((block) => renderers[block._tag](block as never, style))

type Renderers = {
  readonly [Tag in MarkdownTree.Block["_tag"]]: (
    block: Extract<MarkdownTree.Block, { readonly _tag: Tag }>,
    style: Style
  ) => ReadonlyArray<string>
}

const renderers: Renderers = {
  Paragraph: ({ content }, style) => textLines(content, style),
  Heading: ({ content, level }, style) => {
    const [first = "", ...rest] = textLines(content, { ...style, paint: [...style.paint, style.theme.bold] })
    return style.theme.color ? [first, ...rest] : [`${"#".repeat(level)} ${[first, ...rest].join(" ")}`]
  },
  Code: (code, { theme }) => codeLines(code, theme),
  Quote: ({ blocks }, style) =>
    blockLines(blocks, { ...style, columns: style.columns - 2, paint: [...style.paint, style.theme.italic] })
      .map((line) => `${style.theme.dim("│")} ${line}`),
  List: ({ items, start }, style) =>
    items.flatMap((item, i) => {
      const mark = start === undefined ? "•" : `${start + i}.`
      return [...itemLines(item, mark, style), ...Array.from({ length: i === items.length - 1 ? 0 : item.space }, () => "")]
    }),
  Table: (table, style) => tableLines(table, style),
  Rule: (_, { theme }) => [theme.dim("---")],
  Space: ({ lines }) => Array.from({ length: lines }, () => ""),
  Rest: ({ blocks, indent }, style) => indented(blockLines(blocks, { ...style, columns: style.columns - indent }), indent)
}

const indented = (lines: ReadonlyArray<string>, columns: number): ReadonlyArray<string> =>
  lines.map((line) => line === "" ? line : `${" ".repeat(columns)}${line}`)

const itemLines = ({ blocks, isChecked }: MarkdownTree.Item, mark: string, style: Style): ReadonlyArray<string> => {
  const task = isChecked === undefined ? "" : style.theme.color ? isChecked ? "☑ " : "☐ " : isChecked ? "[x] " : "[ ] "
  const indent = mark.length + 1
  const [first = "", ...rest] = blockLines(blocks, { ...style, columns: style.columns - indent })
  return [`${style.theme.accent(mark)} ${task}${first}`.trimEnd(), ...indented(rest, indent)]
}

/** In colour, code is indented; without, it stands between its fences. */
const codeLines = (
  { fence, isContinuation, isOpen, language, text }: Extract<MarkdownTree.Block, { readonly _tag: "Code" }>,
  theme: Theme
) => {
  const lines = text === "" ? [] : text.split("\n").map((line) => Highlight.line(line as SafeText, language, theme))
  if (theme.color || fence === undefined) return indented(lines, theme.color ? 2 : 4)
  return [...(isContinuation ? [] : [`${fence}${language}`]), ...lines, ...(isOpen ? [] : [fence])]
}

/** A text with its styles; each piece is painted alone, because the end of one style can end another. */
interface Span {
  readonly text: string
  readonly paint: ReadonlyArray<Paint>
}

const textLines = (content: ReadonlyArray<MarkdownTree.Inline>, style: Style): ReadonlyArray<string> =>
  content.flatMap((inline) => spans(inline, style)).map(painted).join("").split("\n").map((line) => line.trimEnd())

const painted = ({ paint, text }: Span): string =>
  text.split("\n").map((line) => paint.reduceRight((styled, paint) => paint(styled), line)).join("\n")

const spans = (inline: MarkdownTree.Inline, style: Style): ReadonlyArray<Span> => {
  const { paint, theme } = style
  const plain = (text: string): ReadonlyArray<Span> => theme.color || text === "" ? [] : [{ text, paint: [] }]
  const inside = (content: ReadonlyArray<MarkdownTree.Inline>, mark: string, added: Paint) => [
    ...plain(mark),
    ...content.flatMap((inline) => spans(inline, { ...style, paint: [...paint, added] })),
    ...plain(mark)
  ]
  switch (inline._tag) {
    case "Text":
      return [{ text: inline.text, paint }]
    case "Code":
      return [...plain("`"), { text: inline.text, paint: [...paint, theme.code] }, ...plain("`")]
    case "Strong":
      return inside(inline.content, "**", theme.bold)
    case "Emphasis":
      return inside(inline.content, "*", theme.italic)
    case "Strikethrough":
      return inside(inline.content, "~~", theme.strike)
    case "Link":
      return text(inline.content) === inline.url ? inside(inline.content, "", theme.underline) : [
        ...plain("["),
        ...inside(inline.content, "", theme.underline),
        ...plain("]"),
        { text: theme.color ? ` (${inline.url})` : `(${inline.url})`, paint: [...paint, theme.dim] }
      ]
    case "Image":
      return [{ text: `![${inline.alt}](${inline.url})`, paint: [...paint, theme.dim] }]
  }
}

/** The text of a content without styles. */
const text = (content: ReadonlyArray<MarkdownTree.Inline>): string =>
  content.map((inline) => "content" in inline ? text(inline.content) : inline._tag === "Image" ? inline.alt : inline.text).join("")

type Table = Extract<MarkdownTree.Block, { readonly _tag: "Table" }>

/** Narrower columns are not readable: such a table is shown row by row. */
const minColumnWidth = 8

const tableLines = ({ columns: alignments, header, isContinuation, rows }: Table, style: Style): ReadonlyArray<string> => {
  const { theme } = style
  const cells = (row: MarkdownTree.Row, paint: ReadonlyArray<Paint>) =>
    alignments.map((_, i) => textLines(row[i] ?? [], { ...style, paint: [...style.paint, ...paint] }).join(" "))
  const heading = cells(header, [theme.bold])
  const body = rows.map((row) => cells(row, []))
  const natural = alignments.map((_, i) => Math.max(3, width(heading[i]!), ...body.map((row) => width(row[i]!))))
  const frame = theme.color ? 3 * (alignments.length - 1) : 3 * alignments.length + 1
  const widths = fit(natural, style.columns - frame)
  if (widths === undefined) return records(heading, body)
  const line = (row: ReadonlyArray<string>): ReadonlyArray<string> => {
    const wrapped = row.map((cell, i) => width(cell) <= widths[i]! ? [cell] : wrap(cell, widths[i]!, { hard: true }).split("\n"))
    const height = Math.max(...wrapped.map(({ length }) => length))
    return Array.from(
      { length: height },
      (_, at) => joined(wrapped.map((cell, i) => align(cell[at] ?? "", widths[i]!, alignments[i]!)), theme)
    )
  }
  const rule = widths.map((columns) => (theme.color ? "─" : "-").repeat(columns))
  return [
    ...(isContinuation ? [] : [...line(heading), theme.color ? theme.dim(rule.join("─┼─")) : joined(rule, theme)]),
    ...body.flatMap(line)
  ]
}

const joined = (cells: ReadonlyArray<string>, theme: Theme): string =>
  theme.color ? cells.join(` ${theme.dim("│")} `).trimEnd() : `| ${cells.join(" | ")} |`

const align = (cell: string, columns: number, alignment: MarkdownTree.Alignment): string => {
  const free = Math.max(0, columns - width(cell))
  const left = alignment === "left" ? 0 : alignment === "right" ? free : free >> 1
  return `${" ".repeat(left)}${cell}${" ".repeat(free - left)}`
}

/** The widths of columns in a limited space: the widest share what the others leave. Undefined if they would be unreadable. */
const fit = (natural: ReadonlyArray<number>, space: number): ReadonlyArray<number> | undefined => {
  let rest = space
  let cap = Infinity
  const ascending = natural.toSorted((a, b) => a - b)
  for (const [i, columns] of ascending.entries()) {
    const share = Math.floor(rest / (ascending.length - i))
    if (columns > share) {
      cap = share
      break
    }
    rest -= columns
  }
  return cap < minColumnWidth ? undefined : natural.map((columns) => Math.min(columns, cap))
}

/** A table too wide for the terminal: each row as lines of heading and cell. */
const records = (heading: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  rows.flatMap((row, i) => [...(i === 0 ? [] : [""]), ...row.map((cell, i) => `${heading[i]}: ${cell}`)])
