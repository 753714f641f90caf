/** Parses the arguments of the command line, by the table of flags. */
import { optional } from "../../domain/Optional.ts"
import type { OptionalValueIndexes } from "../Command.ts"
import * as Commands from "../Commands.ts"
import { didYouMean, nearNames } from "./DidYouMean.ts"
import * as Flag from "./Flag.ts"
import * as Flags from "./Flags.ts"
import * as Table from "../../domain/Table.ts"

/**
 * - `command`: the name of the command; `run` if none is named.
 * - `args`: the arguments that are neither flags nor the command.
 * - `optionalValueIndexes`: flags given without a value, each with the index in `args` of the argument that may be its value.
 * - `problem`: the first error, as a sentence. `values` still hold what could be parsed, because the error is reported in the
 *   requested output format.
 */
export interface CommandLine {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly values: Flags.Values
  readonly optionalValueIndexes?: OptionalValueIndexes
  readonly problem?: string
}

interface ParserState {
  readonly values: Record<string, unknown>
  readonly args: Array<string>
  readonly optionalValueIndexes: Record<string, number>
  readonly flags: Array<readonly [string, Flag.Flag]>
  command: string | undefined
  problem: string | undefined
}

export const parse = (args: ReadonlyArray<string>): CommandLine => {
  const state: ParserState = { values: {}, args: [], optionalValueIndexes: {}, flags: [], command: undefined, problem: undefined }
  let i = 0
  while (i < args.length) {
    const token = args[i]!
    if (token === "--") {
      state.args.push(...args.slice(i + 1))
      break
    }
    i += token.startsWith("-") && token !== "-" ? takeFlag(state, token, args[i + 1]) : takeArg(state, token)
  }
  const command = state.command ?? "run"
  const misplacedFlag = state.flags.find(([, flag]) => !Flags.applies(flag, command))
  const problem = state.problem ??
    (misplacedFlag === undefined
      ? unknownCommand(state) ?? (args.length === 1 ? loneWord(state) : undefined)
      : `${misplacedFlag[0]} is not a flag of \`${commandText(command)}\`; use it with ${supportingCommands(misplacedFlag[1])}.`)
  return {
    command,
    args: state.args,
    values: state.values as Flags.Values,
    ...(Object.keys(state.optionalValueIndexes).length === 0 ? {} : { optionalValueIndexes: state.optionalValueIndexes }),
    ...optional({ problem })
  }
}

/** The first argument may name a command, unless `--print` came before it. */
const takeArg = (state: ParserState, token: string): number => {
  const command = Commands.byName.get(token)
  if (command !== undefined && state.command === undefined && state.args.length === 0 && state.values.print !== true) {
    state.command = command.name
  } else state.args.push(token)
  return 1
}

/** Parses one flag and returns the number of arguments that it consumed. */
const takeFlag = (state: ParserState, token: string, next: string | undefined): number => {
  const equalsIndex = token.indexOf("=")
  const name = equalsIndex === -1 ? token : token.slice(0, equalsIndex)
  const inlineValue = equalsIndex === -1 ? undefined : token.slice(equalsIndex + 1)
  const shorthand = Flags.shorthands[name]
  if (shorthand !== undefined && inlineValue === undefined) {
    state.values[shorthand.flag] = shorthand.value
    state.flags.push([name, Flags.table[shorthand.flag]])
    return 1
  }
  const entry = Flags.byName.get(name)
  if (entry === undefined) return takeUnknownFlag(state, token, name, next)
  const [key, { kind }] = entry
  state.flags.push([name, entry[1]])
  if (kind._tag === "Switch") {
    if (inlineValue === undefined || inlineValue === "true" || inlineValue === "false") state.values[key] = inlineValue !== "false"
    else reportProblem(state, `${name} takes no value, but was given "${inlineValue}".`)
    return 1
  }
  if (kind._tag === "Maybe" && inlineValue === undefined) {
    const isArg = next !== undefined && !next.startsWith("-")
    const isValue = isArg && kind.pattern?.test(next) === true
    state.values[key] = isValue ? next : ""
    if (isArg && !isValue) state.optionalValueIndexes[key] = state.args.push(next) - 1
    return isArg ? 2 : 1
  }
  const value = inlineValue ?? next
  if (value === undefined || (inlineValue === undefined && Flags.byName.has(value))) {
    reportProblem(state, `${name} needs a value: ${name} ${Flag.placeholder(kind)}.`)
    return 1
  }
  accept(state, key, name, kind, value)
  return inlineValue === undefined ? 2 : 1
}

