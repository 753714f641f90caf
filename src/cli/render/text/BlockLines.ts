/** Renders the blocks of a view as coloured lines, without wrapping. */
import * as DiffLines from "./DiffLines.ts"
import * as Wrap from "./Wrap.ts"
import * as ResultViewLines from "./ResultViewLines.ts"
import { plain, type Paint, type Theme } from "./Theme.ts"
import type * as MarkdownContext from "../../../domain/message/MarkdownContext.ts"
import { plural } from "../view/Quantity.ts"
import type { Block, Pause, SafeText, Tone, View } from "../view/View.ts"

export { cut, width } from "./CellWidth.ts"
export { plural, thousands } from "../view/Quantity.ts"

/** Renders Markdown (`MarkdownLines.ts`), which is loaded when the first block is printed. */
export type RenderMarkdown = (
  markdown: SafeText,
  theme: Theme,
  options?: { readonly context?: MarkdownContext.Context; readonly columns?: number | undefined; readonly isStreaming?: boolean }
) => ReadonlyArray<string>

/**
 * What blocks are rendered with. `columns`: the width of the terminal. `advice` rewords what errors and warnings advise. `openKey`: the
 * key that shows all of a shortened text, where there is one.
 */
export interface Renderer {
  readonly theme: Theme
  readonly markdown: RenderMarkdown
  readonly columns?: number
  readonly advice?: (message: SafeText) => SafeText
  readonly openKey?: string
}

type Tables = {
  readonly [Tag in Block["_tag"]]: (
    block: Extract<Block, { readonly _tag: Tag }>,
    theme: Theme,
    renderer: Renderer
  ) => ReadonlyArray<string>
}

const blocks: Tables = {
  User: ({ isOpen, isQueued, text }, theme, { openKey }) => {
    const lines = text.split("\n").map(theme.bold)
    return (isOpen === true ? lines : shownRows(painted(lines), maxMessageLines, theme, openKey)).map((line, i) =>
      `${theme.accent(i === 0 ? ">" : " ")} ${line}${isQueued && i === 0 ? theme.dim(" (queued)") : ""}`
    )
  },
  Command: ({ text }, theme) => [`${theme.accent(">")} ${text.replaceAll("\n", "␤")}`],
  Response: ({ context, text }, theme, { columns, markdown }) => markdown(text, theme, { context, columns }),
  Reasoning: ({ text }, theme) => {
    const [first = "", ...rest] = text.split("\n")
    return [theme.dim(`… ${first}${rest.length === 0 ? "" : ` (${plural(rest.length, "more line")})`}`)]
  },
  Tool: (block, theme, { columns, openKey }) => {
    const { display, isOpen, label, status } = block
    const [first = "", ...rest] = label.split("\n")
    return [
      `${marks[status](theme)} ${first}${status === "succeeded" || status === "failed" ? "" : theme.warn(` (${status})`)}${
        display !== undefined && DiffLines.isDiff(display) ? diffCounts(display, theme) : ""
      }`,
      ...rest.map((line) => `  ${line}`),
      ...shownRows(detail(block, theme, columns), isOpen === true ? Infinity : maxDetail(block), theme, openKey).map((line) => `  ${line}`)
    ]
  },
  Approval: ({ question, action, similar, diff, diffRows, unreadLines, parts, reason, risk }, theme) => [
    `${theme.warn("?")} ${theme.bold(question)}${diff === undefined ? "" : diffCounts(diff, theme)} ${
      (risk === "high" ? theme.bad : theme.dim)(`${risk} risk`)
    }`,
    ...(action === "" ? [] : action.split("\n").map((line) => `  ${theme.bold(line)}`)),
    ...moreLines(unreadLines, "Space", theme),
    ...similar.map((other) => `  ${theme.dim("Also waiting:")} ${theme.bold(other.replaceAll("\n", " "))}`),
    ...parts.map(({ decision, text }) => `  ${decisions[decision](theme)} ${text.replaceAll("\n", " ")}`),
    ...reason.split("\n").map((line) => `  ${theme.dim(line)}`),
    ...(diff === undefined ? [] : firstRows(DiffLines.unpainted(diff, theme), diffRows, theme))
  ],
  Page: (
    { unreadLines, text },
    theme
  ) => [...text.split("\n").map((line) => `  ${theme.bold(line)}`), ...moreLines(unreadLines, "Space", theme)],
  Diff: ({ diff, hasPaths }, theme) => DiffLines.rows(diff, theme, hasPaths).map((line) => `  ${line}`),
  Question: ({ text }, theme) => text.split("\n").map((line, i) => i === 0 ? `${theme.warn("?")} ${theme.bold(line)}` : `  ${line}`),
  Note: ({ text, tone }, theme, { advice, columns }) =>
    (tone === "info" || advice === undefined ? text : advice(text)).split("\n").flatMap((line, i) =>
      noteRows(`${i === 0 ? "·" : " "} ${line}`.trimEnd(), columns).map(paint(tone, theme))
    ),
  End: ({ text, tone }, theme, { advice, columns, markdown }) =>
    tone === "good" ? markdown(text, theme, { columns }) : (advice?.(text) ?? text).split("\n").map(paint(tone, theme))
}

/** A name, with its mark and the spaces that follow, before a text. */
const namePattern = /^[· ] (?:[✓!✗] )?\S+(?: \S+)* {2,}(?=\S)/

/** A line that names what its text is about continues below the text. */
const noteRows = (line: string, columns: number | undefined): ReadonlyArray<string> => {
  const name = namePattern.exec(line)?.[0]
  return columns === undefined || name === undefined || name.length > columns / 2 ? [line]
    : Wrap.row(name, line.slice(name.length), columns, { hard: true })
}

