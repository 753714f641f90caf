/**
 * The placeholders of custom slash commands, by the tool whose files they are: `markdown` for Claude Code, opencode and
 * dacapo, `codex` for Codex prompts, `gemini` for Gemini's TOML commands. What an argument contains is never a placeholder.
 */
import * as Quote from "../tool/shell/Quote.ts"

export type Syntax = "codex" | "gemini" | "markdown"

/** A piece of an expanded prompt: text, or a shell command whose output goes there. */
export type BodyPart = { readonly text: string } | { readonly command: string }

/** The arguments, by words; quotes group words. */
export const splitArguments = (rest: string): ReadonlyArray<string> =>
  [...rest.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(({ 1: doubleQuoted, 2: singleQuoted, 3: unquoted }) =>
    doubleQuoted ?? singleQuoted ?? unquoted ?? ""
  )

/** `name` is the command's; it is part of what Gemini appends. */
export interface CommandCall {
  readonly name: string
  readonly body: string
  readonly rest: string
}

/** The prompt with its placeholders filled in; arguments that no placeholder takes are appended. */
export const expand: Readonly<Record<Syntax, (call: CommandCall) => ReadonlyArray<BodyPart>>> = {
  markdown: ({ body, rest }) => {
    const args = splitArguments(rest)
    const hasPlaceholder = /\$(?:ARGUMENTS|\d)/.test(body)
    const fill = (text: string): string =>
      text.replace(
        /\$(ARGUMENTS|\d)/g,
        (_, placeholder: string) => placeholder === "ARGUMENTS" ? rest : args[Number(placeholder) - 1] ?? ""
      )
    // Split by a group: text and commands alternate.
    const pieces = body.split(/!`([^`\n]+)`/).map((piece, i) => i % 2 === 0 ? { text: fill(piece) } : { command: fill(piece) })
    return hasPlaceholder || rest === "" ? pieces : [...pieces, { text: `\n\n${rest}` }]
  },

  /**
   * `$1` to `$9`, `$ARGUMENTS`, and `$NAME` for an argument `NAME=value`, which is not a positional one; `$$` is a dollar
   * sign. A name without a value stays as it is: a prompt may speak of `$HOME`. Codex runs no commands from a prompt.
   */
  codex: ({ body, rest }) => {
    const values = new Map<string, string>()
    const positional = rest.replace(namedArgument, (_, name: string, doubleQuoted?: string, singleQuoted?: string, plain?: string) => {
      values.set(name, doubleQuoted ?? singleQuoted ?? plain ?? "")
      return ""
    })
    const args = splitArguments(positional)
    let usesArguments = false
    const text = body.replace(/\$(?:(\$)|([1-9])|([A-Z][A-Z0-9_]*))/g, (match, dollar?: string, index?: string, name = "") => {
      if (dollar !== undefined) return dollar
      const value = index !== undefined ? args[Number(index) - 1] ?? "" : name === "ARGUMENTS" ? positional.trim() : values.get(name)
      usesArguments ||= value !== undefined
      return value ?? match
    })
    return [{ text: usesArguments || rest === "" ? text : `${text}\n\n${rest}` }]
  },

  /** `{{args}}`, quoted for the shell inside `!{command}`; `@{path}` mentions a file or a folder. */
  gemini: ({ body, name, rest }) => {
    const pieces: Array<BodyPart> = []
    let text = ""
    let at = 0
    for (const block of blocks(body)) {
      text += fillArgs(body.slice(at, block.start), rest)
      at = block.end
      if (block.kind === "@") {
        text += `${/(?:^|[\s(])$/.test(text) ? "" : " "}${mention(fillArgs(block.content, rest).trim())}`
        continue
      }
      pieces.push({ text }, { command: fillArgs(block.content, Quote.always(rest)).trim() })
      text = ""
    }
    text += fillArgs(body.slice(at), rest)
    return [...pieces, { text: body.includes(args) || rest === "" ? text : `${text}\n\n/${name} ${rest}` }]
  }
}

const namedArgument = /(?<=^|\s)([A-Z][A-Z0-9_]*)=(?:"([^"]*)"|'([^']*)'|(\S*))/g

const args = "{{args}}"

const fillArgs = (text: string, value: string): string => text.replaceAll(args, () => value)

const mention = (path: string): string => path.includes("\"") ? `@'${path}'` : `@"${path}"`

interface Block {
  readonly kind: "!" | "@"
  readonly content: string
  readonly start: number
  readonly end: number
}

/** `!{…}` and `@{…}` with balanced braces, in order; one that is not closed is text. */
const blocks = (body: string): ReadonlyArray<Block> => {
  const result: Array<Block> = []
  let start = 0
  let depth = 0
  for (let i = 0; i < body.length; i++) {
    const unit = body[i]
    if (depth === 0) {
      if ((unit !== "!" && unit !== "@") || body[i + 1] !== "{") continue
      start = i++
      depth = 1
    } else if (unit === "{") depth++
    else if (unit === "}" && --depth === 0)
      result.push({ kind: body[start] as Block["kind"], content: body.slice(start + 2, i), start, end: i + 1 })
  }
  return result
}
