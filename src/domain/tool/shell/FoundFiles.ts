/**
 * Commands whose output is a list of files: `find`, `grep -l`, `rg -l`, `git ls-files`. What reads that list, by `xargs`, in a loop or
 * through `$( … )`, is judged by the folders that were searched. The shell and `xargs` split the list into words, so every name below
 * these folders must be a plain word (Tree.plain); a repository that someone else wrote may have others.
 */
import * as Table from "../../Table.ts"
import type { Tree } from "../../workspace/Lookup.ts"
import { findTests } from "./FindExpression.ts"
import { inspect, type Inspection } from "./Inspect.ts"
import { literal, type Node, type Word } from "./Syntax.ts"

export type Files = ReadonlyArray<Word>

/** The files that a program lists, or that it passes on from its input; undefined if its output may be anything else. */
export const outputOf = (node: Node, input?: Files): Files | undefined => {
  switch (node._tag) {
    case "List":
      return node.nodes.length === 1 ? outputOf(node.nodes[0]!, input) : undefined
    case "Pipeline":
      return node.nodes.reduce<Files | undefined>((files, next) => outputOf(next, files), input)
    case "Simple": {
      const { assignments, redirects, words: [program, ...words] } = node
      const hidesErrors = redirects.every((redirect) => redirect._tag === "Write" && redirect.source === "2>/dev/null")
      if (program?.kind !== "literal" || assignments.length > 0 || !hidesErrors) return undefined
      if (!words.every(({ kind }) => kind === "literal" || kind === "glob")) return undefined
      const files = Table.entry(listers, program.text)?.([program, ...words])
      return files ?? (input === undefined ? undefined
        : greps.has(program.text) ? matchingFiles(program.text, words, input)
        : Table.entry(filters, program.text)?.test(words.map(({ text }) => text).join(" ")) === true ? input
        : undefined)
    }
    default:
      return undefined
  }
}

/** The files that an unquoted substitution becomes. */
export const ofSubstitution = ({ isSubstitution, scripts }: Word): Files | undefined =>
  isSubstitution === true && scripts.length === 1 ? outputOf(scripts[0]!) : undefined

/** Words that stand for files are these files to a command that only reads, and known only at run time to any other. */
export const inspectCommand = (name: string | undefined, words: ReadonlyArray<Word>): Inspection => {
  const files = words.map((word) => word.files ?? ofSubstitution(word))
  const inspection = inspect(name, words)
  // A folder that git enters by an option is not the one in which they were found.
  if (name === "git" || files.every((each) => each === undefined)) return inspection
  // There may be several: what a program does with a second one counts.
  const reading = inspect(name, words.flatMap((word, i) => files[i] === undefined ? [word] : [...files[i], ...files[i]]))
  return reading.readOnly && reading.hazards.length === 0 ? { ...reading, core: inspection.core } : inspection
}

/** Programs that print some of their lines unchanged, with these arguments. */
const filters: Readonly<Record<string, RegExp>> = {
  head: /^(?:-n ?\d+|-\d+)?$/,
  sort: /^(?:-[urVnz]+)?$/,
  tail: /^(?:-n ?\+?\d+|-\d+)?$/,
  uniq: /^$/
}

const greps = new Set(["egrep", "fgrep", "grep"])

/** The lines of its input that `grep` prints whole: a pattern that names file extensions selects these files. */
const matchingFiles = (name: string, words: ReadonlyArray<Word>, input: Files): Files | undefined => {
  const texts = words.map(({ text }) => text)
  const options = texts.slice(0, -1)
  const pattern = texts.at(-1)
  const isFilter = pattern !== undefined && !pattern.startsWith("-") && words.every(({ kind }) => kind === "literal") &&
    options.every((option) => /^-[EFivwx]+$/.test(option))
  if (!isFilter) return undefined
  const letters = options.join("")
  const extensions = /[Fivwx]/.test(letters) || name === "fgrep" ? undefined
    : extensionsOf(pattern, name === "egrep" || letters.includes("E"))
  return extensions === undefined ? input
    : input.map((file) =>
      file.tree === undefined || file.tree.only !== undefined ? file : { ...file, tree: { ...file.tree, only: extensions } }
    )
}

/** File name patterns for `\.ts$`, or as an extended expression `\.(ts|tsx)$`. */
const extensionsOf = (pattern: string, isExtended: boolean): ReadonlyArray<string> | undefined => {
  const [, only, several] = /^\\\.(?:(\w+)|\((\w+(?:\|\w+)*)\))\$$/.exec(pattern) ?? []
  return only !== undefined ? [`*.${only}`] : several !== undefined && isExtended ? several.split("|").map((one) => `*.${one}`) : undefined
}

const filesBelow = (path: string, tree: Tree): Word => ({ ...literal(path), tree: { ...tree, plain: true } })

const isPlainPath = ({ kind, text }: Word): boolean => kind === "literal" && /^[\w./@+,=~-]+$/.test(text) && !text.startsWith("-")

