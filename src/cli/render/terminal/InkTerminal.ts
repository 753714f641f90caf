/**
 * The terminal face: draws a Screen with ink and turns keys into messages. What is settled is printed once and belongs
 * to the terminal's own scrollback; only the few lines below it are drawn again.
 */
import { Box, render, Text, useInput, usePaste, useStdout, useWindowSize, type Key as InkKey } from "ink"
import { createElement as h, useLayoutEffect, type ReactNode } from "react"
import * as Diff from "../text/DiffLines.ts"
import type { Key } from "./LineEditor.ts"
import * as Footer from "./Footer.ts"
import * as Lines from "../text/BlockLines.ts"
import * as Markdown from "../text/Markdown.ts"
import * as Progress from "../text/ProgressLines.ts"
import * as Reflow from "./Reflow.ts"
import type { Message, Screen } from "./Screen.ts"
import type { Theme } from "../text/Theme.ts"
import { parted } from "../text/BlockLines.ts"
import type { Block, Call, Shown } from "../view/View.ts"
import * as Wrap from "../text/Wrap.ts"

/** `show` draws, and prints some of what has settled; `close` gives the terminal back as it was. */
export interface Face {
  readonly show: (screen: Screen) => void
  readonly close: () => Promise<void>
  /** How many blocks are printed: another face of the same screen goes on from there. */
  readonly printed: () => number
}

export interface Options {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  /** Runs something where the process ends and nothing is closed; gives what takes that back. */
  readonly atExit: (undo: () => void) => () => void
  readonly theme: Theme
  readonly tell: (message: Message) => void
  /** Whether the terminal breaks rows anew that have become too wide for it. */
  readonly reflows: boolean
  /** Blocks that are printed already. */
  readonly from?: number
}

export const open = (screen: Screen, { atExit, from = 0, reflows, stdin, stdout, tell, theme }: Options): Face => {
  const paper: Paper = { printed: from, rows: [] }
  const root = (screen: Screen) => h(Root, { screen, theme, tell, paper })
  // Before ink's own listener, which takes away as many rows as it drew: a narrower terminal has made more of them.
  const narrowed = () => void (reflows && stdout.write(Reflow.erase(paper.rows, stdout.columns)))
  stdout.prependListener("resize", narrowed)
  // Before anything stands there: the terminal would echo the keys of who answers at once, and make line feeds of Enter.
  const raw = (on: boolean) => void (stdin.isTTY && stdin.setRawMode(on))
  raw(true)
  const app = render(root(screen), { stdin, stdout, exitOnCtrlC: false, patchConsole: false, interactive: true, maxFps: 100 })
  stdout.write(asksFocus(true))
  const stopAsking = () => void stdout.write(asksFocus(false)) // ink itself takes back what it asked for
  const closed = atExit(stopAsking)
  return {
    printed: () => paper.printed,
    show: (screen) => app.rerender(root(screen)),
    close: async () => {
      closed()
      stdout.off("resize", narrowed)
      stopAsking()
      app.rerender(null) // what asked for keys goes with whoever takes them
      await app.waitUntilRenderFlush()
      app.clear() // or an empty row would be left of what was drawn
      app.unmount()
      await app.waitUntilExit()
      raw(false)
    }
  }
}

/** A terminal that is asked says when it is looked at and when no more (xterm's mode 1004); ink gives the rest of the escape. */
const focus: Readonly<Record<string, boolean>> = { "[I": true, "[O": false }
const asksFocus = (on: boolean): string => `\u001b[?1004${on ? "h" : "l"}`

/** What stands on the terminal: so many blocks of the view, and below them the rows that are drawn again. */
interface Paper {
  printed: number
  rows: ReadonlyArray<string>
}

interface Props {
  readonly screen: Screen
  readonly theme: Theme
  readonly tell: (message: Message) => void
  readonly paper: Paper
}

/** What is drawn; what has settled since is written above it, past ink's own layout, which is made for small texts. */
export const Root = ({ paper, screen, tell, theme }: Props): ReactNode => {
  const { columns, rows } = useWindowSize()
  const { write } = useStdout()
  useInput((input, key) => {
    const focused = focus[input]
    if (focused !== undefined) tell({ _tag: "Focus", focused })
    else keys(input, key).forEach((key) => tell({ _tag: "Key", key }))
  })
  usePaste((text) => tell({ _tag: "Pasted", text }))
  const { blocks } = screen.view
  useLayoutEffect(() => tell({ _tag: "Sized", rows }), [rows])
  useLayoutEffect(() => {
    const [lines, place] = settled(blocks, paper.printed, theme, columns, atOnce)
    paper.printed = place
    if (lines.length > 0) write(`${lines.join("\n")}\n`)
  })
  const below = live(screen, theme, { columns, rows })
  useLayoutEffect(() => void (paper.rows = below))
  return h(Box, { flexDirection: "column", marginTop: 1 }, h(Text, null, paragraph(below)))
}

