/** `trap 'commands' EXIT`: the commands run later, in the same shell. */
import { isBuiltin } from "./Builtins.ts"
import { parse } from "./Parse.ts"
import { flatten, type SimpleCommand } from "./SimpleCommand.ts"
import type { Node, Word } from "./Syntax.ts"

/** Ends of the shell. Others, such as DEBUG, run the commands between those that follow. */
const ends = new Set(["0", "EXIT", ...["HUP", "INT", "QUIT", "TERM"].flatMap((signal) => [signal, `SIG${signal}`])])

/** Builtins that change nothing in the shell. */
const plainBuiltins = new Set([":", "echo", "exit", "false", "true"])

/** Programs and plain builtins in order: whenever they run, what follows runs as it reads. */
const changesNothingInShell = (node: Node): boolean => {
  switch (node._tag) {
    case "List":
    case "AndOr":
      return node.nodes.every(changesNothingInShell)
    case "Simple": {
      const { assignments, redirects, words: [program] } = node
      return assignments.length === 0 && redirects.every((redirect) => !("named" in redirect && redirect.named)) &&
        program?.kind === "literal" && (!isBuiltin(program.text) || plainBuiltins.has(program.text))
    }
    default:
      return false
  }
}

/** Whether the commands of a `trap` may be judged as if they stood in its place. */
export const isPlainTrap = (script: string, signals: ReadonlyArray<Word>): boolean =>
  signals.length > 0 && signals.every(({ kind, text }) => kind === "literal" && ends.has(text)) &&
  changesNothingInShell(parse(script).root)

const movers = new Set(["cd", "popd", "pushd"])

/** Whether the commands of a `trap` may run in another folder than the one in which it stands. */
export const mayMoveTrap = (parts: ReadonlyArray<SimpleCommand>): boolean => {
  const all = flatten(parts)
  return all.some(({ inner, name }) => name === "trap" && inner.length > 0) &&
    all.some(({ name }) => name === undefined || movers.has(name))
}
