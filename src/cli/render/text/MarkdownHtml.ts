/** Renders Markdown as HTML without anything active: no scripts, no images, no HTML of the text. */
import * as MarkdownTree from "../../../domain/message/MarkdownTree.ts"
import { escapeHtml } from "./EscapeHtml.ts"

/** Paragraphs keep their line breaks by style (`white-space: pre-line`). */
export const html = (markdown: string): string => blocks(MarkdownTree.parse(markdown))

const blocks = (list: ReadonlyArray<MarkdownTree.Block>): string =>
  list.flatMap((block) => block._tag === "Space" ? [] : [blockHtml(block)]).join("\n")

const blockHtml = (block: Exclude<MarkdownTree.Block, { readonly _tag: "Space" }>): string => {
  switch (block._tag) {
    case "Paragraph":
      return `<p>${inlines(block.content)}</p>`
    case "Heading":
      return `<h${level(block.level)}>${inlines(block.content)}</h${level(block.level)}>`
    case "Code":
      return `<pre><code>${escapeHtml(block.text)}</code></pre>`
    case "Quote":
      return `<blockquote>${blocks(block.blocks)}</blockquote>`
    case "List":
      return block.start === undefined ? `<ul>\n${items(block.items)}\n</ul>` : `<ol start="${block.start}">\n${items(block.items)}\n</ol>`
    case "Table":
      return `<table>${block.isContinuation ? "" : `<thead>${row(block.header, block.columns, "th")}</thead>`}<tbody>${
        block.rows.map((cells) => row(cells, block.columns, "td")).join("")
      }</tbody></table>`
    case "Rule":
      return "<hr>"
    case "Rest":
      return `<div style="margin-left: 2.5rem">${blocks(block.blocks)}</div>`
  }
}

/** Below the headings of the document. */
const level = (level: number): number => Math.min(6, level + 2)

const items = (list: ReadonlyArray<MarkdownTree.Item>): string =>
  list.map(({ blocks: content, isChecked }) => `<li>${isChecked === undefined ? "" : isChecked ? "☑ " : "☐ "}${blocks(content)}</li>`).join(
    "\n"
  )

const row = (cells: MarkdownTree.Row, columns: ReadonlyArray<MarkdownTree.Alignment>, tag: "td" | "th"): string =>
  `<tr>${
    columns.map((align, i) => `<${tag}${align === "left" ? "" : ` style="text-align: ${align}"`}>${inlines(cells[i] ?? [])}</${tag}>`).join(
      ""
    )
  }</tr>`

const inlines = (content: ReadonlyArray<MarkdownTree.Inline>): string => content.map(inlineHtml).join("")

const inlineHtml = (inline: MarkdownTree.Inline): string => {
  switch (inline._tag) {
    case "Text":
      return escapeHtml(inline.text)
    case "Code":
      return `<code>${escapeHtml(inline.text)}</code>`
    case "Strong":
      return `<strong>${inlines(inline.content)}</strong>`
    case "Emphasis":
      return `<em>${inlines(inline.content)}</em>`
    case "Strikethrough":
      return `<s>${inlines(inline.content)}</s>`
    case "Link":
      return link(inline.url, inlines(inline.content))
    case "Image":
      return link(inline.url, escapeHtml(inline.alt))
  }
}

/** A link to a web page or an e-mail address; any other address is text. */
const link = (url: string, label: string): string =>
  /^(?:https?:\/\/|mailto:)/i.test(url) ? `<a href="${escapeHtml(url)}" rel="noopener noreferrer">${label}</a>`
    : `${label} (${escapeHtml(url)})`
