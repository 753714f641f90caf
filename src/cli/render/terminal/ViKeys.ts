/** vi keys for the input line (setting `editorMode`): normal mode, with the usual keys in insert mode. */
import * as LineEditor from "./LineEditor.ts"

type Editor = LineEditor.Editor

/** The initial state: typing inserts text. */
export const insertMode: LineEditor.ViState = { mode: "insert", pending: "" }

/** Whether Escape belongs to the editor: it leaves insert mode, or a command that was begun. */
export const takesEscape = ({ text, vi }: Editor): boolean => vi !== undefined && text !== "" && (vi.mode === "insert" || vi.pending !== "")

/** Applies a key; undefined for keys that the editor does not handle. */
export const press = (editor: Editor, key: LineEditor.Key): Editor | undefined => {
  const { vi } = editor
  if (vi === undefined) return LineEditor.press(editor, key)
  if (key.name === "escape") return normal(vi.mode === "insert" ? LineEditor.moveTo(editor, previous(editor)) : editor)
  if (vi.mode === "insert" || key.name !== "text" || key.ctrl || key.alt) return LineEditor.press(editor, key)
  // A chunk of input may hold several keys.
  return [...key.text].reduce<Editor>((editor, character) => {
    const next = editor.vi?.mode === "normal" ? command(editor, editor.vi.pending + character)
      : LineEditor.press(editor, { ...key, text: character }) ?? editor
    return LineEditor.withUndo(editor, next)
  }, editor)
}

const normal = (editor: Editor, pending = ""): Editor => ({ ...editor, vi: { mode: "normal", pending } })

const insertAt = (editor: Editor, cursor: number): Editor => ({ ...LineEditor.moveTo(editor, cursor), vi: insertMode })

/** One character left, but not into the line above. */
const previous = (editor: Editor): number => Math.max(LineEditor.lineStart(editor), LineEditor.graphemeStart(editor))

const next = (editor: Editor): number => Math.min(LineEditor.lineEnd(editor), LineEditor.graphemeEnd(editor))

const match = ({ cursor, text }: Editor, pattern: RegExp): number => pattern.exec(text.slice(cursor))?.[0].length ?? 0

/** Where each motion goes. */
const motions: Readonly<Record<string, (editor: Editor) => number>> = {
  h: previous,
  l: next,
  0: LineEditor.lineStart,
  "^": (editor) => {
    const start = LineEditor.lineStart(editor)
    return start + match({ ...editor, cursor: start }, /^[ \t]*/)
  },
  $: LineEditor.lineEnd,
  w: (editor) => editor.cursor + match(editor, /^(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+)?\s*/u),
  b: LineEditor.wordStart,
  e: (editor) => Math.max(editor.cursor, LineEditor.wordEnd({ ...editor, cursor: next(editor) }) - 1),
  G: ({ text }) => text.length,
  gg: () => 0
}

/** Motions that include the character that they go to. */
const inclusive: ReadonlySet<string> = new Set(["e"])

const changes: Readonly<Record<string, (editor: Editor) => Editor>> = {
  i: (editor) => insertAt(editor, editor.cursor),
  a: (editor) => insertAt(editor, next(editor)),
  I: (editor) => insertAt(editor, motions["^"]!(editor)),
  A: (editor) => insertAt(editor, LineEditor.lineEnd(editor)),
  o: (editor) => insertLine(editor, LineEditor.lineEnd(editor), "after"),
  O: (editor) => insertLine(editor, LineEditor.lineStart(editor), "before"),
  x: (editor) => LineEditor.kill(editor, editor.cursor, next(editor)),
  X: (editor) => LineEditor.kill(editor, previous(editor), editor.cursor),
  s: (editor) => insertAt(LineEditor.kill(editor, editor.cursor, next(editor)), editor.cursor),
  D: (editor) => LineEditor.kill(editor, editor.cursor, LineEditor.lineEnd(editor)),
  C: (editor) => insertAt(LineEditor.kill(editor, editor.cursor, LineEditor.lineEnd(editor)), editor.cursor),
  p: (editor) => LineEditor.insert(LineEditor.moveTo(editor, next(editor)), editor.killed),
  P: (editor) => LineEditor.insert(editor, editor.killed),
  u: LineEditor.undo
}

const insertLine = (editor: Editor, at: number, side: "before" | "after"): Editor =>
  insertAt(LineEditor.insert(LineEditor.moveTo(editor, at), "\n"), side === "after" ? at + 1 : at)

/** A command of one or more keys; an incomplete one stays pending, an unknown one does nothing. */
const command = (editor: Editor, keys: string): Editor => {
  const [first = "", ...rest] = [...keys]
  if (keys === "j" || keys === "k") return normal(vertically(editor, keys === "j" ? 1 : -1))
  if (motions[keys] !== undefined) return normal(LineEditor.moveTo(editor, motions[keys](editor)))
  const change = changes[keys]
  if (change !== undefined) {
    const changed = change(editor)
    return changed.vi?.mode === "insert" ? changed : normal(changed)
  }
  if (first === "r" && rest.length > 0) return normal(replaceCharacter(editor, rest.join("")))
  if (first === "d" || first === "c" || first === "y") return operate(editor, first, rest.join(""))
  return normal(editor, keys === "r" || keys === "g" ? keys : "")
}

/** Deletes, changes or yanks up to where a motion goes, or the whole line (`dd`). */
const operate = (editor: Editor, operator: "d" | "c" | "y", motion: string): Editor => {
  if (motion === "" || motion === "g") return normal(editor, operator + motion)
  const target = motion === operator ? undefined : motions[motion]?.(editor)
  if (target === undefined && motion !== operator) return normal(editor)
  const [from, to] = target === undefined ? [LineEditor.lineStart(editor), LineEditor.lineEnd(editor)]
    : [Math.min(editor.cursor, target), Math.max(editor.cursor, target) + (inclusive.has(motion) ? 1 : 0)]
  if (operator === "y") return normal({ ...editor, killed: editor.text.slice(from, to) })
  const changed = LineEditor.kill(editor, from, to)
  return operator === "c" ? insertAt(changed, changed.cursor) : normal(changed)
}

const replaceCharacter = (editor: Editor, character: string): Editor => {
  const end = next(editor)
  return end === editor.cursor ? editor
    : LineEditor.moveTo(LineEditor.insert(LineEditor.cut(editor, editor.cursor, end), character), editor.cursor)
}

/** A line up or down; at the first or last line, the history. */
const vertically = (editor: Editor, by: 1 | -1): Editor =>
  LineEditor.press(editor, { name: by === 1 ? "down" : "up", text: "", ctrl: false, alt: false, shift: false }) ?? editor
