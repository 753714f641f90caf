/**
 * Restricts file access to the roots. A path is resolved through every link and checked, and what was opened is checked
 * again by its descriptor, so that a link swapped in between changes nothing. Changes are made relative to the
 * descriptor of a checked folder (Linux; elsewhere the folder is checked again before the change).
 */
import * as fs from "node:fs/promises"
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats
} from "node:fs"
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path"
import * as Ignore from "../../../domain/workspace/Ignore.ts"
import * as Root from "../../../domain/workspace/Root.ts"
import { fail } from "./FileFailure.ts"

/** A path inside a root: `requested` as it was given (absolute), `real` with all links resolved, `root` the real root that contains it. */
export interface ResolvedPath {
  readonly path: string
  readonly requested: string
  readonly real: string
  readonly root: string
}

export interface Roots {
  /** As the user gave them, absolute. */
  readonly lexical: ReadonlyArray<string>
  readonly real: ReadonlyArray<string>
}

export const roots = async (paths: ReadonlyArray<string>): Promise<Roots> => ({
  lexical: paths.map((root) => resolve(root)),
  real: paths.map((root) => realTarget(resolve(root)))
})

/**
 * The same with other places, by their real paths; none of the system's own folders, whose files may be secrets or have no end, and
 * none of the hidden ones.
 */
export const withPlaces = ({ lexical, real }: Roots, places: ReadonlyArray<string>, hidden: ReadonlyArray<string> = []): Roots => {
  const closed = [...systemFolders, ...hidden.map(realTarget)]
  const added = places.filter((place) => !closed.some((folder) => Root.contains(folder, place) || Root.contains(place, folder)))
  return { lexical: [...lexical, ...added], real: [...real, ...added] }
}

const systemFolders = ["/proc", "/sys", "/dev"]

/** How a path is shown: relative to the first root if it is inside it. */
export const displayPath = ({ lexical, real }: Roots, path: string): string => {
  for (const root of [real[0]!, lexical[0]!]) if (Root.contains(root, path)) return relative(root, path) || "."
  return path
}

/** Where a path leads, expressed by the roots as they were given. */
export const realPathOf = async ({ lexical, real }: Roots, path: string): Promise<string> => {
  return lexicalPath({ lexical, real }, realTarget(isAbsolute(path) ? resolve(path) : resolve(lexical[0]!, path)))
}

/** A real path, expressed by the roots as they were given. */
export const lexicalPath = ({ lexical, real }: Roots, path: string): string => {
  const index = real.findIndex((root) => Root.contains(root, path))
  return index < 0 || lexical[index] === real[index] ? path : join(lexical[index]!, relative(real[index]!, path))
}

/** Resolves a path; fails if it is outside the roots or closed by an ignore file. */
export const locate = async (roots: Roots, path: string): Promise<ResolvedPath> => {
  const refusal = Root.refusal(path)
  if (refusal !== undefined) throw fail(path, "Other", refusal)
  const requested = isAbsolute(path) ? resolve(path) : resolve(roots.lexical[0]!, path)
  const real = realTarget(requested)
  const root = rootOf(roots, real)
  if (root === undefined) throw outsideError(path)
  const location = { path, requested, real, root }
  if (isClosed(location))
    throw fail(path, "Denied", "An ignore file of this workspace (.dacapoignore or .clineignore) blocks it for tools.")
  return location
}

/** Like `locate`, but for a change: nothing under a `.git` is ever changed, in any spelling, through any link. */
export const locateForChange = async (roots: Roots, path: string): Promise<ResolvedPath> => {
  const location = await locate(roots, path)
  guard(roots, location)
  return location
}

/** Like `locateForChange`, but a link means itself and not its target. */
export const locateEntry = async (roots: Roots, path: string): Promise<ResolvedPath> => {
  const requested = resolve(roots.lexical[0]!, path)
  const folder = await locate(roots, path === "" ? path : dirname(requested))
  const location = { ...folder, path, requested, real: join(folder.real, basename(requested)) }
  if (isClosed(location)) throw fail(path, "Denied", "An ignore file of this workspace blocks it for tools.")
  guard(roots, location)
  return location
}

