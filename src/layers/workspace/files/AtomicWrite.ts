/** Replaces a file whole: whoever reads it, at any moment, finds the old content or the new. */
import * as fs from "node:fs/promises"
import { constants, type Stats } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { Place, Roots } from "./PathGuard.ts"
import * as Confine from "./PathGuard.ts"
import { fail } from "./FileFailure.ts"

/** Writes to the place; missing folders are made, mode and owner of an old file kept. */
export const write = async (roots: Roots, place: Place, bytes: Uint8Array): Promise<void> => {
  const folder = { ...place, real: dirname(place.real) }
  await Confine.makeFolder(roots, folder)
  await Confine.inFolder(roots, folder, async (prefix, handle) => {
    const target = join(prefix, basename(place.real))
    const old = await fs.lstat(target).catch(missing)
    if (old !== undefined) await mayReplace(place, target, old)
    const temporary = await fill(prefix, bytes, old)
    try {
      await fs.rename(temporary, target)
    } catch (cause) {
      await fs.rm(temporary, { force: true })
      throw cause
    }
    await handle.sync()
  })
}

const mayReplace = async ({ path }: Place, target: string, old: Stats): Promise<void> => {
  if (old.isDirectory()) throw fail(path, "IsDirectory", "It is a folder.")
  // Links were followed before; one that is here now was put here meanwhile.
  if (old.isSymbolicLink()) throw fail(path, "Outside", "It became a link while it was written.")
  if (!old.isFile()) throw fail(path, "Special", "It is a socket, a pipe or a device.")
  // Renaming over a file needs no right to write it: asked here, as its owner meant it.
  await fs.access(target, constants.W_OK)
}

/** A new file beside the old one, on disk when this returns. */
const fill = async (prefix: string, bytes: Uint8Array, old: Stats | undefined): Promise<string> => {
  const [temporary, file] = await create(prefix, old === undefined ? 0o666 : 0o600)
  try {
    try {
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

/** Temporary files are named so, in the folder of what they become. */
export const temporaryName = /^\.dacapo-\d+\.tmp$/

let count = 0

/** Another process may have taken the name, or something may stand there to mislead: then the next one. */
const create = async (prefix: string, mode: number): Promise<readonly [string, fs.FileHandle]> => {
  const taken: Array<string> = []
  for (;;) {
    const path = join(prefix, `.dacapo-${++count}.tmp`)
    try {
      const file = await fs.open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, mode)
      await Promise.all(taken.map((old) => clear(old, file)))
      return [path, file]
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EEXIST" || taken.length > 100) throw cause
      taken.push(path)
    }
  }
}

/** A write takes moments: what is a minute older than a new file, by the file system's own clock, is of a killed process. */
const clear = async (path: string, file: fs.FileHandle): Promise<void> => {
  const [old, now] = [await fs.lstat(path).catch(() => undefined), await file.stat()]
  if (old?.isFile() === true && now.mtimeMs - old.mtimeMs > 60_000) await fs.rm(path, { force: true })
}

const missing = (cause: NodeJS.ErrnoException): undefined => {
  if (cause.code !== "ENOENT") throw cause
}
