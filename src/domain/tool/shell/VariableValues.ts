/**
 * Variables whose values the text shows: inside a loop over literal words, its variable is each of them in turn; after `name=word`, it is
 * that word; unless something may set them.
 */
import { isPrivateVariable } from "./Environment.ts"
import type { Node, Word } from "./Syntax.ts"

/** The words that variables stand for. */
export type Bindings = ReadonlyMap<string, ReadonlyArray<Word>>

export const noBindings: Bindings = new Map()

/** Loops over more words, and commands that nested loops multiply beyond this, stay unknown. */
const maxWords = 32

/** The bindings within a loop. */
export const loopBindings = ({ nodes, variable, words }: Extract<Node, { _tag: "Loop" }>, bindings: Bindings): Bindings => {
  if (variable === undefined) return bindings
  const others = new Map([...bindings].filter(([name]) => name !== variable))
  const isPlain = words.length > 0 && words.length <= maxWords &&
    words.every(({ kind, text }) => (kind === "literal" || kind === "glob" || kind === "tilde") && !/^[-*?[]/.test(text))
  return isPlain && !nodes.some((node) => canSet(node, variable)) ? others.set(variable, words) : others
}

/** The bindings after a command that only sets variables to literal words. */
const assigned = (node: Node, bindings: Bindings): Bindings => {
  if (node._tag !== "Simple" || node.words.length > 0 || node.redirects.length > 0) return bindings
  const values = new Map(bindings)
  for (const { name, value } of node.assignments) {
    const [known] = value === undefined ? [] : variants([value], values).flat()
    if (known?.kind === "literal" && known.tree === undefined && isPrivateVariable(name) && !/^[-*?[]/.test(known.text))
      values.set(name, [known])
    else values.delete(name)
  }
  return values
}

/** The bindings that no part of the command may change. */
const remaining = (node: Node, bindings: Bindings): Bindings =>
  [...bindings.keys()].some((name) => canSet(node, name)) ? new Map([...bindings].filter(([name]) => !canSet(node, name))) : bindings

/** The bindings that hold in each command of a list, or of `a && b || c`. */
export const inSequence = (
  { nodes, operators = [] }: { readonly nodes: ReadonlyArray<Node>; readonly operators?: ReadonlyArray<"&&" | "||"> },
  bindings: Bindings
): ReadonlyArray<Bindings> => {
  let before = bindings
  // What comes after `||` may run although commands before it did not; the first one always runs.
  let always: Bindings | undefined
  return nodes.map((node, i) => {
    const during = remaining(node, operators[i - 1] === "||" ? always! : before)
    before = assigned(node, during)
    always = always === undefined ? before : remaining(node, always)
    return during
  })
}

/** Whether a builtin of the program may give a variable a nature of its own: then a value set to it may become another one. */
export const declares = (node: Node): boolean => {
  switch (node._tag) {
    case "Simple": {
      const program = node.words.find(({ text }) => text !== "command" && text !== "builtin")
      return program !== undefined && (program.kind !== "literal" || declarers.has(program.text))
    }
    case "List":
    case "AndOr":
    case "Pipeline":
    case "Branch":
    case "Loop":
      return node.nodes.some(declares)
    case "Subshell":
    case "Redirected":
    case "Coprocess":
      return declares(node.node)
    case "Function":
      return declares(node.body)
    case "Test":
    case "Arithmetic":
      return false
  }
}

/** They do, or run what may. */
const declarers = new Set([".", "-p", "--", "declare", "eval", "local", "readonly", "source", "trap", "typeset"])

/** The variable of `while read -r name`, if nothing else sets it. */
export const readVariable = ({ nodes: [condition, ...body], variable }: Extract<Node, { _tag: "Loop" }>): string | undefined => {
  const test = condition?._tag === "List" && condition.nodes.length === 1 ? condition.nodes[0] : condition
  if (variable !== undefined || test?._tag !== "Simple" || test.redirects.length > 0) return undefined
  const [, name] = /^read (?:-r )?([a-z_]\w*)$/.exec(test.words.map(({ text }) => text).join(" ")) ?? []
  return name === undefined || body.some((node) => canSet(node, name)) ? undefined : name
}

/** The command once for each value of its variables; once, unchanged, if none is known. */
export const variants = (words: ReadonlyArray<Word>, bindings: Bindings): ReadonlyArray<ReadonlyArray<Word>> => {
  if (bindings.size === 0) return [words]
  const names = [...new Set(words.flatMap((word) => [variableOf(word) ?? [], variablesOf(word)].flat()))].filter((name) =>
    bindings.has(name)
  )
  let result: ReadonlyArray<ReadonlyArray<Word>> = [words]
  for (const name of names) {
    result = result.flatMap((words) => bindings.get(name)!.map((value) => words.map((word) => withValue(word, name, value))))
    if (result.length > maxWords) return [words]
  }
  return result
}

/** The variable, if the word is its value and nothing else. */
const variableOf = ({ kind, source }: Word): string | undefined => {
  if (kind !== "dynamic") return undefined
  const [, plainName, bracedName] = /^(?:\$(\w+)|\$\{(\w+)\})$/.exec(isQuoted(source) ? source.slice(1, -1) : source) ?? []
  return plainName ?? bracedName
}

const isQuoted = (source: string): boolean => source.length > 2 && source.startsWith("\"") && source.endsWith("\"")

/** Variables among plain characters, as in `src/$name.ts`. */
const template = /^(?:[\w./@%+=:,-]|\$\w+|\$\{\w+\})+$/

/** The variables of a word that has nothing else that is known only at run time. */
const variablesOf = ({ kind, source }: Word): ReadonlyArray<string> => {
  const text = isQuoted(source) ? source.slice(1, -1) : source
  return kind === "dynamic" && template.test(text) ? [...text.matchAll(/\$\{?(\w+)\}?/g)].map(([, name]) => name!) : []
}

/** The word with the variable's value in it; the word itself if the result depends on the disk. */
const withValue = (word: Word, name: string, value: Word): Word => {
  if (variableOf(word) === name) {
    if (value.tree !== undefined) return { ...word, files: [value] }
    if (isQuoted(word.source) || isPlain(value)) return value
    // An unquoted value is split, and expanded as a pattern.
    return value.kind === "glob" ? { ...word, files: [{ ...value, tree: { hidden: true, links: true, plain: true } }] } : word
  }
  if (!isPlain(value) || value.tree !== undefined || !variablesOf(word).includes(name)) return word
  const source = word.source.replace(/\$(?:(\w+)|\{(\w+)\})/g, (text, plain, braced) => (plain ?? braced) === name ? value.text : text)
  const text = isQuoted(source) ? source.slice(1, -1) : source
  return text.includes("$") ? { ...word, source } : { ...word, kind: "literal", text, source, splits: false }
}

const isPlain = ({ kind, text, tree }: Word): boolean => kind === "literal" && tree === undefined && /^(?!~)[\w./@%+=:,~^-]+$/.test(text)

/** Builtins that set variables, or run code that may. */
export const setters: ReadonlySet<string> = new Set([
  ".",
  "builtin",
  "command",
  "declare",
  "eval",
  "exec",
  "export",
  "getopts",
  "let",
  "local",
  "mapfile",
  "read",
  "readarray",
  "readonly",
  "set",
  "source",
  "trap",
  "typeset",
  "unset",
  "wait"
])

/** A format that stores the number of characters so far in the variable named by its argument. */
export const countFormat = /%[-+ #0-9.*']*[hjlLqtz]*n/

/** Whether a node may set the variable. */
const canSet = (node: Node, name: string): boolean => {
  const canAnySet = (nodes: ReadonlyArray<Node>) => nodes.some((child) => canSet(child, name))
  switch (node._tag) {
    case "Simple": {
      const { assignments, redirects, words } = node
      const [program, first] = words
      return assignments.some((assignment) => assignment.name === name)
        || redirects.some((redirect) => "named" in redirect && redirect.named)
        || [...words, ...assignments.flatMap(({ words }) => words)].some(({ hazards }) => hazards.length > 0)
        || program !== undefined && (program.kind !== "literal" || setters.has(program.text))
        || program?.text === "printf" && (first?.kind !== "literal" || first.text.startsWith("-") || countFormat.test(first.text))
    }
    case "List":
    case "AndOr":
    case "Pipeline":
      return canAnySet(node.nodes)
    case "Branch":
      return node.words.some(({ hazards }) => hazards.length > 0) || canAnySet(node.nodes)
    case "Loop":
      return node.variable === name || node.hazard !== undefined || node.sets.some((set) => set.name === name) || canAnySet(node.nodes)
    case "Subshell":
    case "Redirected":
      return canSet(node.node, name)
    case "Test":
      return node.words.some(({ hazards }) => hazards.length > 0)
    case "Arithmetic":
      return node.hazard !== undefined || node.sets.some((set) => set.name === name) || canAnySet(node.scripts)
    case "Function":
    case "Coprocess":
      return true
  }
}
