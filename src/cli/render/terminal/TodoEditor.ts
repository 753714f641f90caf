/** The to-do list while the user edits it: changes count once they are saved. */
import type { TodoItem } from "../../../domain/tool/Outcome.ts"
import * as TodoEdit from "../../../domain/tool/TodoEdit.ts"
import * as BlockLines from "../text/BlockLines.ts"
import type { Theme } from "../text/Theme.ts"
import * as Wrap from "../text/Wrap.ts"
import { text } from "../view/DisplayText.ts"
import * as LineEditor from "./LineEditor.ts"

/**
 * `stored`: the list as it was opened. `line`: the text of the item at `selected` while it is typed; `isNew`: it is not in the list yet.
 */
export interface TodoEditor {
  readonly stored: ReadonlyArray<TodoItem>
  readonly items: ReadonlyArray<TodoItem>
  readonly selected: number
  readonly line: { readonly editor: LineEditor.Editor; readonly isNew: boolean } | undefined
}

/** An empty list begins with its first item. */
export const open = (stored: ReadonlyArray<TodoItem>): TodoEditor => ({
  stored,
  items: stored,
  selected: 0,
  line: stored.length === 0 ? { editor: LineEditor.empty, isNew: true } : undefined
})

/** The next state, or the end: with the list to save, or without one. */
export type Pressed = { readonly editor: TodoEditor } | { readonly save: ReadonlyArray<TodoItem> | undefined }

export const press = (editor: TodoEditor, key: LineEditor.Key): Pressed => {
  const { items, line, selected, stored } = editor
  if (line !== undefined) return { editor: pressInLine(editor, line, key) }
  const isLetter = (letter: string) => key.name === "text" && !key.ctrl && key.text === letter
  if (key.name === "escape" || (key.ctrl && key.text === "c")) return { save: undefined }
  if (key.name === "enter") return { save: items === stored ? undefined : items }
  if (key.name === "up" || key.name === "down" || isLetter("K") || isLetter("J")) {
    const to = selected + (key.name === "up" || isLetter("K") ? -1 : 1)
    if (!(to in items)) return { editor }
    const moves = key.alt || key.shift || isLetter("K") || isLetter("J")
    return { editor: { ...editor, selected: to, items: moves ? TodoEdit.move(items, selected, to) : items } }
  }
  if (isLetter("a")) {
    return {
      editor: { ...editor, selected: Math.min(selected + 1, items.length), line: { editor: LineEditor.empty, isNew: true } }
    }
  }
  const item = items[selected]
  if (item === undefined) return { editor }
  if (isLetter(" ") || isLetter("x")) return { editor: { ...editor, items: TodoEdit.tick(items, selected) } }
  if (isLetter("e")) return { editor: { ...editor, line: { editor: LineEditor.withText(LineEditor.empty, item.text), isNew: false } } }
  if (isLetter("d") || key.name === "delete") {
    const left = TodoEdit.remove(items, selected)
    return { editor: { ...editor, items: left, selected: Math.max(0, Math.min(selected, left.length - 1)) } }
  }
  return { editor }
}

const pressInLine = (editor: TodoEditor, { editor: line, isNew }: NonNullable<TodoEditor["line"]>, key: LineEditor.Key): TodoEditor => {
  const { items, selected } = editor
  const closed = { ...editor, line: undefined, selected: Math.max(0, Math.min(selected, items.length - 1)) }
  if (key.name === "escape" || (key.ctrl && key.text === "c")) return closed
  if (key.name !== "enter") return { ...editor, line: { editor: LineEditor.press(line, key) ?? line, isNew } }
  const typed = line.text.replace(/\s+/g, " ").trim().slice(0, TodoEdit.maxText)
  return typed === "" ? closed
    : { ...editor, line: undefined, items: isNew ? TodoEdit.add(items, typed, selected) : TodoEdit.rename(items, selected, typed) }
}

export const lines = (
  { items, line, selected }: TodoEditor,
  theme: Theme,
  { columns, rows: height }: { readonly columns: number; readonly rows: number }
): ReadonlyArray<string> => {
  const typed = line === undefined ? undefined
    : `☐ ${text(line.editor.text.slice(0, line.editor.cursor))}\u001b[7m${text(line.editor.text[line.editor.cursor] ?? " ")}\u001b[27m${
      text(line.editor.text.slice(line.editor.cursor + 1))
    }`
  const rows = BlockLines.todo(items.map((item) => ({ ...item, text: text(item.text) })), theme)
  const all = typed === undefined ? rows : rows.toSpliced(selected, line?.isNew === true ? 0 : 1, typed)
  const max = Math.max(3, height - 10)
  const first = Math.max(0, Math.min(selected - (max >> 1), all.length - max))
  return [
    theme.bold("To-do list"),
    ...all.slice(first, first + max).flatMap((item, i) =>
      Wrap.row(first + i === selected ? theme.accent("› ") : "  ", item, columns, { hard: true })
    ),
    ...(all.length > max ? [theme.dim(`  ${selected + 1} of ${all.length}`)] : all.length === 0 ? [theme.dim("  (empty)")] : [])
  ]
}

export const hint = ({ line }: TodoEditor): string =>
  line !== undefined ? "Enter to accept the text, Esc to cancel"
    : "Enter to save, Esc to discard, Space to tick, a to add, e to edit, d to delete, K and J to move"