const moreLines = (lineCount: number, key: string, theme: Theme): ReadonlyArray<string> =>
  lineCount <= 0 ? [] : [`  ${theme.dim(`… ${plural(lineCount, "more line")} (press ${key} to show)`)}`]

const firstRows = ({ length, row }: DiffLines.Rows, count: number, theme: Theme): ReadonlyArray<string> => [
  ...Array.from({ length: Math.min(length, count) }, (_, i) => `  ${row(i)}`),
  ...moreLines(length - count, "d", theme)
]

const decisions: Readonly<Record<"allow" | "ask" | "deny", (theme: Theme) => string>> = {
  allow: ({ good }) => good("✓"),
  ask: ({ warn }) => warn("?"),
  deny: ({ bad }) => bad("✗")
}

/** One settled block. */
export const blockLines = (block: Block, renderer: Renderer): ReadonlyArray<string> =>
  (blocks[block._tag] as (block: Block, theme: Theme, renderer: Renderer) => ReadonlyArray<string>)(block, renderer.theme, renderer)

/** All blocks of a view, separated by empty lines except between tool calls. */
export const allLines = ({ blocks }: View, renderer: Renderer): ReadonlyArray<string> =>
  blocks.flatMap((item, i) => [...(isSeparated(blocks[i - 1], item) ? [""] : []), ...blockLines(item, renderer)])

/** Whether an empty line separates two blocks. */
export const isSeparated = (previous: Block | undefined, next: Block): boolean =>
  previous !== undefined && !(next._tag === "Response" && next.isContinuation) && !(previous._tag === "Tool" && next._tag === "Tool") &&
  !((previous._tag === "Note" || previous._tag === "Command") && next._tag === "Note")

const marks: Readonly<Record<Extract<Block, { _tag: "Tool" }>["status"], (theme: Theme) => string>> = {
  succeeded: ({ good }) => good("✓"),
  failed: ({ bad }) => bad("✗"),
  denied: ({ warn }) => warn("⊘"),
  interrupted: ({ warn }) => warn("■"),
  unknown: ({ warn }) => warn("?")
}

/** How many lines of a message, lines of a result and rows of a diff are shown. */
const maxMessageLines = 20
const maxResultLines = 6
const maxDiffRows = 40

type ToolBlock = Extract<Block, { readonly _tag: "Tool" }>

/** The lines below a call: its diff, its view, its display text, or its result. */
const detail = ({ display, kind, result, status, view, wasShown }: ToolBlock, theme: Theme, columns?: number): DiffLines.Rows => {
  if (wasShown === true) return painted([])
  if (view !== undefined) return painted(ResultViewLines.lines(view, theme, columns === undefined ? undefined : columns - indent))
  if (display !== undefined && DiffLines.isDiff(display)) return DiffLines.unpainted(display, theme)
  const output = (display ?? (status === "succeeded" && kind !== "command" ? "" : result)).trimEnd()
  return painted(output === "" ? [] : output.split("\n").map(theme.dim))
}

const painted = (lines: ReadonlyArray<string>): DiffLines.Rows => ({ length: lines.length, row: (i) => lines[i]! })

/** Cells before the lines below a call. */
const indent = 2

const maxDetail = ({ display, view }: ToolBlock): number =>
  view !== undefined || display !== undefined && DiffLines.isDiff(display) ? maxDiffRows : maxResultLines

/** Whether only the first and last lines of a block's text or output are shown. */
export const isElided = (block: Block): block is ToolBlock | Extract<Block, { readonly _tag: "User" }> =>
  block._tag === "Tool" ? block.isOpen !== true && detail(block, plain).length > maxDetail(block)
    : block._tag === "User" && block.isOpen !== true && block.text.split("\n").length > maxMessageLines

const diffCounts = (patch: SafeText, theme: Theme): string => {
  const { added, removed } = DiffLines.counts(patch)
  return ` ${theme.good(`+${added}`)} ${theme.bad(`-${removed}`)}`
}

/** The first and last of the rows, with a note about those between. */
const shownRows = ({ length, row }: DiffLines.Rows, maxLines: number, theme: Theme, openKey?: string): ReadonlyArray<string> => {
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => row(from + i))
  if (length <= maxLines) return range(0, length)
  const first = maxLines >> 1
  return [
    ...range(0, first),
    theme.dim(`… ${plural(length - maxLines, "more line")} ${openKey === undefined ? "…" : `(press ${openKey} to show)`}`),
    ...range(length - (maxLines - first), length)
  ]
}

export const paint = (tone: Tone, theme: Theme): Paint =>
  tone === "good" ? theme.good : tone === "warn" ? theme.warn : tone === "bad" ? theme.bad : theme.dim

/** The countdown of a pause; `now` in ms since the epoch. */
export const pause = ({ until, isWaiting }: Pause, now: number): string => {
  const left = Math.max(0, Math.ceil((until - now) / 1000))
  const clock = left < 120 ? `${left} s` : `${Math.floor(left / 60)} min ${left % 60} s`
  return `${isWaiting ? "Waiting for the provider, retrying" : "Retrying"} in ${clock}, Esc to stop`
}

const boxes = { pending: "☐", in_progress: "▸", done: "☑" } as const

export const todo = (items: View["todo"], theme: Theme): ReadonlyArray<string> =>
  items.map(({ state, text }) => {
    const line = `${boxes[state]} ${text}`
    return state === "done" ? theme.dim(line) : state === "in_progress" ? theme.bold(line) : line
  })
