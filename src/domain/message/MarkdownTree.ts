/**
 * A Markdown text as a tree (CommonMark with the tables, strikethrough and tasks of GitHub), read by marked's lexer. Nothing is
 * hidden: HTML, comments and link definitions are text. Renderers turn the tree into lines or into HTML.
 */
import * as Result from "effect/Result"
import { Lexer, type MarkedToken, type Token, type Tokens } from "marked"
import * as MarkdownContext from "./MarkdownContext.ts"

export type Block =
  | { readonly _tag: "Paragraph"; readonly content: ReadonlyArray<Inline> }
  | { readonly _tag: "Heading"; readonly level: number; readonly content: ReadonlyArray<Inline> }
  /** `fence` is absent for indented code; `isContinuation`: the first line is in an earlier part; `isOpen`: the end is missing. */
  | {
    readonly _tag: "Code"
    readonly text: string
    readonly language: string
    readonly fence?: string
    readonly isContinuation: boolean
    readonly isOpen: boolean
  }
  | { readonly _tag: "Quote"; readonly blocks: ReadonlyArray<Block> }
  /** `start` is the first number of an ordered list. */
  | { readonly _tag: "List"; readonly start?: number; readonly items: ReadonlyArray<Item> }
  /** `isContinuation`: the header is in an earlier part. */
  | {
    readonly _tag: "Table"
    readonly header: Row
    readonly rows: ReadonlyArray<Row>
    readonly columns: ReadonlyArray<Alignment>
    readonly isContinuation: boolean
  }
  | { readonly _tag: "Rule" }
  /** Empty lines between blocks. */
  | { readonly _tag: "Space"; readonly lines: number }
  /** The rest of a list item that begins in an earlier part. */
  | { readonly _tag: "Rest"; readonly indent: number; readonly blocks: ReadonlyArray<Block> }

export interface Item {
  readonly blocks: ReadonlyArray<Block>
  /** A task, done or not. */
  readonly isChecked?: boolean
  /** How many empty lines follow. */
  readonly space: number
}

export type Alignment = "left" | "center" | "right"
export type Cell = ReadonlyArray<Inline>
export type Row = ReadonlyArray<Cell>

export type Inline =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Code"; readonly text: string }
  | { readonly _tag: "Strong" | "Emphasis" | "Strikethrough"; readonly content: ReadonlyArray<Inline> }
  | { readonly _tag: "Link"; readonly url: string; readonly content: ReadonlyArray<Inline> }
  | { readonly _tag: "Image"; readonly url: string; readonly alt: string }

/** How much is read at once, in characters: the lexer takes quadratic time for some texts. */
const max = 3_000

/** The blocks of a text, or of a part of it that begins in a context. */
export const parse = (markdown: string, context: MarkdownContext.Context = MarkdownContext.start): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  let current = context
  let rest = markdown
  while (rest.length > max) {
    const length = MarkdownContext.breakPoint(rest, current, max / 4, max)
    const part = rest.slice(0, length)
    blocks.push(...parsePart(part.endsWith("\n") ? part.slice(0, -1) : part, current))
    current = MarkdownContext.after(part, current)
    rest = rest.slice(length)
  }
  blocks.push(...parsePart(rest, current))
  return blocks
}

const parsePart = (part: string, context: MarkdownContext.Context): ReadonlyArray<Block> => {
  const indent = context.indents.at(-1)
  if (indent === undefined) return parseInside(part, context)
  const lines = part.split("\n")
  const first = lines.findIndex((line) => line.trim() !== "")
  const outside = lines.findIndex((line) => line.trim() !== "" && line.search(/[^ ]/) < indent)
  const contentEnd = lines.findLastIndex((line, i) => line.trim() !== "" && (outside === -1 || i < outside)) + 1
  const outer = (lines: ReadonlyArray<string>) => parsePart(lines.join("\n"), { indents: context.indents.slice(0, -1) })
  if (first === -1 || first === outside) return outer(lines)
  const inner = parseInside(lines.slice(first, contentEnd).map((line) => line.slice(indent)).join("\n"), context)
  return [
    ...space(first),
    { _tag: "Rest", indent, blocks: inner },
    ...(contentEnd === lines.length ? [] : outer(lines.slice(contentEnd)))
  ]
}

const parseInside = (part: string, { fence, table }: MarkdownContext.Context): ReadonlyArray<Block> => {
  const text = part.trimEnd()
  return [...continued(text, fence ?? table), ...space(count(part.slice(text.length)))]
}

/** The blocks of a text in an open code block or table, of which the opening lines are read again. */
const continued = (text: string, opening: string | undefined): ReadonlyArray<Block> => {
  if (opening !== undefined && text !== "") {
    const [first, ...rest] = blocksOf(lex(`${opening}\n${text}`))
    if (first?._tag === "Code") return [{ ...first, isContinuation: true }, ...rest]
    if (first?._tag === "Table") return first.rows.length === 0 ? rest : [{ ...first, isContinuation: true }, ...rest]
  }
  return blocksOf(lex(text))
}

/** The lexer calls itself for each container: lines that begin with more marks than this are text. */
const deep = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){24}/m

