/** What a bash command line would run: parsed by a grammar, never matched as text. */
import { isBuiltin } from "./shell/Builtins.ts"
import { flatten, type Part } from "./shell/SimpleCommand.ts"
import type { Word } from "./shell/Syntax.ts"
import { walk } from "./shell/CommandList.ts"

export type { Hazard, Part, Touch } from "./shell/SimpleCommand.ts"
export type { Assignment, Word } from "./shell/Syntax.ts"
export { flatten }

export interface Analysis {
  readonly command: string
  /** The outermost simple commands, in order; `flatten` adds those that wrappers run. */
  readonly parts: ReadonlyArray<Part>
  /** Why the whole cannot be trusted to run as it reads; any fault makes the verdict ask at least. */
  readonly faults: ReadonlyArray<string>
  /** The arguments to execute directly, when it is one plain command. */
  readonly argv: ReadonlyArray<string> | undefined
}

/** Longer commands ask, in bytes of UTF-8. */
export const maxBytes = 64 * 1024
/** Beyond this not even the deny walk reads them. */
const maxRead = 16 * maxBytes

export const analyse = (command: string): Analysis => {
  const faults = textFaults(command)
  if (command.length > maxRead) return { command, parts: [], faults, argv: undefined }
  const walked = walk(command)
  const all = [...faults, ...walked.faults]
  if (walked.parts.length === 0 && all.length === 0) all.push("it holds no command")
  return { command, parts: walked.parts, faults: all, argv: all.length > 0 ? undefined : plainArguments(walked.plain) }
}

const textFaults = (command: string): Array<string> => {
  const faults: Array<string> = []
  if (command.length > maxBytes || new TextEncoder().encode(command).length > maxBytes) faults.push(`it is longer than ${maxBytes / 1024} kB`)
  if (deceptive.test(command)) faults.push("it holds characters that do not show, or that look like others")
  // The shell joins lines before it reads tokens, its parsers after: they disagree where that makes a token.
  if (joinedToken.test(command)) faults.push("it continues a line within an operator")
  if (command.includes("$'") && command.includes("\\\n", command.indexOf("$'"))) faults.push("it continues a line near $'…'")
  if (/(?<!\\)(?:\\\\)*\\$/.test(command)) faults.push("it ends in a backslash")
  return faults
}

const joinedToken = /[$<>&|;(){}!=[\]`'",\\]\\\n\S|\S\\\n[$<>&|;(){}!=[\]`'",\\]/

/** Controls, formats (bidirectional, zero-width), surrogates, private use, separators, every space but the plain one, fillers. */
const deceptive = /[\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u034f]|(?![\t\n])\p{Cc}|(?! )\p{Zs}/u

const plainArguments = (words: ReadonlyArray<Word> | undefined): ReadonlyArray<string> | undefined =>
  words === undefined || words.some(({ kind }) => kind !== "literal") || words.length === 0 || isBuiltin(words[0]!.text)
    ? undefined
    : words.map(({ text }) => text)
