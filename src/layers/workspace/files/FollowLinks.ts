/**
 * Looks up what is needed to judge a command. Only folders and links are read, and no `..` is removed before the links
 * in front of it are followed, as the shell's programs do it.
 */
import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, relative, resolve } from "node:path"
import * as Lookup from "../../../domain/workspace/Lookup.ts"
import * as Root from "../../../domain/workspace/Root.ts"
import * as ShellPattern from "../../../domain/workspace/ShellPattern.ts"
import type { LookupFilter } from "../../../services/Workspace.ts"
import { linkTarget, type Roots } from "./PathGuard.ts"
import * as YieldToEventLoop from "../YieldToEventLoop.ts"

/** The maximum number of names per lookup: a larger tree is not searched. */
const maxNames = 100_000

/** The maximum number of paths in a result. Anything with more relevant paths is not judged one by one. */
const maxPaths = 200

/** Folders read before others in this process have their turn. */
const batchSize = 64

const maxIgnoreFileBytes = 1 << 20

/** The maximum number of links in a path, as in most systems. */
const maxLinks = 40

/** What the search for one lookup has at hand. */
interface Search {
  readonly roots: Roots
  readonly filters: LookupFilter
  /** How many more names may be read. */
  remaining: number
  readonly signal: AbortSignal
}

/** `tracked`: the files that git tracks there, if the lookup is about those. */
export const follow = async (
  roots: Roots,
  { path, pattern, tree }: Lookup.Lookup,
  filters: LookupFilter,
  tracked: ReadonlyArray<string>,
  signal: AbortSignal
): Promise<Lookup.LookupResult> => {
  try {
    const search: Search = { roots, filters, remaining: maxNames, signal }
    const names = pattern ? matches(path, search) : [path]
    if (names === undefined) return null
    const targets = new Set<string>()
    for (const name of names) {
      if (pattern && tree?.plain === true) requirePlainName(name.slice(name.lastIndexOf("/") + 1))
      const lexical = resolve(name)
      const target = lexicalPath(roots, physical(name))
      if (pattern && filters.path(lexical)) targets.add(lexical)
      if (target !== lexical && (!pattern || filters.path(target))) targets.add(target)
      if (tree === undefined) continue
      const files = tree.tracked === undefined ? filters.folder(target) && isFolder(name) ? filesBelow(search, target, tree) : []
        : tree.plain === true ? trackedFiles(search, target, tree, tracked)
        : trackedPaths(search, tree, tracked)
      for await (const path of files) targets.add(path)
    }
    return targets.size > maxPaths ? null : [...targets]
  } catch (cause) {
    // What is too large, too deep or closed to us stays unknown; so does any other error.
    if (signal.aborted) throw cause
    return null
  }
}

/** What needs a judgement among the files that git lists, each of them as a whole; behind links, where they lead. */
function* trackedPaths({ filters, roots }: Search, tree: Lookup.Tree, tracked: ReadonlyArray<string>): Generator<string> {
  for (const path of tracked.map((path) => lexicalPath(roots, path))) if (filters.hasRule(path)) yield path
  for (const path of tree.links === true ? tracked.filter(behindLink()) : []) {
    const target = lexicalPath(roots, physical(path))
    if (filters.path(target)) yield target
  }
}

/** Whether a folder of a path is a link; each folder is looked at once. */
const behindLink = () => {
  const results = new Map<string, boolean>()
  return (path: string): boolean => {
    const folder = dirname(path)
    if (!results.has(folder)) results.set(folder, physical(folder) !== folder)
    return results.get(folder)!
  }
}

/** Expressed by the roots as they were given. */
const lexicalPath = ({ lexical, real }: Roots, path: string): string => {
  const index = real.findIndex((root) => Root.contains(root, path))
  return index < 0 ? path : resolve(lexical[index]!, relative(real[index]!, path))
}

