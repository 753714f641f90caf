/** Searches the input history: Ctrl-R, as in a shell. */
import * as LineEditor from "./LineEditor.ts"

/** The search text, and the number of newer matches to skip. */
export interface HistorySearch {
  readonly query: string
  readonly skipped: number
}

export const initial: HistorySearch = { query: "", skipped: 0 }

/** The newest entry that contains the search text, after the skipped ones. */
export const match = ({ history }: LineEditor.Editor, { skipped, query }: HistorySearch): string | undefined =>
  [...history].reverse().filter((text) => text.toLowerCase().includes(query.toLowerCase()))[skipped]

/** The next state; an editor ends the search. */
export const press = (
  editor: LineEditor.Editor,
  search: HistorySearch,
  key: LineEditor.Key
): { readonly recall: HistorySearch } | { readonly editor: LineEditor.Editor } => {
  if (key.name === "escape" || (key.ctrl && (key.text === "c" || key.text === "g"))) return { editor }
  if (key.ctrl && key.text === "r") {
    const next = { ...search, skipped: search.skipped + 1 }
    return { recall: match(editor, next) === undefined ? search : next }
  }
  if (key.name === "backspace") return { recall: { query: search.query.slice(0, -1), skipped: 0 } }
  if (key.name === "text" && !key.ctrl && !key.alt) return { recall: { query: search.query + key.text, skipped: 0 } }
  return { editor: LineEditor.withText(editor, match(editor, search) ?? editor.text) }
}
