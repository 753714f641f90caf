/** What a bash command line would run: parsed by a grammar, never matched as text. */
import { isBuiltin } from "./shell/Builtins.ts"
import { flatten, type SimpleCommand } from "./shell/SimpleCommand.ts"
import type { Word } from "./shell/Syntax.ts"
import { listCommands } from "./shell/CommandList.ts"

export type { Hazard, SimpleCommand, Touch } from "./shell/SimpleCommand.ts"
export type { Assignment, Word } from "./shell/Syntax.ts"
export { flatten }

export interface Analysis {
  readonly command: string
  /** The outermost simple commands, in order; `flatten` adds those that wrappers run. */
  readonly parts: ReadonlyArray<SimpleCommand>
  /** Why the command cannot be trusted to run as it reads; any fault makes the verdict at least ask. */
  readonly faults: ReadonlyArray<string>
  /** The arguments to execute directly, if it is one plain command. */
  readonly argv: ReadonlyArray<string> | undefined
}

/** Whether every part is known to only read. */
export const isReadOnly = ({ faults, parts }: Analysis): boolean => {
  const commands = flatten(parts)
  return faults.length === 0 && commands.length > 0 && commands.every(({ readOnly }) => readOnly)
}

/** The limit above which commands ask, in bytes of UTF-8. */
export const maxBytes = 64 * 1024
/** The limit above which not even the deny walk reads them. */
const maxRead = 16 * maxBytes

export const analyse = (command: string): Analysis => {
  const faults = textFaults(command)
  if (command.length > maxRead) return { command, parts: [], faults, argv: undefined }
  const program = listCommands(command)
  const allFaults = [...faults, ...program.faults]
  if (program.parts.length === 0 && allFaults.length === 0) allFaults.push("it holds no command")
  return { command, parts: program.parts, faults: allFaults, argv: allFaults.length > 0 ? undefined : plainArguments(program.simpleWords) }
}

const textFaults = (command: string): Array<string> => {
  const faults: Array<string> = []
  if (command.length > maxBytes || new TextEncoder().encode(command).length > maxBytes)
    faults.push(`it is longer than ${maxBytes / 1024} kB`)
  if (deceptive.test(command)) faults.push("it holds characters that do not show, or that look like others")
  // The shell joins lines before it reads tokens, its parsers after: they disagree where that changes a token.
  if (joinedToken.test(command)) faults.push("it continues a line within an operator")
  if (command.includes("$'") && command.includes("\\\n", command.indexOf("$'"))) faults.push("it continues a line near $'…'")
  // Bash reads a hexadecimal escape with braces in its own way.
  if (command.includes("$'") && command.includes("\\x{")) faults.push("it holds \\x{ near $'…'")
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
