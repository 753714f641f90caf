/** Long pasted texts: a label in brackets in the input line, the whole text in the message. */
import { thousands } from "../text/BlockLines.ts"
import * as LineEditor from "./LineEditor.ts"

/** Texts by label. */
export type Pastes = ReadonlyMap<string, string>

/** Longer texts are shown as a label. */
const maxLines = 5
const maxCharacters = 1_000

/** A pasted text as it goes into the input line: itself, or its label. */
export const add = (pastes: Pastes, pasted: string): readonly [Pastes, string] => {
  const text = LineEditor.clean(pasted)
  const lines = text.trimEnd().split("\n").length
  if (lines <= maxLines && text.length <= maxCharacters) return [pastes, text]
  const size = lines > 1 ? ` +${lines} lines` : `, ${thousands(text.length)} characters`
  const label = `[Pasted text #${pastes.size + 1}${size}]`
  return [new Map(pastes).set(label, text), label]
}

/** The input with labels replaced by their texts. */
export const expand = (input: string, pastes: Pastes): string =>
  input.replace(/\[Pasted text #[^\]\n]*\]/g, (label) => pastes.get(label) ?? label)

/** Backspace behind a label deletes it as a whole; undefined if there is none. */
export const deleteLabel = (editor: LineEditor.Editor, key: LineEditor.Key, labels: Iterable<string>): LineEditor.Editor | undefined => {
  if (key.name !== "backspace" || key.ctrl || key.alt) return undefined
  const before = editor.text.slice(0, editor.cursor)
  const label = [...labels].find((label) => before.endsWith(label))
  return label === undefined ? undefined : LineEditor.withUndo(editor, LineEditor.cut(editor, editor.cursor - label.length, editor.cursor))
}
