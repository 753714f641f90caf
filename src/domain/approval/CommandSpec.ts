/** Command specs: an argument list that is matched exactly, or as a prefix on word boundaries. */
import * as Result from "effect/Result"
import { baseName, type SimpleCommand } from "../tool/shell/SimpleCommand.ts"
import { parse as parseProgram } from "../tool/shell/Parse.ts"
import type { Word } from "../tool/shell/Syntax.ts"
import { toolOf } from "../tool/shell/Tools.ts"
import { unwrap } from "../tool/shell/Unwrap.ts"
import { isInterpreter, isShell, isWrapper } from "../tool/shell/Wrappers.ts"
import * as PathSpec from "./PathSpec.ts"

export interface CommandSpec {
  /** Empty for `Bash(*)`. */
  readonly words: ReadonlyArray<Word>
  readonly prefix: boolean
  /** The program's base name; undefined for `Bash(*)`. */
  readonly name: string | undefined
}

export const any: CommandSpec = { words: [], prefix: true, name: undefined }

export const parse = (spec: string): Result.Result<CommandSpec, string> => {
  if (spec === "*" || spec === ":*")
    return spec === "*" ? Result.succeed(any) : Result.fail("names no command; to match any command, write Bash(*)")
  if (/^domain:\S*$/.test(spec)) return Result.fail("names a host instead of a command; for hosts, write WebFetch(domain:…)")
  const [, text, star] = /^(.*?)(:\*| \*)?$/s.exec(spec)!
  const words = literalWords(text!.trim())
  if (Result.isFailure(words)) return Result.fail(words.failure)
  return Result.succeed({ words: words.success, prefix: star !== undefined, name: baseName(words.success[0]!.text) })
}

const literalWords = (text: string): Result.Result<ReadonlyArray<Word>, string> => {
  if (text === "[[") return Result.succeed([{ source: text, kind: "literal", text, splits: false, scripts: [], hazards: [] }])
  const { faults, root } = parseProgram(text)
  if (faults.length > 0) return Result.fail(`can never match: ${faults[0]}`)
  if (root._tag !== "Simple" || root.redirects.length > 0 || root.words.length === 0) {
    return Result.fail(
      "can never match: a rule names one command without operators or redirections; the parts of a chain are matched separately"
    )
  }
  if (root.assignments.length > 0)
    return Result.fail("can never match: variables before a command are checked separately; write the command without them")
  const unsupportedWord = root.words.find(({ kind, text }) => (kind !== "literal" && kind !== "tilde") || text === "")
  if (unsupportedWord === undefined) return Result.succeed(root.words)
  return Result.fail(
    unsupportedWord.kind === "glob"
      ? `"${unsupportedWord.source}" is a pattern: * is allowed only as the last word, as in Bash(npm run *); quote it to match the character itself`
      : `"${unsupportedWord.source}" is known only at run time; write plain words`
  )
}

/** Why an allow rule would allow anything at all: a prefix that ends before the program to run. */
export const broadnessProblem = ({ prefix, words }: CommandSpec): string | undefined => {
  const name = words[0] === undefined ? undefined : baseName(words[0].text)
  if (!prefix || name === undefined) return undefined
  const rest = words.slice(1)
  if (isShell(name) ? rest.every(({ text }) => /^[-+]/.test(text)) : isInterpreter(name) && rest.every(({ text }) => inline.test(text))) {
    return `${name} runs any code; name what it runs, as in Bash(${name} scripts/build:*)`
  }
  if (isShell(name) || !isWrapper(name)) return undefined
  const inner = unwrap(name, words, undefined)
  if (inner === undefined || inner.scripts.length > 0) return undefined
  if (inner.commands.length === 0)
    return inner.transparent ? undefined
      : `${name} runs any command; name what it runs, as in Bash(${words.map(({ source }) => source).join(" ")} npm test:*)`
  return inner.commands.map((command) =>
    broadnessProblem({ words: command.filter(({ source }) => source !== "…"), prefix, name: undefined })
  ).find((why) => why !== undefined)
}

