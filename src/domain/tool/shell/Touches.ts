/** From words to the files that they name. */
import type { Tree } from "../../workspace/Lookup.ts"
import type { Hazard, Touch } from "./SimpleCommand.ts"
import type { Word } from "./Syntax.ts"

/** What operands do: the files that they name, and what else they may cause. */
export interface OperandEffects {
  readonly touches: ReadonlyArray<Touch>
  readonly hazards: ReadonlyArray<Hazard>
}

/** The paths that a word may hold, by its looks: the entire word, what follows `name=` or `--option=`, and what is attached to `-o`. */
export const possibleTouches = (word: Word): ReadonlyArray<Touch> => {
  if (isOpen(word)) return []
  const { text } = word
  const [, value] = /^(?:--?[\w-]+|\w+)=(.*)$/s.exec(text) ?? []
  // `-osrc/out`, `-imacros../x`
  const attached = value === undefined && /^-[a-zA-Z]/.test(text) ? [text.slice(2), text.replace(/^-[a-zA-Z]+(?=\.\.\/|~)/, "")] : []
  const paths = [...value === undefined ? [] : [value], ...attached, text].map((path) => path.replace(/^@/, ""))
  return [...new Set(paths)].filter((path) => path !== "" && !path.startsWith("-") && !path.includes("://")).map((path) =>
    touchOf("read", word, path, { isCertain: false })
  )
}

/** Any text, known only at run time. */
const isOpen = ({ kind, text }: Word): boolean => kind === "process" || kind === "dynamic" && text === ""

/** The same for a program that may do anything with its words: any path where the text is known only at run time. */
export const argumentTouches = (word: Word): ReadonlyArray<Touch> =>
  word.files !== undefined ? word.files.flatMap(possibleTouches)
    : isOpen(word) ? [touchOf("read", word, "", { isCertain: false })]
    : possibleTouches(word)

interface TouchOptions {
  readonly tree?: Tree | undefined
  readonly isCertain?: boolean
  readonly redirect?: boolean
}

/** A touch as an operand makes it: definitely a path, and the path itself rather than what is below it. */
export const touchOf = (
  access: Touch["access"],
  word: Word,
  path: string,
  { redirect = false, isCertain = true, tree }: TouchOptions = {}
): Touch => ({ access, word, path, tree: tree ?? word.tree, redirect, isCertain })

/** Everything beneath a folder. */
export const fullTree: Tree = { hidden: true }

/** Every file that words name directly. Programs of the binutils take `@file` for a file of arguments. */
export const pathTouches = (access: Touch["access"], words: ReadonlyArray<Word>, options: TouchOptions = {}): ReadonlyArray<Touch> =>
  words.filter(({ kind, text }) => text !== "-" && kind !== "process").flatMap((word) => [
    touchOf(access, word, word.text, options),
    ...(/^@./.test(word.text) ? [touchOf("read", word, word.text.slice(1))] : [])
  ])
