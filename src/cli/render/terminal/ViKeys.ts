/** vi keys for the input line (setting `editorMode`): normal mode, with the usual keys in insert mode. */
import { graphemes } from "../text/Graphemes.ts"
import * as LineEditor from "./LineEditor.ts"
import * as ViMotions from "./ViMotions.ts"

type Editor = LineEditor.Editor
type Operator = "d" | "c" | "y"

/** The initial state: typing inserts text. */
export const insertMode: LineEditor.ViState = { mode: "insert", pending: "", find: "", change: [], recording: undefined }

/** Whether Escape belongs to the editor: it leaves insert mode, or a command that was begun. */
export const takesEscape = ({ text, vi }: Editor): boolean => vi !== undefined && text !== "" && (vi.mode === "insert" || vi.pending !== "")

const plainKey = (name: LineEditor.Key["name"], text = ""): LineEditor.Key => ({ name, text, ctrl: false, alt: false, shift: false })

/** Applies a key; undefined for keys that the editor does not handle. */
export const press = (editor: Editor, key: LineEditor.Key): Editor | undefined => {
  const { vi } = editor
  if (vi === undefined) return LineEditor.press(editor, key)
  if (key.name === "escape") return leaveInsert(editor, vi)
  // Escape and a letter that follow each other quickly arrive as one key with Alt.
  if (key.name === "text" && key.alt) return press(leaveInsert(editor, vi), { ...key, alt: false })
  if (vi.mode === "normal" && (key.name === "backspace" || key.name === "delete"))
    return press(editor, plainKey("text", key.name === "delete" ? "x" : "h"))
  if (key.name !== "text" || key.ctrl) {
    const pressed = LineEditor.press(editor, key)
    return pressed && (vi.mode === "normal" ? normal(pressed) : recorded(pressed, key))
  }
  // A chunk of input may hold several keys.
  return [...key.text].reduce<Editor>((editor, character) => {
    const one = { ...key, text: character }
    if (editor.vi?.mode !== "normal") return recorded(LineEditor.press(editor, one) ?? editor, one)
    return LineEditor.withUndo(editor, withChange(editor, command(editor, editor.vi.pending + character), editor.vi.pending + character))
  }, editor)
}

/** In normal mode the cursor is on a character, unless the line is empty. */
const normal = (editor: Editor, pending = ""): Editor => ({
  ...editor,
  cursor: editor.cursor === LineEditor.lineEnd(editor) ? ViMotions.previous(editor) : editor.cursor,
  lastKey: "other",
  vi: { ...editor.vi ?? insertMode, mode: "normal", pending }
})

const insertAt = (editor: Editor, cursor: number): Editor => ({
  ...LineEditor.moveTo(editor, cursor),
  vi: { ...editor.vi ?? insertMode, mode: "insert", pending: "" }
})

const withVi = (editor: Editor, changes: Partial<LineEditor.ViState>): Editor => ({
  ...editor,
  vi: { ...editor.vi ?? insertMode, ...changes }
})

/** What was typed is undone, and repeated, together with the command before it. */
const leaveInsert = (editor: Editor, { mode, recording }: LineEditor.ViState): Editor => {
  if (mode === "normal") return normal(editor)
  const left = normal(LineEditor.moveTo(editor, ViMotions.previous(editor)))
  if (recording === undefined) return left
  const { before, keys } = recording
  const isSameText = left.text === before.text || left.historyIndex !== before.historyIndex
  return withVi(isSameText ? left : { ...left, past: [...before.past, { cursor: before.cursor, text: before.text }] }, {
    change: [...keys, plainKey("escape")],
    recording: undefined
  })
}

/** Adds a key in insert mode to the change that `.` repeats. */
const recorded = (editor: Editor, key: LineEditor.Key): Editor =>
  editor.vi?.recording === undefined ? editor
    : withVi(editor, { recording: { ...editor.vi.recording, keys: [...editor.vi.recording.keys, key] } })

/** Keeps a command that changed the text, or continues in insert mode, for `.`. */
const withChange = (before: Editor, after: Editor, typed: string): Editor => {
  const keys = [plainKey("text", typed)]
  return typed === "." || typed.endsWith("u") && after.vi?.mode === "normal" ? after
    : after.vi?.mode === "insert" ? withVi(after, { recording: { before, keys } })
    : after.text === before.text || after.historyIndex !== before.historyIndex ? after
    : withVi(after, { change: keys })
}

/** Commands that are an operator with its motion. */
const shortcuts: Readonly<Record<string, string>> = { C: "c$", D: "d$", S: "cc", X: "dh", Y: "yy", s: "cl", x: "dl" }

const changes: Readonly<Record<string, (editor: Editor, count: number) => Editor>> = {
  i: (editor) => insertAt(editor, editor.cursor),
  a: (editor) => insertAt(editor, ViMotions.next(editor)),
  I: (editor) => insertAt(editor, ViMotions.textStart(editor)),
  A: (editor) => insertAt(editor, LineEditor.lineEnd(editor)),
  o: (editor) => insertLine(editor, LineEditor.lineEnd(editor), 1),
  O: (editor) => insertLine(editor, LineEditor.lineStart(editor), 0),
  J: (editor, count) => repeat(joinLines, Math.max(1, count - 1), editor),
  p: (editor, count) => put(editor, count, "after"),
  P: (editor, count) => put(editor, count, "before"),
  "~": (editor, count) => repeat(switchCase, count, editor),
  u: (editor, count) => repeat(LineEditor.undo, count, editor),
  ".": (editor) => {
    const { cursor, past, text } = editor
    const again = (editor.vi?.change ?? []).reduce((editor, key) => press(editor, key) ?? editor, normal(editor))
    return again.text === text ? again : { ...again, past: [...past, { cursor, text }] }
  }
}

