/** Renames a file: at any moment it exists under one of the names. */
import * as fs from "node:fs/promises"
import { constants } from "node:fs"
import { basename, dirname, join } from "node:path"
import * as PathGuard from "./PathGuard.ts"
import { fail } from "./FileFailure.ts"

/** A link is moved itself. Missing folders are created; nothing is ever replaced. */
export const move = async (roots: PathGuard.Roots, path: string, to: string): Promise<void> => {
  const from = await PathGuard.locateEntry(roots, path)
  const target = await PathGuard.locateEntry(roots, to)
  if ((await fs.lstat(from.real)).isDirectory()) throw fail(path, "IsDirectory", "It is a folder.")
  const folder = { ...target, real: dirname(target.real) }
  await PathGuard.makeFolder(roots, folder)
  await PathGuard.inFolder(
    roots,
    { path, real: dirname(from.real) },
    (prefix, sourceFolder) =>
      PathGuard.inFolder(roots, folder, async (targetPrefix, targetFolder) => {
        await rename(join(prefix, basename(from.real)), join(targetPrefix, basename(target.real)), to)
        await sourceFolder.sync()
        await targetFolder.sync()
      })
  )
}

const rename = async (old: string, target: string, to: string): Promise<void> => {
  if (await fs.lstat(target).then(() => true, () => false)) throw fail(to, "Exists", "It already exists.")
  try {
    await fs.rename(old, target)
  } catch (cause) {
    // Roots may be on different disks.
    if ((cause as NodeJS.ErrnoException).code !== "EXDEV") throw cause
    await fs.copyFile(old, target, constants.COPYFILE_EXCL)
    await fs.unlink(old)
  }
}
