/** A list to choose from with arrow keys and Enter, filtered by typing. */
import type { Key } from "./LineEditor.ts"
import type { SafeText } from "../view/DisplayText.ts"

/**
 * `selected` is an index among the matching options. `marks`: the options that the user has marked, by index; undefined in a list without
 * marks. `answer` receives an index in `options`, undefined if the user cancels, and the marks.
 */
export interface Picker {
  readonly title: SafeText
  readonly options: ReadonlyArray<SafeText>
  readonly query: string
  readonly selected: number
  readonly marks: ReadonlySet<number> | undefined
  readonly answer: (choice: number | undefined, marks: ReadonlySet<number>) => void
}

/** How many options are shown at once, at most: a page. */
export const maxRows = 10

const none: ReadonlySet<number> = new Set()

/** Answers with the user's choice. */
export const choose = ({ answer, marks = none }: Picker, choice: number | undefined): void => answer(choice, marks)

/** An option with the sign of its mark. */
export const label = ({ marks, options }: Picker, option: number): SafeText =>
  marks === undefined ? options[option]! : `${marks.has(option) ? "★" : " "} ${options[option]!}` as SafeText

export const open = (
  { answer, marks, options, selected = 0, title }: Pick<Picker, "answer" | "options" | "title"> & {
    readonly marks?: ReadonlySet<number> | undefined
    readonly selected?: number
  }
): Picker => ({
  title,
  options,
  marks,
  answer,
  query: "",
  selected
})

/** Indexes of the options that contain each word of the query. */
export const matches = ({ options, query }: Picker): ReadonlyArray<number> => {
  const words = query.toLowerCase().split(/\s+/)
  return options.flatMap((option, i) => words.every((word) => option.toLowerCase().includes(word)) ? [i] : [])
}

/** The next state, or the choice. */
export const press = (picker: Picker, key: Key): { readonly picker: Picker } | { readonly choice: number | undefined } => {
  const indexes = matches(picker)
  const moveBy = (by: 1 | -1) => ({
    picker: { ...picker, selected: indexes.length === 0 ? 0 : (picker.selected + by + indexes.length) % indexes.length }
  })
  if (key.name === "escape" || (key.ctrl && key.text === "c")) return { choice: undefined }
  if (key.name === "up" || (key.ctrl && key.text === "p")) return moveBy(-1)
  if (key.name === "down" || (key.ctrl && key.text === "n")) return moveBy(1)
  if (key.name === "pageUp" || key.name === "pageDown") {
    const target = picker.selected + (key.name === "pageUp" ? -maxRows : maxRows)
    return { picker: { ...picker, selected: Math.max(0, Math.min(target, indexes.length - 1)) } }
  }
  if (key.ctrl && key.text === "f" && picker.marks !== undefined)
    return { picker: { ...picker, marks: toggle(picker.marks, indexes[picker.selected]) } }
  if (key.name === "enter") return indexes.length === 0 ? { picker } : { choice: indexes[picker.selected] }
  if (key.name === "backspace") return { picker: { ...picker, query: picker.query.slice(0, -1), selected: 0 } }
  if (key.name === "text" && !key.ctrl && !key.alt)
    return { picker: { ...picker, query: picker.query + key.text.replace(/[\u0000-\u001f]/g, ""), selected: 0 } }
  return { picker }
}

const toggle = (marks: ReadonlySet<number>, option: number | undefined): ReadonlySet<number> =>
  option === undefined ? marks : new Set(marks.has(option) ? [...marks].filter((mark) => mark !== option) : [...marks, option])
