/**
 * Renders Markdown line by line, so that a response looks the same while it streams and when it is complete. Unknown syntax is
 * shown as it is.
 */
import * as Highlight from "./Highlight.ts"
import type { Theme } from "./Theme.ts"
import type { SafeText } from "../view/DisplayText.ts"

/** One output line per input line; `fence` is the open code fence with its language. Fence lines are dimmed. */
export const lines = (markdown: SafeText, theme: Theme, fence?: string): ReadonlyArray<string> => {
  let openFence = fence
  return markdown.split("\n").map((line) => {
    const fenceBefore = openFence
    openFence = fenceAfter(line, fenceBefore)
    return fenceBefore !== openFence ? theme.dim(line)
      : openFence !== undefined ? Highlight.line(line as SafeText, language(openFence), theme) : block(line, theme)
  })
}

/** The fence that is open after a text, with its language: three or more marks, closed by at least as many. */
export const openFence = (markdown: SafeText, fence?: string): string | undefined =>
  markdown.split("\n").reduce<string | undefined>((fence, line) => fenceAfter(line, fence), fence)

const fenceAfter = (line: string, fence: string | undefined): string | undefined => {
  const [, mark, word = ""] = /^ {0,3}(`{3,}|~{3,})[ \t]*([\w+#-]*)/.exec(line) ?? []
  return mark === undefined ? fence
    : fence === undefined ? mark + word : mark.startsWith(fence.slice(0, -language(fence).length || undefined)) ? undefined : fence
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

/** Inline code first, since it contains no markup. Without colour the marks are kept. */
const inline = (text: string, theme: Theme): string =>
  theme.color
    ? text.split(/(`[^`]+`)/).map((piece) => /^`[^`]+`$/.test(piece) ? theme.code(piece.slice(1, -1)) : emphasis(piece, theme)).join("")
    : text

const emphasis = (text: string, theme: Theme): string =>
  text
    .replace(/\*\*(\S(?:.*?\S)?)\*\*/g, (_, inner: string) => theme.bold(inner))
    .replace(/(?<![\w*])\*(\S(?:[^*]*?\S)?)\*(?![\w*])/g, (_, inner: string) => theme.italic(inner))
    .replace(
      /\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)/g,
      (_, label: string, url: string) => `${theme.underline(label)} ${theme.dim(`(${url})`)}`
    )
