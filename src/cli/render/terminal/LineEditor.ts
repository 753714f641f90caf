/** The input line as pure state: text, cursor, history. Backslash and Enter, or a paste, make several lines. */
import * as AnsiEscape from "../../../domain/message/AnsiEscape.ts"
import { graphemes } from "../text/Graphemes.ts"

/** A key press; `text` is what it types, "" for keys that type nothing. */
export interface Key {
  readonly name:
    | "enter"
    | "escape"
    | "tab"
    | "up"
    | "down"
    | "left"
    | "right"
    | "home"
    | "end"
    | "backspace"
    | "delete"
    | "pageUp"
    | "pageDown"
    | "text"
  readonly text: string
  readonly ctrl: boolean
  readonly alt: boolean
  readonly shift: boolean
}

/**
 * - `cursor` counts UTF-16 units. `draft` is the text from before the user went to the history.
 * - `killed` is the text that was last cut, to be yanked. `past` are earlier states to undo to, the newest last. `lastKey`: it typed a
 *   character, so that a word is undone as a whole; or it cut text, which the next cut extends.
 * - `vi`: the state of vi keys; undefined with the usual keys.
 */
export interface Editor {
  readonly text: string
  readonly cursor: number
  readonly history: ReadonlyArray<string>
  readonly historyIndex: number
  readonly draft: string
  readonly killed: string
  readonly past: ReadonlyArray<Snapshot>
  readonly lastKey: "typed" | "killed" | "other"
  readonly vi: ViState | undefined
}

type Snapshot = Pick<Editor, "text" | "cursor">

/**
 * `pending`: the start of a command of several keys. `find`: the last search for a character in the line, such as `fx`, or "".
 * `change`: the keys of the last change, to be repeated; `recording`: those of the one that is being typed, and the editor before it.
 */
export interface ViState {
  readonly mode: "insert" | "normal"
  readonly pending: string
  readonly find: string
  readonly change: ReadonlyArray<Key>
  readonly recording: { readonly before: Editor; readonly keys: ReadonlyArray<Key> } | undefined
}

export const empty: Editor = {
  text: "",
  cursor: 0,
  history: [],
  historyIndex: 0,
  draft: "",
  killed: "",
  past: [],
  lastKey: "other",
  vi: undefined
}

/** How many changes can be undone. */
const maxPast = 100

/** The editor after a change; the state before it can be restored with `undo`. */
export const withUndo = (before: Editor, after: Editor, lastKey: Editor["lastKey"] = "other"): Editor => {
  if (after.text === before.text || after.past !== before.past) return { ...after, lastKey: "other" }
  const { cursor, past, text } = before
  const isSameWord = lastKey === "typed" && before.lastKey === "typed"
  return { ...after, lastKey, past: isSameWord ? past : [...past, { cursor, text }].slice(-maxPast) }
}

export const undo = (editor: Editor): Editor => {
  const last = editor.past.at(-1)
  return last === undefined ? editor : { ...editor, ...last, past: editor.past.slice(0, -1) }
}

/** The editor with this text, the cursor at its end. */
export const withText = (editor: Editor, text: string): Editor => withUndo(editor, { ...editor, text, cursor: text.length })

/** Inserts a pasted text; it is undone as a whole. */
export const paste = (editor: Editor, text: string): Editor => withUndo(editor, insert(editor, text))

/** A text with line endings normalised and control characters removed. */
export const clean = (text: string): string => AnsiEscape.strip(text.replace(/\r\n?/g, "\n")).replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "")

/** Inserts text at the cursor. */
export const insert = (editor: Editor, text: string): Editor => {
  const safe = clean(text)
  return {
    ...editor,
    text: editor.text.slice(0, editor.cursor) + safe + editor.text.slice(editor.cursor),
    cursor: editor.cursor + safe.length
  }
}

/** Clears the text and adds it to the history. */
export const submit = ({ history, killed, text, vi }: Editor): Editor => {
  const entries = text.trim() === "" || history.at(-1) === text ? history : [...history, text]
  const state = vi && { ...vi, mode: "insert" as const, pending: "", recording: undefined }
  return { ...empty, history: entries, historyIndex: entries.length, killed, vi: state }
}

/** Whether Enter starts a new line instead of sending. */
export const endsWithBackslash = ({ cursor, text }: Editor): boolean => text[cursor - 1] === "\\"

/** Replaces the backslash with a new line. */
export const breakLine = (editor: Editor): Editor => insert(cut(editor, editor.cursor - 1, editor.cursor), "\n")

/** Applies a key; undefined for keys that the editor does not handle. */
export const press = (editor: Editor, key: Key): Editor | undefined => {
  const next = handle(editor, key)
  if (next === undefined) return undefined
  const isTyped = key.name === "text" && !key.ctrl && !key.alt && /^\S$/.test(key.text)
  return withUndo(editor, next, isTyped ? "typed" : next.killed === editor.killed ? "other" : "killed")
}

const handle = (editor: Editor, key: Key): Editor | undefined => {
  const { cursor, text } = editor
  const byWord = key.alt || key.ctrl
  switch (key.name) {
    case "left":
      return moveTo(editor, byWord ? wordStart(editor) : graphemeStart(editor))
    case "right":
      return moveTo(editor, byWord ? wordEnd(editor) : graphemeEnd(editor))
    case "up":
      return text.slice(0, cursor).includes("\n") ? moveTo(editor, moveVertically(editor, -1))
        : showHistory(editor, editor.historyIndex - 1)
    case "down":
      return text.slice(cursor).includes("\n") ? moveTo(editor, moveVertically(editor, 1))
        : showHistory(editor, editor.historyIndex + 1)
    case "home":
      return moveTo(editor, lineStart(editor))
    case "end":
      return moveTo(editor, lineEnd(editor))
    case "backspace":
      return byWord ? kill(editor, wordStart(editor), cursor) : cut(editor, graphemeStart(editor), cursor)
    case "delete":
      return byWord ? kill(editor, cursor, wordEnd(editor)) : cut(editor, cursor, graphemeEnd(editor))
    case "text":
      return key.ctrl ? control[key.text]?.(editor) : key.alt ? meta[key.text.toLowerCase()]?.(editor) : insert(editor, key.text)
    default:
      return undefined
  }
}

