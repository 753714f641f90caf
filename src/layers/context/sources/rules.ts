/** The rules files of the machine, the user and the project, from the farthest to the nearest. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Rules from "../../../domain/context/Rules.ts"
import * as PathName from "../../../domain/workspace/PathName.ts"
import * as Root from "../../../domain/workspace/Root.ts"
import { Environment } from "../../../services/Environment.ts"
import { define } from "../../../services/Source.ts"
import { above } from "./folders.ts"
import * as SmallFile from "./SmallFile.ts"

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
    const root = yield* realPath(files, project[0] ?? cwd)
    const places = [
      { paths: [managed] },
      { paths: [`${folders.config}/AGENTS.md`] },
      ...project.flatMap((folder) => [shared, own].map((names) => ({ paths: names.map((name) => `${folder}/${name}`), root })))
    ]
    const found = yield* Effect.forEach(places, (place) => firstOf(files, place), { concurrency: 8 })
    return { rules: Rules.fit(found.flat().map(({ path, text }) => ({ path: PathName.of(cwd, path), text })), Rules.limit) }
  })
})

/** Files of which the first that is there counts; those of a project must lie in its `root`, whatever links say. */
interface Place {
  readonly paths: ReadonlyArray<string>
  readonly root?: string
}

/** From the repository's root down to `cwd`; without a repository `cwd` alone. */
const projectFolders = Effect.fnUntraced(function*(files: FileSystem.FileSystem, cwd: string) {
  const folders = above(cwd)
  for (const [i, folder] of folders.entries()) {
    const isRoot = yield* files.exists(`${folder}/.git`).pipe(Effect.orElseSucceed(() => false))
    if (isRoot) return folders.slice(0, i + 1).toReversed()
  }
  return folders.slice(0, 1)
})

const firstOf = Effect.fnUntraced(function*(files: FileSystem.FileSystem, { paths, root }: Place) {
  for (const path of paths) {
    const found = yield* read(files, path, root)
    if (found.length > 0) return found
  }
  return []
})

/** A file, or a folder of Markdown files in the order of their names; nothing where there is neither. */
const read = Effect.fnUntraced(function*(files: FileSystem.FileSystem, path: string, root: string | undefined): Effect.fn.Return<ReadonlyArray<Rules.File>> {
  const found = yield* SmallFile.read(files, path)
  if (found._tag === "Missing") return []
  if (root !== undefined && !Root.contains(root, yield* realPath(files, path))) {
    return [{ path, text: "[Not read: it is a link that leads out of the project.]" }]
  }
  if (found._tag === "TooLarge") return [{ path, text: `[Not read: it has ${found.bytes} bytes.]` }]
  if (found._tag === "Text") return found.text.trim() === "" ? [] : [{ path, text: found.text }]
  const names = Option.getOrElse(yield* Effect.option(files.readDirectory(path)), () => [])
  const rules = names.filter((name) => name.endsWith(".md")).sort()
  return (yield* Effect.forEach(rules, (name) => read(files, `${path}/${name}`, root))).flat()
})

const realPath = (files: FileSystem.FileSystem, path: string): Effect.Effect<string> =>
  files.realPath(path).pipe(Effect.orElseSucceed(() => path))
