/**
 * Markdown for a terminal, a line at a time, so that an answer looks the same while it streams and when it is whole.
 * What it does not know it shows as it stands: nothing is ever lost.
 */
import type { Theme } from "./Theme.ts"
import type { Shown } from "./View.ts"

/** One output line for each line of input; a fence's own lines are dimmed and stay. */
export const lines = (markdown: Shown, theme: Theme): ReadonlyArray<string> => {
  let fence: string | undefined
  return markdown.split("\n").map((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== undefined) {
      if (mark === undefined || !mark.startsWith(fence)) return theme.code(line)
      fence = undefined
      return theme.dim(line)
    }
    if (mark !== undefined) {
      fence = mark
      return theme.dim(line)
    }
    return block(line, theme)
  })
}

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
