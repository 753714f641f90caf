/** What the word at the cursor may become: a command behind `/`, a file behind `@`. */
import * as Fuzzy from "../../../domain/workspace/Fuzzy.ts"
import type { Editor } from "./LineEditor.ts"
import * as Slash from "./SlashList.ts"

/** `from` to the cursor is replaced by the option that is chosen. */
export interface Offer {
  readonly from: number
  readonly options: ReadonlyArray<string>
  readonly at: number
}

/** Names that may be completed; `files` are undefined until somebody asked for one. */
export interface Names {
  readonly commands: ReadonlySet<string>
  readonly files: Fuzzy.Index | undefined
}

const most = 8

/** The word at the cursor, where it is one that can be completed. */
const word = ({ cursor, text }: Editor): { readonly from: number; readonly sign: "/" | "@"; readonly typed: string } | undefined => {
  const before = text.slice(0, cursor)
  const command = /^\/([\w:-]*)$/.exec(before)
  if (command !== null) return { from: 0, sign: "/", typed: command[1]! }
  const mention = /(?:^|\s)@([^\s"@]*)$/.exec(before)
  return mention === null ? undefined : { from: cursor - mention[1]!.length - 1, sign: "@", typed: mention[1]! }
}

/** Whether files are asked for. */
export const mentions = (editor: Editor): boolean => word(editor)?.sign === "@"

/** What may stand there; undefined where nothing is to be completed, or it is whole already. */
export const of = (editor: Editor, { commands, files }: Names): Offer | undefined => {
  const found = word(editor)
  if (found === undefined) return undefined
  const { from, sign, typed } = found
  const options = sign === "/" ? commandsLike(typed, commands) : files === undefined ? [] : Fuzzy.best(files, typed.replace(/^\//, ""), most).map(mention)
  return options.length === 0 || (options.length === 1 && options[0] === `${sign}${typed}`) ? undefined : { from, options, at: 0 }
}

const commandsLike = (typed: string, written: ReadonlySet<string>): ReadonlyArray<string> =>
  [...new Set([...Slash.list.map(({ name }) => name), ...written])].filter((name) => name.startsWith(typed)).sort().slice(0, most).map((name) => `/${name}`)

const mention = (path: string): string => /\s/.test(path) ? `@"${path}"` : `@${path}`

export const moved = (offer: Offer, by: 1 | -1): Offer => ({ ...offer, at: (offer.at + by + offer.options.length) % offer.options.length })

/** The text with the chosen option in it; a folder waits for what is in it, anything else is followed by a space. */
export const accepted = (editor: Editor, { at, from, options }: Offer): Editor => {
  const option = options[at]!
  const filled = `${option}${option.endsWith("/") ? "" : " "}`
  return { ...editor, text: `${editor.text.slice(0, from)}${filled}${editor.text.slice(editor.cursor).replace(/^ /, "")}`, cursor: from + filled.length }
}