const guard = (roots: Roots, { requested, path, real, root }: ResolvedPath): void => {
  if (roots.real.includes(real)) throw fail(path, "IsDirectory", "It is the workspace itself.")
  if (Root.isProtected(relative(root, real)) || Root.isProtected(displayPath(roots, requested))) {
    throw fail(path, "Protected", "File tools don't change files in a repository's .git folder.")
  }
}

/** Without O_NONBLOCK opening a FIFO would wait for its writer. */
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Opens a regular file to read it; fails for links that changed, folders, and special files. */
export const openFile = async (
  roots: Roots,
  { path, real }: ResolvedPath
): Promise<{ readonly file: fs.FileHandle; readonly stat: Stats }> => {
  const file = await fs.open(real, readFlags)
  try {
    const stat = await file.stat()
    checkRegular(path, stat)
    if (!isInside(roots, file.fd, real)) throw outsideError(path)
    return { file, stat }
  } catch (cause) {
    await file.close()
    throw cause
  }
}

/**
 * Reads a regular file of at most `maxBytes` bytes at once; undefined for a larger one, and for one that grows meanwhile. Fails
 * like `openFile`. Synchronous, for the reason of `realTarget`.
 */
export const readSmall = (
  roots: Roots,
  { path, real }: ResolvedPath,
  maxBytes: number
): { readonly bytes: Uint8Array; readonly stat: Stats } | undefined => {
  const file = openSync(real, readFlags)
  try {
    const stat = fstatSync(file)
    checkRegular(path, stat)
    if (!isInside(roots, file, real)) throw outsideError(path)
    if (stat.size > maxBytes) return undefined
    const buffer = Buffer.allocUnsafe(stat.size + 1)
    let length = 0
    for (let count = -1; count !== 0 && length < buffer.length; length += count) {
      count = readSync(file, buffer, length, buffer.length - length, null)
    }
    return length === buffer.length ? undefined : { bytes: buffer.subarray(0, length), stat }
  } finally {
    closeSync(file)
  }
}

const checkRegular = (path: string, stat: Stats): void => {
  if (stat.isDirectory()) throw fail(path, "IsDirectory", "It is a folder.")
  if (!stat.isFile()) throw fail(path, "Special", "It is a socket, a pipe or a device.")
}

/** Fails if a folder is not inside the roots any more. */
export const checkFolder = (roots: Roots, { path, real }: Pick<ResolvedPath, "path" | "real">): void => {
  const folder = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY)
  try {
    if (!isInside(roots, folder, real)) throw outsideError(path)
  } finally {
    closeSync(folder)
  }
}

/**
 * Reads regular files of at most `maxBytes` bytes, one after the other; undefined for any other file; the bytes are valid
 * until the next read. Synchronous, and reuses the checked folder of the previous file if it is the same: a search
 * reads files by the thousand, and awaiting each of them five times takes ten times as long as reading it.
 */
export const reader = (roots: Roots, maxBytes: number) => {
  let buffer = Buffer.allocUnsafe(64 * 1024)
  let folder: { readonly path: string; readonly fd: number } | undefined
  const close = () => {
    if (folder !== undefined) closeSync(folder.fd)
    folder = undefined
  }
  /** The folder by its descriptor; undefined for one outside. */
  const openFolder = (path: string): number | undefined => {
    if (folder?.path === path) return folder.fd
    close()
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY)
    folder = { path, fd }
    if (isStillInside(roots, fd, path)) return fd
    close()
    return undefined
  }
  const content = (path: string): Buffer | undefined => {
    const file = openSync(path, readFlags)
    try {
      const stat = fstatSync(file)
      if (!stat.isFile() || stat.size > maxBytes || !(descriptors || isStillInside(roots, file, path))) return undefined
      if (stat.size > buffer.length) buffer = Buffer.allocUnsafe(Math.min(maxBytes, 2 * stat.size))
      return buffer.subarray(0, readSync(file, buffer, 0, stat.size, 0))
    } finally {
      closeSync(file)
    }
  }
  const read = (real: string): Buffer | undefined => {
    if (!descriptors) return content(real)
    const fd = openFolder(dirname(real))
    return fd === undefined ? undefined : content(`/proc/self/fd/${fd}/${basename(real)}`)
  }
  return { read, close }
}

