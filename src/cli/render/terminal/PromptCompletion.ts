/** Completes the word at the cursor: commands after `/`, files after `@`. */
import * as Fuzzy from "../../../domain/workspace/Fuzzy.ts"
import type { Editor } from "./LineEditor.ts"
import * as SlashList from "./SlashList.ts"

/** `doc` describes a command; `runs`: it is built in and begins with what was typed, and Enter runs it. */
export interface Option {
  readonly text: string
  readonly doc: string
  readonly runs: boolean
}

/** The selected option replaces the text between `from` and the cursor. */
export interface Suggestions {
  readonly from: number
  readonly options: ReadonlyArray<Option>
  readonly selected: number
}

/** Names to complete; `files` is undefined until the first `@`. */
export interface Names {
  readonly commands: ReadonlyArray<SlashList.Entry>
  readonly files: Fuzzy.Index | undefined
}

/** The limit of files; commands are all listed. */
const maxFiles = 8

/** The word at the cursor if it can be completed. */
const wordAtCursor = (
  { cursor, text }: Editor
): { readonly from: number; readonly sign: "/" | "@"; readonly query: string } | undefined => {
  const before = text.slice(0, cursor)
  const command = /^\/([\w:-]*)$/.exec(before)
  if (command !== null) return { from: 0, sign: "/", query: command[1]! }
  const mention = /(?:^|\s)@([^\s"@]*)$/.exec(before)
  return mention === null ? undefined : { from: cursor - mention[1]!.length - 1, sign: "@", query: mention[1]! }
}

/** Whether the word at the cursor names a file. */
export const isMention = (editor: Editor): boolean => wordAtCursor(editor)?.sign === "@"

/** The suggestions for the word at the cursor; undefined without any, or if the word is complete. */
export const of = (editor: Editor, { commands, files }: Names): Suggestions | undefined => {
  const word = wordAtCursor(editor)
  if (word === undefined) return undefined
  const { from, sign, query } = word
  const options = sign === "/" ? matchingCommands(query, commands)
    : files === undefined ? [] : Fuzzy.bestMatches(files, query.replace(/^\//, ""), maxFiles).map(fileOption)
  return options.length === 0 || (options.length === 1 && options[0]!.text === `${sign}${query}`) ? undefined
    : { from, options, selected: 0 }
}

const matchingCommands = (query: string, custom: ReadonlyArray<SlashList.Entry>): ReadonlyArray<Option> =>
  SlashList.matching(query, custom).map(({ doc, name }) => ({
    text: `/${name}`,
    doc,
    runs: name.startsWith(query) && SlashList.parse(`/${name}`) !== undefined
  }))

const fileOption = (path: string): Option => ({ text: mention(path), doc: "", runs: false })

const mention = (path: string): string => /\s/.test(path) ? `@"${path}"` : `@${path}`

export const moveSelection = (suggestions: Suggestions, by: 1 | -1): Suggestions => ({
  ...suggestions,
  selected: (suggestions.selected + by + suggestions.options.length) % suggestions.options.length
})

/** Inserts the selected option, followed by a space unless it is a folder. */
export const accept = (editor: Editor, { selected, from, options }: Suggestions): Editor => {
  const option = options[selected]!.text
  const completion = `${option}${option.endsWith("/") ? "" : " "}`
  return {
    ...editor,
    text: `${editor.text.slice(0, from)}${completion}${editor.text.slice(editor.cursor).replace(/^ /, "")}`,
    cursor: from + completion.length
  }
}
