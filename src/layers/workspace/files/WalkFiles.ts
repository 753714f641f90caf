/**
 * Walks a folder as a user sees it: no link is followed, ignored files and the inside of `.git` are left out. Folders
 * are read synchronously, a few of them at a time: awaiting each takes longer than reading it.
 */
import { type Dirent, readdirSync, rmSync } from "node:fs"
import { join, relative } from "node:path"
import * as Ignore from "../../../domain/workspace/Ignore.ts"
import * as Root from "../../../domain/workspace/Root.ts"
import type { FileInfo, FileEntry, PathFilter } from "../../../services/Workspace.ts"
import * as AtomicWrite from "./AtomicWrite.ts"
import * as PathGuard from "./PathGuard.ts"
import * as YieldToEventLoop from "../YieldToEventLoop.ts"

/** A folder on the way: its path, and the ignore rules that apply in it; those of its own files once it was opened. */
export interface Folder {
  readonly root: string
  /** Relative to the root; "" for the root. */
  readonly path: string
  readonly listing: ReadonlyArray<Ignore.Rules>
  readonly access: ReadonlyArray<Ignore.Rules>
  /** Includes what `.gitignore` leaves out. */
  readonly all?: boolean
}

export interface Entry {
  readonly name: string
  /** Relative to the root. */
  readonly path: string
  readonly kind: FileInfo["kind"]
}

/**
 * The folder with the rules of all folders above it, from its root down. An ignored folder that is named explicitly is
 * shown: rules from above it, which would hide all of it, are dropped.
 */
export const enter = (root: string, real: string): Folder =>
  relative(root, real).split("/").filter((name) => name !== "").reduce<Folder>(
    (parent, name) => {
      const folder = withRules(parent)
      return subfolder(Ignore.isIgnored(folder.listing, pathOf(folder, name), true) ? { ...folder, listing: [] } : folder, name)
    },
    { root, path: "", access: [], listing: [] }
  )

/** The folder of that name in an opened one. */
const subfolder = (folder: Folder, name: string): Folder => ({ ...folder, path: pathOf(folder, name) })

/** With the rules of its own ignore files; `exists` reports which files it has, if known. */
const withRules = (folder: Folder, exists: (name: string) => boolean = () => true): Folder => {
  const rulesFrom = (names: ReadonlyArray<string>, anyCase: boolean) =>
    PathGuard.readRules(folder.root, folder.path, names.filter(exists), { anyCase })
  const listing = rulesFrom(Ignore.listingFiles, false)
  const access = rulesFrom(Ignore.accessFiles, true)
  return listing.length + access.length === 0 ? folder
    : { ...folder, listing: [...folder.listing, ...listing], access: [...folder.access, ...access] }
}

/** The visible entries of a folder, by name, and the folder with its own rules. An unreadable one has none. */
interface FolderListing {
  readonly folder: Folder
  readonly entries: ReadonlyArray<Entry>
}

const listFolder = (parent: Folder): FolderListing => {
  const dirents = read(join(parent.root, parent.path))
  for (const { name } of dirents) if (AtomicWrite.isLeftover(name)) remove(join(parent.root, parent.path, name))
  const folder = dirents.some(({ name }) => isIgnoreFile(name)) ? withRules(parent, (name) => dirents.some((entry) => entry.name === name))
    : parent
  const entries = dirents.map((entry): Entry => ({ name: entry.name, path: pathOf(folder, entry.name), kind: kindOf(entry) }))
  return { folder, entries: entries.filter((entry) => isShown(folder, entry)).sort((a, b) => a.name < b.name ? -1 : 1) }
}

/** The visible entries of a folder, by name. */
export const entries = (folder: Folder): ReadonlyArray<Entry> => listFolder(folder).entries

const read = (path: string): ReadonlyArray<Dirent> => {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    return []
  }
}

/** A leftover of ours; a failed removal has no consequences. */
const remove = (path: string): void => {
  try {
    rmSync(path, { force: true })
  } catch {
    return
  }
}

const ignoreFiles: ReadonlySet<string> = new Set([...Ignore.listingFiles, ...Ignore.accessFiles])
const isIgnoreFile = (name: string): boolean => name.startsWith(".") && ignoreFiles.has(name)

const kindOf = (entry: Dirent): Entry["kind"] =>
  entry.isFile() ? "file" : entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "link" : "other"

const pathOf = (folder: Folder, name: string): string => folder.path === "" ? name : `${folder.path}/${name}`

