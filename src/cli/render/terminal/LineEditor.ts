/** The input line as pure state: text, cursor, history. Backslash and Enter, or a paste, make several lines. */
import * as AnsiEscape from "../../../domain/message/AnsiEscape.ts"

/** A key press; `text` is what it types, "" for keys that type nothing. */
export interface Key {
  readonly name: "enter" | "escape" | "tab" | "up" | "down" | "left" | "right" | "home" | "end" | "backspace" | "delete" | "page" | "text"
  readonly text: string
  readonly ctrl: boolean
  readonly alt: boolean
  readonly shift: boolean
}

/** `cursor` counts UTF-16 units. `draft` is the text from before the user went to the history. */
export interface Editor {
  readonly text: string
  readonly cursor: number
  readonly history: ReadonlyArray<string>
  readonly historyIndex: number
  readonly draft: string
}

export const empty: Editor = { text: "", cursor: 0, history: [], historyIndex: 0, draft: "" }

/** The editor with this text, the cursor at its end. */
export const withText = (editor: Editor, text: string): Editor => ({ ...editor, text, cursor: text.length })

/** Inserts text at the cursor, with line endings normalised and control characters removed. */
export const insert = (editor: Editor, text: string): Editor => {
  const safe = AnsiEscape.strip(text.replace(/\r\n?/g, "\n")).replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "")
  return {
    ...editor,
    text: editor.text.slice(0, editor.cursor) + safe + editor.text.slice(editor.cursor),
    cursor: editor.cursor + safe.length
  }
}

/** Clears the text and adds it to the history. */
export const submit = ({ history, text }: Editor): Editor => {
  const entries = text.trim() === "" || history.at(-1) === text ? history : [...history, text]
  return { ...empty, history: entries, historyIndex: entries.length }
}

/** Whether Enter starts a new line instead of sending. */
export const endsWithBackslash = ({ cursor, text }: Editor): boolean => text[cursor - 1] === "\\"

/** Replaces the backslash with a new line. */
export const breakLine = (editor: Editor): Editor => insert(cut(editor, editor.cursor - 1, editor.cursor), "\n")

/** Applies a key; undefined for keys that the editor does not handle. */
export const press = (editor: Editor, key: Key): Editor | undefined => {
  const { cursor, text } = editor
  if (key.ctrl) return control[key.text]?.(editor)
  switch (key.name) {
    case "left":
      return { ...editor, cursor: key.alt ? wordBefore(editor) : graphemeStart(editor) }
    case "right":
      return { ...editor, cursor: key.alt ? wordAfter(editor) : graphemeEnd(editor) }
    case "up":
      return text.slice(0, cursor).includes("\n") ? { ...editor, cursor: moveVertically(editor, -1) }
        : showHistory(editor, editor.historyIndex - 1)
    case "down":
      return text.slice(cursor).includes("\n") ? { ...editor, cursor: moveVertically(editor, 1) }
        : showHistory(editor, editor.historyIndex + 1)
    case "home":
      return { ...editor, cursor: lineStart(editor) }
    case "end":
      return { ...editor, cursor: lineEnd(editor) }
    case "backspace":
      return cut(editor, key.alt ? wordBefore(editor) : graphemeStart(editor), cursor)
    case "delete":
      return cut(editor, cursor, graphemeEnd(editor))
    case "text":
      return key.alt ? undefined : insert(editor, key.text)
    default:
      return undefined
  }
}

/** As in a shell. */
const control: Readonly<Record<string, (editor: Editor) => Editor>> = {
  a: (editor) => ({ ...editor, cursor: lineStart(editor) }),
  e: (editor) => ({ ...editor, cursor: lineEnd(editor) }),
  b: (editor) => ({ ...editor, cursor: graphemeStart(editor) }),
  f: (editor) => ({ ...editor, cursor: graphemeEnd(editor) }),
  h: (editor) => cut(editor, graphemeStart(editor), editor.cursor),
  j: (editor) => insert(editor, "\n"),
  k: (editor) => cut(editor, editor.cursor, lineEnd(editor)),
  n: (editor) => showHistory(editor, editor.historyIndex + 1),
  p: (editor) => showHistory(editor, editor.historyIndex - 1),
  u: (editor) => cut(editor, lineStart(editor), editor.cursor),
  w: (editor) => cut(editor, wordBefore(editor), editor.cursor)
}

const cut = (editor: Editor, from: number, to: number): Editor => ({
  ...editor,
  text: editor.text.slice(0, from) + editor.text.slice(to),
  cursor: from
})

const showHistory = (editor: Editor, index: number): Editor => {
  const { history } = editor
  if (index < 0 || index > history.length) return editor
  const draft = editor.historyIndex === history.length ? editor.text : editor.draft
  return { ...withText(editor, index === history.length ? draft : history[index]!), historyIndex: index, draft }
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** Where the grapheme before the cursor starts: a flag or an accented letter counts as one character. */
const graphemeStart = ({ cursor, text }: Editor): number => {
  const last = [...graphemes.segment(text.slice(0, cursor))].at(-1)
  return last === undefined ? 0 : last.index
}

/** Where the grapheme at the cursor ends. */
export const graphemeEnd = ({ cursor, text }: Editor): number => {
  const [next] = graphemes.segment(text.slice(cursor))
  return next === undefined ? cursor : cursor + next.segment.length
}

const wordBefore = ({ cursor, text }: Editor): number =>
  text.slice(0, cursor).search(/\S+\s*$/) === -1 ? 0 : text.slice(0, cursor).search(/\S+\s*$/)

const wordAfter = ({ cursor, text }: Editor): number => cursor + (/^\s*\S*/.exec(text.slice(cursor))?.[0].length ?? 0)

const lineStart = ({ cursor, text }: Editor): number => text.lastIndexOf("\n", cursor - 1) + 1

const lineEnd = ({ cursor, text }: Editor): number => {
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
