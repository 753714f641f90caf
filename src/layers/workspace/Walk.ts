/** Walks a folder as a user sees it: no link is followed, ignored files and the inside of `.git` are left out. */
import type { Dirent } from "node:fs"
import { readdir } from "node:fs/promises"
import { join, relative } from "node:path"
import * as Ignore from "../../domain/workspace/Ignore.ts"
import * as Root from "../../domain/workspace/Root.ts"
import type { FileInfo, Listed } from "../../services/Workspace.ts"
import * as AtomicWrite from "./AtomicWrite.ts"
import * as Confine from "./Confine.ts"

/** A folder on the way: where it is, and the ignore rules that hold in it. */
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
  relative(root, real).split("/").filter((name) => name !== "").reduce(
    (folder, name) =>
      Ignore.isIgnored(folder.listing, entryOf(folder, name, "directory").path, true)
        ? into({ ...folder, listing: [] }, name)
        : into(folder, name),
    open({ root, path: "", access: [], listing: [] })
  )

export const into = (folder: Folder, name: string): Folder =>
  open({ ...folder, path: folder.path === "" ? name : `${folder.path}/${name}` })

const open = (folder: Folder): Folder => ({
  ...folder,
  listing: [...folder.listing, ...Confine.readRules(folder.root, folder.path, Ignore.listing, { anyCase: false })],
  access: [...folder.access, ...Confine.readRules(folder.root, folder.path, Ignore.access, { anyCase: true })]
})

/** What a folder shows, by name. A folder that can't be read shows nothing. */
export const entries = async (folder: Folder): Promise<ReadonlyArray<Entry>> => {
  const found = await readdir(join(folder.root, folder.path), { withFileTypes: true }).catch((): ReadonlyArray<Dirent> => [])
  return found
    .map((entry) =>
      entryOf(folder, entry.name, entry.isFile() ? "file" : entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "link" : "other")
    )
    .filter((entry) => isShown(folder, entry))
    .sort((a, b) => a.name < b.name ? -1 : 1)
}

const isShown = ({ access, listing }: Folder, { kind, name, path }: Entry): boolean =>
  !Root.isProtected(name) &&
  !AtomicWrite.temporaryName.test(name) &&
  !Ignore.isIgnored(listing, path, kind === "directory") &&
  !Ignore.isIgnored(access, path, kind === "directory")

/** Breadth first, down to `depth` levels; at most `limit` entries, `cut` when there are more. */
export const list = async (
  roots: Confine.Roots,
  start: Folder,
  { depth, limit }: { readonly depth: number; readonly limit: number },
  signal: AbortSignal
): Promise<{ readonly entries: ReadonlyArray<Listed>; readonly cut: boolean }> => {
  const listed: Array<Listed> = []
  let level: ReadonlyArray<Folder> = [start]
  for (let at = 1; at <= depth && level.length > 0; at++) {
    const next: Array<Folder> = []
    for (const folder of level) {
      signal.throwIfAborted()
      for (const entry of await entries(folder)) {
        if (listed.length === limit) return { entries: listed, cut: true }
        listed.push({ path: Confine.shown(roots, join(folder.root, entry.path)), kind: entry.kind })
        if (entry.kind === "directory" && at < depth) next.push(into(folder, entry.name))
      }
    }
    level = next
  }
  return { entries: listed, cut: false }
}

/** Paths of what is below, folders with a slash, breadth first; at most `most`. Nothing is looked at but names. */
export const names = async (start: Folder, most: number, signal: AbortSignal): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (let level: ReadonlyArray<Folder> = [start]; level.length > 0 && found.length < most;) {
    const next: Array<Folder> = []
    for (const folder of level) {
      signal.throwIfAborted()
      for (const { kind, name, path } of await entries(folder)) {
        found.push(kind === "directory" ? `${path}/` : path)
        if (kind === "directory") next.push(into(folder, name))
      }
    }
    level = next
  }
  return found.slice(0, most)
}

/** Every file below, depth first by name. */
export async function* files(start: Folder, signal: AbortSignal): AsyncGenerator<Entry> {
  signal.throwIfAborted()
  for (const entry of await entries(start)) {
    if (entry.kind === "file") yield entry
    else if (entry.kind === "directory") yield* files(into(start, entry.name), signal)
  }
}

/** Whether a walk from the folder would come to a file, by its path below the folder; folders on the way are asked once. */
export const visibility = (start: Folder): (path: string) => boolean => {
  const folders = new Map<string, Folder | undefined>([["", start]])
  const folderAt = (path: string): Folder | undefined => {
    if (folders.has(path)) return folders.get(path)
    const [above, name] = split(path)
    const parent = folderAt(above)
    const folder = parent !== undefined && isShown(parent, entryOf(parent, name, "directory")) ? into(parent, name) : undefined
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

const entryOf = (folder: Folder, name: string, kind: Entry["kind"]): Entry => ({
  name,
  path: folder.path === "" ? name : `${folder.path}/${name}`,
  kind
})
