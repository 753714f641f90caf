/** What a git call says before its subcommand. */
import type { SimpleCommand } from "./SimpleCommand.ts"
import type { Word } from "./Syntax.ts"

/** The words between `git` and its subcommand. */
const globalOptions = ({ core, words }: SimpleCommand): ReadonlyArray<Word> =>
  core === words ? words.slice(1) : words.slice(1, words.length - core.length + 1)

/** The subcommand and what follows it. */
export const operands = ({ core }: Pick<SimpleCommand, "core">): ReadonlyArray<Word> => core.slice(1)

/** The folders in which git may work, from where the program starts; undefined when unknown. Each `-C` is relative to the last. */
export const folders = (command: SimpleCommand): ReadonlyArray<string> | undefined => {
  const words = globalOptions(command)
  let result = command.folders
  words.forEach(({ kind, text }, i) => {
    if (words[i - 1]?.text !== "-C" || words[i - 2]?.text === "-C") return
    const isKnown = kind === "literal" || kind === "tilde"
    result = isKnown ? result?.map((folder) => folder === "" || /^[/~]/.test(text) ? text : `${folder}/${text}`) : undefined
  })
  return result
}
