/** User-defined slash commands: a file whose text is the prompt, with placeholders for the arguments. */
import * as Result from "effect/Result"
import * as TomlText from "../config/TomlText.ts"
import { optional } from "../Optional.ts"
import * as CommandSyntax from "./CommandSyntax.ts"
import * as Frontmatter from "./Frontmatter.ts"

export { splitArguments } from "./CommandSyntax.ts"

/** `name` is the file's path in its folder without its extension, with `:` between folders; `body` is the prompt. */
export interface SlashCommand {
  readonly name: string
  readonly description?: string
  readonly hint?: string
  readonly body: string
  /** Of its placeholders, if it is not Markdown. */
  readonly syntax?: CommandSyntax.Syntax
}

/** `/name rest` at the beginning of a text; undefined for any other text. */
export const parseCall = (text: string): { readonly name: string; readonly rest: string } | undefined => {
  const match = /^\/([a-z][\w:-]*)(?:[ \t\n]+([\s\S]*))?$/i.exec(text.trim())
  return match === null ? undefined : { name: match[1]!, rest: (match[2] ?? "").trim() }
}

/** The extension of the files of a syntax. */
export const extension = (syntax: CommandSyntax.Syntax): string => syntax === "gemini" ? ".toml" : ".md"

/** A command file; a failure says what is wrong with it. */
export const parseFile = (name: string, text: string, syntax: CommandSyntax.Syntax): Result.Result<SlashCommand, string> =>
  syntax === "gemini" ? parseToml(name, text)
    : Result.succeed(syntax === "markdown" ? parse(name, text) : { ...parse(name, text), syntax })

/** A Markdown file: frontmatter between lines of `---` with a few known fields, then the prompt. */
export const parse = (name: string, text: string): SlashCommand => {
  const { body, fields } = Frontmatter.read(text)
  const hint = fields.get("argument-hint")?.text
  const description = fields.get("description")?.text
  return { name, body: body.trim(), ...optional({ description, hint }) }
}

/** A TOML file with a `prompt` and perhaps a `description`. */
const parseToml = (name: string, text: string): Result.Result<SlashCommand, string> => {
  const parsed = TomlText.parse(text)
  if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
  const { description, prompt } = parsed.success
  if (typeof prompt !== "string") return Result.fail("it needs a \"prompt\", a string")
  return Result.succeed({
    name,
    body: prompt.trim(),
    ...(typeof description === "string" ? { description } : {}),
    syntax: "gemini"
  })
}

/**
 * The prompt with its arguments filled in (CommandSyntax). A command in it is one only in the file: in the arguments it is text.
 */
export const expand = ({ body, name, syntax = "markdown" }: SlashCommand, rest: string): ReadonlyArray<CommandSyntax.BodyPart> =>
  CommandSyntax.expand[syntax]({ body, name, rest })
