/** User-defined slash commands: Markdown files of the project and of the user, read when one is called. */
import * as Effect from "effect/Effect"
import * as SlashCommand from "../../domain/message/SlashCommand.ts"
import { Plugins } from "../../services/extension/Plugins.ts"
import { Bare } from "../../services/Settings.ts"
import { Environment } from "../../services/Environment.ts"
import { Trust } from "../../services/Trust.ts"
import { SmallFiles } from "./sources/SmallFile.ts"

/** Limits: bytes of a file, and the depth of folders. */
const limits = { bytes: 256 * 1024, depth: 3 }

/** Where a project stores them; those of other agents are read too. */
export const project = ".dacapo/commands"
const projectFolders = [project, ".claude/commands", ".opencode/command", ".opencode/commands"]

/** The file of a command within such a folder. */
export const file = (name: string): string => `${name.replaceAll(":", "/")}.md`

/** A folder of commands, and which of them are active; those of a plugin have its name before theirs. */
interface CommandFolder {
  readonly folder: string
  readonly plugin?: string
  readonly isActive: (file: string, text: string) => boolean
}

/** The project's before the user's before those of plugins: of two with the same name the nearer wins. Unconfirmed files add none. */
const commandFolders = Effect.fnUntraced(
  function*(cwd: string): Effect.fn.Return<ReadonlyArray<CommandFolder>, never, Environment | Trust> {
    const { folders: { config } } = yield* Environment
    if (yield* Bare) return []
    const isActive = yield* (yield* Trust).activePredicate(cwd).pipe(Effect.orElseSucceed(() => () => false))
    return [
      ...projectFolders.map((folder): CommandFolder => ({
        folder: `${cwd}/${folder}`,
        isActive: (file, text) => isActive(`${folder}/${file}`, text)
      })),
      { folder: `${config}/commands`, isActive: () => true },
      ...(yield* (yield* Plugins).active).plugins.flatMap(({ commands, name }) =>
        commands.map((folder): CommandFolder => ({ folder, plugin: name, isActive: () => true }))
      )
    ]
  }
)

/** The command of this name; undefined if there is none. */
export const find = Effect.fnUntraced(function*(cwd: string, name: string) {
  const files = yield* SmallFiles
  if (name.includes("..")) return undefined
  for (const source of yield* commandFolders(cwd)) {
    const command = yield* read(files, source, name)
    if (command !== undefined) return command
  }
  return undefined
})

export const all = Effect.fnUntraced(function*(cwd: string) {
  const files = yield* SmallFiles
  const commands = new Map<string, SlashCommand.SlashCommand>()
  for (const source of yield* commandFolders(cwd)) {
    const prefix = source.plugin === undefined ? "" : `${source.plugin}:`
    for (const name of yield* names(files, source.folder, prefix, limits.depth)) {
      const command = commands.has(name) ? undefined : yield* read(files, source, name)
      if (command !== undefined) commands.set(name, command)
    }
  }
  return [...commands.values()].sort((a, b) => a.name < b.name ? -1 : 1)
})

const read = (
  files: SmallFiles["Service"],
  { folder, isActive, plugin }: CommandFolder,
  name: string
): Effect.Effect<SlashCommand.SlashCommand | undefined> => {
  const prefix = plugin === undefined ? "" : `${plugin}:`
  if (!name.startsWith(prefix)) return Effect.succeed(undefined)
  const path = file(name.slice(prefix.length))
  // A plugin's manifest may also name a single file.
  const isFile = plugin !== undefined && folder.endsWith(".md")
  return Effect.map(
    files.read(isFile ? folder : `${folder}/${path}`, limits.bytes),
    (content) =>
      content._tag === "Text" && isActive(path, content.text) && (!isFile || folder.endsWith(`/${path}`))
        ? SlashCommand.parse(name, content.text) : undefined
  )
}

const names = (files: SmallFiles["Service"], folder: string, prefix: string, depth: number): Effect.Effect<ReadonlyArray<string>> =>
  folder.endsWith(".md") ? Effect.succeed([`${prefix}${folder.slice(folder.lastIndexOf("/") + 1, -3)}`]) : files.names(folder).pipe(
    Effect.flatMap((entries) =>
      Effect.forEach([...entries].sort(), (entry) =>
        entry.endsWith(".md") ? Effect.succeed([`${prefix}${entry.slice(0, -3)}`])
          : depth > 0 && !entry.includes(".") ? names(files, `${folder}/${entry}`, `${prefix}${entry}:`, depth - 1)
          : Effect.succeed([]))
    ),
    Effect.map((lists) => lists.flat())
  )
