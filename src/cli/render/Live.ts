/**
 * The terminal face: draws a Screen with ink and turns keys into messages. What is settled is printed once and belongs
 * to the terminal's own scrollback; only the few lines below it are drawn again.
 */
import { Box, render, Text, useInput, usePaste, useStdout, useWindowSize, type Key as InkKey } from "ink"
import { createElement as h, useLayoutEffect, type ReactNode } from "react"
import wrap from "wrap-ansi"
import { after, filled, type Key } from "./Editor.ts"
import * as Lines from "./Lines.ts"
import * as Markdown from "./Markdown.ts"
import * as Picker from "./Picker.ts"
import * as Recall from "./Recall.ts"
import * as Progress from "./Progress.ts"
import { choosing, offered, type Message, type Screen } from "./Screen.ts"
import type { Theme } from "./Theme.ts"
import { parted, width } from "./Lines.ts"
import { text, type Block, type Shown } from "./View.ts"

/** `show` draws; `close` gives the terminal back as it was. */
export interface Face {
  readonly show: (screen: Screen) => void
  readonly close: () => Promise<void>
  /** How many blocks are printed: another face of the same screen goes on from there. */
  readonly printed: () => number
}

export interface Options {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly theme: Theme
  readonly tell: (message: Message) => void
  /** Blocks that are printed already. */
  readonly from?: number
}

export const open = (screen: Screen, { from = 0, stdin, stdout, tell, theme }: Options): Face => {
  const printed = { current: from }
  const root = (screen: Screen) => h(Root, { screen, theme, tell, printed })
  const app = render(root(screen), { stdin, stdout, exitOnCtrlC: false, patchConsole: false, interactive: true, maxFps: 100 })
  return {
    printed: () => printed.current,
    show: (screen) => app.rerender(root(screen)),
    close: async () => {
      app.unmount()
      await app.waitUntilExit()
    }
  }
}

interface Props {
  readonly screen: Screen
  readonly theme: Theme
  readonly tell: (message: Message) => void
  readonly printed: { current: number }
}

/** What is drawn; what has settled since is written above it, past ink's own layout, which is made for small texts. */
export const Root = ({ printed, screen, tell, theme }: Props): ReactNode => {
  const { columns, rows } = useWindowSize()
  const { write } = useStdout()
  useInput((input, key) => keys(input, key).forEach((key) => tell({ _tag: "Key", key })))
  usePaste((text) => tell({ _tag: "Pasted", text }))
  const { blocks } = screen.view
  useLayoutEffect(() => {
    const lines = settled(blocks, printed.current, theme, columns)
    printed.current = blocks.length
    if (lines.length > 0) write(`${lines.join("\n")}\n`)
  })
  return h(Live, { screen, theme, columns, rows })
}

/** The lines of blocks from a place on, as wide as the terminal. */
export const settled = (blocks: ReadonlyArray<Block>, from: number, theme: Theme, columns: number): ReadonlyArray<string> =>
  blocks.slice(from).flatMap((block, i) => [
    ...(parted(blocks[from + i - 1], block) ? [""] : []),
    ...Lines.block(block, theme).flatMap((line) => width(line) <= columns ? [line] : wrap(line, columns, { hard: true, trim: false }).split("\n"))
  ])

/** An empty text has no height: an empty line needs something in it. */
const paragraph = (lines: ReadonlyArray<string>): string => lines.map((line) => line === "" ? " " : line).join("\n")

/** Everything that still changes: what the model says, calls, the plan, then status and input. */
const Live = ({ columns, rows, screen, theme }: Omit<Props, "tell" | "printed"> & { readonly columns: number; readonly rows: number }): ReactNode => {
  const plan = screen.view.working ? Lines.todo(screen.view.todo, theme) : []
  const below = [...plan, ...footer(screen, theme)]
  const room = Math.max(3, rows - 2 - below.reduce((sum, line) => sum + height(line, columns), 0))
  const above = last([...saying(screen, theme, columns * room), ...calls(screen, theme)], room, columns)
  return h(Box, { flexDirection: "column", marginTop: 1, width: columns }, h(Text, null, paragraph([...above, ...below])))
}

