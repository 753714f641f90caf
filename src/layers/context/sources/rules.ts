/** The rules files of the machine, the user and the project, from the farthest to the nearest. */
import * as Effect from "effect/Effect"
import * as Rules from "../../../domain/context/RulesFiles.ts"
import * as PathName from "../../../domain/workspace/PathName.ts"
import * as Root from "../../../domain/workspace/Root.ts"
import { Bare } from "../../../services/Bare.ts"
import { Environment } from "../../../services/Environment.ts"
import { define } from "../../../services/Source.ts"
import { above } from "./folders.ts"
import { included } from "./included.ts"
import { SmallFiles } from "./SmallFile.ts"

/** In each folder the first of these that says something, then the first of the private ones. */
const shared = ["AGENTS.override.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md", ".clinerules", ".cursorrules"]
const own = ["AGENTS.local.md", "CLAUDE.local.md"]
const managed = "/etc/dacapo"

export const rules = define({
  name: "rules",
  fixed: false,
  gather: Effect.fn("rules")(function*({ cwd }) {
    const files = yield* SmallFiles
    const { folders } = yield* Environment
    const bare = yield* Bare
    const project = bare ? [] : yield* projectFolders(cwd)
    const root = yield* files.realPath(project[0] ?? cwd)
    const places: ReadonlyArray<Place> = [
      { folder: managed, lists: [["AGENTS.md"]], managed: true },
      ...(bare ? [] : [{ folder: folders.config, lists: [shared] }]),
      ...project.map((folder) => ({ folder, lists: [shared, own], root }))
    ]
    const found = yield* Effect.forEach(places, inFolder, { concurrency: 8 })
    // What other tools share stands in where we have none of our own.
    const common = bare || found[1]!.length > 0 ? [] : yield* inFolder({ folder: `${folders.home}/.agents`, lists: [["AGENTS.md"]] })
    const all = [...found[0]!, ...common, ...found.slice(1).flat()].map(({ notes, path, ...file }) => ({
      ...file,
      path: PathName.of(cwd, path),
      notes: notes.map((note) => `${PathName.of(cwd, path)}: ${note}`)
    }))
    const kept = Rules.keep(all)
    return { rules: kept.files, notes: [...all.flatMap(({ notes }) => notes), ...kept.notes] }
  })
})

/** Lists of names, of each the first that says something. Of a project nothing is read from outside its `root`, whatever links say. */
interface Place {
  readonly folder: string
  readonly lists: ReadonlyArray<ReadonlyArray<string>>
  readonly root?: string
  readonly managed?: boolean
}

interface Found extends Rules.File {
  readonly notes: ReadonlyArray<string>
}

/** From the repository's root down to `cwd`; without a repository `cwd` alone. */
const projectFolders = Effect.fnUntraced(function*(cwd: string) {
  const files = yield* SmallFiles
  const folders = above(cwd)
  for (const [i, folder] of folders.entries()) {
    if ((yield* files.read(`${folder}/.git`))._tag !== "Missing") return folders.slice(0, i + 1).toReversed()
  }
  return folders.slice(0, 1)
})

const inFolder = Effect.fnUntraced(function*({ folder, lists, managed = false, root }: Place) {
  const files = yield* SmallFiles
  const names = yield* files.names(folder === "" ? "/" : folder)
  const found: Array<Found> = []
  for (const list of lists) {
    for (const name of list) {
      const here = names.has(name) ? yield* read(`${folder}/${name}`, root) : []
      found.push(...here.map((file) => ({ ...file, ...(managed ? { managed } : {}) })))
      if (here.length > 0) break
    }
  }
  return found
})

/** A file with what it includes, or a folder of Markdown files in the order of their names; nothing where there is neither. */
const read = Effect.fnUntraced(function*(path: string, root: string | undefined): Effect.fn.Return<ReadonlyArray<Found>, never, SmallFiles> {
  const files = yield* SmallFiles
  const found = yield* files.read(path)
  if (found._tag === "Missing") return []
  const real = found._tag === "Text" ? found.real : yield* files.realPath(path)
  if (root !== undefined && !Root.contains(root, real)) return [unread(path, "it is a link that leads out of the project")]
  if (found._tag === "TooLarge") return [unread(path, `it has ${found.bytes} bytes`)]
  if (found._tag === "Text") return found.text.trim() === "" ? [] : [{ path, ...(yield* included(root === undefined ? real : path, found.text, root ?? real.slice(0, real.lastIndexOf("/")))) }]
  const names = [...yield* files.names(path)].filter((name) => name.endsWith(".md")).sort()
  return (yield* Effect.forEach(names, (name) => read(`${path}/${name}`, root))).flat()
})

const unread = (path: string, why: string): Found => ({ path, text: `[Not read: ${why}.]`, notes: [`not read: ${why}.`] })
