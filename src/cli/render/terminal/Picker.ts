/** A list to choose one of: by arrow keys and Enter, or by letters that the line holds. */
import type { Key } from "./LineEditor.ts"
import type { Shown } from "../view/DisplayText.ts"

/** `at` counts among the options that hold what was typed. `answer` is told the place in `options`, undefined where none is wanted. */
export interface Picker {
  readonly title: Shown
  readonly options: ReadonlyArray<Shown>
  readonly typed: string
  readonly at: number
  readonly answer: (choice: number | undefined) => void
}

export const open = (title: Shown, options: ReadonlyArray<Shown>, answer: Picker["answer"]): Picker => ({ title, options, answer, typed: "", at: 0 })

/** Places of the options that hold what was typed. */
export const matching = ({ options, typed }: Picker): ReadonlyArray<number> =>
  options.flatMap((option, i) => option.toLowerCase().includes(typed.toLowerCase()) ? [i] : [])

/** The next state, or the choice. */
export const press = (picker: Picker, key: Key): { readonly picker: Picker } | { readonly choice: number | undefined } => {
  const found = matching(picker)
  const step = (by: 1 | -1) => ({ picker: { ...picker, at: found.length === 0 ? 0 : (picker.at + by + found.length) % found.length } })
  if (key.name === "escape" || (key.ctrl && key.text === "c")) return { choice: undefined }
  if (key.name === "up" || (key.ctrl && key.text === "p")) return step(-1)
  if (key.name === "down" || (key.ctrl && key.text === "n")) return step(1)
  if (key.name === "enter") return found.length === 0 ? { picker } : { choice: found[picker.at] }
  if (key.name === "backspace") return { picker: { ...picker, typed: picker.typed.slice(0, -1), at: 0 } }
  if (key.name === "text" && !key.ctrl && !key.alt) return { picker: { ...picker, typed: picker.typed + key.text.replace(/[\u0000-\u001f]/g, ""), at: 0 } }
  return { picker }
}
