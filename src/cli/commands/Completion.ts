/** `dacapo completion bash|zsh|fish`: completion scripts, generated from the tables of commands and flags. */
import * as Effect from "effect/Effect"
import type { Command, Run } from "../Command.ts"
import { UsageError } from "../process/CliError.ts"
import type * as Flag from "../args/Flag.ts"
import * as Flags from "../args/Flags.ts"
import { Host } from "../process/Host.ts"

export const run: Run = Effect.fnUntraced(function*({ commands, args: [shell = ""] }) {
  const { stdout } = yield* Host
  const script = scripts[shell]
  if (script === undefined) {
    return yield* new UsageError({ message: `"${shell}" is not a supported shell; expected one of ${Object.keys(scripts).join(", ")}.` })
  }
  yield* stdout.write(script(commands))
  return 0
})

type List = ReadonlyArray<Command>

const names = (command: string): ReadonlyArray<string> =>
  Flags.visible.filter(([, flag]) => Flags.applies(flag, command)).flatMap(([, flag]) => longNames(flag))

const longNames = ({ names }: Flag.Flag): ReadonlyArray<string> => names.filter((name) => name.startsWith("--"))

const wordList = (command: Command): string => `'${[...command.actions, ...names(command.name)].join(" ")}'`

/** Flags whose values can be completed: from the choices in the table, or from the output of a command. */
const choices = Flags.visible.flatMap(([, { kind, names }]) =>
  kind._tag === "Choice" ? [{ names, wordList: `'${kind.choices.join(" ")}'` }]
    : kind._tag === "Text" && kind.completionCommand !== undefined ? [{ names, wordList: `"$(${kind.completionCommand})"` }]
    : []
)

const escapeQuotes = (text: string): string => text.replaceAll("'", "'\\''")

/** A branch of a bash `case`: after one of the previous words, offer the list. */
const offer = (previousWords: ReadonlyArray<string>, wordList: string): string =>
  `    ${previousWords.join("|")}) ${reply(wordList)}; return ;;`

const reply = (wordList: string): string => `COMPREPLY=($(compgen -W ${wordList} -- "$current"))`

const bash = (commands: List): string =>
  `_dacapo() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  case "$previous" in
${choices.map(({ names, wordList }) => offer(names, wordList)).join("\n")}
  esac
  case "\${COMP_WORDS[1]}" in
${withoutRun(commands).map((command) => offer([command.name, ...command.aliases], wordList(command))).join("\n")}
  esac
  ${reply(`'${[...commands.map(({ name }) => name), ...names("run")].join(" ")}'`)}
}
complete -o default -F _dacapo dacapo
`

/** All commands except the default, whose name is rarely typed. */
const withoutRun = (commands: List): List => commands.filter(({ name }) => name !== "run")

/** The bash completion, with the zsh completion system loaded first if needed. */
const zsh = (commands: List): string =>
  `#compdef dacapo
whence compdef > /dev/null || { autoload -U compinit && compinit; }
autoload -U +X bashcompinit && bashcompinit
${bash(commands)}`

const fish = (commands: List): string =>
  [
    ...withoutRun(commands).flatMap(({ actions, name, summary }) => [
      `complete -c dacapo -n __fish_use_subcommand -a ${name} -d '${escapeQuotes(summary)}'`,
      ...actions.map((action) => `complete -c dacapo -n '__fish_seen_subcommand_from ${name}' -a ${action}`)
    ]),
    ...Flags.visible.flatMap(([, flag]) =>
      longNames(flag).map((name) => `complete -c dacapo -l ${name.slice(2)}${values(flag)} -d '${escapeQuotes(flag.doc)}'`)
    ),
    ""
  ].join("\n")

/** The values that fish offers after a flag. */
const values = ({ kind }: Flag.Flag): string =>
  kind._tag === "Choice" ? ` -x -a '${kind.choices.join(" ")}'`
    : kind._tag === "Text" && kind.completionCommand !== undefined ? ` -x -a '(${kind.completionCommand})'`
    : kind._tag === "Switch" ? "" : " -r"

const scripts: Readonly<Record<string, (commands: List) => string>> = { bash, zsh, fish }
