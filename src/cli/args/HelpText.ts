/** Help texts, generated from the tables of commands and flags, at most 80 columns wide. */
import type { Command } from "../Command.ts"
import * as ExitCode from "../process/ExitCode.ts"
import * as Flag from "./Flag.ts"
import * as Flags from "./Flags.ts"

const width = 80

/** The text of `dacapo --help`. */
export const overview = (commands: ReadonlyArray<Command>): string => {
  const run = commands.find(({ name }) => name === "run")!
  return page([
    "dacapo: a coding agent whose every run can be replayed.",
    section("Usage", [...run.usage, "dacapo <command> [flags]"]),
    section("Examples", run.examples.flatMap(example)),
    section("Commands", commands.filter(({ name }) => name !== "run").flatMap(({ name, summary }) => row(name, summary, 14))),
    section("Flags", flags("run")),
    section("Environment", environment.flatMap(([name, what]) => row(name, what, 24))),
    "Run `dacapo help <command>` for details of a command, and\n`dacapo help exit-codes` for the exit codes."
  ])
}

/** The help of one command. */
export const of = (command: Command): string =>
  page([
    wrap(command.summary, width, 0).join("\n"),
    section("Usage", command.usage.flatMap((usage) => wrapped(usage, 4))),
    section("Examples", command.examples.flatMap(example)),
    section("Flags", flags(command.name))
  ])

/** The text of `dacapo help exit-codes`. */
export const exitCodes = (): string => {
  const endings = Object.values(ExitCode.endings as Readonly<Record<string, ExitCode.Ending>>).sort((a, b) => a.exit - b.exit)
  const subtypeWidth = Math.max(...endings.map(({ subtype }) => subtype.length)) + 2
  const rows = endings.flatMap(({ exit, subtype, description }) =>
    row(`${exit}`.padStart(3), `${subtype.padEnd(subtypeWidth)}${description}`, 5, 5 + subtypeWidth)
  )
  return page(["Exit codes, with the result subtype and the cause of each.", section("Exit codes", rows)])
}

/** Variables that people set. */
export const environment: ReadonlyArray<readonly [string, string]> = [
  ["DACAPO_HOME", "Folder for settings, sessions and caches."],
  ["DACAPO_MODEL", "Model to use when --model is not given."],
  ["DACAPO_STORAGE", "Where sessions are stored, like --storage."],
  ["ANTHROPIC_API_KEY, OPENAI_API_KEY, …", "API keys; `dacapo models` lists the variable of each provider."],
  ["NO_COLOR, FORCE_COLOR", "Turn colour off or on."]
]

const page = (parts: ReadonlyArray<string>): string => `${parts.filter((part) => part !== "").join("\n\n")}\n`

const section = (title: string, lines: ReadonlyArray<string>): string =>
  lines.length === 0 ? "" : [`${title}:`, ...lines.map((line) => `  ${line}`)].join("\n")

const example = ([call, effect]: readonly [string, string]): ReadonlyArray<string> => [
  ...wrapped(call, 4),
  ...wrap(effect, width - 6, 0).map((line) => `    ${line}`)
]

/** A line of a section, continued with a hanging indent. */
const wrapped = (line: string, hang: number): ReadonlyArray<string> =>
  wrap(line, width - 2, hang).map((part, i) => i === 0 ? part : `${" ".repeat(hang)}${part}`)

const flags = (command: string): ReadonlyArray<string> =>
  Flags.visible.filter(([, flag]) => Flags.applies(flag, command)).flatMap(([, flag]) => row(spelling(flag), flagText(flag), 30))

/** Short names first, as in manual pages. The long names of other tools are accepted but not shown. */
export const spelling = ({ kind, names: [name, ...others] }: Flag.Flag): string => {
  const short = others.filter((other) => !other.startsWith("--"))
  const value = kind._tag === "Choice"
    ? `<${kind.choices.length > 3 ? kind.value ?? "mode" : kind.choices.join("|")}>`
    : Flag.placeholder(kind)
  const placeholder = kind._tag === "Maybe" ? ` [${kind.value}]` : value === "" ? "" : ` ${value}`
  return `${[...short, name].join(", ")}${placeholder}`
}

/** The description of a flag, with many choices named. */
export const flagText = ({ doc, kind }: Flag.Flag): string =>
  kind._tag === "Choice" && kind.choices.length > 3 ? `${doc} One of ${kind.choices.join(", ")}.` : doc

/** A name and its description, wrapped with a hanging indent. A long name gets its own line. */
const row = (name: string, text: string, indent: number, hang = indent): ReadonlyArray<string> => {
  const lines = wrap(text, width - 2 - indent, hang - indent)
  const [first = "", ...rest] = lines
  const continuation = rest.map((line) => " ".repeat(hang) + line)
  return name.length + 2 > indent
    ? [name, " ".repeat(indent) + first, ...continuation]
    : [name.padEnd(indent) + first, ...continuation]
}

const wrap = (text: string, columns: number, hang: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(/(?<=\S) (?=\S)/)) {
    const last = lines.at(-1)
    const width = lines.length > 1 ? columns - hang : columns
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