/** Runs `use` with a prefix under which names refer to entries of exactly this checked folder. */
export const inFolder = async <A>(
  roots: Roots,
  { path, real }: Pick<ResolvedPath, "path" | "real">,
  use: (prefix: string, folder: fs.FileHandle) => Promise<A>
): Promise<A> => {
  const folder = await fs.open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY)
  try {
    if (!isInside(roots, folder.fd, real)) throw outsideError(path)
    return await use(descriptors ? `/proc/self/fd/${folder.fd}` : real, folder)
  } finally {
    await folder.close()
  }
}

/** Creates the missing folders down to `real`, each within the checked one above it. */
export const makeFolder = async (roots: Roots, location: Pick<ResolvedPath, "path" | "real" | "root">): Promise<void> => {
  if (existsSync(location.real)) return
  const parent = { ...location, real: dirname(location.real) }
  await makeFolder(roots, parent)
  await inFolder(roots, parent, (prefix) =>
    fs.mkdir(join(prefix, basename(location.real))).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== "EEXIST") throw cause
    }))
}

const descriptors = existsSync("/proc/self/fd")

/** Like `isInside`, if the system reports the location of an open file; else by its path once more. */
const isStillInside = (roots: Roots, file: number, real: string): boolean =>
  rootOf(roots, descriptors ? readlinkSync(`/proc/self/fd/${file}`).replace(/ \(deleted\)$/, "") : realpathSync(real)) !== undefined

/** The current location of an open file, as reported by the system if possible, else by comparing it with the path again. */
const isInside = (roots: Roots, file: number, real: string): boolean => {
  if (descriptors) return isStillInside(roots, file, real)
  const [handleStat, current] = [fstatSync(file), lstatSync(realpathSync(real))]
  return handleStat.ino === current.ino && handleStat.dev === current.dev && isStillInside(roots, file, real)
}

const rootOf = ({ real }: Roots, path: string): string | undefined => real.find((root) => Root.contains(root, path))

const outsideError = (path: string) => fail(path, "Outside", "It is outside the workspace.")

/**
 * Where a path leads through all links; for a missing one, from its deepest existing parent. Synchronous: a turn resolves dozens of
 * paths, mostly of files that do not exist, and handing a call to another thread and back takes twenty times as long as the call.
 */
const realTarget = (path: string, hops = 0): string => {
  try {
    return realpathSync.native(path)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code !== "ENOENT" || hops > 40) throw cause
    if (dirname(path) === path) return path
    const parent = realTarget(dirname(path), hops)
    const entry = join(parent, basename(path))
    const link = linkTarget(entry)
    return link === undefined ? entry : realTarget(resolve(parent, link), hops + 1)
  }
}

/** What a link contains; undefined for anything else. */
export const linkTarget = (path: string): string | undefined => {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** Whether an ignore file for access, in any folder from the root down, closes the location under either of its names. */
const isClosed = ({ requested, real, root }: ResolvedPath): boolean =>
  isClosedIn(root, real) || (Root.contains(root, requested) && requested !== real && isClosedIn(root, requested))

const isClosedIn = (root: string, path: string): boolean => makeIsClosed(root)(relative(root, path))

/** Whether an ignore file for access closes a file, by its path relative to the root; each folder's files are read once. */
export const makeIsClosed = (root: string): (path: string) => boolean => {
  /** The rules that apply in a folder, from the root down; null for a folder that is closed itself. */
  const folders = new Map<string, ReadonlyArray<Ignore.Rules> | null>()
  const rulesIn = (folder: string): ReadonlyArray<Ignore.Rules> | null => {
    const cachedRules = folders.get(folder)
    if (cachedRules !== undefined) return cachedRules
    const parentRules = folder === "" ? [] : rulesIn(parentOf(folder))
    const rules = parentRules === null || folder !== "" && Ignore.isIgnored(parentRules, folder, true)
      ? null
      : [...parentRules, ...readRules(root, folder, Ignore.accessFiles, { anyCase: true })]
    folders.set(folder, rules)
    return rules
  }
  return (path) => {
    if (path === "") return false
    const rules = rulesIn(parentOf(path))
    return rules === null || Ignore.isIgnored(rules, path, false)
  }
}

const parentOf = (path: string): string => path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ""

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