/** Options of interpreters that leave open what runs, or take it from the next word. */
const inline = /^(?:-|-\w+|--(?:eval|print|require|import|loader|experimental-loader|env-file|inspect|interactive|run)(?:=.*)?)$/

/** How a deny or ask rule matches a command; `maybe` when that depends on what is known only at run time. */
export const matches = (spec: CommandSpec, part: SimpleCommand): "yes" | "maybe" | "no" => {
  const match = matchWords(spec, part.words)
  return match === "yes" || part.core === part.words ? match : stricter(match, matchWords(spec, part.core))
}

const stricter = (a: "yes" | "maybe" | "no", b: "yes" | "maybe" | "no") => a === "yes" || b === "yes" ? "yes" : a === "maybe" ? a : b

/** The name is matched by the index. A prefix ignores options that stand between its words, with or without a value. */
const matchWords = ({ prefix, words: ruleWords }: CommandSpec, words: ReadonlyArray<Word>): "yes" | "maybe" | "no" => {
  let at = 1
  for (let i = 1; i < ruleWords.length; i++) {
    const { text } = ruleWords[i]!
    let isAfterOption = false
    for (;; at++) {
      const word = words[at]
      if (word === undefined) return "no"
      if (word.kind === "dynamic" || word.kind === "glob" || word.kind === "process") {
        if (word.splits || text.startsWith(word.text) || word.kind === "glob") return "maybe"
      } else if (word.text === text) break
      if (!prefix) return "no"
      const isOption = word.text.startsWith("-") && word.text.length > 1
      if (!isOption && !isAfterOption) return "no"
      isAfterOption = isOption && !word.text.includes("=")
    }
    at++
  }
  return prefix || at === words.length ? "yes" : "no"
}

/** The words of a command that an allow rule spells out, or undefined if it is another command. */
export const covers = (spec: CommandSpec, part: SimpleCommand, directories: Directories): ReadonlyArray<Word> | undefined =>
  spec.words.length === 0
    ? []
    : coversWords(spec, part.words, part, directories) ??
      (part.core === part.words ? undefined : coversWords(spec, part.core, part, directories))

export interface Directories {
  readonly root: string
  readonly home: string
  readonly cwd: string
}

const coversWords = (
  { prefix, words: ruleWords }: CommandSpec,
  words: ReadonlyArray<Word>,
  part: SimpleCommand,
  directories: Directories
): ReadonlyArray<Word> | undefined => {
  if (prefix ? words.length < ruleWords.length : words.length !== ruleWords.length) return undefined
  // What a program that nobody knows does with its input is not among the words that the rule spells out.
  if (!prefix && part.readsInput && part.name !== undefined && toolOf(part.name) === undefined) return undefined
  if (!sameProgram(ruleWords[0]!, words[0]!, part, directories)) return undefined
  for (let i = 1; i < ruleWords.length; i++) {
    if (words[i]!.kind !== ruleWords[i]!.kind || words[i]!.text !== ruleWords[i]!.text) return undefined
  }
  return words.slice(0, ruleWords.length)
}

/** A bare name is what PATH resolves, or the same name in a system folder; a path is a file, wherever either is written from. */
const sameProgram = (ruleWord: Word, word: Word, { folders }: SimpleCommand, { cwd, home, root }: Directories): boolean => {
  if (word.kind !== "literal" && word.kind !== "tilde") return false
  if (!ruleWord.text.includes("/"))
    return word.text === ruleWord.text || word.text === `/usr/bin/${ruleWord.text}` || word.text === `/bin/${ruleWord.text}`
  if (!word.text.includes("/") || folders === undefined) return false
  const file = PathSpec.resolve(root, PathSpec.expandHome(ruleWord.text, home))
  return folders.every((folder) =>
    PathSpec.resolve(PathSpec.resolve(cwd, PathSpec.expandHome(folder, home)), PathSpec.expandHome(word.text, home)) === file
  )
}
