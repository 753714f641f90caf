/**
 * Draws a screen with ink and turns keys into messages. Settled blocks are printed once, into the terminal's own scrollback;
 * only the few lines below them are redrawn.
 */
import { Box, render, Text, useInput, usePaste, useStdout, useWindowSize, type Key as InkKey } from "ink"
import { createElement as h, useLayoutEffect, type ReactNode } from "react"
import * as DiffLines from "../text/DiffLines.ts"
import type { Key } from "./LineEditor.ts"
import * as ActivityLine from "./ActivityLine.ts"
import * as CommandView from "./CommandView.ts"
import * as Footer from "./Footer.ts"
import * as BlockLines from "../text/BlockLines.ts"
import * as ProgressLines from "../text/ProgressLines.ts"
import * as Reflow from "./Reflow.ts"
import type { Message, Screen } from "./Screen.ts"
import type { Theme } from "../text/Theme.ts"
import { isSeparated } from "../text/BlockLines.ts"
import type { Block, Call, SafeText } from "../view/View.ts"
import * as SlashAdvice from "./SlashAdvice.ts"
import * as WindowTitle from "./WindowTitle.ts"
import * as Wrap from "../text/Wrap.ts"

/** `show` draws the screen and prints some settled blocks; `close` restores the terminal. */
export interface TerminalView {
  readonly show: (screen: Screen) => void
  readonly close: () => Promise<void>
  /** How many blocks are printed. A reopened view continues from there. */
  readonly printedBlocks: () => number
}

export interface Options {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  /** Registers a handler for the end of the process; returns a function that removes it. */
  readonly atExit: (undo: () => void) => () => void
  readonly theme: Theme
  /** The renderer of Markdown, which is loaded before the first text is shown. */
  readonly markdown: () => BlockLines.RenderMarkdown
  readonly dispatch: (message: Message) => void
  /** The window's title for a screen; absent if it stays as it is. */
  readonly title?: (screen: Screen) => SafeText
  /** Whether the terminal reflows rows when it becomes narrower. */
  readonly reflows: boolean
  /** How many blocks are printed already. */
  readonly printedBlocks?: number
}

export const open = (
  screen: Screen,
  { atExit, printedBlocks = 0, reflows, stdin, stdout, dispatch, markdown, theme, title }: Options
): TerminalView => {
  const output: Output = { printed: printedBlocks, rows: [] }
  const root = (screen: Screen) => h(Root, { screen, theme, markdown: markdown(), dispatch, output })
  // Runs before ink's own listener, which erases as many rows as it drew: a narrower terminal has wrapped them into more.
  const eraseReflowed = () => void (reflows && stdout.write(Reflow.erase(output.rows, stdout.columns)))
  stdout.prependListener("resize", eraseReflowed)
  // Raw mode before anything is drawn: the terminal would echo early keys and turn Enter into a line feed.
  const setRawMode = (on: boolean) => void (stdin.isTTY && stdin.setRawMode(on))
  setRawMode(true)
  const app = render(root(screen), { stdin, stdout, exitOnCtrlC: false, patchConsole: false, interactive: true, maxFps: 100 })
  stdout.write(focusReporting(true))
  const titleWriter = WindowTitle.writer((sequence) => void stdout.write(sequence))
  const showTitle = (screen: Screen) => title !== undefined && titleWriter.show(title(screen))
  showTitle(screen)
  let isAlternate = false
  /** A command's output has a screen of its own: the conversation is there again when it closes. */
  const setAlternate = (on: boolean) => {
    if (on === isAlternate) return
    isAlternate = on
    app.clear()
    stdout.write(alternateScreen(on))
  }
  // ink turns off its own modes
  const restore = () => {
    if (isAlternate) stdout.write(alternateScreen(false))
    stdout.write(focusReporting(false))
    titleWriter.restore()
  }
  const removeExitHandler = atExit(restore)
  return {
    printedBlocks: () => output.printed,
    show: (screen) => {
      setAlternate(screen.commandView !== undefined)
      app.rerender(root(screen))
      showTitle(screen)
    },
    close: async () => {
      setAlternate(false)
      removeExitHandler()
      stdout.off("resize", eraseReflowed)
      restore()
      app.rerender(null) // unmounts the input handlers
      await app.waitUntilRenderFlush()
      app.clear() // otherwise an empty row would remain
      app.unmount()
      await app.waitUntilExit()
      setRawMode(false)
    }
  }
}

