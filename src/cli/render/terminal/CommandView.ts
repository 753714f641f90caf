/**
 * The output of one command on the whole screen: it scrolls, or follows the end, and keys can go to the command. Pure: the lines around
 * the visible ones are read by `cli/terminal/CommandViews`.
 */
import * as TerminalKeys from "../../../domain/tool/TerminalKeys.ts"
import { stderrMark } from "../../../services/BackgroundCommands.ts"
import type { TerminalInput } from "../../../services/Shell.ts"
import * as BlockLines from "../text/BlockLines.ts"
import type { Theme } from "../text/Theme.ts"
import * as Wrap from "../text/Wrap.ts"
import { line, text, type SafeText } from "../view/DisplayText.ts"
import type { Key } from "./LineEditor.ts"

/** What was read of a command: numbered lines around those to show, and its state. */
export interface Snapshot {
  readonly lines: ReadonlyArray<readonly [number: number, text: string]>
  /** How many lines there are. */
  readonly count: number
  /** How it ended; undefined while it runs. */
  readonly ending: string | undefined
  readonly hasTerminal: boolean
  readonly input: TerminalInput
  /** The prompt asks for a secret, or the terminal hides what is typed. */
  readonly isSecret: boolean
}

/** `top` is the number of the first visible line; undefined: the view follows the end. `isTyping`: keys go to the command. */
export interface CommandView extends Snapshot {
  readonly id: string
  readonly command: string
  readonly top: number | undefined
  readonly isTyping: boolean
}

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** `shouldType`: its terminal waits for input, so keys go there at once. */
export const open = (id: string, command: string, snapshot: Snapshot, shouldType: boolean): CommandView => ({
  ...snapshot,
  id,
  command,
  top: undefined,
  isTyping: shouldType && canType(snapshot)
})

/** Whether keys can go to the command. */
export const canType = ({ ending, hasTerminal }: Snapshot): boolean => hasTerminal && ending === undefined

/** With what was read of the command now. */
export const withSnapshot = (view: CommandView, snapshot: Snapshot): CommandView => ({
  ...view,
  ...snapshot,
  isTyping: view.isTyping && canType(snapshot)
})

/** How many lines before and after the visible ones are read. */
export const margin = (rows: number): number => Math.max(rows, 10)

/** The number of the first line to read. */
export const firstToRead = ({ count, top }: Pick<CommandView, "count" | "top">, rows: number): number =>
  Math.max(1, (top ?? count - rows + 1) - margin(rows))

/** The rows of output: without the title, the rule and the line of keys. */
const outputRows = (size: Size): number => Math.max(3, size.rows - 8)

/** A line as rows; one that fills the screen is cut. */
const rowsOf = (untrusted: string, { columns, rows }: Size): ReadonlyArray<string> => {
  const wrapped = Wrap.inputLines(text(untrusted), 0, columns)
  const max = outputRows({ columns, rows })
  return wrapped.length <= max ? wrapped
    : [...wrapped.slice(0, max - 1), BlockLines.cut(`… ${wrapped.length - max + 1} more rows of this line` as SafeText, columns)]
}

/** The visible rows, and the lines that they show. */
interface Window {
  readonly rows: ReadonlyArray<string>
  readonly first: number
  readonly last: number
}

const windowOf = (view: CommandView, size: Size): Window => {
  const room = outputRows(size)
  const { lines, top } = view
  const start = top === undefined ? -1 : lines.findIndex(([number]) => number >= top)
  const fromTop = start === -1 ? undefined : takeLines(lines.slice(start), size, room)
  // A page that the end does not fill is the last one.
  if (fromTop !== undefined && (fromTop.rows.length === room || fromTop.last < view.count)) return fromTop
  const fromEnd = takeLines(lines.toReversed(), size, room)
  return { rows: fromEnd.rows, first: fromEnd.last, last: fromEnd.first }
}

/** As many lines as fit, at least one; in reverse order their rows still go from top to bottom. */
const takeLines = (lines: ReadonlyArray<readonly [number, string]>, size: Size, room: number): Window => {
  const blocks: Array<ReadonlyArray<string>> = []
  let [height, last] = [0, lines[0]?.[0] ?? 0]
  for (const [number, text] of lines) {
    const rows = rowsOf(text, size)
    if (height > 0 && height + rows.length > room) break
    blocks.push(rows)
    height += rows.length
    last = number
  }
  const first = lines[0]?.[0] ?? 0
  return { rows: (first > last ? blocks.toReversed() : blocks).flat(), first, last }
}

/** What a key does: the next view, text for the command, or an end of the view. */
export type Pressed =
  | { readonly view: CommandView }
  | { readonly typed: string }
  | { readonly action: "close" | "background" }

