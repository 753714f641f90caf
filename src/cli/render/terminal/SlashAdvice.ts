/** Advice of errors inside the terminal: where it names a command of the shell, the slash command that does the same. */
import type { SafeText } from "../view/DisplayText.ts"

const replacements: ReadonlyArray<readonly [advice: RegExp, instead: string]> = [
  [/Run `dacapo auth status` to see which key is used, or `dacapo auth login` to save another\./g, "Type /login to save another."],
  [/Run `dacapo models` (?:for a list of known models|to list (?:the )?models(?: of [^.]*)?)\./g, "Type /model to choose another."],
  [/Run `dacapo sessions list` to see the available sessions\./g, "Type /resume to choose one."],
  [/Run `dacapo --help` for usage\./g, "Type /help for the commands."],
  [/(["`])dacapo auth login( [\w-]+)?\1/g, "/login$2"],
  [/`dacapo doctor`/g, "/doctor"],
  [/`dacapo mcp list`/g, "/mcp"],
  [/Continue the session to try again\b/g, "Type /continue to try again"],
  [/\(`dacapo --continue`\)/g, "(/continue)"],
  [/\(--model\)/g, "(/model)"]
]

export const translate = (message: SafeText): SafeText =>
  replacements.reduce<string>((text, [advice, instead]) => text.replace(advice, instead), message) as SafeText