/** The alternate screen with its cursor at the top (xterm's mode 1049). */
const alternateScreen = (on: boolean): string => on ? "\u001b[?1049h\u001b[H" : "\u001b[?1049l"

/** Focus reports (xterm's mode 1004), without the escape character, which ink removes. */
const focus: Readonly<Record<string, boolean>> = { "[I": true, "[O": false }
const focusReporting = (on: boolean): string => `\u001b[?1004${on ? "h" : "l"}`

/** The terminal's content: the number of printed blocks, and the rows below them that are redrawn. */
interface Output {
  printed: number
  rows: ReadonlyArray<string>
}

interface Props {
  readonly screen: Screen
  readonly theme: Theme
  readonly markdown: BlockLines.RenderMarkdown
  readonly dispatch: (message: Message) => void
  readonly output: Output
}

/** Draws the live rows; newly settled blocks are written above them directly, since ink's layout is slow for long texts. */
export const Root = ({ output, screen, dispatch, markdown, theme }: Props): ReactNode => {
  const { columns, rows } = useWindowSize()
  const { write } = useStdout()
  useInput((input, key) => {
    const isFocused = focus[input]
    if (isFocused !== undefined) dispatch({ _tag: "Focus", focused: isFocused })
    else keys(input, key).forEach((key) => dispatch({ _tag: "Key", key }))
  })
  usePaste((text) => dispatch({ _tag: "Pasted", text }))
  const { blocks } = screen.view
  const renderer = { theme, markdown, columns, advice: SlashAdvice.translate, openKey: "Ctrl-O" }
  useLayoutEffect(() => dispatch({ _tag: "Resize", columns, rows }), [columns, rows])
  useLayoutEffect(() => {
    // They are printed once the command's output is closed.
    if (screen.commandView !== undefined) return
    const [lines, printed] = unprintedLines(blocks, output.printed, renderer, maxLinesPerFrame)
    output.printed = printed
    if (lines.length > 0) write(`${lines.join("\n")}\n`)
  })
  const liveLines = live(screen, renderer, { columns, rows })
  useLayoutEffect(() => void (output.rows = liveLines))
  return h(Box, { flexDirection: "column", marginTop: 1 }, h(Text, null, paragraph(liveLines)))
}

/** About how many lines are printed per frame: keys wait while they are printed. */
const maxLinesPerFrame = 300

interface Renderer extends BlockLines.Renderer {
  readonly columns: number
}

/** The wrapped lines of the blocks from an index on, up to about `maxLines`, and the index after them. */
export const unprintedLines = (
  blocks: ReadonlyArray<Block>,
  from: number,
  renderer: Renderer,
  maxLines = Infinity
): readonly [ReadonlyArray<string>, number] => {
  const lines: Array<string> = []
  let index = from
  for (; index < blocks.length && lines.length < maxLines; index++) {
    if (isSeparated(blocks[index - 1], blocks[index]!)) lines.push("")
    for (const line of BlockLines.blockLines(blocks[index]!, renderer).flatMap((line) => Wrap.lines(line, renderer.columns)))
      lines.push(line)
  }
  return [lines, index]
}

/** Ink gives an empty text no height, so an empty line needs a space. */
const paragraph = (lines: ReadonlyArray<string>): string => lines.map((line) => line === "" ? " " : line).join("\n")

/** The rows that are redrawn: the streaming response, tool calls, the todo list, then the footer. */
const live = (screen: Screen, renderer: Renderer, { columns, rows }: Footer.Size): ReadonlyArray<string> => {
  const { theme } = renderer
  if (screen.commandView !== undefined) return CommandView.lines(screen.commandView, theme, { columns, rows })
  const wrapAll = (lines: ReadonlyArray<string>) => lines.flatMap((line) => Wrap.lines(line, columns))
  const plan = [
    ...ActivityLine.lines(screen, theme, columns),
    ...(screen.view.isWorking && screen.todoEditor === undefined ? wrapAll(BlockLines.todo(screen.view.todo, theme)) : [])
  ]
  const footer = Footer.lines(screen, theme, { columns, rows })
  const room = Math.max(3, rows - 2 - footer.length)
  const bottom = [...plan.slice(0, Math.max(1, room >> 1)), ...footer]
  const top = wrapAll([
    ...responseLines(screen, renderer, columns * room),
    ...callLines(screen, theme, columns),
    ...lastLines(screen.userCommand?.output.safe ?? "", theme)
  ]).slice(
    -Math.max(3, rows - 2 - bottom.length)
  )
  return [...top, ...bottom]
}