/** The last lines that fit. */
const last = (lines: ReadonlyArray<string>, room: number, columns: number): ReadonlyArray<string> => {
  let left = room
  const first = lines.findLastIndex((line) => (left -= height(line, columns)) < 0)
  return lines.slice(first + 1)
}

const height = (line: string, columns: number): number => Math.max(1, Math.ceil(width(line) / columns))

const saying = ({ view: { answer, thought } }: Screen, theme: Theme, most: number): ReadonlyArray<string> =>
  answer.coming.shown.trim() !== "" ? [...Markdown.lines(end(answer.coming.shown, most), theme, answer.fence), ""]
  : thought.shown !== "" ? [theme.dim(`… ${thought.shown.trimEnd().split("\n").at(-1)!.slice(-most)}`), ""]
  : []

/** No more of a line without end than a few screens of it is looked at for each drawing. */
const end = (text: Shown, most: number): Shown =>
  text.length <= most * 4 ? text : text.slice(text.indexOf("\n", text.length - most * 4) + 1) as Shown

const states = { writing: "…", waiting: "·", asked: "?", running: "◐" } as const

/** A call that gave its work away is shown with those who do it. */
const calls = ({ now, progress, view }: Screen, theme: Theme): ReadonlyArray<string> => [
  ...own(view.calls.filter(({ id, state }) => state !== "asked" && progress.running.get(`/${id}`)?.total === undefined), theme),
  ...Progress.tree(progress, theme, now)
]

const own = (calls: Screen["view"]["calls"], theme: Theme): ReadonlyArray<string> =>
  calls.flatMap(({ output, state, what }) => [
    `${theme.accent(states[state])} ${what.split("\n", 1)[0]}${state === "running" ? "" : theme.dim(` (${state})`)}`,
    ...(state === "running" && output.shown !== "" ? output.shown.trimEnd().split("\n").slice(-3).map((line) => theme.dim(`  ${line}`)) : [])
  ])

const footer = (screen: Screen, theme: Theme): ReadonlyArray<string> => [
  theme.dim("─".repeat(24)),
  ...(screen.picker !== undefined ? picking(screen.picker, theme)
    : choosing(screen) ? [choices(screen, theme)]
    : [...input(screen, theme), ...offering(screen, theme)]),
  ...(screen.view.status.model === "" ? [] : [Lines.status(screen.view.status, theme)]),
  theme.dim(hint(screen))
]

/** The answers that an approval takes, and what each key does. */
const choices = (screen: Screen, theme: Theme): string => {
  const { alike, armed, folded, unread, waiting } = screen
  if (waiting?._tag !== "Approval" || !armed) return theme.dim("…")
  const { risk } = waiting.question
  return [
    ["y", risk === "high" ? "once" : "once (Enter)"],
    ...(offered(screen) ? [["s", "this session"], ["a", "always"]] : []),
    ...(alike.length === 0 ? [] : [["m", `all ${alike.length + 1} once`]]),
    ...(unread.length === 0 ? [] : [["space", "show the rest"]]),
    ...(folded === undefined ? [] : [["d", "diff"]]),
    ["e", "edit"],
    ["n", "no, with words"]
  ].map(([key, does]) => `${theme.bold(theme.accent(key!))} ${does}`).join("   ")
}

