/** The folders of rules that other agents use: rules for all work, for some files, or to be read on request. */
import * as Effect from "effect/Effect"
import type * as RulesFiles from "../../../domain/context/RulesFiles.ts"
import * as RulesPlaces from "../../../domain/context/RulesPlaces.ts"
import * as RulesScope from "../../../domain/context/RulesScope.ts"
import * as PathName from "../../../domain/workspace/PathName.ts"
import type { SourceContext } from "../../../services/Source.ts"
import { SmallFiles } from "./SmallFile.ts"

/** Limits: rules in a folder, and the depth of folders in it. */
const limits = { count: 100, depth: 3 }

export interface RulesFile extends RulesFiles.File {
  readonly notes: ReadonlyArray<string>
}

/** Reads a file with its includes, or says why not; only inside `root`. */
type ReadFile = (path: string, root: string | undefined) => Effect.Effect<ReadonlyArray<RulesFile>, never, SmallFiles>

/** The rules in `folder`, whose entries are `names`; `replaced` are older files that are not read where their folder has rules. */
export const read = Effect.fnUntraced(function*(
  folder: string,
  names: ReadonlySet<string>,
  root: string,
  { cwd, files: knownFiles }: SourceContext,
  readFile: ReadFile
) {
  const files = yield* SmallFiles
  const results: Array<RulesFile> = []
  const replaced = new Set<string>()
  const sessionPaths = knownPaths(folder, { cwd, files: knownFiles })
  const namesIn = new Map(
    yield* Effect.forEach(
      RulesPlaces.modeParents.filter((parent) => names.has(parent)),
      (parent) => Effect.map(files.names(`${folder}/${parent}`), (inside) => [parent, inside] as const)
    )
  )
  for (const place of [...RulesPlaces.folders, ...RulesPlaces.modeFolders((parent) => namesIn.get(parent) ?? [])]) {
    if (!names.has(place.path.split("/", 1)[0]!)) continue
    const paths = yield* filesIn(files, `${folder}/${place.path}`, place.ending, limits.depth)
    for (const path of paths.slice(0, limits.count)) {
      for (const file of yield* readFile(path, root)) {
        if (place.replaces !== undefined) replaced.add(place.replaces)
        results.push(...applied(file, place, sessionPaths))
      }
    }
    if (paths.length > limits.count) {
      const note = `${paths.length - limits.count} more rules in ${place.path} were not read: a folder may have ${limits.count}.`
      results.push({ path: `${folder}/${place.path}`, text: `[${note}]`, notes: [note] })
    }
  }
  const modesRead = new Set(results.flatMap(({ path }) => /\/\.roo\/rules-([\w-]+)\//.exec(path)?.[1] ?? []))
  for (const name of [...names].sort()) {
    const mode = RulesPlaces.modeOfFile(name)
    if (mode === undefined || modesRead.has(mode)) continue
    for (const file of yield* readFile(`${folder}/${name}`, root))
      results.push(...applied(file, { mode, otherwise: "always" }, sessionPaths))
  }
  return { files: results, replaced }
})

/** The files that the session has seen, relative to a folder. */
export const knownPaths = (folder: string, { cwd, files }: SourceContext): ReadonlyArray<string> =>
  [...files.keys()].map((path) => PathName.relativePath(folder, path.startsWith("/") ? path : PathName.normalizePath(`${cwd}/${path}`)))

/** The rule, or what the model sees of it until it applies to a known path; nothing for one that only a mention shows. */
export const applied = (
  file: RulesFile,
  place: Pick<RulesPlaces.RulesFolder, "mode" | "otherwise">,
  knownPaths: ReadonlyArray<string>
): ReadonlyArray<RulesFile> => {
  const { body, scope } = RulesScope.parse(file.text, place)
  const complete = { ...file, text: body.trim() }
  switch (scope._tag) {
    case "Always":
      return [complete]
    case "Manual":
      return []
    case "Files":
      return RulesScope.appliesTo(scope.globs, knownPaths) ? [complete] : [{ ...file, text: RulesScope.summary(scope) }]
    case "Requested":
      return [{ ...file, text: RulesScope.summary(scope) }]
  }
}

const filesIn = (
  files: SmallFiles["Service"],
  folder: string,
  ending: string,
  depth: number
): Effect.Effect<ReadonlyArray<string>> =>
  files.names(folder).pipe(
    Effect.flatMap((names) =>
      Effect.forEach([...names].sort(), (name) =>
        name.endsWith(ending) ? Effect.succeed([`${folder}/${name}`])
          : depth > 0 && !name.includes(".") ? filesIn(files, `${folder}/${name}`, ending, depth - 1)
          : Effect.succeed([]))
    ),
    Effect.map((lists) => lists.flat())
  )
