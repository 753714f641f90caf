/** From the words of a command line to values: one small walk over the table of flags. */
import { distance } from "fastest-levenshtein"
import * as Commands from "../Commands.ts"
import * as Flag from "./Flag.ts"
import * as Flags from "./Flags.ts"

/**
 * - `command`: the name of the command that is meant; `run` where none is named.
 * - `words`: what is neither flag nor command.
 * - `behind`: flags that stand without a value, each with the place in `words` of the word right behind it, which may be one.
 * - `problem`: the first thing that is wrong, as a sentence; `values` hold what could be read all the same, because
 *   an error is told in the format that was asked for.
 */
export interface Parsed {
  readonly command: string
  readonly words: ReadonlyArray<string>
  readonly values: Flags.Values
  readonly behind?: Behind
  readonly problem?: string
}

export type Behind = { readonly [K in Flags.Key]?: number }

interface Reading {
  readonly values: Record<string, unknown>
  readonly words: Array<string>
  readonly behind: Record<string, number>
  readonly used: Array<readonly [string, Flag.Flag]>
  command: string | undefined
  problem: string | undefined
}

export const parse = (args: ReadonlyArray<string>): Parsed => {
  const reading: Reading = { values: {}, words: [], behind: {}, used: [], command: undefined, problem: undefined }
  let i = 0
  while (i < args.length) {
    const token = args[i]!
    if (token === "--") {
      reading.words.push(...args.slice(i + 1))
      break
    }
    i += token.startsWith("-") && token !== "-" ? flag(reading, token, args[i + 1]) : word(reading, token)
  }
  const command = reading.command ?? "run"
  const stranger = reading.used.find(([, flag]) => !Flags.applies(flag, command))
  const problem = reading.problem ??
    (stranger === undefined ? mistyped(reading) : `${stranger[0]} is no flag of \`${spelled(command)}\`; it belongs to ${owners(stranger[1])}.`)
  return {
    command,
    words: reading.words,
    values: reading.values as Flags.Values,
    ...(Object.keys(reading.behind).length === 0 ? {} : { behind: reading.behind }),
    ...(problem === undefined ? {} : { problem })
  }
}

/** The first word may name a command, unless a prompt was announced before it. */
const word = (reading: Reading, token: string): number => {
  const command = Commands.named.get(token)
  if (command !== undefined && reading.command === undefined && reading.words.length === 0 && reading.values.print !== true) {
    reading.command = command.name
  } else reading.words.push(token)
  return 1
}

/** Reads one flag and says how many tokens it took. */
const flag = (reading: Reading, token: string, next: string | undefined): number => {
  const at = token.indexOf("=")
  const name = at === -1 ? token : token.slice(0, at)
  const given = at === -1 ? undefined : token.slice(at + 1)
  const shorthand = Flags.shorthands[name]
  if (shorthand !== undefined && given === undefined) {
    reading.values[shorthand.flag] = shorthand.value
    reading.used.push([name, Flags.table[shorthand.flag]])
    return 1
  }
  const entry = Flags.named.get(name)
  if (entry === undefined) return unknown(reading, token, name, next)
  const [key, { kind }] = entry
  reading.used.push([name, entry[1]])
  if (kind._tag === "Switch") {
    if (given === undefined || given === "true" || given === "false") reading.values[key] = given !== "false"
    else complain(reading, `${name} takes no value (it was given "${given}").`)
    return 1
  }
  if (kind._tag === "Maybe" && given === undefined) {
    const isWord = next !== undefined && !next.startsWith("-")
    const takes = isWord && kind.takes?.test(next) === true
    reading.values[key] = takes ? next : ""
    if (isWord && !takes) reading.behind[key] = reading.words.push(next) - 1
    return isWord ? 2 : 1
  }
  const text = given ?? next
  if (text === undefined || (given === undefined && Flags.named.has(text))) {
    complain(reading, `${name} needs a value: ${name} ${Flag.placeholder(kind)}.`)
    return 1
  }
  accept(reading, key, name, kind, text)
  return given === undefined ? 2 : 1
}

const accept = (reading: Reading, key: Flags.Key, name: string, kind: Flag.Kind, text: string): void => {
  switch (kind._tag) {
    case "Choice": {
      const choice = kind.also?.[text] ?? text
      if (kind.choices.includes(choice)) reading.values[key] = choice
      else complain(reading, `${name} is one of ${kind.choices.join(", ")}; "${text}" is not.${meant(text, kind.choices)}`)
      return
    }
    case "Number": {
      const number = text.trim() === "" ? Number.NaN : Number(text)
      if (Number.isFinite(number) && number > 0 && (!kind.integer || Number.isInteger(number))) reading.values[key] = number
      else complain(reading, `${name} needs a ${kind.integer ? "whole " : ""}number above 0; "${text}" is none.`)
      return
    }
    case "Each":
      reading.values[key] = [...(reading.values[key] as ReadonlyArray<string> | undefined ?? []), text]
      return
    case "List":
      reading.values[key] = [...(reading.values[key] as ReadonlyArray<string> | undefined ?? []), ...items(text)]
      return
    default:
      reading.values[key] = text
  }
}

/** Several short switches may share a dash (`-pc`); anything else is told with what may have been meant. */
const unknown = (reading: Reading, token: string, name: string, next: string | undefined): number => {
  const letters = /^-[A-Za-z]{2,}$/.test(name) ? [...name.slice(1)].map((letter) => `-${letter}`) : []
  if (letters.length > 0 && letters.every((letter) => Flags.named.has(letter)) &&
    letters.slice(0, -1).every((letter) => Flags.named.get(letter)![1].kind._tag === "Switch")) {
    letters.slice(0, -1).forEach((letter) => flag(reading, letter, undefined))
    return flag(reading, letters.at(-1)! + token.slice(name.length), next)
  }
  complain(reading, `Unknown flag ${name}.${meant(name, [...Flags.named.keys(), ...Object.keys(Flags.shorthands)])}`)
  return 1
}

/** A list's items: commas and spaces part them, but not inside the parentheses of a rule. */
export const items = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let depth = 0
  let item = ""
  for (const char of text) {
    if (char === "(") depth++
    if (char === ")") depth = Math.max(0, depth - 1)
    if (depth === 0 && (char === "," || char === " " || char === "\n")) {
      found.push(item)
      item = ""
    } else item += char
  }
  return [...found, item].filter((item) => item !== "")
}

/** `sesions list` is a command mistyped rather than a task of two words: nobody wants to pay for that. */
const mistyped = ({ command, words }: Reading): string | undefined => {
  const [first, second] = words
  if (command !== undefined || first === undefined || second === undefined) return undefined
  const near = Commands.list.find(({ actions, name }) => actions.includes(second) && distance(first, name) <= 2)
  return near === undefined ? undefined : `There is no command "${first}". Did you mean \`dacapo ${near.name} ${second}\`?`
}

const complain = (reading: Reading, problem: string): void => {
  reading.problem ??= problem
}

const meant = (text: string, names: ReadonlyArray<string>): string => {
  const near = names
    .map((name) => ({ name, far: distance(text.toLowerCase(), name.toLowerCase()) }))
    .filter(({ far, name }) => far <= Math.max(2, Math.floor(name.length / 4)))
    .sort((a, b) => a.far - b.far)[0]
  return near === undefined ? "" : ` Did you mean ${near.name}?`
}

const spelled = (command: string): string => command === "run" ? "dacapo" : `dacapo ${command}`

const owners = ({ on = [] }: Flag.Flag): string => on.map((command) => `\`${spelled(command)}\``).join(", ")
