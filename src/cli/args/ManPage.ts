/** The manual page dacapo(1), generated from the tables of commands, flags and exit codes, in the macros of man(7). */
import type { Command } from "../Command.ts"
import * as ExitCode from "../process/ExitCode.ts"
import type * as Flag from "./Flag.ts"
import * as Flags from "./Flags.ts"
import * as HelpText from "./HelpText.ts"

/** The page for these commands and this version. */
export const page = (commands: ReadonlyArray<Command>, version: string): string => {
  const run = commands.find(({ name }) => name === "run")!
  const others = commands.filter(({ name }) => name !== "run")
  return [
    `.TH DACAPO 1 "" "dacapo ${version}" "User Commands"`,
    ...section("NAME", [text("dacapo - a coding agent whose every run can be replayed")]),
    ...section("SYNOPSIS", [...run.usage, "dacapo <command> [flags]"].flatMap((line) => [".br", text(line)])),
    ...section("DESCRIPTION", [
      text("Without a command, dacapo works on a task in the terminal, or with -p headless, and prints the response."),
      ...examples(run)
    ]),
    ...section("OPTIONS", flags("run")),
    ...section("COMMANDS", others.flatMap(command)),
    ...section("ENVIRONMENT", HelpText.environment.flatMap(([name, what]) => item(name, what))),
    ...section("EXIT STATUS", exitCodes()),
    ...section("SEE ALSO", [text("dacapo help <command> shows the help of one command.")])
  ].map((line) => `${line}\n`).join("")
}

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> => [`.SH ${title}`, ...lines]

const item = (name: string, description: string): ReadonlyArray<string> => [".TP", `.B ${text(name)}`, text(description)]

const command = (one: Command): ReadonlyArray<string> => {
  const commandFlags = Flags.visible.filter(([, flag]) => flag.commands !== undefined && Flags.applies(flag, one.name))
  return [
    `.SS dacapo ${text(one.name)}`,
    text(one.summary),
    ...one.usage.flatMap((line) => [".br", text(line)]),
    ...commandFlags.flatMap(([, flag]) => flagItem(flag))
  ]
}

const examples = ({ examples }: Command): ReadonlyArray<string> =>
  examples.flatMap(([call, effect]) => [".PP", text(`${effect}:`), ".PP", ".in +4", text(call), ".in"])

const flags = (command: string): ReadonlyArray<string> =>
  Flags.visible.filter(([, flag]) => Flags.applies(flag, command)).flatMap(([, flag]) => flagItem(flag))

/** Every name of the flag, those of other tools too. */
const flagItem = (flag: Flag.Flag): ReadonlyArray<string> => {
  const others = flag.names.filter((name) => name.startsWith("--") && name !== flag.names[0])
  return item(HelpText.spelling(flag), `${HelpText.flagText(flag)}${others.length === 0 ? "" : ` Also ${others.join(", ")}.`}`)
}

const exitCodes = (): ReadonlyArray<string> => {
  const endings = Object.values(ExitCode.endings as Readonly<Record<string, ExitCode.Ending>>)
  const codes = [...new Set(endings.map(({ exit }) => exit))].sort((a, b) => a - b)
  return codes.flatMap((code) =>
    item(`${code}`, `${endings.filter(({ exit }) => exit === code).map(({ description }) => description).join("; ")}.`)
  )
}

/** A line of text: backslashes and hyphens as themselves, and nothing at its start that would be a request. */
const text = (line: string): string => {
  const escaped = line.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("…", "...")
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped
}
