/** Commands that users write down: a Markdown file whose text is the prompt, with places for what follows the name. */
import * as Frontmatter from "./Frontmatter.ts"

/** `name` is the file's path in its folder without `.md`, with `:` between folders; `body` is the prompt. */
export interface SlashCommand {
  readonly name: string
  readonly description?: string
  readonly hint?: string
  readonly body: string
}

/** `/name rest` at the begin of a text; undefined for any other text. */
export const called = (text: string): { readonly name: string; readonly rest: string } | undefined => {
  const match = /^\/([a-z][\w:-]*)(?:[ \t\n]+([\s\S]*))?$/i.exec(text.trim())
  return match === null ? undefined : { name: match[1]!, rest: (match[2] ?? "").trim() }
}

/** A file of commands: frontmatter between lines of `---`, of which a few fields are known, then the prompt. */
export const parse = (name: string, text: string): SlashCommand => {
  const { body, fields } = Frontmatter.read(text)
  const hint = fields.get("argument-hint")?.text
  const description = fields.get("description")?.text
  return { name, body: body.trim(), ...(description === undefined ? {} : { description }), ...(hint === undefined ? {} : { hint }) }
}

/** What follows the name, by words; quotes hold words together. */
export const words = (rest: string): ReadonlyArray<string> =>
  [...rest.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(({ 1: double, 2: single, 3: plain }) => double ?? single ?? plain ?? "")

/** A piece of a written out prompt: words, or a command of the shell whose output stands there. */
export type Piece = { readonly text: string } | { readonly command: string }

/**
 * The prompt with `$ARGUMENTS`, `$1`… filled in; where it names neither, what follows the name stands at its end. An exclamation
 * mark before code is a command in the file alone: in what follows the name it is words.
 */
export const expand = ({ body }: SlashCommand, rest: string): ReadonlyArray<Piece> => {
  const given = words(rest)
  const named = /\$(?:ARGUMENTS|\d)/.test(body)
  const fill = (text: string): string =>
    text.replace(/\$(ARGUMENTS|\d)/g, (_, place: string) => place === "ARGUMENTS" ? rest : given[Number(place) - 1] ?? "")
  // Split by a group: words and commands take turns.
  const pieces = body.split(/!`([^`\n]+)`/).map((piece, i) => i % 2 === 0 ? { text: fill(piece) } : { command: fill(piece) })
  return named || rest === "" ? pieces : [...pieces, { text: `\n\n${rest}` }]
}