/** As in a shell. */
const control: Readonly<Record<string, (editor: Editor) => Editor>> = {
  a: (editor) => moveTo(editor, lineStart(editor)),
  e: (editor) => moveTo(editor, lineEnd(editor)),
  b: (editor) => moveTo(editor, graphemeStart(editor)),
  d: (editor) => cut(editor, editor.cursor, graphemeEnd(editor)),
  f: (editor) => moveTo(editor, graphemeEnd(editor)),
  h: (editor) => cut(editor, graphemeStart(editor), editor.cursor),
  j: (editor) => insert(editor, "\n"),
  k: (editor) => kill(editor, editor.cursor, lineEnd(editor)),
  n: (editor) => showHistory(editor, editor.historyIndex + 1),
  p: (editor) => showHistory(editor, editor.historyIndex - 1),
  t: (editor) => transpose(editor),
  u: (editor) => kill(editor, lineStart(editor), editor.cursor),
  w: (editor) => kill(editor, spaceBefore(editor), editor.cursor),
  y: (editor) => insert(editor, editor.killed),
  _: undo
}

/** With Alt, as in a shell. */
const meta: Readonly<Record<string, (editor: Editor) => Editor>> = {
  b: (editor) => moveTo(editor, wordStart(editor)),
  d: (editor) => kill(editor, editor.cursor, wordEnd(editor)),
  f: (editor) => moveTo(editor, wordEnd(editor))
}

export const moveTo = (editor: Editor, cursor: number): Editor => ({ ...editor, cursor })

export const cut = (editor: Editor, from: number, to: number): Editor => ({
  ...editor,
  text: editor.text.slice(0, from) + editor.text.slice(to),
  cursor: from
})

/** Cuts text that can be yanked, with what the key before cut. */
export const kill = (editor: Editor, from: number, to: number): Editor => {
  if (from === to) return editor
  const text = editor.text.slice(from, to)
  const before = editor.lastKey === "killed" ? editor.killed : ""
  return { ...cut(editor, from, to), killed: from < editor.cursor ? text + before : before + text }
}

/** Exchanges the characters before and at the cursor; at the end of a line, the last two. */
const transpose = (editor: Editor): Editor => {
  const { cursor, text } = editor
  const middle = cursor === lineEnd(editor) ? graphemeStart(editor) : cursor
  const from = graphemeStart({ ...editor, cursor: middle })
  const to = graphemeEnd({ ...editor, cursor: middle })
  if (middle <= lineStart(editor)) return editor
  return { ...editor, text: text.slice(0, from) + text.slice(middle, to) + text.slice(from, middle) + text.slice(to), cursor: to }
}

/** The next older or newer entry of the history. */
export const recall = (editor: Editor, step: 1 | -1): Editor => showHistory(editor, editor.historyIndex + step)

const showHistory = (editor: Editor, index: number): Editor => {
  const { history } = editor
  if (index < 0 || index > history.length) return editor
  const draft = editor.historyIndex === history.length ? editor.text : editor.draft
  const text = index === history.length ? draft : history[index]!
  return { ...editor, text, cursor: text.length, historyIndex: index, draft, past: [] }
}

/** Where the grapheme before the cursor starts: a flag or an accented letter counts as one character. */
export const graphemeStart = ({ cursor, text }: Editor): number => {
  const last = [...graphemes(text.slice(0, cursor))].at(-1)
  return last === undefined ? 0 : last.index
}

/** Where the grapheme at the cursor ends. */
export const graphemeEnd = ({ cursor, text }: Editor): number => {
  const [next] = graphemes(text.slice(cursor))
  return next === undefined ? cursor : cursor + next.segment.length
}

/** The start of the word before the cursor, as Ctrl-W deletes it: up to white space. */
const spaceBefore = ({ cursor, text }: Editor): number => Math.max(0, text.slice(0, cursor).search(/\S+\s*$/))

/** The start of the word at or before the cursor; words are letters, digits and underscores. */
const wordStart = ({ cursor, text }: Editor): number => Math.max(0, text.slice(0, cursor).search(/[\p{L}\p{N}_]+[^\p{L}\p{N}_]*$/u))

/** The end of the word at or after the cursor. */
const wordEnd = ({ cursor, text }: Editor): number => cursor + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text.slice(cursor))?.[0].length ?? 0)

export const lineStart = ({ cursor, text }: Editor): number => cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1

export const lineEnd = ({ cursor, text }: Editor): number => {
  const end = text.indexOf("\n", cursor)
  return end === -1 ? text.length : end
}

/** The same column in the line above or below, or the end of a shorter one. */
const moveVertically = (editor: Editor, by: -1 | 1): number => {
  const start = lineStart(editor)
  const column = editor.cursor - start
  const line = by === -1 ? lineStart({ ...editor, cursor: Math.max(0, start - 1) }) : lineEnd(editor) + 1
  return Math.min(line + column, lineEnd({ ...editor, cursor: line }))
}