const listers: Readonly<Record<string, (words: ReadonlyArray<Word>) => Files | undefined>> = {
  find: (words) => {
    // What it runs prints something of its own, such as the lines of a file.
    const files = words.some(({ text }) => text === "-exec") ? undefined : findFiles(words)
    return files?.map((file) => ({ ...file, tree: { ...file.tree!, plain: true } }))
  },
  git: ([, sub, ...operands]) => {
    if (sub?.text !== "ls-files" || operands.some(({ kind, text }) => kind !== "literal" || /^[-:]/.test(text))) return undefined
    // The index may name other files than those in the folder.
    const tree: Tree = { hidden: true, tracked: "folder", plain: true, links: "files" }
    if (operands.length === 0) return [filesBelow(".", tree)]
    return operands.every((word) => isPlainPath(word) || /^\*[\w.]+$/.test(word.text))
      ? operands.map((word) => isPlainPath(word) ? filesBelow(word.text, tree) : filesBelow(".", { ...tree, only: [word.text] }))
      : undefined
  },
  printf: ([, format, ...operands]) =>
    format?.kind === "literal" && /^%s(?:\\n|\\0)$/.test(format.text) && operands.length > 0 && operands.every(isPlainPath) ? operands
      : undefined,
  ...Object.fromEntries(
    ["egrep", "fgrep", "grep", "rg"].map((name) => [name, (words: ReadonlyArray<Word>): Files | undefined => {
      const listsFiles = words.some(({ text }) => /^-[a-zA-Z]*l[a-zA-Z]*$|^--files-with-matches$/.test(text))
      // Of its own input it prints "(standard input)" as the name.
      const isMixed = words.some(({ text }) => text === "-") ||
        words.some(({ text }) => /^-[a-zA-Z]*[hLc]/.test(text) || text.startsWith("--") && !listingOptions.test(text))
      const { readOnly, hazards, touches } = inspect(name, words)
      const folders = touches.filter(({ access, tree }) => access === "read" && tree !== undefined)
      return listsFiles && !isMixed && readOnly && hazards.length === 0 && folders.length > 0 &&
          folders.every(({ word }) => isPlainPath(word))
        ? folders.map(({ path, tree }) => filesBelow(path, tree!)) : undefined
    }])
  )
}

/** With these, `grep -l` and `rg -l` print names and nothing else. */
const listingOptions =
  /^--(?:exclude|exclude-dir|extended-regexp|files-with-matches|fixed-strings|glob|hidden|iglob|ignore-case|include|no-ignore|null|recursive|regexp|type|word-regexp)?(?:=|$)/

/** The files that `find` prints, or gives to its `-exec`. */
export const findFiles = ([, ...allWords]: ReadonlyArray<Word>): Files | undefined => {
  const start = allWords.findIndex(({ text }) => !/^-[HLP]$/.test(text))
  const words = start < 0 ? [] : allWords.slice(start)
  const at = words.findIndex(({ text }) => /^[-(!]/.test(text))
  const [folders, expression] = at < 0 ? [words, []] : [words.slice(0, at), words.slice(at).map(({ text }) => text)]
  if (
    !folders.every(isPlainPath) || expression.some((text) => /^-(?:f?printf|f?ls|fprint0?|delete|ok|okdir|execdir|files0-from)$/.test(text))
  )
    return undefined
  const followsLinks = allWords.some(({ text }) => /^-(?:[HL]|follow)$/.test(text))
  const tree: Tree = { hidden: true, links: followsLinks || "files", ...selection(expression) }
  return (folders.length === 0 ? [literal(".")] : folders).map((folder) => ({ ...folder, tree }))
}

/** A test or an operator; among the values it can't be told by looks from those that `find` reads as such: `-path -name`. */
const isFindWord = (text: string): boolean => /^(?:[!(),]|-then)$/.test(text) || findTests.kindByName.has(text)

const takesValue = (text: string): boolean => findTests.kindByName.has(text) && findTests.kindByName.get(text) !== "none"

/** The expression with every `-exec … ;` as one word. */
const withoutPrograms = (expression: ReadonlyArray<string>): ReadonlyArray<string> => {
  const at = expression.indexOf("-exec")
  if (at < 0) return expression
  const end = expression.findIndex((text, i) => i > at && (text === ";" || text === "+" && expression[i - 1] === "{}"))
  return [...expression.slice(0, at), "-then", ...end < 0 ? [] : withoutPrograms(expression.slice(end + 1))]
}

/**
 * What the tests of a `find` expression select and leave out, by file names; more than they do if that is uncertain. Tests after an
 * action do not limit it.
 */
const selection = (fullExpression: ReadonlyArray<string>): Pick<Tree, "exceptFolders" | "only"> => {
  const expression = withoutPrograms(fullExpression)
  if (expression.some((text, i) => isFindWord(text) && takesValue(expression[i - 1] ?? ""))) return {}
  const isNegated = (i: number) => /^(?:!|-not)$/.test(expression[i - 1] ?? "")
  const action = expression.findIndex((text) => /^-(?:then|print0?)$/.test(text))
  const endsInActions = action < 0 || expression.slice(action).every((text) => /^(?:-then|-print0?|-quit|\))$/.test(text))
  if (!endsInActions || expression.includes(",") || expression.some((text, i) => text === "(" && isNegated(i))) return {}
  const branches: Array<Array<string>> = [[]]
  const exceptFolders: Array<string> = []
  expression.forEach((text, i) => {
    const value = expression[i + 1] ?? ""
    if (/^-or?$/.test(text)) branches.push([])
    else if (/^-i?name$/.test(text) && !isNegated(i)) branches.at(-1)!.push(value)
    else if (text === "-path" && isNegated(i)) exceptFolders.push(.../^\*\/([\w.-]+)\/\*$/.exec(value)?.slice(1) ?? [])
  })
  return {
    ...(branches.every((names) => names.length > 0) ? { only: branches.flat() } : {}),
    ...(branches.length === 1 && exceptFolders.length > 0 ? { exceptFolders } : {})
  }
}
