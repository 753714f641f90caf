/** The rules files of the machine, the user and the project, from the farthest to the nearest. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Rules from "../../../domain/context/Rules.ts"
import * as PathName from "../../../domain/workspace/PathName.ts"
import { Environment } from "../../../services/Environment.ts"
import { define } from "../../../services/Source.ts"
import { above } from "./folders.ts"

/** In each folder the first of these that is there, then the first of the private ones. */
const shared = ["AGENTS.override.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md", ".clinerules", ".cursorrules"]
const own = ["AGENTS.local.md", "CLAUDE.local.md"]
const managed = "/etc/efferent/AGENTS.md"

export const rules = define({
  name: "rules",
  fixed: false,
  gather: Effect.fn("rules")(function*({ cwd }) {
    const files = yield* FileSystem.FileSystem
    const { folders } = yield* Environment
    const project = yield* projectFolders(files, cwd)
    const places = [[managed], [`${folders.config}/AGENTS.md`], ...project.flatMap((folder) => [
      shared.map((name) => `${folder}/${name}`),
      own.map((name) => `${folder}/${name}`)
    ])]
    const found = yield* Effect.forEach(places, (paths) => firstOf(files, paths), { concurrency: 8 })
    return { rules: Rules.fit(found.flat().map(({ path, text }) => ({ path: PathName.of(cwd, path), text })), Rules.limit) }
  })
})

/** From the repository's root down to `cwd`; without a repository `cwd` alone. */
const projectFolders = Effect.fnUntraced(function*(files: FileSystem.FileSystem, cwd: string) {
  const folders = above(cwd)
  for (const [i, folder] of folders.entries()) {
    const isRoot = yield* files.exists(`${folder}/.git`).pipe(Effect.orElseSucceed(() => false))
    if (isRoot) return folders.slice(0, i + 1).toReversed()
  }
  return folders.slice(0, 1)
})

const firstOf = Effect.fnUntraced(function*(files: FileSystem.FileSystem, paths: ReadonlyArray<string>) {
  for (const path of paths) {
    const found = yield* read(files, path)
    if (found.length > 0) return found
  }
  return []
})

/** A file, or a folder of Markdown files in the order of their names; nothing where neither can be read. */
const read = (files: FileSystem.FileSystem, path: string): Effect.Effect<ReadonlyArray<Rules.File>> =>
  text(files, path).pipe(
    Effect.flatMap((found) => found.length > 0 ? Effect.succeed(found) : folder(files, path))
  )

const text = (files: FileSystem.FileSystem, path: string): Effect.Effect<ReadonlyArray<Rules.File>> =>
  files.readFileString(path).pipe(
    Effect.map((text) => text.trim() === "" ? [] : [{ path, text }]),
    Effect.orElseSucceed(() => [])
  )

const folder = Effect.fnUntraced(function*(files: FileSystem.FileSystem, path: string) {
  const names = Option.getOrElse(yield* Effect.option(files.readDirectory(path)), () => [])
  const rules = names.filter((name) => name.endsWith(".md")).sort()
  return (yield* Effect.forEach(rules, (name) => text(files, `${path}/${name}`))).flat()
})
