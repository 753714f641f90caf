/**
 * Markdown for a terminal, a line at a time, so that an answer looks the same while it streams and when it is whole.
 * What it does not know it shows as it stands: nothing is ever lost.
 */
import * as Highlight from "./Highlight.ts"
import type { Theme } from "./Theme.ts"
import type { Shown } from "../view/DisplayText.ts"

/** One output line for each line of input; `fence` is the code block that it begins in, with its language. A fence's own lines are dimmed. */
export const lines = (markdown: Shown, theme: Theme, fence?: string): ReadonlyArray<string> => {
  let inside = fence
  return markdown.split("\n").map((line) => {
    const before = inside
    inside = after(line, before)
    return before !== inside ? theme.dim(line) : inside !== undefined ? Highlight.line(line as Shown, language(inside), theme) : block(line, theme)
  })
}

/** The fence that is open behind a text, with the word behind it: three or more of a sign, closed by as many of it. */
export const open = (markdown: Shown, fence?: string): string | undefined =>
  markdown.split("\n").reduce<string | undefined>((inside, line) => after(line, inside), fence)

const after = (line: string, inside: string | undefined): string | undefined => {
  const [, mark, word = ""] = /^ {0,3}(`{3,}|~{3,})[ \t]*([\w+#-]*)/.exec(line) ?? []
  return mark === undefined ? inside : inside === undefined ? mark + word : mark.startsWith(inside.slice(0, -language(inside).length || undefined)) ? undefined : inside
}

const language = (fence: string): string => fence.replace(/^[`~]+/, "")

const block = (line: string, theme: Theme): string => {
  const heading = /^(#{1,6}) +(.*)$/.exec(line)
  if (heading !== null) return theme.bold(theme.color ? heading[2]! : line)
  if (/^ {0,3}([-*_])( *\1){2,} *$/.test(line)) return theme.dim(line)
  const quote = /^( {0,3}>) ?(.*)$/.exec(line)
  if (quote !== null) return `${theme.dim("│")} ${theme.italic(inline(quote[2]!, theme))}`
  const item = /^(\s*)([-*+]|\d+[.)])( +)(.*)$/.exec(line)
  if (item !== null) return `${item[1]}${theme.accent(/\d/.test(item[2]!) ? item[2]! : "•")}${item[3]}${inline(item[4]!, theme)}`
  return inline(line, theme)
}

/** Code first: nothing inside it is markup. Without colour the marks stay, so that the meaning does. */
const inline = (text: string, theme: Theme): string =>
  theme.color
    ? text.split(/(`[^`]+`)/).map((piece) =>
      /^`[^`]+`$/.test(piece) ? theme.code(piece.slice(1, -1)) : emphasis(piece, theme)
    ).join("")
    : text

const emphasis = (text: string, theme: Theme): string =>
  text
    .replace(/\*\*(\S(?:.*?\S)?)\*\*/g, (_, inner: string) => theme.bold(inner))
    .replace(/(?<![\w*])\*(\S(?:[^*]*?\S)?)\*(?![\w*])/g, (_, inner: string) => theme.italic(inner))
    .replace(/\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)/g, (_, label: string, url: string) => `${theme.underline(label)} ${theme.dim(`(${url})`)}`)