const repeat = (change: (editor: Editor) => Editor, count: number, editor: Editor): Editor =>
  Array.from({ length: Math.min(count, editor.text.length + editor.past.length) }).reduce<Editor>(change, editor)

const insertLine = (editor: Editor, at: number, cursorAfter: 0 | 1): Editor =>
  insertAt(LineEditor.insert(LineEditor.moveTo(editor, at), "\n"), at + cursorAfter)

/** Counts before the operator and before the motion multiply. */
const syntax = /^([1-9]\d*)?([dcy](?:[1-9]\d*)?)?(.*)$/su

/** A command of one or more keys; an incomplete one stays pending, an unknown one does nothing. */
const command = (editor: Editor, keys: string): Editor => {
  const [, first, operation, target = ""] = syntax.exec(keys)!
  const operator = operation?.[0] as Operator | undefined
  const second = operation?.slice(1)
  const count = first === undefined && !second ? undefined : Number(first ?? 1) * Number(second || 1)
  if (target === "" || /^[gfFtT]$/.test(target) || (operator === undefined ? target === "r" : /^[ia]$/.test(target)))
    return normal(editor, keys)
  if (operator === undefined && Object.hasOwn(shortcuts, target)) return command(editor, `${count ?? ""}${shortcuts[target]}`)
  const searched = /^[fFtT]/.test(target) ? withVi(editor, { find: target }) : editor
  if (operator !== undefined) {
    const range = ViMotions.range(editor, operator, target, count)
    return range === undefined ? normal(editor) : operate(searched, operator, range)
  }
  if (target === "j" || target === "k") return normal(repeat((editor) => vertically(editor, target), count ?? 1, editor))
  const goal = ViMotions.motion(editor, target, count)
  if (goal !== undefined) return normal(LineEditor.moveTo(searched, goal))
  if (/^r./su.test(target)) return normal(replaceCharacters(editor, target.slice(1), count ?? 1))
  const change = Object.hasOwn(changes, target) ? changes[target]!(editor, count ?? 1) : editor
  return change.vi?.mode === "insert" ? change : normal(change)
}

/** Deletes, changes or yanks. Yanked lines end with a line break. */
const operate = (editor: Editor, operator: Operator, { from, isLinewise, to }: ViMotions.Range): Editor => {
  const { text } = editor
  const killed = `${text.slice(from, to)}${isLinewise ? "\n" : ""}`
  if (operator === "y") return normal({ ...LineEditor.moveTo(editor, isLinewise ? editor.cursor : from), killed })
  if (operator === "c") return insertAt({ ...LineEditor.cut(editor, from, to), killed }, from)
  if (!isLinewise) return normal({ ...LineEditor.cut(editor, from, to), ...(from === to ? {} : { killed }) })
  const rest = to < text.length ? LineEditor.cut(editor, from, to + 1) : LineEditor.cut(editor, Math.max(0, from - 1), to)
  const line = LineEditor.moveTo(rest, Math.min(from, rest.text.length))
  return normal({ ...LineEditor.moveTo(line, ViMotions.textStart(line)), killed })
}

/** Lines go below or above the current one. */
const put = (editor: Editor, count: number, side: "after" | "before"): Editor => {
  const { killed, text } = editor
  if (killed === "") return editor
  const all = killed.repeat(Math.min(count, 1_000))
  if (!killed.endsWith("\n")) {
    const inserted = LineEditor.insert(LineEditor.moveTo(editor, side === "after" ? ViMotions.next(editor) : editor.cursor), all)
    return LineEditor.moveTo(inserted, LineEditor.graphemeStart(inserted))
  }
  const at = side === "after" ? LineEditor.lineEnd(editor) : LineEditor.lineStart(editor)
  const body = text === "" ? all.slice(0, -1) : side === "after" ? `\n${all.slice(0, -1)}` : all
  const inserted = LineEditor.moveTo(LineEditor.insert(LineEditor.moveTo(editor, at), body), at + (body.startsWith("\n") ? 1 : 0))
  return LineEditor.moveTo(inserted, ViMotions.textStart(inserted))
}

/** So many characters from the cursor on, if the line has them. */
const replaceCharacters = (editor: Editor, character: string, count: number): Editor => {
  const end = ViMotions.motion(editor, "l", count)!
  if ([...graphemes(editor.text.slice(editor.cursor, end))].length < count) return editor
  const inserted = LineEditor.insert(LineEditor.cut(editor, editor.cursor, end), character.repeat(count))
  return LineEditor.moveTo(inserted, LineEditor.graphemeStart(inserted))
}

const switchCase = (editor: Editor): Editor => {
  const end = ViMotions.next(editor)
  const character = editor.text.slice(editor.cursor, end)
  const upper = character.toUpperCase()
  return LineEditor.insert(LineEditor.cut(editor, editor.cursor, end), character === upper ? character.toLowerCase() : upper)
}

/** The line below follows in this one, after a space; the cursor is between them. */
const joinLines = (editor: Editor): Editor => {
  const end = LineEditor.lineEnd(editor)
  const gap = /^\n[ \t]*/.exec(editor.text.slice(end))?.[0].length
  if (gap === undefined) return editor
  const space = /\s$/.test(editor.text.slice(0, end)) ? "" : " "
  return LineEditor.moveTo(LineEditor.insert(LineEditor.cut(editor, end, end + gap), space), end)
}

/** A line up or down; at the first or last line, the history. */
const vertically = (editor: Editor, target: "j" | "k"): Editor =>
  LineEditor.press(editor, plainKey(target === "j" ? "down" : "up")) ?? editor