const input = ({ editor: typed, recall, refusing, waiting }: Screen, theme: Theme): ReadonlyArray<string> => {
  const editor = recall === undefined ? typed : filled(typed, Recall.found(typed, recall) ?? "")
  const sign = refusing ? "Why not? " : waiting?._tag === "Question" ? "Answer: " : "> "
  const at = after(editor)
  const under = editor.text.slice(editor.cursor, at)
  const mark = (cell: string) => `\u001b[7m${cell}\u001b[27m`
  const marked = [
    text(editor.text.slice(0, editor.cursor)),
    under === "" ? mark(" ") : under === "\n" ? `${mark(" ")}\n` : mark(text(under)),
    text(editor.text.slice(at))
  ].join("")
  return marked.split("\n").map((line, i) => `${i === 0 ? theme.accent(sign) : " ".repeat(sign.length)}${line}`)
}

/** Options of a list that are shown at once. */
const shown = 10

/** A list with the chosen line marked, scrolled so that it is seen. */
const picking = (picker: Picker.Picker, theme: Theme): ReadonlyArray<string> => {
  const found = Picker.matching(picker)
  const from = Math.max(0, Math.min(picker.at - (shown >> 1), found.length - shown))
  return [
    theme.bold(picker.title),
    ...found.slice(from, from + shown).map((option, i) => marked(picker.options[option]!, from + i === picker.at, theme)),
    ...(found.length > shown ? [theme.dim(`  ${found.length} in all`)] : []),
    `${theme.accent("/ ")}${text(picker.typed)}`
  ]
}

const offering = ({ offer }: Screen, theme: Theme): ReadonlyArray<string> =>
  offer === undefined ? [] : offer.options.map((option, i) => marked(text(option), i === offer.at, theme))

const marked = (option: Shown, chosen: boolean, theme: Theme): string =>
  chosen ? `${theme.accent("›")} ${theme.bold(option)}` : `  ${option}`

const hint = ({ editor, hint, interrupting, leaving, now, offer, picker, recall, refusing, view, waiting }: Screen): string =>
  hint ??
    (picker !== undefined ? "Enter chooses, Esc goes back, letters narrow"
    : recall !== undefined ? `looking back for "${text(recall.typed)}"${Recall.found(editor, recall) === undefined ? ": nothing" : "; Ctrl-R older, Enter takes it, Esc goes back"}`
    : offer !== undefined ? "Tab takes it, Up and Down choose, Esc goes on typing"
    : interrupting ? "interrupting; Ctrl-C leaves at once"
    : leaving ? "Ctrl-C again leaves"
    : refusing ? "Enter refuses with these words, Esc goes back"
    : waiting?._tag === "Question" ? "Enter answers"
    : waiting !== undefined ? "waiting for you"
    : view.pause !== undefined ? Lines.pause(view.pause, now)
    : view.working ? "working: Enter steers, Tab queues, Esc interrupts"
    : "Enter sends, Shift-Tab plan/act, /help")

const pressed = (name: Key["name"], text = ""): Key => ({ name, text, ctrl: false, alt: false, shift: false })

/** What arrived at once may be several keys, typed ahead of us; a paste comes by its own way. */
const keys = (input: string, key: InkKey): ReadonlyArray<Key> => {
  const name = named(key)
  if (name !== "text" || key.ctrl || key.meta) {
    return [{ name, text: name === "text" ? input : "", ctrl: key.ctrl, alt: key.meta, shift: key.shift }]
  }
  return input.split(/([\r\t\x7f])/).filter((piece) => piece !== "").map((piece) =>
    piece === "\r" ? pressed("enter")
    : piece === "\t" ? pressed("tab")
    : piece === "\x7f" ? pressed("backspace")
    : pressed("text", piece)
  )
}

const named = (key: InkKey): Key["name"] =>
  key.return ? "enter"
  : key.escape ? "escape"
  : key.tab ? "tab"
  : key.upArrow ? "up"
  : key.downArrow ? "down"
  : key.leftArrow ? "left"
  : key.rightArrow ? "right"
  : key.home ? "home"
  : key.end ? "end"
  : key.backspace ? "backspace"
  : key.delete ? "delete"
  : key.pageUp || key.pageDown ? "page"
  : "text"
