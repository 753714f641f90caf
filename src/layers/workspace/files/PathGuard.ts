/**
 * Keeps file access within the roots. A path is resolved through every link and checked, and what was opened is
 * checked again by its descriptor, so that a link swapped in between changes nothing. Changes are made relative to
 * the descriptor of a checked folder (Linux; elsewhere the folder is checked again before the change).
 */
import * as fs from "node:fs/promises"
import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, readlinkSync, readSync, realpathSync, type Stats } from "node:fs"
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path"
import * as Ignore from "../../../domain/workspace/Ignore.ts"
import * as Root from "../../../domain/workspace/Root.ts"
import { fail } from "./FileFailure.ts"

/** A place inside a root: `asked` as it was named (absolute), `real` behind all links, `root` the real root that holds it. */
export interface Place {
  readonly path: string
  readonly asked: string
  readonly real: string
  readonly root: string
}

export interface Roots {
  /** As the user gave them, absolute. */
  readonly given: ReadonlyArray<string>
  readonly real: ReadonlyArray<string>
}

export const roots = async (given: ReadonlyArray<string>): Promise<Roots> => ({
  given: given.map((root) => resolve(root)),
  real: await Promise.all(given.map((root) => realTarget(resolve(root))))
})

/** How a path is shown: relative to the first root where it lies inside. */
export const shown = ({ given, real }: Roots, path: string): string => {
  for (const root of [real[0]!, given[0]!]) if (Root.contains(root, path)) return relative(root, path) || "."
  return path
}

/** Where a path leads, in the words of the roots as they were given. */
export const leads = async ({ given, real }: Roots, path: string): Promise<string> => {
  const target = await realTarget(isAbsolute(path) ? resolve(path) : resolve(given[0]!, path))
  const place = real.findIndex((root) => Root.contains(root, target))
  return place < 0 ? target : join(given[place]!, relative(real[place]!, target))
}

/** Finds the place that a path names; fails when it lies outside or is closed by an ignore file. */
export const locate = async (roots: Roots, path: string): Promise<Place> => {
  const refused = Root.refusal(path)
  if (refused !== undefined) throw fail(path, "Other", refused)
  const asked = isAbsolute(path) ? resolve(path) : resolve(roots.given[0]!, path)
  const real = await realTarget(asked)
  const root = rootOf(roots, real)
  if (root === undefined) throw outside(path)
  const place = { path, asked, real, root }
  if (isClosed(place)) throw fail(path, "Denied", "An ignore file of this workspace (.dacapoignore or .clineignore) closes it to tools.")
  return place
}

/** As `locate`, but for a change: nothing under a `.git` is ever changed, in any spelling, through any link. */
export const locateForChange = async (roots: Roots, path: string): Promise<Place> => {
  const place = await locate(roots, path)
  guard(roots, place)
  return place
}

/** As `locateForChange`, but a link names itself and not what it leads to. */
export const locateEntry = async (roots: Roots, path: string): Promise<Place> => {
  const asked = resolve(roots.given[0]!, path)
  const folder = await locate(roots, path === "" ? path : dirname(asked))
  const place = { ...folder, path, asked, real: join(folder.real, basename(asked)) }
  if (isClosed(place)) throw fail(path, "Denied", "An ignore file of this workspace closes it to tools.")
  guard(roots, place)
  return place
}

const guard = (roots: Roots, { asked, path, real, root }: Place): void => {
  if (roots.real.includes(real)) throw fail(path, "IsDirectory", "It is the workspace itself.")
  if (Root.isProtected(relative(root, real)) || Root.isProtected(shown(roots, asked))) {
    throw fail(path, "Protected", "Files of a git repository's own (.git) are not changed by file tools.")
  }
}

/** Without O_NONBLOCK opening a fifo would wait for its writer. */
const toRead = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Opens a regular file to read it; fails for links that changed, folders, and special files. */
export const openFile = async (roots: Roots, { path, real }: Place): Promise<{ readonly file: fs.FileHandle; readonly stat: Stats }> => {
  const file = await fs.open(real, toRead)
  try {
    const stat = await file.stat()
    if (stat.isDirectory()) throw fail(path, "IsDirectory", "It is a folder.")
    if (!stat.isFile()) throw fail(path, "Special", "It is a socket, a pipe or a device.")
    if (!await isInside(roots, file, real)) throw outside(path)
    return { file, stat }
  } catch (cause) {
    await file.close()
    throw cause
  }
}

/**
 * Reads regular files of at most `most` bytes, one after the other; undefined for any other file, and bytes that hold until the
 * next is read. At once, and each in the folder that was checked for the one before where it is the same: a search reads files by
 * the thousand, and to wait for each of them five times takes ten times as long as to read it.
 */
