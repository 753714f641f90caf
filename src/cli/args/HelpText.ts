/** Help, made of the tables of commands and flags: nothing here is written twice. At most 80 columns wide. */
import type * as Commands from "../Commands.ts"
import * as ExitCode from "../process/ExitCode.ts"
import * as Flag from "./Flag.ts"
import * as Flags from "./Flags.ts"

const width = 80

/** Everything: what `dacapo --help` shows. */
export const whole = (commands: ReadonlyArray<Commands.Command>): string => {
  const run = commands.find(({ name }) => name === "run")!
  return page([
    "dacapo: a coding agent whose every run can be executed again.",
    section("Usage", [...run.usage, "dacapo <command> [flags]"]),
    section("Examples", run.examples.flatMap(example)),
    section("Commands", commands.filter(({ name }) => name !== "run").flatMap(({ name, summary }) => row(name, summary, 14))),
    section("Flags", flags("run")),
    section("Environment", environment.flatMap(([name, what]) => row(name, what, 24))),
    "`dacapo help <command>` tells more of one.\n`dacapo help exit-codes` lists how a run can end."
  ])
}

/** One command's help. */
export const of = (command: Commands.Command): string =>
  page([
    command.summary,
    section("Usage", command.usage),
    section("Examples", command.examples.flatMap(example)),
    section("Flags", flags(command.name))
  ])

/** How runs end. */
export const exitCodes = (): string => {
  const rows = Object.values(ExitCode.endings as Readonly<Record<string, ExitCode.Ending>>).sort((a, b) => a.exit - b.exit)
  return page([
    "How a run can end: exit code, subtype of the result, and why.",
    section("Endings", rows.flatMap(({ exit, subtype, what }) => row(`${exit}`.padStart(3), `${subtype.padEnd(24)} ${what}`, 6, 31)))
  ])
}

const environment: ReadonlyArray<readonly [string, string]> = [
  ["DACAPO_HOME", "Keeps everything (settings, sessions, caches) in this folder."],
  ["DACAPO_MODEL", "The model where --model names none."],
  ["ANTHROPIC_API_KEY, OPENAI_API_KEY, …", "Keys; `dacapo models` tells which provider wants which."],
  ["NO_COLOR, FORCE_COLOR", "Colour off, colour on."]
]

const page = (parts: ReadonlyArray<string>): string => `${parts.filter((part) => part !== "").join("\n\n")}\n`

const section = (title: string, lines: ReadonlyArray<string>): string =>
  lines.length === 0 ? "" : [`${title}:`, ...lines.map((line) => `  ${line}`)].join("\n")

const example = ([call, does]: readonly [string, string]): ReadonlyArray<string> => [`${call}`, `    ${does}`]

const flags = (command: string): ReadonlyArray<string> =>
  Flags.entries.filter(([, flag]) => Flags.applies(flag, command)).flatMap(([, flag]) => row(spelling(flag), described(flag), 30))

/** Short spellings first, as manuals do; other tools' long ones are accepted and not shown. */
const spelling = ({ kind, names: [name, ...others] }: Flag.Flag): string => {
  const short = others.filter((other) => !other.startsWith("--"))
  const value = kind._tag === "Choice" ? `<${kind.choices.length > 3 ? "mode" : kind.choices.join("|")}>` : Flag.placeholder(kind)
  const shown = kind._tag === "Maybe" ? ` [${kind.value}]` : value === "" ? "" : ` ${value}`
  return `${[...short, name].join(", ")}${shown}`
}

const described = ({ doc, kind }: Flag.Flag): string =>
  kind._tag === "Choice" && kind.choices.length > 3 ? `${doc} One of ${kind.choices.join(", ")}.` : doc

/** A name and what it is, wrapped under itself; a long name has a line of its own. */
const row = (name: string, text: string, indent: number, hang = indent): ReadonlyArray<string> => {
  const lines = wrap(text, width - 2 - indent, hang - indent)
  const [first = "", ...rest] = lines
  const under = rest.map((line) => " ".repeat(hang) + line)
  return name.length + 2 > indent
    ? [name, " ".repeat(indent) + first, ...under]
    : [name.padEnd(indent) + first, ...under]
}

const wrap = (text: string, columns: number, hang: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(/(?<=\S) (?=\S)/)) {
    const last = lines.at(-1)
    const room = lines.length > 1 ? columns - hang : columns
    if (last !== undefined && last.length + 1 + word.length <= room) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