const isShown = ({ access, all = false, listing }: Folder, { kind, name, path }: Entry): boolean =>
  !Root.isProtected(name) &&
  !AtomicWrite.temporaryName.test(name) &&
  (all || !Ignore.isIgnored(listing, path, kind === "directory")) &&
  !Ignore.isIgnored(access, path, kind === "directory")

/** Folders read before others in this process have their turn. */
const batchSize = 32

/** Reads folders breadth first, down to `depth` levels, several of them at a time. */
async function* levels(start: Folder, depth: number, signal: AbortSignal): AsyncGenerator<ReadonlyArray<FolderListing>> {
  let level: ReadonlyArray<Folder> = [start]
  for (let at = 1; at <= depth && level.length > 0; at++) {
    const next: Array<Folder> = []
    for (let from = 0; from < level.length; from += batchSize) {
      signal.throwIfAborted()
      const batch = level.slice(from, from + batchSize).map(listFolder)
      for (const { entries, folder } of batch) {
        for (const { kind, name } of entries) if (kind === "directory") next.push(subfolder(folder, name))
      }
      yield batch
      await YieldToEventLoop.yieldToEventLoop()
    }
    level = next
  }
}

/** Breadth first, down to `depth` levels; at most `limit` entries, `isTruncated` if there are more. */
export const list = async (
  roots: PathGuard.Roots,
  start: Folder,
  { all = false, depth, limit, isVisible = () => true }: {
    readonly all?: boolean
    readonly depth: number
    readonly limit: number
    readonly isVisible?: PathFilter
  },
  signal: AbortSignal
): Promise<{ readonly entries: ReadonlyArray<FileEntry>; readonly isTruncated: boolean }> => {
  const results: Array<FileEntry> = []
  for await (const batch of levels({ ...start, all }, depth, signal)) {
    for (const { entries, folder } of batch) {
      const folderPath = join(folder.root, folder.path)
      const lexicalFolder = PathGuard.lexicalPath(roots, folderPath)
      const displayFolder = PathGuard.displayPath(roots, folderPath)
      const prefix = displayFolder === "." ? "" : `${displayFolder}/`
      for (const { kind, name } of entries) {
        if (!isVisible(join(lexicalFolder, name))) continue
        if (results.length === limit) return { entries: results, isTruncated: true }
        results.push({ path: prefix + name, kind })
      }
    }
  }
  return { entries: results, isTruncated: false }
}

/** Paths below, folders with a slash, breadth first; at most `maxNames`. Only names are read. */
export const names = async (start: Folder, maxNames: number, signal: AbortSignal): Promise<ReadonlyArray<string>> => {
  const paths: Array<string> = []
  for await (const batch of levels(start, Infinity, signal)) {
    for (const { entries } of batch) paths.push(...entries.map(({ kind, path }) => kind === "directory" ? `${path}/` : path))
    if (paths.length >= maxNames) break
  }
  return paths.slice(0, maxNames)
}

/** Paths of every file below, relative to the root, depth first by name. */
export function* files(start: Folder): Generator<string> {
  const { entries, folder } = listFolder(start)
  for (const { kind, name, path } of entries) {
    if (kind === "file") yield path
    else if (kind === "directory") yield* files(subfolder(folder, name))
  }
}

/** Whether a walk from the folder would reach a file, by its path below the folder; folders on the way are checked once. */
export const visibility = (start: Folder): (path: string) => boolean => {
  const folders = new Map<string, Folder | undefined>([["", withRules(start)]])
  const folderAt = (path: string): Folder | undefined => {
    if (folders.has(path)) return folders.get(path)
    const [parentPath, name] = split(path)
    const parent = folderAt(parentPath)
    const folder = parent !== undefined && isShown(parent, entryOf(parent, name, "directory")) ? withRules(subfolder(parent, name))
      : undefined
    folders.set(path, folder)
    return folder
  }
  return (path) => {
    const [parentPath, name] = split(path)
    const folder = folderAt(parentPath)
    return folder !== undefined && isShown(folder, entryOf(folder, name, "file"))
  }
}

const split = (path: string): readonly [string, string] => {
  const at = path.lastIndexOf("/")
  return at < 0 ? ["", path] : [path.slice(0, at), path.slice(at + 1)]
}

const entryOf = (folder: Folder, name: string, kind: Entry["kind"]): Entry => ({ name, path: pathOf(folder, name), kind })
