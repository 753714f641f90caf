/** Replaces a file atomically: readers find the old content or the new at any moment. */
import * as fs from "node:fs/promises"
import { constants, type Stats } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { ResolvedPath, Roots } from "./PathGuard.ts"
import * as PathGuard from "./PathGuard.ts"
import { fail } from "./FileFailure.ts"
import * as ProcessTree from "../shell/ProcessTree.ts"

/** Writes to the location; missing folders are created, mode and owner of an old file preserved. */
export const write = async (roots: Roots, location: ResolvedPath, bytes: Uint8Array): Promise<void> => {
  const folder = { ...location, real: dirname(location.real) }
  await PathGuard.makeFolder(roots, folder)
  await PathGuard.inFolder(roots, folder, async (prefix, handle) => {
    const target = join(prefix, basename(location.real))
    const old = await fs.lstat(target).catch(ignoreMissing)
    if (old !== undefined) await mayReplace(location, target, old)
    const temporary = await fill(folder.real, prefix, bytes, old)
    try {
      await fs.rename(temporary, target)
    } catch (cause) {
      await fs.rm(temporary, { force: true })
      throw cause
    }
    await handle.sync()
  })
}

const mayReplace = async ({ path }: ResolvedPath, target: string, old: Stats): Promise<void> => {
  if (old.isDirectory()) throw fail(path, "IsDirectory", "It is a folder.")
  // Links were followed before; one that is here now was created meanwhile.
  if (old.isSymbolicLink()) throw fail(path, "Outside", "It became a link while it was written.")
  if (!old.isFile()) throw fail(path, "Special", "It is a socket, a pipe or a device.")
  // Renaming over a file needs no write permission on it: it is checked here, as its owner intended.
  await fs.access(target, constants.W_OK)
}

/** A new file beside the old one, on disk when this returns. */
const fill = async (folder: string, prefix: string, bytes: Uint8Array, old: Stats | undefined): Promise<string> => {
  const [temporary, file] = await create(prefix, old === undefined ? 0o666 : 0o600)
  try {
    try {
      await clear(folder, prefix, file)
      await file.writeFile(bytes)
      if (old !== undefined) {
        const { gid, uid } = await file.stat()
        if (uid !== old.uid || gid !== old.gid) await file.chown(old.uid, old.gid).catch(() => undefined)
        await file.chmod(old.mode & 0o7777)
      }
      await file.sync()
    } finally {
      await file.close()
    }
    return temporary
  } catch (cause) {
    await fs.rm(temporary, { force: true })
    throw cause
  }
}

/** The names of temporary files, in the folder of their target: they identify the writing process if it is known. */
export const temporaryName = /^\.dacapo-(\d+\.\d+\.\d+\.)?\d+\.tmp$/

/** Whether this is the name of a temporary file whose process has died during its write. */
export const isLeftover = (name: string): boolean => {
  const [, owner] = temporaryName.exec(name) ?? []
  return owner !== undefined && ProcessTree.isDead(owner)
}

let count = 0
let owner: string | undefined

/** Something may have been put there on purpose: then the next name is tried. */
const create = async (prefix: string, mode: number): Promise<readonly [string, fs.FileHandle]> => {
  owner ??= ProcessTree.owner()
  for (let tries = 0;; tries++) {
    const path = join(prefix, `.dacapo-${owner}.${++count}.tmp`)
    try {
      return [path, await fs.open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, mode)]
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EEXIST" || tries > 100) throw cause
    }
  }
}

/** Folders cleaned of leftovers of dead processes. */
const cleanFolders = new Set<string>()

/**
 * If the name does not identify the process: a write takes moments, so anything a minute older than a new file, by the
 * file system's own clock, is left over from a killed process.
 */
const clear = async (folder: string, prefix: string, file: fs.FileHandle): Promise<void> => {
  if (cleanFolders.has(folder)) return
  cleanFolders.add(folder)
  const names = (await fs.readdir(prefix).catch(() => [])).filter((name) => temporaryName.test(name))
  if (names.length === 0) return
  const current = await file.stat()
  await Promise.all(names.map(async (name) => {
    const path = join(prefix, name)
    const old = await fs.lstat(path).catch(() => undefined)
    if (old?.isFile() === true && (isLeftover(name) || current.mtimeMs - old.mtimeMs > 60_000)) await fs.rm(path, { force: true })
  }))
}

const ignoreMissing = (cause: NodeJS.ErrnoException): undefined => {
  if (cause.code !== "ENOENT") throw cause
}