/** Lines that are printed at once, about: a key waits as long as they take. */
const atOnce = 300

/** The lines of blocks from a place on, as wide as the terminal, until there are so many; and the place behind them. */
export const settled = (blocks: ReadonlyArray<Block>, from: number, theme: Theme, columns: number, most = Infinity): readonly [ReadonlyArray<string>, number] => {
  const lines: Array<string> = []
  let at = from
  for (; at < blocks.length && lines.length < most; at++) {
    if (parted(blocks[at - 1], blocks[at]!)) lines.push("")
    for (const line of Lines.block(blocks[at]!, theme).flatMap((line) => Wrap.lines(line, columns))) lines.push(line)
  }
  return [lines, at]
}

/** An empty text has no height: an empty line needs something in it. */
const paragraph = (lines: ReadonlyArray<string>): string => lines.map((line) => line === "" ? " " : line).join("\n")

/** Everything that still changes: what the model says, calls, the plan, then status and input. */
const live = (screen: Screen, theme: Theme, { columns, rows }: Footer.Size): ReadonlyArray<string> => {
  const wrapped = (lines: ReadonlyArray<string>) => lines.flatMap((line) => Wrap.lines(line, columns))
  const plan = screen.view.working ? wrapped(Lines.todo(screen.view.todo, theme)) : []
  const footer = Footer.lines(screen, theme, { columns, rows })
  const room = Math.max(3, rows - 2 - footer.length)
  const below = [...plan.slice(0, Math.max(1, room >> 1)), ...footer]
  const above = wrapped([...saying(screen, theme, columns * room), ...calls(screen, theme, columns)]).slice(-Math.max(3, rows - 2 - below.length))
  return [...above, ...below]
}

const saying = ({ view: { answer, thought } }: Screen, theme: Theme, most: number): ReadonlyArray<string> =>
  answer.coming.shown.trim() !== "" ? [...Markdown.lines(end(answer.coming.shown, most), theme, answer.fence), ""]
  : thought.shown !== "" ? [theme.dim(`… ${thought.shown.trimEnd().split("\n").at(-1)!.slice(-most)}`), ""]
  : []

/**
 * No more than two or three screens of it are looked at for each drawing: from a line's beginning, and of a line without end from a
 * place that moves by whole screens, so that its words stay where they stand.
 */
const end = (text: Shown, most: number): Shown => {
  const beyond = text.length - most * 2
  if (beyond <= 0) return text
  const line = text.indexOf("\n", beyond)
  return text.slice(line === -1 ? beyond - beyond % most : line + 1) as Shown
}

const states = { writing: "…", waiting: "·", asked: "?", running: "◐" } as const

/** Calls that wait and are named; more of them are counted. */
const named = 3

/** A call that gave its work away is shown with those who do it. */
const calls = ({ alike, now, progress, view, waiting: question }: Screen, theme: Theme, columns: number): ReadonlyArray<string> => {
  const listed = new Set(question === undefined ? [] : alike) // by the question above
  const own = view.calls.filter(({ asks, id, state }) =>
    state !== "asked" && !(asks !== undefined && listed.has(asks.action)) && progress.running.get(`/${id}`)?.total === undefined)
  const waiting = own.filter(({ state }) => state === "waiting")
  const hidden = new Set(waiting.slice(named))
  return [
    ...own.filter((call) => !hidden.has(call)).flatMap((call) => one(call, theme, columns)),
    ...(hidden.size === 0 ? [] : [theme.dim(`· and ${hidden.size} more wait`)]),
    ...Progress.tree(progress, theme, now)
  ]
}

/** A line, which opens to what is written into it or comes out of it. */
const one = ({ output, state, what, written = [] }: Call, theme: Theme, columns: number): ReadonlyArray<string> => {
  const said = state === "running" ? "" : ` (${state})`
  return [
    `${theme.accent(states[state])} ${Lines.cut(what, columns - 2 - said.length)}${theme.dim(said)}`,
    ...(state === "writing" ? written.map((line) => `  ${Diff.paint(line, theme)}`) : []),
    ...(state === "running" && output.shown !== "" ? output.shown.trimEnd().split("\n").slice(-3).map((line) => theme.dim(`  ${line}`)) : [])
  ]
}

const pressed = (name: Key["name"], text = ""): Key => ({ name, text, ctrl: false, alt: false, shift: false })

/** What arrived at once may be several keys, typed ahead of us; a paste comes by its own way. */
const keys = (input: string, key: InkKey): ReadonlyArray<Key> => {
  const name = nameOf(key)
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

const nameOf = (key: InkKey): Key["name"] =>
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