const accept = (state: ParserState, key: Flags.Key, name: string, kind: Flag.Kind, text: string): void => {
  switch (kind._tag) {
    case "Choice": {
      const choice = kind.aliases?.[text] ?? text
      if (kind.choices.includes(choice)) state.values[key] = choice
      else reportInvalid(state, name, text, `one of ${kind.choices.join(", ")}.${didYouMean(text, kind.choices)}`)
      return
    }
    case "Number": {
      const number = text.trim() === "" ? Number.NaN : Number(text)
      const isValid = Number.isFinite(number) && (number > 0 || number === kind.min) && (!kind.integer || Number.isInteger(number))
      if (isValid) state.values[key] = number
      else reportInvalid(state, name, text, `${kind.integer ? "an integer" : "a number"} ${kind.min === 0 ? "of 0 or more" : "above 0"}.`)
      return
    }
    case "Each":
      state.values[key] = [...(state.values[key] as ReadonlyArray<string> | undefined ?? []), text]
      return
    case "List":
      state.values[key] = [...(state.values[key] as ReadonlyArray<string> | undefined ?? []), ...splitList(text)]
      return
    default:
      state.values[key] = text
  }
}

/** Short switches can share a dash (`-pc`). For anything else, the error suggests similar flags. */
const takeUnknownFlag = (state: ParserState, token: string, name: string, next: string | undefined): number => {
  const flags = /^-[A-Za-z]{2,}$/.test(name) ? [...name.slice(1)].map((character) => `-${character}`) : []
  const switches = flags.slice(0, -1)
  if (
    flags.length > 0 && flags.every((flag) => Flags.byName.has(flag)) &&
    switches.every((flag) => Flags.byName.get(flag)![1].kind._tag === "Switch")
  ) {
    switches.forEach((flag) => takeFlag(state, flag, undefined))
    return takeFlag(state, flags.at(-1)! + token.slice(name.length), next)
  }
  reportProblem(state, `Unknown flag ${name}.${didYouMean(name, [...Flags.byName.keys(), ...Object.keys(Flags.shorthands)])}`)
  return 1
}

/** The items of a list, separated by commas or spaces, except inside the parentheses of a rule. */
export const splitList = (text: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let depth = 0
  let item = ""
  for (const char of text) {
    if (char === "(") depth++
    if (char === ")") depth = Math.max(0, depth - 1)
    if (depth === 0 && (char === "," || char === " " || char === "\n")) {
      parts.push(item)
      item = ""
    } else item += char
  }
  return [...parts, item].filter((item) => item !== "")
}

/** `sesions list` is more likely a mistyped command than a prompt, so it is not sent to a model. */
const unknownCommand = ({ command, args }: ParserState): string | undefined => {
  const [first, second] = args
  if (command !== undefined || first === undefined || second === undefined) return undefined
  const suggestion = Commands.list.find(({ actions, name }) => actions.includes(second) && nearNames(first, [name]).length > 0)
  return suggestion === undefined ? undefined : `Unknown command "${first}". Did you mean \`dacapo ${suggestion.name} ${second}\`?`
}

/** Words that are commands of similar programs, and what they are here. */
const otherNames: Readonly<Record<string, string>> = {
  continue: "--continue",
  login: "auth login",
  logout: "auth logout",
  resume: "--resume"
}

/** A single word that is almost a command is no prompt either: `doctr`, `login`. */
const loneWord = ({ args: [word] }: ParserState): string | undefined => {
  if (word === undefined) return undefined
  const [near] = word.length < 4 ? [] : nearNames(word, Commands.list.map(({ name }) => name), word.length < 6 ? 1 : 2)
  const name = Table.entry(otherNames, word) ?? near
  return name === undefined ? undefined
    : `Unknown command "${word}". Did you mean \`dacapo ${name}\`? To send it as a prompt, use \`dacapo -- ${word}\`.`
}

const reportInvalid = (state: ParserState, name: string, text: string, expected: string): void =>
  reportProblem(state, `"${text}" is not a valid value for ${name}; expected ${expected}`)

const reportProblem = (state: ParserState, problem: string): void => {
  state.problem ??= problem
}

const commandText = (command: string): string => command === "run" ? "dacapo" : `dacapo ${command}`

const supportingCommands = ({ commands = [] }: Flag.Flag): string => commands.map((command) => `\`${commandText(command)}\``).join(", ")
