/** A view's parts as lines of text, coloured by a theme; no line is cut, wrapping is the screen's. */
import * as Diff from "./DiffLines.ts"
import * as Markdown from "./Markdown.ts"
import type { Paint, Theme } from "./Theme.ts"
import type { Block, Pause, Shown, Tone, View } from "../view/View.ts"

type Tables = {
  readonly [Tag in Block["_tag"]]: (block: Extract<Block, { readonly _tag: Tag }>, theme: Theme) => ReadonlyArray<string>
}

const blocks: Tables = {
  Said: ({ later, text }, theme) => text.split("\n").map((line, i) => `${theme.accent(i === 0 ? ">" : " ")} ${theme.bold(line)}${later && i === 0 ? theme.dim(" (queued)") : ""}`),
  Answer: ({ fence, text }, theme) => Markdown.lines(text, theme, fence),
  Thought: ({ text }, theme) => {
    const [first = "", ...rest] = text.split("\n")
    return [theme.dim(`… ${first}${rest.length === 0 ? "" : ` (${rest.length} more lines of thought)`}`)]
  },
  Tool: ({ kind, result, shown, status, what }, theme) => {
    const [first = "", ...rest] = what.split("\n")
    return [
      `${marks[status](theme)} ${first}${status === "succeeded" || status === "failed" ? "" : theme.warn(` (${status})`)}${shown !== undefined && Diff.isDiff(shown) ? counted(shown, theme) : ""}`,
      ...rest.map((line) => `  ${line}`),
      ...detail(shown, status === "succeeded" && kind !== "command" ? "" as Shown : result, theme).map((line) => `  ${line}`)
    ]
  },
  Asked: ({ action, also, diff, left, offer, parts, reason, risk }, theme) => [
    ...asking(action, risk, diff, theme),
    ...also.map((other) => `  ${theme.dim("and then")} ${theme.bold(other.replaceAll("\n", " "))}`),
    ...parts.map(({ decision, text }) => `  ${decisions[decision](theme)} ${text.replaceAll("\n", " ")}`),
    ...reason.split("\n").map((line) => `  ${theme.dim(line)}`),
    ...(offer === undefined ? [] : [`  ${theme.dim("always would allow:")} ${offer}`]),
    ...further(left, theme),
    ...(diff === undefined || risk !== "high" ? [] : Diff.lines(diff, theme).map((line) => `  ${line}`))
  ],
  More: ({ left, text }, theme) => [...text.split("\n").map((line) => `  ${theme.bold(line)}`), ...further(left, theme)],
  Opened: ({ diff }, theme) => Diff.lines(diff, theme).map((line) => `  ${line}`),
  Question: ({ options, text }, theme) => [
    ...text.split("\n").map((line, i) => i === 0 ? `${theme.warn("?")} ${theme.bold(line)}` : `  ${line}`),
    ...options.map((option, i) => `  ${theme.accent(`${i + 1}`)} ${option}`)
  ],
  Note: ({ text, tone }, theme) => text.split("\n").map((line) => paint(tone, theme)(`· ${line}`)),
  End: ({ text, tone }, theme) => tone === "good" ? Markdown.lines(text, theme) : text.split("\n").map(paint(tone, theme))
}

/** What is of high risk has its lines to itself; anything else is one line, its diff folded. */
const asking = (action: Shown, risk: string, diff: Shown | undefined, theme: Theme): ReadonlyArray<string> => {
  const lines = action.split("\n")
  const size = diff === undefined ? "" : counted(diff, theme)
  return risk !== "high" && lines.length === 1
    ? [`${theme.warn("?")} ${theme.bold(`May I ${action}?`)}${size} ${theme.dim(`${risk} risk`)}`]
    : [`${theme.warn("?")} ${theme.bold("May I do this?")} ${(risk === "high" ? theme.bad : theme.dim)(`${risk} risk`)}`, ...lines.map((line) => `  ${theme.bold(line)}`)]
}

const further = (left: number, theme: Theme): ReadonlyArray<string> => left === 0 ? [] : [`  ${theme.dim(`… ${left} more lines: the space bar shows them`)}`]

const decisions: Readonly<Record<"allow" | "ask" | "deny", (theme: Theme) => string>> = {
  allow: ({ good }) => good("✓"),
  ask: ({ warn }) => warn("?"),
  deny: ({ bad }) => bad("✗")
}

