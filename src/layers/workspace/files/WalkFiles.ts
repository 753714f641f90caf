/**
 * Walks a folder as a user sees it: no link is followed, ignored files and the inside of `.git` are left out. Folders are read
 * at once, a few of them at a time: to wait for each takes longer than to read it.
 */
import { type Dirent, readdirSync } from "node:fs"
import { join, relative } from "node:path"
import * as Ignore from "../../../domain/workspace/Ignore.ts"
import * as Root from "../../../domain/workspace/Root.ts"
import type { FileInfo, Listed } from "../../../services/Workspace.ts"
import * as AtomicWrite from "./AtomicWrite.ts"
import * as Confine from "./PathGuard.ts"
import * as Turns from "../YieldToEventLoop.ts"

/** A folder on the way: where it is, and the ignore rules that hold in it; those of its own files once it is `opened`. */
export interface Folder {
  readonly root: string
  /** Relative to the root; "" for the root. */
  readonly path: string
  readonly listing: ReadonlyArray<Ignore.Rules>
  readonly access: ReadonlyArray<Ignore.Rules>
}

export interface Entry {
  readonly name: string
  /** Relative to the root. */
  readonly path: string
  readonly kind: FileInfo["kind"]
}

/**
 * The folder with the rules of all folders above it, from its root down. An ignored folder that is asked for by name
 * is shown: rules from above it, which would hide all of it, are left behind.
 */
export const enter = (root: string, real: string): Folder =>
  relative(root, real).split("/").filter((name) => name !== "").reduce<Folder>(
    (above, name) => {
      const folder = opened(above)
      return into(Ignore.isIgnored(folder.listing, pathOf(folder, name), true) ? { ...folder, listing: [] } : folder, name)
    },
    { root, path: "", access: [], listing: [] }
  )

/** The folder of that name in one that is opened. */
const into = (folder: Folder, name: string): Folder => ({ ...folder, path: pathOf(folder, name) })

/** With the rules of its own ignore files; `there` says which files it has, where that is known. */
const opened = (folder: Folder, there: (name: string) => boolean = () => true): Folder => {
  const own = (names: ReadonlyArray<string>, anyCase: boolean) => Confine.readRules(folder.root, folder.path, names.filter(there), { anyCase })
  const listing = own(Ignore.listing, false)
  const access = own(Ignore.access, true)
  return listing.length + access.length === 0 ? folder : { ...folder, listing: [...folder.listing, ...listing], access: [...folder.access, ...access] }
}

/** What a folder shows, by name, and the folder with its own rules. One that can't be read shows nothing. */
interface Looked {
  readonly folder: Folder
  readonly entries: ReadonlyArray<Entry>
}

const look = (above: Folder): Looked => {
  const found = read(join(above.root, above.path))
  const folder = found.some(({ name }) => isIgnoreFile(name)) ? opened(above, (name) => found.some((entry) => entry.name === name)) : above
  const entries = found.map((entry): Entry => ({ name: entry.name, path: pathOf(folder, entry.name), kind: kindOf(entry) }))
  return { folder, entries: entries.filter((entry) => isShown(folder, entry)).sort((a, b) => a.name < b.name ? -1 : 1) }
}

/** What a folder shows, by name. */
export const entries = (folder: Folder): ReadonlyArray<Entry> => look(folder).entries

const read = (path: string): ReadonlyArray<Dirent> => {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    return []
  }
}

const ignoreFiles: ReadonlySet<string> = new Set([...Ignore.listing, ...Ignore.access])
const isIgnoreFile = (name: string): boolean => name.startsWith(".") && ignoreFiles.has(name)

const kindOf = (entry: Dirent): Entry["kind"] =>
  entry.isFile() ? "file" : entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "link" : "other"

const pathOf = (folder: Folder, name: string): string => folder.path === "" ? name : `${folder.path}/${name}`

const isShown = ({ access, listing }: Folder, { kind, name, path }: Entry): boolean =>
  !Root.isProtected(name) &&
  !AtomicWrite.temporaryName.test(name) &&
  !Ignore.isIgnored(listing, path, kind === "directory") &&
  !Ignore.isIgnored(access, path, kind === "directory")

/** Folders that are read before others of this process have their turn. */
const atOnce = 32

/** Looks into folders breadth first, down to `depth` levels, some of them at a time. */
async function* levels(start: Folder, depth: number, signal: AbortSignal): AsyncGenerator<ReadonlyArray<Looked>> {
  let level: ReadonlyArray<Folder> = [start]
  for (let at = 1; at <= depth && level.length > 0; at++) {
    const next: Array<Folder> = []
    for (let from = 0; from < level.length; from += atOnce) {
      signal.throwIfAborted()
      const some = level.slice(from, from + atOnce).map(look)
      for (const { entries, folder } of some) {
        for (const { kind, name } of entries) if (kind === "directory") next.push(into(folder, name))
      }
      yield some
      await Turns.others()
    }
    level = next
  }
}

/** Breadth first, down to `depth` levels; at most `limit` entries, `cut` when there are more. */
export const list = async (
  roots: Confine.Roots,
  start: Folder,
  { depth, limit }: { readonly depth: number; readonly limit: number },
  signal: AbortSignal
): Promise<{ readonly entries: ReadonlyArray<Listed>; readonly cut: boolean }> => {
  const listed: Array<Listed> = []
  for await (const some of levels(start, depth, signal)) {
    for (const { entries, folder } of some) {
      const shown = Confine.shown(roots, join(folder.root, folder.path))
      const prefix = shown === "." ? "" : `${shown}/`
      for (const { kind, name } of entries) {
        if (listed.length === limit) return { entries: listed, cut: true }
        listed.push({ path: prefix + name, kind })
      }
    }
  }
  return { entries: listed, cut: false }
}

/** Paths of what is below, folders with a slash, breadth first; at most `most`. Nothing is looked at but names. */
export const names = async (start: Folder, most: number, signal: AbortSignal): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for await (const some of levels(start, Infinity, signal)) {
    for (const { entries } of some) found.push(...entries.map(({ kind, path }) => kind === "directory" ? `${path}/` : path))
    if (found.length >= most) break
  }
  return found.slice(0, most)
}

/** Paths of every file below, relative to the root, depth first by name. */
export function* files(start: Folder): Generator<string> {
  const { entries, folder } = look(start)
  for (const { kind, name, path } of entries) {
    if (kind === "file") yield path
    else if (kind === "directory") yield* files(into(folder, name))
  }
}

/** Whether a walk from the folder would come to a file, by its path below the folder; folders on the way are asked once. */
export const visibility = (start: Folder): (path: string) => boolean => {
  const folders = new Map<string, Folder | undefined>([["", opened(start)]])
  const folderAt = (path: string): Folder | undefined => {
    if (folders.has(path)) return folders.get(path)
    const [above, name] = split(path)
    const parent = folderAt(above)
    const folder = parent !== undefined && isShown(parent, entryOf(parent, name, "directory")) ? opened(into(parent, name)) : undefined
    folders.set(path, folder)
    return folder
  }
  return (path) => {
    const [above, name] = split(path)
    const folder = folderAt(above)
    return folder !== undefined && isShown(folder, entryOf(folder, name, "file"))
  }
}

const split = (path: string): readonly [string, string] => {
  const at = path.lastIndexOf("/")
  return at < 0 ? ["", path] : [path.slice(0, at), path.slice(at + 1)]
}

const entryOf = (folder: Folder, name: string, kind: Entry["kind"]): Entry => ({ name, path: pathOf(folder, name), kind })
