/** The rules files of the machine, the user and the project, from the farthest to the nearest. */
import * as Effect from "effect/Effect"
import * as RulesFiles from "../../../domain/context/RulesFiles.ts"
import * as RulesPlaces from "../../../domain/context/RulesPlaces.ts"
import * as PathName from "../../../domain/workspace/PathName.ts"
import * as Root from "../../../domain/workspace/Root.ts"
import { Bare } from "../../../services/Settings.ts"
import { Environment } from "../../../services/Environment.ts"
import { define, type SourceContext } from "../../../services/Source.ts"
import { ancestorFolders } from "./folders.ts"
import { expandIncludes } from "./included.ts"
import * as ScopedRules from "./ScopedRules.ts"
import { SmallFiles } from "./SmallFile.ts"

const managed = "/etc/dacapo"

export const rules = define({
  name: "rules",
  isFixed: false,
  gather: Effect.fn("rules")(function*({ cwd, files: knownFiles }) {
    const files = yield* SmallFiles
    const { folders } = yield* Environment
    const bare = yield* Bare
    const project = bare ? [] : yield* projectFolders(cwd)
    const root = yield* files.realPath(project[0] ?? cwd)
    const sources: ReadonlyArray<RulesFolder> = [
      { folder: managed, lists: [["AGENTS.md"]], managed: true },
      ...(bare ? [] : [{ folder: folders.config, lists: [RulesPlaces.shared] }]),
      ...project.map((folder) => ({ folder, lists: [RulesPlaces.shared, RulesPlaces.personal], root, scoped: { cwd, files: knownFiles } }))
    ]
    const results = yield* Effect.forEach(sources, inFolder, { concurrency: 8 })
    // Files shared with other tools are used if we have none of our own.
    const common = bare || results[1]!.length > 0 ? [] : yield* inFolder({ folder: folders.home, lists: [RulesPlaces.home] })
    const all = [...results[0]!, ...common, ...results.slice(1).flat()].map(({ notes, path, ...file }) => ({
      ...file,
      path: PathName.relativePath(cwd, path),
      notes: notes.map((note) => `${PathName.relativePath(cwd, path)}: ${note}`)
    }))
    const selection = RulesFiles.fitRules(all)
    return { rules: selection.files, notes: [...all.flatMap(({ notes }) => notes), ...selection.notes] }
  })
})

/**
 * Lists of names; the first that is not empty counts. In a project, nothing is read from outside its `root`, whatever links say.
 * `scoped`: the folders of rules of other agents are read too, after the first list.
 */
interface RulesFolder {
  readonly folder: string
  readonly lists: ReadonlyArray<ReadonlyArray<string>>
  readonly root?: string
  readonly scoped?: SourceContext
  readonly managed?: boolean
}

type RulesFile = ScopedRules.RulesFile

/** From the repository's root down to `cwd`; without a repository only `cwd`. */
const projectFolders = Effect.fnUntraced(function*(cwd: string) {
  const files = yield* SmallFiles
  const folders = ancestorFolders(cwd)
  for (const [i, folder] of folders.entries()) {
    if ((yield* files.read(`${folder}/.git`))._tag !== "Missing") return folders.slice(0, i + 1).toReversed()
  }
  return folders.slice(0, 1)
})

const inFolder = Effect.fnUntraced(function*({ folder, lists, managed = false, root, scoped }: RulesFolder) {
  const files = yield* SmallFiles
  const names = yield* files.names(folder === "" ? "/" : folder)
  const rules = scoped === undefined || root === undefined ? { files: [], replaced: new Set<string>() }
    : yield* ScopedRules.read(folder, names, root, scoped, read)
  const results: Array<RulesFile> = []
  for (const [i, list] of lists.entries()) {
    for (const name of list) {
      const isPresent = names.has(name.split("/", 1)[0]!) && !rules.replaced.has(name)
      const texts = isPresent ? yield* read(`${folder}/${name}`, root) : []
      const matches = scoped === undefined || name !== ".clinerules" ? texts
        : texts.flatMap((file) => ScopedRules.applied(file, { otherwise: "always" }, ScopedRules.knownPaths(folder, scoped)))
      results.push(...matches.map((file) => ({ ...file, ...(managed ? { isManaged: managed } : {}) })))
      if (matches.length > 0) break
    }
    if (i === 0) results.push(...rules.files)
  }
  return results
})

/** A file with its includes, or a folder of Markdown files sorted by name; nothing if neither exists. */
const read = Effect.fnUntraced(
  function*(path: string, root: string | undefined): Effect.fn.Return<ReadonlyArray<RulesFile>, never, SmallFiles> {
    const files = yield* SmallFiles
    const file = yield* files.read(path)
    if (file._tag === "Missing") return []
    const real = file._tag === "Text" ? file.real : yield* files.realPath(path)
    if (root !== undefined && !Root.contains(root, real)) return [unreadFile(path, "it is a link that leads out of the project")]
    if (file._tag === "Closed") return [unreadFile(path, `${file.why.charAt(0).toLowerCase()}${file.why.slice(1).replace(/\.$/, "")}`)]
    if (file._tag === "TooLarge") return [unreadFile(path, `it has ${file.bytes} bytes`)]
    if (file._tag === "Text")
      return file.text.trim() === "" ? []
        : [{ path, ...(yield* expandIncludes(root === undefined ? real : path, file.text, root ?? real.slice(0, real.lastIndexOf("/")))) }]
    const names = [...yield* files.names(path)].filter((name) => name.endsWith(".md")).sort()
    return (yield* Effect.forEach(names, (name) => read(`${path}/${name}`, root))).flat()
  }
)

const unreadFile = (path: string, why: string): RulesFile => ({ path, text: `[Not read: ${why}.]`, notes: [`not read: ${why}.`] })
