/** User-defined slash commands: a Markdown file whose text is the prompt, with placeholders for the arguments. */
import { optional } from "../Optional.ts"
import * as Frontmatter from "./Frontmatter.ts"

/** `name` is the file's path in its folder without `.md`, with `:` between folders; `body` is the prompt. */
export interface SlashCommand {
  readonly name: string
  readonly description?: string
  readonly hint?: string
  readonly body: string
}

/** `/name rest` at the beginning of a text; undefined for any other text. */
export const parseCall = (text: string): { readonly name: string; readonly rest: string } | undefined => {
  const match = /^\/([a-z][\w:-]*)(?:[ \t\n]+([\s\S]*))?$/i.exec(text.trim())
  return match === null ? undefined : { name: match[1]!, rest: (match[2] ?? "").trim() }
}

/** A command file: frontmatter between lines of `---` with a few known fields, then the prompt. */
export const parse = (name: string, text: string): SlashCommand => {
  const { body, fields } = Frontmatter.read(text)
  const hint = fields.get("argument-hint")?.text
  const description = fields.get("description")?.text
  return { name, body: body.trim(), ...optional({ description, hint }) }
}

/** The arguments, by words; quotes group words. */
export const splitArguments = (rest: string): ReadonlyArray<string> =>
  [...rest.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(({ 1: doubleQuoted, 2: singleQuoted, 3: unquoted }) =>
    doubleQuoted ?? singleQuoted ?? unquoted ?? ""
  )

/** A piece of an expanded prompt: text, or a shell command whose output goes there. */
export type BodyPart = { readonly text: string } | { readonly command: string }

/**
 * The prompt with `$ARGUMENTS`, `$1`… filled in; if it uses neither, the arguments are appended. An exclamation mark
 * before code is a command only in the file: in the arguments it is text.
 */
export const expand = ({ body }: SlashCommand, rest: string): ReadonlyArray<BodyPart> => {
  const args = splitArguments(rest)
  const hasPlaceholder = /\$(?:ARGUMENTS|\d)/.test(body)
  const fill = (text: string): string =>
    text.replace(/\$(ARGUMENTS|\d)/g, (_, placeholder: string) => placeholder === "ARGUMENTS" ? rest : args[Number(placeholder) - 1] ?? "")
  // Split by a group: text and commands alternate.
  const pieces = body.split(/!`([^`\n]+)`/).map((piece, i) => i % 2 === 0 ? { text: fill(piece) } : { command: fill(piece) })
  return hasPlaceholder || rest === "" ? pieces : [...pieces, { text: `\n\n${rest}` }]
}
