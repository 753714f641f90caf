/** Command specs: an argument list that is matched whole, or as a prefix on word boundaries. */
import * as Result from "effect/Result"
import { baseName, type Part } from "../tool/shell/SimpleCommand.ts"
import { parse as parseProgram } from "../tool/shell/Parse.ts"
import type { Word } from "../tool/shell/Syntax.ts"
import { unwrap } from "../tool/shell/Unwrap.ts"
import { isInterpreter, isShell, isWrapper } from "../tool/shell/Wrappers.ts"
import * as Location from "./Location.ts"

export interface CommandSpec {
  /** Empty for `Bash(*)`. */
  readonly words: ReadonlyArray<Word>
  readonly prefix: boolean
  /** The program's base name; undefined for `Bash(*)`. */
  readonly name: string | undefined
}

export const any: CommandSpec = { words: [], prefix: true, name: undefined }

export const parse = (spec: string): Result.Result<CommandSpec, string> => {
  if (spec === "*" || spec === ":*") return spec === "*" ? Result.succeed(any) : Result.fail("names no command; for any command write Bash(*)")
  const [, text, star] = /^(.*?)(:\*| \*)?$/s.exec(spec)!
  const words = literalWords(text!.trim())
  if (Result.isFailure(words)) return Result.fail(words.failure)
  return Result.succeed({ words: words.success, prefix: star !== undefined, name: baseName(words.success[0]!.text) })
}

const literalWords = (text: string): Result.Result<ReadonlyArray<Word>, string> => {
  if (text === "[[") return Result.succeed([{ source: text, kind: "literal", text, splits: false, scripts: [], hazards: [] }])
  const { faults, root } = parseProgram(text)
  if (faults.length > 0) return Result.fail(`is no command that can match: ${faults[0]}`)
  if (root._tag !== "Simple" || root.redirects.length > 0 || root.words.length === 0) {
    return Result.fail("can never match: a rule names one command, without operators and redirections; each part of a chain is matched by itself")
  }
  if (root.assignments.length > 0) return Result.fail("can never match: variables before a command are judged by themselves; name the command alone")
  const odd = root.words.find(({ kind, text }) => (kind !== "literal" && kind !== "tilde") || text === "")
  if (odd === undefined) return Result.succeed(root.words)
  return Result.fail(
    odd.kind === "glob"
      ? `"${odd.source}" is a pattern: a * stands only as the last word, as in Bash(npm run *); quote it to mean the character`
      : `"${odd.source}" is known only at run time; a rule is made of plain words`
  )
}

/** Why an allow rule would allow anything at all: a prefix that ends before the program that runs. */
export const tooBroad = ({ prefix, words }: CommandSpec): string | undefined => {
  const name = words[0] === undefined ? undefined : baseName(words[0].text)
  if (!prefix || name === undefined) return undefined
  const rest = words.slice(1)
  if (isShell(name) ? rest.every(({ text }) => /^[-+]/.test(text)) : isInterpreter(name) && rest.every(({ text }) => inline.test(text))) {
    return `${name} runs any program text; name what it runs, as in Bash(${name} scripts/build:*)`
  }
  if (isShell(name) || !isWrapper(name)) return undefined
  const inner = unwrap(name, words, undefined)
  if (inner === undefined || inner.scripts.length > 0) return undefined
  if (inner.commands.length === 0) return inner.transparent ? undefined : `${name} runs any command; name what it runs, as in Bash(${words.map(({ source }) => source).join(" ")} npm test:*)`
  return inner.commands.map((command) => tooBroad({ words: command.filter(({ source }) => source !== "…"), prefix, name: undefined })).find((why) => why !== undefined)
}

/** Options of interpreters that leave open what runs, or take it from the next word. */
const inline = /^(?:-|-\w+|--(?:eval|print|require|import|loader|experimental-loader|env-file|inspect|interactive|run)(?:=.*)?)$/

/** How a deny or ask rule meets a command; `maybe` when that depends on what is known only at run time. */
export const matches = (spec: CommandSpec, part: Part): "yes" | "maybe" | "no" => {
  const whole = matchWords(spec, part.words)
  return whole === "yes" || part.core === part.words ? whole : stricter(whole, matchWords(spec, part.core))
}

const stricter = (a: "yes" | "maybe" | "no", b: "yes" | "maybe" | "no") => a === "yes" || b === "yes" ? "yes" : a === "maybe" ? a : b

/** The name is matched by the index. A prefix sees over options that stand between its words, with or without a value. */
const matchWords = ({ prefix, words: wanted }: CommandSpec, words: ReadonlyArray<Word>): "yes" | "maybe" | "no" => {
  let at = 1
  for (let i = 1; i < wanted.length; i++) {
    const { text } = wanted[i]!
    let skipped = false
    for (; ; at++) {
      const word = words[at]
      if (word === undefined) return "no"
      if (word.kind === "dynamic" || word.kind === "glob" || word.kind === "process") {
        if (word.splits || text.startsWith(word.text) || word.kind === "glob") return "maybe"
      } else if (word.text === text) break
      if (!prefix) return "no"
      const option = word.text.startsWith("-") && word.text.length > 1
      if (!option && !skipped) return "no"
      skipped = option && !word.text.includes("=")
    }
    at++
  }
  return prefix || at === words.length ? "yes" : "no"
}

/** The words of a command that an allow rule spells, or undefined when it is another command. */
export const covers = (spec: CommandSpec, part: Part, directories: Directories): ReadonlyArray<Word> | undefined =>
  spec.words.length === 0
    ? []
    : coversWords(spec, part.words, part, directories) ?? (part.core === part.words ? undefined : coversWords(spec, part.core, part, directories))

export interface Directories {
  readonly root: string
  readonly home: string
  readonly cwd: string
}

const coversWords = (
  { prefix, words: wanted }: CommandSpec,
  words: ReadonlyArray<Word>,
  part: Part,
  directories: Directories
): ReadonlyArray<Word> | undefined => {
  if (prefix ? words.length < wanted.length : words.length !== wanted.length) return undefined
  if (!sameProgram(wanted[0]!, words[0]!, part, directories)) return undefined
  for (let i = 1; i < wanted.length; i++) {
    if (words[i]!.kind !== wanted[i]!.kind || words[i]!.text !== wanted[i]!.text) return undefined
  }
  return words.slice(0, wanted.length)
}

/** A bare name is what PATH finds, or the same name in a system folder; a path is a file, wherever either is written from. */
const sameProgram = (wanted: Word, word: Word, { folders }: Part, { cwd, home, root }: Directories): boolean => {
  if (word.kind !== "literal" && word.kind !== "tilde") return false
  if (!wanted.text.includes("/")) return word.text === wanted.text || word.text === `/usr/bin/${wanted.text}` || word.text === `/bin/${wanted.text}`
  if (!word.text.includes("/") || folders === undefined) return false
  const file = Location.resolve(root, Location.expandHome(wanted.text, home))
  return folders.every((folder) => Location.resolve(Location.resolve(cwd, Location.expandHome(folder, home)), Location.expandHome(word.text, home)) === file)
}
