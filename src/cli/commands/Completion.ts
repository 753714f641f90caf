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
  Flags.entries.filter(([, flag]) => Flags.applies(flag, command)).flatMap(([, flag]) => flag.names.filter((name) => name.startsWith("--")))

const words = (command: Command): ReadonlyArray<string> => [...command.actions, ...names(command.name)]

/** Flags whose value is one of a few words. */
const choices = Flags.entries.flatMap(([, { kind, names }]) => kind._tag === "Choice" ? [{ names, choices: kind.choices }] : [])

const quoted = (text: string): string => text.replaceAll("'", "'\\''")

const bash = (commands: List): string => `_efferent() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  case "$previous" in
${choices.map(({ choices, names }) => `    ${names.join("|")}) COMPREPLY=($(compgen -W '${choices.join(" ")}' -- "$current")); return ;;`).join("\n")}
  esac
  case "\${COMP_WORDS[1]}" in
${commands.filter(({ name }) => name !== "run").map((command) => `    ${[command.name, ...command.aliases].join("|")}) COMPREPLY=($(compgen -W '${words(command).join(" ")}' -- "$current")); return ;;`).join("\n")}
  esac
  COMPREPLY=($(compgen -W '${[...commands.map(({ name }) => name), ...names("run")].join(" ")}' -- "$current"))
}
complete -o default -F _efferent efferent
`

const zsh = (commands: List): string => `#compdef efferent
autoload -U +X bashcompinit && bashcompinit
${bash(commands)}`

const fish = (commands: List): string =>
  [
    ...commands.filter(({ name }) => name !== "run").flatMap((command) => [
      `complete -c efferent -n __fish_use_subcommand -a ${command.name} -d '${quoted(command.summary)}'`,
      ...command.actions.map((action) => `complete -c efferent -n '__fish_seen_subcommand_from ${command.name}' -a ${action}`)
    ]),
    ...Flags.entries.flatMap(([, { doc, kind, names }]) =>
      names.filter((name) => name.startsWith("--")).map((name) =>
        `complete -c efferent -l ${name.slice(2)}${kind._tag === "Choice" ? ` -x -a '${kind.choices.join(" ")}'` : kind._tag === "Switch" ? "" : " -r"} -d '${quoted(doc)}'`
      )
    ),
    ""
  ].join("\n")

const scripts: Readonly<Record<string, (commands: List) => string>> = { bash, zsh, fish }
