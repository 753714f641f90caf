/** The commands that users wrote down: Markdown files of the project and of the user, read when one is called. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as SlashCommand from "../../domain/message/SlashCommand.ts"
import { Bare } from "../../services/Bare.ts"
import { Environment } from "../../services/Environment.ts"
import { Trust } from "../../services/Trust.ts"

/** Bytes of one, and how deep folders go. */
const limits = { bytes: 256 * 1024, depth: 3 }

/** The project's before the user's: of two with one name the nearer counts. A folder that is not trusted adds none. */
const folders = Effect.fnUntraced(function*(cwd: string) {
  const { folders: { config } } = yield* Environment
  if (yield* Bare) return []
  const trusted = yield* (yield* Trust).holds(cwd).pipe(Effect.orElseSucceed(() => false))
  return [...(trusted ? [`${cwd}/.dacapo/commands`] : []), `${config}/commands`]
})

/** The command of this name; undefined where nobody wrote one. */
export const find = Effect.fnUntraced(function*(cwd: string, name: string) {
  const files = yield* FileSystem.FileSystem
  if (name.includes("..")) return undefined
  for (const folder of yield* folders(cwd)) {
    const found = yield* read(files, `${folder}/${name.replaceAll(":", "/")}.md`, name)
    if (found !== undefined) return found
  }
  return undefined
})

export const all = Effect.fnUntraced(function*(cwd: string) {
  const files = yield* FileSystem.FileSystem
  const found = new Map<string, SlashCommand.SlashCommand>()
  for (const folder of yield* folders(cwd)) {
    for (const name of yield* names(files, folder, "", limits.depth)) {
      const command = found.has(name) ? undefined : yield* read(files, `${folder}/${name.replaceAll(":", "/")}.md`, name)
      if (command !== undefined) found.set(name, command)
    }
  }
  return [...found.values()].sort((a, b) => a.name < b.name ? -1 : 1)
})

const read = (files: FileSystem.FileSystem, path: string, name: string): Effect.Effect<SlashCommand.SlashCommand | undefined> =>
  files.stat(path).pipe(
    Effect.flatMap(({ size, type }) => type === "File" && Number(size) <= limits.bytes ? files.readFileString(path) : Effect.succeed(undefined)),
    Effect.map((text) => text === undefined ? undefined : SlashCommand.parse(name, text)),
    Effect.orElseSucceed(() => undefined)
  )

const names = (files: FileSystem.FileSystem, folder: string, prefix: string, depth: number): Effect.Effect<ReadonlyArray<string>> =>
  files.readDirectory(folder).pipe(
    Effect.flatMap((entries) => Effect.forEach(entries.sort(), (entry) =>
      entry.endsWith(".md") ? Effect.succeed([`${prefix}${entry.slice(0, -3)}`])
      : depth > 0 && !entry.includes(".") ? names(files, `${folder}/${entry}`, `${prefix}${entry}:`, depth - 1)
      : Effect.succeed([]))),
    Effect.map((found) => found.flat()),
    Effect.orElseSucceed(() => [])
  )
