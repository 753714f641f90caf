/** `efferent completion bash|zsh|fish`: made of the same tables as everything else. */
import * as Effect from "effect/Effect"
import type { Command, Run } from "../Commands.ts"
import { UsageError } from "../CliError.ts"
import * as Flags from "../Flags.ts"
import { Host } from "../Host.ts"

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

const long = ({ names }: Flags.Flag): ReadonlyArray<string> => names.filter((name) => name.startsWith("--"))

const words = (command: Command): ReadonlyArray<string> => [...command.actions, ...names(command.name)]

/** Flags whose value is one of a few words. */
const choices = Flags.entries.flatMap(([, { kind, names }]) => kind._tag === "Choice" ? [{ names, choices: kind.choices }] : [])

const quoted = (text: string): string => text.replaceAll("'", "'\\''")

/** A case of bash: after one of these words, offer those. */
const offer = (after: ReadonlyArray<string>, words: ReadonlyArray<string>): string =>
  `    ${after.join("|")}) ${reply(words)}; return ;;`

const reply = (words: ReadonlyArray<string>): string => `COMPREPLY=($(compgen -W '${words.join(" ")}' -- "$current"))`

const bash = (commands: List): string => `_efferent() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  case "$previous" in
${choices.map(({ choices, names }) => offer(names, choices)).join("\n")}
  esac
  case "\${COMP_WORDS[1]}" in
${others(commands).map((command) => offer([command.name, ...command.aliases], words(command))).join("\n")}
  esac
  ${reply([...commands.map(({ name }) => name), ...names("run")])}
}
complete -o default -F _efferent efferent
`

/** All but the default one, whose name nobody types. */
const others = (commands: List): List => commands.filter(({ name }) => name !== "run")

/** The completion of bash; a zsh without any of its own begins with that. */
const zsh = (commands: List): string => `#compdef efferent
whence compdef > /dev/null || { autoload -U compinit && compinit; }
autoload -U +X bashcompinit && bashcompinit
${bash(commands)}`

const fish = (commands: List): string =>
  [
    ...others(commands).flatMap(({ actions, name, summary }) => [
      `complete -c efferent -n __fish_use_subcommand -a ${name} -d '${quoted(summary)}'`,
      ...actions.map((action) => `complete -c efferent -n '__fish_seen_subcommand_from ${name}' -a ${action}`)
    ]),
    ...Flags.entries.flatMap(([, flag]) =>
      long(flag).map((name) => `complete -c efferent -l ${name.slice(2)}${values(flag)} -d '${quoted(flag.doc)}'`)
    ),
    ""
  ].join("\n")

/** What fish offers behind a flag. */
const values = ({ kind }: Flags.Flag): string =>
  kind._tag === "Choice" ? ` -x -a '${kind.choices.join(" ")}'` : kind._tag === "Switch" ? "" : " -r"

const scripts: Readonly<Record<string, (commands: List) => string>> = { bash, zsh, fish }