const lex = (text: string): ReadonlyArray<Token> => {
  const plain: Tokens.Text = { type: "text", raw: text, text }
  return deep.test(text) ? [plain] : Result.getOrElse(Result.try(() => lexer().lex(text)), () => [plain])
}

/** Bare addresses are text, which terminals recognise themselves: the search for e-mail addresses takes quadratic time. */
const lexer = (): Lexer => {
  const lexer = new Lexer({ gfm: true, tokenizer: null })
  const { tokenizer } = lexer as unknown as { readonly tokenizer: { rules: { inline: Record<string, RegExp> } } }
  const { inline } = tokenizer.rules
  tokenizer.rules = { ...tokenizer.rules, inline: { ...inline, text: inlineText, url: nothing } }
  return lexer
}

const nothing = /^(?!)/
/** A run of text up to what may be markup; marked's own pattern without its look-ahead for addresses. */
const inlineText = /^(?:[`~]+|[^`~])(?:(?= {2,}\n)|[^]*?(?:(?=[\\<![`*~_]|$)|[^ ](?= {2,}\n)))/

/** Blocks, and the empty lines before and between them. */
const blocksOf = (tokens: ReadonlyArray<Token>): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  let newlines = 0
  for (const token of tokens) {
    const block = blockOf(token as MarkedToken)
    if (block !== undefined) {
      blocks.push(...space(blocks.length === 0 ? newlines : newlines - 1), block)
      newlines = 0
    }
    newlines += count(trailing(token.raw))
  }
  return blocks
}

const trailing = (text: string): string => text.slice(text.trimEnd().length)

const space = (lines: number): ReadonlyArray<Block> => lines > 0 ? [{ _tag: "Space", lines }] : []

const count = (whitespace: string): number => whitespace.split("\n").length - 1

const blockOf = (token: MarkedToken): Block | undefined => {
  switch (token.type) {
    case "heading":
      return { _tag: "Heading", level: token.depth, content: inlines(token.tokens) }
    case "code":
      return codeOf(token)
    case "blockquote":
      return { _tag: "Quote", blocks: blocksOf(token.tokens) }
    case "list":
      return { _tag: "List", ...(token.start === "" ? {} : { start: token.start }), items: token.items.map(itemOf) }
    case "table":
      return {
        _tag: "Table",
        header: token.header.map(({ tokens }) => inlines(tokens)),
        rows: token.rows.map((row) => row.map(({ tokens }) => inlines(tokens))),
        columns: token.align.map((align) => align ?? "left"),
        isContinuation: false
      }
    case "hr":
      return { _tag: "Rule" }
    case "space":
    case "checkbox":
      return undefined
    case "paragraph":
      return { _tag: "Paragraph", content: inlines(token.tokens) }
    case "text":
      return {
        _tag: "Paragraph",
        content: token.tokens === undefined ? [{ _tag: "Text", text: token.raw.trimEnd() }] : inlines(token.tokens)
      }
    default:
      return { _tag: "Paragraph", content: [{ _tag: "Text", text: token.raw.trimEnd() }] }
  }
}

const codeOf = ({ codeBlockStyle, lang = "", raw, text }: Tokens.Code): Block => {
  const [, fence] = codeBlockStyle === "indented" ? [] : /^ {0,3}(`{3,}|~{3,})/.exec(raw) ?? []
  const last = raw.trimEnd().split("\n").slice(1).at(-1)?.trim() ?? ""
  return {
    _tag: "Code",
    text,
    language: /^[\w+#-]*/.exec(lang)![0],
    ...(fence === undefined ? {} : { fence }),
    isContinuation: false,
    isOpen: fence !== undefined && !(last.startsWith(fence) && last === fence[0]!.repeat(last.length))
  }
}

const itemOf = ({ checked, raw, task, tokens }: Tokens.ListItem): Item => ({
  blocks: blocksOf(tokens),
  ...(task ? { isChecked: checked === true } : {}),
  space: Math.max(0, count(trailing(raw)) - 1)
})

const inlines = (tokens: ReadonlyArray<Token>): ReadonlyArray<Inline> => tokens.flatMap((token) => inline(token as MarkedToken))

const inline = (token: MarkedToken): ReadonlyArray<Inline> => {
  switch (token.type) {
    case "strong":
      return [{ _tag: "Strong", content: inlines(token.tokens) }]
    case "em":
      return [{ _tag: "Emphasis", content: inlines(token.tokens) }]
    case "del":
      return [{ _tag: "Strikethrough", content: inlines(token.tokens) }]
    case "codespan":
      return [{ _tag: "Code", text: token.text }]
    case "link":
      return [{ _tag: "Link", url: token.href, content: inlines(token.tokens) }]
    case "image":
      return [{ _tag: "Image", url: token.href, alt: token.text }]
    case "br":
      return [{ _tag: "Text", text: "\n" }]
    case "escape":
      return [{ _tag: "Text", text: token.text }]
    case "checkbox":
      return []
    case "text":
      return token.tokens === undefined ? [{ _tag: "Text", text: unescape(token.raw) }] : inlines(token.tokens)
    default:
      return [{ _tag: "Text", text: token.raw }]
  }
}

const entities: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'", "&nbsp;": " " }

/** The entities that models write; others stay as they are. */
const unescape = (text: string): string => text.replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => entities[entity]!)