export const press = (view: CommandView, key: Key, size: Size): Pressed => {
  // Programs that read lines have no use for these two keys.
  const isPaging = view.input.mode !== "keys" && (key.name === "pageUp" || key.name === "pageDown")
  if (view.isTyping && !isPaging)
    return key.ctrl && key.text === "]" ? { view: { ...view, isTyping: false } } : { typed: bytesOf(key) }
  const isLetter = (letter: string) => key.name === "text" && !key.ctrl && !key.alt && key.text === letter
  if (key.name === "escape" || isLetter("q") || key.ctrl && (key.text === "c" || key.text === "o")) return { action: "close" }
  if (key.ctrl && key.text === "b") return { action: "background" }
  if ((key.name === "enter" || isLetter("i")) && canType(view)) return { view: { ...view, isTyping: true } }
  const { first, last } = windowOf(view, size)
  if (key.name === "home" || isLetter("g")) return { view: { ...view, top: 1 } }
  if (key.name === "end" || isLetter("f") || isLetter("G")) return { view: { ...view, top: undefined } }
  if (key.name === "up" || isLetter("k")) return { view: { ...view, top: Math.max(1, first - 1) } }
  if (key.name === "down" || isLetter("j")) return { view: scrolledTo(view, first + 1, last) }
  if (key.name === "pageUp" || isLetter("b")) return { view: { ...view, top: pageBefore(view, first, size) } }
  if (key.name === "pageDown" || isLetter(" ")) return { view: scrolledTo(view, Math.max(first + 1, last), last) }
  return { view }
}

/** Going down past the end follows it. */
const scrolledTo = (view: CommandView, top: number, last: number): CommandView => ({ ...view, top: last >= view.count ? undefined : top })

/** The line with which the page before begins; its last line stays visible. */
const pageBefore = ({ lines }: CommandView, first: number, size: Size): number => {
  const before = takeLines(lines.filter(([number]) => number <= first).toReversed(), size, outputRows(size))
  return Math.max(1, Math.min(before.last, first - 1))
}

const sequences: Readonly<Partial<Record<Key["name"], string>>> = {
  enter: "Enter",
  escape: "Escape",
  tab: "Tab",
  up: "Up",
  down: "Down",
  left: "Left",
  right: "Right",
  home: "Home",
  end: "End",
  backspace: "Backspace",
  delete: "Delete",
  pageUp: "PageUp",
  pageDown: "PageDown"
}

/** A key as the bytes that a program reads for it. */
const bytesOf = (key: Key): string => {
  const name = key.name === "tab" && key.shift ? "Shift-Tab" : sequences[key.name]
  const bytes = name !== undefined ? TerminalKeys.bytesOf(name)
    : key.ctrl && key.text.length === 1 ? key.text === " " ? "\u0000" : TerminalKeys.ctrl(key.text)
    : key.text
  return key.alt && key.name !== "escape" ? `\u001b${bytes}` : bytes
}

/** The screen's rows: a title, the output, and what keys do. */
export const lines = (view: CommandView, theme: Theme, size: Size): ReadonlyArray<string> => {
  const { columns } = size
  const { first, last, rows } = windowOf(view, size)
  const state = view.ending ?? (view.isSecret ? "asks for hidden input" : view.input.isReading ? "waits for input" : "running")
  const range = first === last ? `line ${first}` : `lines ${first} to ${last}`
  const place = view.count === 0 ? "" : `, ${range} of ${view.count}${view.top === undefined ? "" : ", paused"}`
  const status = `${state}${place}`
  const isNarrow = columns < status.length + 24
  const title = BlockLines.cut(line(view.command), isNarrow ? columns : columns - status.length - 3)
  return [
    ...(isNarrow ? [theme.bold(title), theme.dim(BlockLines.cut(status as SafeText, columns))]
      : [`${theme.bold(title)} ${theme.dim(status)}`]),
    theme.dim("─".repeat(Math.min(24, columns))),
    ...(rows.length === 0 ? [theme.dim("(no output)")] : rows.map((row) => row.startsWith(stderrMark) ? theme.warn(row) : row)),
    theme.dim("─".repeat(Math.min(24, columns))),
    ...Wrap.lines(view.isTyping ? theme.accent(typingHint(view)) : theme.dim(hint(view)), columns).slice(0, 2)
  ]
}

const typingHint = ({ isSecret }: CommandView): string =>
  isSecret ? "Hidden input, for the command only. Ctrl-] to go back"
    : "Keys go to the command. Ctrl-] to go back"

const hint = (view: CommandView): string =>
  [
    "Esc to close",
    ...(canType(view) ? ["Enter to type"] : []),
    "arrows and PgUp to scroll",
    view.top === undefined ? "Home for the start" : "End to follow",
    ...(view.ending === undefined ? ["Ctrl-B for background"] : [])
  ].join(", ")
