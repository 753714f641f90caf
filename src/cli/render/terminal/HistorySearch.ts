/** Looking back through what was said: Ctrl-R, as in a shell. */
import * as Editor from "./LineEditor.ts"

/** What was typed to look for, and how many matches were passed over. */
export interface Recall {
  readonly typed: string
  readonly passed: number
}

export const begun: Recall = { typed: "", passed: 0 }

/** The text that is found: of those that hold the letters, the newest that was not passed over. */
export const found = ({ history }: Editor.Editor, { passed, typed }: Recall): string | undefined =>
  [...history].reverse().filter((text) => text.toLowerCase().includes(typed.toLowerCase()))[passed]

/** The next state; with an editor where the search is over. */
export const press = (editor: Editor.Editor, recall: Recall, key: Editor.Key): { readonly recall: Recall } | { readonly editor: Editor.Editor } => {
  if (key.name === "escape" || (key.ctrl && (key.text === "c" || key.text === "g"))) return { editor }
  if (key.ctrl && key.text === "r") {
    const next = { ...recall, passed: recall.passed + 1 }
    return { recall: found(editor, next) === undefined ? recall : next }
  }
  if (key.name === "backspace") return { recall: { typed: recall.typed.slice(0, -1), passed: 0 } }
  if (key.name === "text" && !key.ctrl && !key.alt) return { recall: { typed: recall.typed + key.text, passed: 0 } }
  return { editor: Editor.filled(editor, found(editor, recall) ?? editor.text) }
}