/** Where a path leads; for a missing one, from its deepest existing parent. */
const physical = (path: string, links = 0): string => {
  try {
    return realpathSync.native(path)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if ((code !== "ENOENT" && code !== "ENOTDIR") || links > maxLinks) throw cause
    const bare = path.replace(/\/+$/, "")
    const slash = bare.lastIndexOf("/")
    if (bare === "") return "/"
    const name = bare.slice(slash + 1)
    const parent = physical(bare.slice(0, slash) || "/", links)
    if (name === "." || name === "..") return resolve(parent, name)
    const entry = parent === "/" ? `/${name}` : `${parent}/${name}`
    const link = linkTarget(entry)
    return link === undefined ? entry : physical(link.startsWith("/") ? link : `${parent}/${link}`, links + 1)
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

const entries = (path: string, search: Search): ReadonlyArray<Dirent> => {
  let dirents: ReadonlyArray<Dirent>
  try {
    dirents = readdirSync(path, { withFileTypes: true })
  } catch {
    // The command can read no more of it than we can.
    return []
  }
  search.remaining -= dirents.length
  if (search.remaining < 0) throw new Error(`There are more than ${maxNames} names.`)
  return dirents
}

/** Every path that a pattern matches, with the links on the way as they are named. */
const matches = (pattern: string, search: Search): ReadonlyArray<string> | undefined =>
  ShellPattern.steps(pattern)?.reduce<ReadonlyArray<string>>((paths, step) =>
    "name" in step
      ? paths.map((path) => `${path}/${step.name}`)
      : paths.flatMap((path) =>
        [".", "..", ...entries(path === "" ? "/" : path, search).map(({ name }) => name)].filter(step.test).map((name) => `${path}/${name}`)
      ), [""])

const parents = (folder: string): ReadonlyArray<string> => {
  const parent = dirname(folder)
  return parent === folder ? [] : [parent, ...parents(parent)]
}

/** The hidden names that the ignore files of a folder open to searches again; any name, if one of them can't be read. */
const namesIncludedAgain = (folder: string): ReadonlyArray<string> =>
  Lookup.ignoreFiles.flatMap((name) => {
    const path = `${folder}/${name}`
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return []
    return stats.isFile() && stats.size <= maxIgnoreFileBytes ? Lookup.reincludedNames(readFileSync(path, "utf8")) : ["*"]
  })

const requirePlainName = (name: string): void => {
  if (!Lookup.isPlainName(name)) throw new Error(`${JSON.stringify(name)} may be read as several words.`)
}

/** What needs a judgement among the files that git lists, of which each name is read as one word. */
async function* trackedFiles(
  search: Search,
  start: string,
  tree: Lookup.Tree,
  tracked: ReadonlyArray<string>
): AsyncGenerator<string> {
  const { filters, roots, signal } = search
  const { file } = Lookup.fileFilter(tree)
  const folders = new Map<string, { readonly target: string; readonly links: ReadonlySet<string> }>()
  for (const path of tracked) {
    if (!file(basename(path), [])) continue
    relative(start, path).split("/").filter((name) => name !== "").forEach(requirePlainName)
    let folder = folders.get(dirname(path))
    if (folder === undefined) {
      if (folders.size % batchSize === batchSize - 1) {
        signal.throwIfAborted()
        await YieldToEventLoop.yieldToEventLoop()
      }
      const links = entries(dirname(path), search).filter((entry) => entry.isSymbolicLink()).map(({ name }) => name)
      folder = { target: physical(dirname(path)), links: new Set(links) }
      folders.set(dirname(path), folder)
    }
    const name = basename(path)
    const target = folder.links.has(name) ? physical(path) : `${folder.target}/${name}`
    for (const candidate of new Set([path, target].map((one) => lexicalPath(roots, one)))) if (filters.path(candidate)) yield candidate
  }
}

/** What needs a judgement in a tree, depth first. */
async function* filesBelow(search: Search, start: string, tree: Lookup.Tree): AsyncGenerator<string> {
  const { filters, roots, signal } = search
  const { enters, file } = Lookup.fileFilter(tree)
  const included = tree.hidden ? [] : parents(start).flatMap(namesIncludedAgain)
  const queue = [start]
  const visited = new Set(queue)
  for (let count = 1; queue.length > 0; count++) {
    const folder = queue.pop()!
    if (count % batchSize === 0) {
      signal.throwIfAborted()
      await YieldToEventLoop.yieldToEventLoop()
    }
    if (!tree.hidden) included.push(...namesIncludedAgain(folder))
    for (const entry of entries(folder, search)) {
      const path = folder === "/" ? `/${entry.name}` : `${folder}/${entry.name}`
      const isLink = entry.isSymbolicLink()
      if (isLink && (tree.links === undefined || tree.links === "files" && !file(entry.name, included))) continue
      const target = isLink ? lexicalPath(roots, physical(path)) : path
      if (isLink ? tree.links === true && isFolder(target) : entry.isDirectory()) {
        if (!enters(entry.name, included)) continue
        if (tree.plain === true) requirePlainName(entry.name)
        if (isLink && filters.path(target)) yield target
        if (!visited.has(target) && filters.folder(target)) queue.push(target)
        visited.add(target)
      } else if (file(entry.name, included)) {
        if (tree.plain === true) requirePlainName(entry.name)
        for (const candidate of new Set([path, target])) if (filters.path(candidate)) yield candidate
      }
    }
  }
}