export const reader = (roots: Roots, most: number) => {
  let buffer = Buffer.allocUnsafe(64 * 1024)
  let folder: { readonly path: string; readonly fd: number } | undefined
  const close = () => {
    if (folder !== undefined) closeSync(folder.fd)
    folder = undefined
  }
  /** The folder by its descriptor; undefined for one that lies outside. */
  const enter = (path: string): number | undefined => {
    if (folder?.path === path) return folder.fd
    close()
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY)
    folder = { path, fd }
    if (isStillInside(roots, fd, path)) return fd
    close()
    return undefined
  }
  const content = (path: string): Buffer | undefined => {
    const file = openSync(path, toRead)
    try {
      const stat = fstatSync(file)
      if (!stat.isFile() || stat.size > most || !(descriptors || isStillInside(roots, file, path))) return undefined
      if (stat.size > buffer.length) buffer = Buffer.allocUnsafe(Math.min(most, 2 * stat.size))
      return buffer.subarray(0, readSync(file, buffer, 0, stat.size, 0))
    } finally {
      closeSync(file)
    }
  }
  const read = (real: string): Buffer | undefined => {
    if (!descriptors) return content(real)
    const fd = enter(dirname(real))
    return fd === undefined ? undefined : content(`/proc/self/fd/${fd}/${basename(real)}`)
  }
  return { read, close }
}

/** Runs `use` with a prefix under which names mean entries of exactly this checked folder. */
export const inFolder = async <A>(
  roots: Roots,
  { path, real }: Pick<Place, "path" | "real">,
  use: (prefix: string, folder: fs.FileHandle) => Promise<A>
): Promise<A> => {
  const folder = await fs.open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY)
  try {
    if (!await isInside(roots, folder, real)) throw outside(path)
    return await use(descriptors ? `/proc/self/fd/${folder.fd}` : real, folder)
  } finally {
    await folder.close()
  }
}

/** Makes the folders that are missing down to `real`, each within the checked one above it. */
export const makeFolder = async (roots: Roots, place: Pick<Place, "path" | "real" | "root">): Promise<void> => {
  if (existsSync(place.real)) return
  const parent = { ...place, real: dirname(place.real) }
  await makeFolder(roots, parent)
  await inFolder(roots, parent, (prefix) =>
    fs.mkdir(join(prefix, basename(place.real))).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== "EEXIST") throw cause
    }))
}

const descriptors = existsSync("/proc/self/fd")

/** As `isInside`, where the system says where an open file lies; elsewhere by its path once more. */
const isStillInside = (roots: Roots, file: number, real: string): boolean =>
  rootOf(roots, descriptors ? readlinkSync(`/proc/self/fd/${file}`).replace(/ \(deleted\)$/, "") : realpathSync(real)) !== undefined

/** Where an open file lies now, by the system's own word where it gives one, else by comparing it with the path again. */
const isInside = async (roots: Roots, file: fs.FileHandle, real: string): Promise<boolean> => {
  if (descriptors) {
    const now = await fs.readlink(`/proc/self/fd/${file.fd}`)
    return rootOf(roots, now.replace(/ \(deleted\)$/, "")) !== undefined
  }
  const [opened, again] = [await file.stat(), await fs.lstat(await fs.realpath(real))]
  return opened.ino === again.ino && opened.dev === again.dev && rootOf(roots, await fs.realpath(real)) !== undefined
}

const rootOf = ({ real }: Roots, path: string): string | undefined => real.find((root) => Root.contains(root, path))

const outside = (path: string) => fail(path, "Outside", "It lies outside the workspace.")

/** Where a path leads through all links; for what does not exist, from its deepest existing parent. */
const realTarget = async (path: string, hops = 0): Promise<string> => {
  try {
    return await fs.realpath(path)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code !== "ENOENT" || hops > 40) throw cause
    if (dirname(path) === path) return path
    const parent = await realTarget(dirname(path), hops)
    const entry = join(parent, basename(path))
    const link = await fs.readlink(entry).catch(() => undefined)
    return link === undefined ? entry : realTarget(resolve(parent, link), hops + 1)
  }
}

/** Whether an ignore file for access, in any folder from the root down, closes the place under either of its names. */
const isClosed = ({ asked, real, root }: Place): boolean =>
  closes(root, real) || (Root.contains(root, asked) && asked !== real && closes(root, asked))

const closes = (root: string, path: string): boolean => {
  const names = relative(root, path).split("/").filter((name) => name !== "")
  const rules: Array<Ignore.Rules> = []
  for (let depth = 0; depth < names.length; depth++) {
    const folder = names.slice(0, depth).join("/")
    rules.push(...readRules(root, folder, Ignore.access, { anyCase: true }))
    const isLast = depth === names.length - 1
    if (Ignore.isIgnored(rules, names.slice(0, depth + 1).join("/"), !isLast)) return true
  }
  return false
}

/** The ignore files of one folder. */
export const readRules = (
  root: string,
  folder: string,
  names: ReadonlyArray<string>,
  options: { readonly anyCase: boolean }
): ReadonlyArray<Ignore.Rules> =>
  names.flatMap((name) => {
    const file = join(root, folder, name)
    try {
      return existsSync(file) ? [Ignore.compile({ folder, text: readFileSync(file, "utf8") }, options)] : []
    } catch {
      return []
    }
  })
