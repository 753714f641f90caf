/** User-defined slash commands: files of the project and of the user, dacapo's and other agents', read when one is called. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { basename } from "node:path"
import * as ProjectFiles from "../../domain/config/ProjectFiles.ts"
import type { Syntax } from "../../domain/message/CommandSyntax.ts"
import * as SlashCommand from "../../domain/message/SlashCommand.ts"
import { Plugins } from "../../services/extension/Plugins.ts"
import { Bare } from "../../services/Settings.ts"
import { Environment } from "../../services/Environment.ts"
import { Trust } from "../../services/Trust.ts"
import { SmallFiles } from "./sources/SmallFile.ts"

/** Limits: bytes of a file, and the depth of folders. */
const limits = { bytes: 256 * 1024, depth: 3 }

/** A folder of commands, their syntax, and which of them are active; those of a plugin have its name before theirs. */
interface CommandFolder {
  readonly folder: string
  readonly syntax: Syntax
  readonly plugin?: string
  readonly isActive: (file: string, text: string) => boolean
}

/** The file of a command within a folder of this syntax. */
const file = (name: string, syntax: Syntax): string => `${name.replaceAll(":", "/")}${SlashCommand.extension(syntax)}`

/** The files that may define a command in a project, in order of precedence. */
export const projectFiles = (name: string): ReadonlyArray<string> =>
  ProjectFiles.of("commands").map(({ path, syntax = "markdown" }) => `${path}/${file(name, syntax)}`)

/**
 * The project's before the user's before those of plugins: of two with the same name the nearer wins. Unconfirmed files in a folder
 * add none. The folders of other agents are read after dacapo's own.
 */
const commandFolders = Effect.fnUntraced(
  function*(cwd: string): Effect.fn.Return<ReadonlyArray<CommandFolder>, never, Environment | Trust> {
    const { folders: { config, home }, variables } = yield* Environment
    if (yield* Bare) return []
    const isActive = yield* (yield* Trust).activePredicate(cwd).pipe(Effect.orElseSucceed(() => () => false))
    const ofUser = (folder: string, syntax: Syntax = "markdown"): CommandFolder => ({ folder, syntax, isActive: () => true })
    return [
      ...ProjectFiles.of("commands").map(({ path, syntax = "markdown" }): CommandFolder => ({
        folder: `${cwd}/${path}`,
        syntax,
        isActive: (file, text) => isActive(`${path}/${file}`, text)
      })),
      ofUser(`${config}/commands`),
      ofUser(`${home}/.claude/commands`),
      ofUser(`${home}/.config/opencode/command`),
      ofUser(`${home}/.config/opencode/commands`),
      ofUser(`${home}/.gemini/commands`, "gemini"),
      ofUser(`${variables["CODEX_HOME"] || `${home}/.codex`}/prompts`, "codex"),
      ...(yield* (yield* Plugins).active).plugins.flatMap(({ commands, name }) =>
        commands.map((folder): CommandFolder => ({ ...ofUser(folder), plugin: name }))
      )
    ]
  }
)

/** An active command file that can't be used, and why. */
export interface FaultyCommand {
  readonly file: string
  readonly why: string
}

/** The command of this name; undefined if there is none. Codex calls its prompts `/prompts:name`. */
export const find = Effect.fnUntraced(function*(cwd: string, name: string) {
  const files = yield* SmallFiles
  if (name.includes("..")) return undefined
  for (const source of yield* commandFolders(cwd)) {
    const command = yield* read(files, source, source.syntax === "codex" ? name.replace(/^prompts:/, "") : name)
    if (command !== undefined) return command
  }
  return undefined
})

/** Those that can be used. */
export const all = Effect.fnUntraced(function*(cwd: string) {
  const files = yield* SmallFiles
  const commands = new Map<string, SlashCommand.SlashCommand>()
  for (const source of yield* commandFolders(cwd)) {
    for (const name of yield* names(files, source, "", prefixOf(source), limits.depth)) {
      const command = commands.has(name) ? undefined : yield* read(files, source, name)
      if (command !== undefined && Result.isSuccess(command)) commands.set(name, command.success)
    }
  }
  return [...commands.values()].sort((a, b) => a.name < b.name ? -1 : 1)
})

const read = (
  files: SmallFiles["Service"],
  source: CommandFolder,
  name: string
): Effect.Effect<Result.Result<SlashCommand.SlashCommand, FaultyCommand> | undefined> => {
  const { folder, isActive, syntax } = source
  const prefix = prefixOf(source)
  const inFolder = file(name.slice(prefix.length), syntax)
  const path = isSingleFile(source) ? folder : `${folder}/${inFolder}`
  if (!name.startsWith(prefix) || !path.endsWith(`/${inFolder}`)) return Effect.succeed(undefined)
  return Effect.map(files.read(path, limits.bytes), (content) =>
    content._tag === "Text" && isActive(inFolder, content.text)
      ? Result.mapError(SlashCommand.parseFile(name, content.text, syntax), (why) => ({ file: path, why }))
      : undefined)
}

const prefixOf = ({ plugin }: CommandFolder): string => plugin === undefined ? "" : `${plugin}:`

/** A plugin's manifest may also name a single file. */
const isSingleFile = ({ folder, plugin, syntax }: CommandFolder): boolean =>
  plugin !== undefined && folder.endsWith(SlashCommand.extension(syntax))

const names = (
  files: SmallFiles["Service"],
  source: CommandFolder,
  subfolder: string,
  prefix: string,
  depth: number
): Effect.Effect<ReadonlyArray<string>> => {
  const extension = SlashCommand.extension(source.syntax)
  if (isSingleFile(source)) return Effect.succeed([`${prefix}${basename(source.folder, extension)}`])
  return files.names(`${source.folder}${subfolder}`).pipe(
    Effect.flatMap((entries) =>
      Effect.forEach(
        [...entries].sort(),
        (entry) =>
          entry.endsWith(extension) ? Effect.succeed([`${prefix}${entry.slice(0, -extension.length)}`])
            : depth > 0 && !entry.includes(".") ? names(files, source, `${subfolder}/${entry}`, `${prefix}${entry}:`, depth - 1)
            : Effect.succeed([])
      )
    ),
    Effect.map((lists) => lists.flat())
  )
}
