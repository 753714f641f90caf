/** `dacapo completion bash|zsh|fish`: made of the same tables as everything else. */
import * as Effect from "effect/Effect"
import type { Command, Run } from "../Commands.ts"
import { UsageError } from "../process/CliError.ts"
import type * as Flag from "../args/Flag.ts"
import * as Flags from "../args/Flags.ts"
import { Host } from "../process/Host.ts"

export const run: Run = Effect.fnUntraced(function*({ commands, words: [shell = ""] }) {
  const { stdout } = yield* Host
  const script = scripts[shell]
  if (script === undefined) return yield* new UsageError({ message: `Completions exist for ${Object.keys(scripts).join(", ")}; "${shell}" is none of them.` })
  yield* stdout.write(script(commands))
  return 0
})

type List = ReadonlyArray<Command>

const names = (command: string): ReadonlyArray<string> =>
  Flags.entries.filter(([, flag]) => Flags.applies(flag, command)).flatMap(([, flag]) => long(flag))

const long = ({ names }: Flag.Flag): ReadonlyArray<string> => names.filter((name) => name.startsWith("--"))

const words = (command: Command): string => `'${[...command.actions, ...names(command.name)].join(" ")}'`

/** Flags whose value is one of a few words: those that the table has, or those that a command says. */
const choices = Flags.entries.flatMap(([, { kind, names }]) =>
  kind._tag === "Choice" ? [{ names, words: `'${kind.choices.join(" ")}'` }]
  : kind._tag === "Text" && kind.offers !== undefined ? [{ names, words: `"$(${kind.offers})"` }]
  : [])

const quoted = (text: string): string => text.replaceAll("'", "'\\''")

/** A case of bash: after one of these words, offer those, as bash writes them. */
const offer = (after: ReadonlyArray<string>, words: string): string =>
  `    ${after.join("|")}) ${reply(words)}; return ;;`

const reply = (words: string): string => `COMPREPLY=($(compgen -W ${words} -- "$current"))`

const bash = (commands: List): string => `_dacapo() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  case "$previous" in
${choices.map(({ names, words }) => offer(names, words)).join("\n")}
  esac
  case "\${COMP_WORDS[1]}" in
${others(commands).map((command) => offer([command.name, ...command.aliases], words(command))).join("\n")}
  esac
  ${reply(`'${[...commands.map(({ name }) => name), ...names("run")].join(" ")}'`)}
}
complete -o default -F _dacapo dacapo
`

/** All but the default one, whose name nobody types. */
const others = (commands: List): List => commands.filter(({ name }) => name !== "run")

/** The completion of bash; a zsh without any of its own begins with that. */
const zsh = (commands: List): string => `#compdef dacapo
whence compdef > /dev/null || { autoload -U compinit && compinit; }
autoload -U +X bashcompinit && bashcompinit
${bash(commands)}`

const fish = (commands: List): string =>
  [
    ...others(commands).flatMap(({ actions, name, summary }) => [
      `complete -c dacapo -n __fish_use_subcommand -a ${name} -d '${quoted(summary)}'`,
      ...actions.map((action) => `complete -c dacapo -n '__fish_seen_subcommand_from ${name}' -a ${action}`)
    ]),
    ...Flags.entries.flatMap(([, flag]) =>
      long(flag).map((name) => `complete -c dacapo -l ${name.slice(2)}${values(flag)} -d '${quoted(flag.doc)}'`)
    ),
    ""
  ].join("\n")

/** What fish offers behind a flag. */
const values = ({ kind }: Flag.Flag): string =>
  kind._tag === "Choice" ? ` -x -a '${kind.choices.join(" ")}'`
  : kind._tag === "Text" && kind.offers !== undefined ? ` -x -a '(${kind.offers})'`
  : kind._tag === "Switch" ? "" : " -r"

const scripts: Readonly<Record<string, (commands: List) => string>> = { bash, zsh, fish }