const responseLines = (
  { view: { answer, thought } }: Screen,
  { columns, markdown, theme }: Renderer,
  maxCharacters: number
): ReadonlyArray<string> =>
  answer.pending.safe.trim() !== ""
    ? [...markdown(lastCharacters(answer.pending.safe, maxCharacters), theme, { context: answer.context, columns, isStreaming: true }), ""]
    : thought.safe !== "" ? [theme.dim(`… ${thought.safe.trimEnd().split("\n").at(-1)!.slice(-maxCharacters)}`), ""]
    : []

/**
 * At most two or three screens of text are wrapped per frame: from the start of a line, or within an endless line from an offset
 * that moves by whole screens, so that its words keep their places.
 */
const lastCharacters = (text: SafeText, maxCharacters: number): SafeText => {
  const excess = text.length - maxCharacters * 2
  if (excess <= 0) return text
  const line = text.indexOf("\n", excess)
  return text.slice(line === -1 ? excess - excess % maxCharacters : line + 1) as SafeText
}

const states = { writing: "…", waiting: "·", asked: "?", running: "◐", interrupted: "■" } as const

/** How many waiting calls are shown; the others are counted. */
const maxWaitingCalls = 3

/** A call that runs subagents is shown as part of their tree. */
const callLines = ({ similarActions, now, progress, view, pending }: Screen, theme: Theme, columns: number): ReadonlyArray<string> => {
  const answeredTogether = new Set(pending === undefined ? [] : similarActions) // shown in the prompt above
  const visible = view.calls.filter(({ approval, id, name, state }) =>
    state !== "asked" && !(pending?._tag === "Question" && name === "ask_user") &&
    !(approval !== undefined && answeredTogether.has(approval.action)) &&
    progress.running.get(`/${id}`)?.total === undefined
  )
  const waiting = visible.filter(({ state }) => state === "waiting")
  const hidden = new Set(waiting.slice(maxWaitingCalls))
  return [
    ...visible.filter((call) => !hidden.has(call)).flatMap((call) => callLine(call, theme, columns)),
    ...(hidden.size === 0 ? [] : [theme.dim(`· ${hidden.size} more waiting`)]),
    ...ProgressLines.tree(progress, theme, now)
  ]
}

/** A call on one line, followed by the parameter being written or the end of its output. */
const callLine = ({ output, state, label, preview = [] }: Call, theme: Theme, columns: number): ReadonlyArray<string> => {
  const stateText = state === "running" ? "" : ` (${state})`
  return [
    `${theme.accent(states[state])} ${BlockLines.cut(label, columns - 2 - stateText.length)}${theme.dim(stateText)}`,
    ...(state === "writing" ? preview.map((line) => `  ${DiffLines.paint(line, theme)}`) : []),
    ...(state === "running" ? lastLines(output.safe, theme) : [])
  ]
}

/** The end of an output that grows. */
const lastLines = (output: string, theme: Theme): ReadonlyArray<string> =>
  output === "" ? [] : output.trimEnd().split("\n").slice(-3).map((line) => theme.dim(`  ${line}`))

const plainKey = (name: Key["name"], text = ""): Key => ({ name, text, ctrl: false, alt: false, shift: false })

/** Control characters that are keys of their own; each other one is Ctrl with a letter. */
const controlKeys: Readonly<Record<string, Key>> = {
  "\b": plainKey("backspace"),
  "\t": plainKey("tab"),
  "\n": plainKey("text", "\n"),
  "\r": plainKey("enter"),
  "\x7f": plainKey("backspace")
}
const ctrlKey = (character: string): Key => ({ ...plainKey("text", String.fromCharCode(character.charCodeAt(0) + 0x60)), ctrl: true })

/** One chunk of input may hold several keys; pastes arrive separately. */
const keys = (input: string, key: InkKey): ReadonlyArray<Key> => {
  const name = nameOf(key)
  if (name !== "text" || key.ctrl || key.meta) {
    return [{ name, text: name === "text" ? input : "", ctrl: key.ctrl, alt: key.meta, shift: key.shift }]
  }
  return (input.match(/[\x01-\x1a\x7f]|[^\x01-\x1a\x7f]+/g) ?? []).map((piece) =>
    controlKeys[piece] ?? (piece < "\x1b" ? ctrlKey(piece) : plainKey("text", piece))
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
    : key.pageUp ? "pageUp"
    : key.pageDown ? "pageDown"
    : "text"
