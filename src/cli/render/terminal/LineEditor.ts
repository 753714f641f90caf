/** The input line as a pure state: text, cursor, history. Several lines by backslash and Enter, or by pasting. */
import * as Escape from "../../../domain/message/AnsiEscape.ts"

/** A key as the terminal tells it; `text` is what it types, "" for keys that type nothing. */
export interface Key {
  readonly name: "enter" | "escape" | "tab" | "up" | "down" | "left" | "right" | "home" | "end" | "backspace" | "delete" | "page" | "text"
  readonly text: string
  readonly ctrl: boolean
  readonly alt: boolean
  readonly shift: boolean
}

/** `cursor` counts UTF-16 units. `at` is the place in the history; `draft` is what was being typed before it was left. */
export interface Editor {
  readonly text: string
  readonly cursor: number
  readonly history: ReadonlyArray<string>
  readonly at: number
  readonly draft: string
}

export const empty: Editor = { text: "", cursor: 0, history: [], at: 0, draft: "" }

/** The state with a text in it, the cursor behind it. */
export const filled = (editor: Editor, text: string): Editor => ({ ...editor, text, cursor: text.length })

/** Types or pastes at the cursor. Line ends of any system become one, and what a terminal would obey is no text. */
export const insert = (editor: Editor, text: string): Editor => {
  const clean = Escape.strip(text.replace(/\r\n?/g, "\n")).replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "")
  return {
    ...editor,
    text: editor.text.slice(0, editor.cursor) + clean + editor.text.slice(editor.cursor),
    cursor: editor.cursor + clean.length
  }
}

/** Takes the text away and remembers it. */
export const sent = ({ history, text }: Editor): Editor => {
  const kept = text.trim() === "" || history.at(-1) === text ? history : [...history, text]
  return { ...empty, history: kept, at: kept.length }
}

/** Whether Enter would go on in a new line instead of sending. */
export const continues = ({ cursor, text }: Editor): boolean => text[cursor - 1] === "\\"

/** The new line that a backslash asked for. */
export const broken = (editor: Editor): Editor => insert(cut(editor, editor.cursor - 1, editor.cursor), "\n")

/** What a key does to the line; undefined for keys that are not the editor's. */
export const press = (editor: Editor, key: Key): Editor | undefined => {
  const { cursor, text } = editor
  if (key.ctrl) return control[key.text]?.(editor)
  switch (key.name) {
    case "left":
      return { ...editor, cursor: key.alt ? wordBefore(editor) : before(editor) }
    case "right":
      return { ...editor, cursor: key.alt ? wordAfter(editor) : after(editor) }
    case "up":
      return text.slice(0, cursor).includes("\n") ? { ...editor, cursor: vertical(editor, -1) } : remember(editor, editor.at - 1)
    case "down":
      return text.slice(cursor).includes("\n") ? { ...editor, cursor: vertical(editor, 1) } : remember(editor, editor.at + 1)
    case "home":
      return { ...editor, cursor: lineStart(editor) }
    case "end":
      return { ...editor, cursor: lineEnd(editor) }
    case "backspace":
      return cut(editor, key.alt ? wordBefore(editor) : before(editor), cursor)
    case "delete":
      return cut(editor, cursor, after(editor))
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
  b: (editor) => ({ ...editor, cursor: before(editor) }),
  f: (editor) => ({ ...editor, cursor: after(editor) }),
  h: (editor) => cut(editor, before(editor), editor.cursor),
  j: (editor) => insert(editor, "\n"),
  k: (editor) => cut(editor, editor.cursor, lineEnd(editor)),
  n: (editor) => remember(editor, editor.at + 1),
  p: (editor) => remember(editor, editor.at - 1),
  u: (editor) => cut(editor, lineStart(editor), editor.cursor),
  w: (editor) => cut(editor, wordBefore(editor), editor.cursor)
}

const cut = (editor: Editor, from: number, to: number): Editor => ({
  ...editor,
  text: editor.text.slice(0, from) + editor.text.slice(to),
  cursor: from
})

const remember = (editor: Editor, at: number): Editor => {
  const { history } = editor
  if (at < 0 || at > history.length) return editor
  const draft = editor.at === history.length ? editor.text : editor.draft
  return { ...filled(editor, at === history.length ? draft : history[at]!), at, draft }
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** A character is what a person sees as one: a flag or an accented letter goes whole. */
const before = ({ cursor, text }: Editor): number => {
  const last = [...graphemes.segment(text.slice(0, cursor))].at(-1)
  return last === undefined ? 0 : last.index
}

/** Where the character at the cursor ends. */
export const after = ({ cursor, text }: Editor): number => {
  const [next] = graphemes.segment(text.slice(cursor))
  return next === undefined ? cursor : cursor + next.segment.length
}

const wordBefore = ({ cursor, text }: Editor): number => text.slice(0, cursor).search(/\S+\s*$/) === -1 ? 0 : text.slice(0, cursor).search(/\S+\s*$/)

const wordAfter = ({ cursor, text }: Editor): number => cursor + (/^\s*\S*/.exec(text.slice(cursor))?.[0].length ?? 0)

const lineStart = ({ cursor, text }: Editor): number => text.lastIndexOf("\n", cursor - 1) + 1

const lineEnd = ({ cursor, text }: Editor): number => {
  const end = text.indexOf("\n", cursor)
  return end === -1 ? text.length : end
}

/** The same column in the line above or below, or the end of a shorter one. */
const vertical = (editor: Editor, by: -1 | 1): number => {
  const start = lineStart(editor)
  const column = editor.cursor - start
  const line = by === -1 ? lineStart({ ...editor, cursor: Math.max(0, start - 1) }) : lineEnd(editor) + 1
  return Math.min(line + column, lineEnd({ ...editor, cursor: line }))
}