/** One settled block. */
export const block = (block: Block, theme: Theme): ReadonlyArray<string> =>
  (blocks[block._tag] as (block: Block, theme: Theme) => ReadonlyArray<string>)(block, theme)

/** A whole view that is over, blocks parted by empty lines; tool calls stand together. */
export const all = ({ blocks }: View, theme: Theme): ReadonlyArray<string> =>
  blocks.flatMap((each, i) => [...(parted(blocks[i - 1], each) ? [""] : []), ...block(each, theme)])

/** Whether an empty line stands between two neighbours. */
export const parted = (before: Block | undefined, after: Block): boolean =>
  before !== undefined && !(after._tag === "Answer" && after.goesOn) && !(before._tag === "Tool" && after._tag === "Tool") && !(before._tag === "Note" && after._tag === "Note")

const marks: Readonly<Record<Extract<Block, { _tag: "Tool" }>["status"], (theme: Theme) => string>> = {
  succeeded: ({ good }) => good("✓"),
  failed: ({ bad }) => bad("✗"),
  denied: ({ warn }) => warn("⊘"),
  interrupted: ({ warn }) => warn("■"),
  unknown: ({ warn }) => warn("?")
}

/** Lines of a result that are shown without being asked for. */
const folded = 6

/** What of a call is shown under it: its diff, what it says for people, or what it gave the model. */
const detail = (shown: Shown | undefined, result: Shown, theme: Theme): ReadonlyArray<string> => {
  if (shown !== undefined && Diff.isDiff(shown)) return fold(Diff.hunks(shown, theme), 40, theme)
  const said = (shown ?? result).trimEnd()
  return said === "" ? [] : fold(said.split("\n").map(theme.dim), folded, theme)
}

const counted = (patch: Shown, theme: Theme): string => {
  const { added, removed } = Diff.counts(patch)
  return ` ${theme.good(`+${added}`)} ${theme.bad(`-${removed}`)}`
}

/** Head and tail of what is too long to show. */
const fold = (lines: ReadonlyArray<string>, most: number, theme: Theme): ReadonlyArray<string> =>
  lines.length <= most
    ? lines
    : [...lines.slice(0, most >> 1), theme.dim(`… ${lines.length - most} lines …`), ...lines.slice(-(most - (most >> 1)))]

export const paint = (tone: Tone, theme: Theme): Paint =>
  tone === "good" ? theme.good : tone === "warn" ? theme.warn : tone === "bad" ? theme.bad : theme.dim

/** How long the provider is still left alone; `now` in ms since the epoch. */
export const pause = ({ until, wait }: Pause, now: number): string => {
  const left = Math.max(0, Math.ceil((until - now) / 1000))
  const clock = left < 120 ? `${left} s` : `${Math.floor(left / 60)} min ${left % 60} s`
  return `${wait ? "waiting for the provider, asking again" : "trying again"} in ${clock}; Esc stops`
}

export const thousands = (count: number): string =>
  count < 1000 ? `${count}` : count < 1_000_000 ? `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k` : `${(count / 1_000_000).toFixed(1)}M`

const boxes = { pending: "☐", in_progress: "▸", done: "☑" } as const

export const todo = (items: View["todo"], theme: Theme): ReadonlyArray<string> =>
  items.map(({ state, text }) => {
    const line = `${boxes[state]} ${text}`
    return state === "done" ? theme.dim(line) : state === "in_progress" ? theme.bold(line) : line
  })

/** `1 file`, `2 files`. */
export const many = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** As much of a text as fits into so many cells, on one line. */
export const cut = (text: Shown, cells: number): Shown => {
  const line = text.split("\n", 1)[0]!
  if (width(line) <= cells) return line as Shown
  let kept = ""
  for (const { segment } of graphemes.segment(line)) {
    if (width(kept + segment) >= cells) break
    kept += segment
  }
  return `${kept}…` as Shown
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** Cells that a line takes: wide letters and emoji take two, marks and colours none. */
export const width = (line: string): number => {
  const bare = line.replace(/\u001b\[[0-9;]*m/g, "")
  if (/^[\x20-\x7e]*$/.test(bare)) return bare.length
  let cells = 0
  for (const char of bare) cells += narrow.test(char) ? 0 : wide.test(char) ? 2 : 1
  return cells
}

const narrow = /[\p{M}\u200b-\u200f\ufe0e\ufe0f]/u
const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u
