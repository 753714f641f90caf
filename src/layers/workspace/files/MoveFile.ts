/** Gives a file another name: whoever looks, at any moment, finds it under the one or the other. */
import * as fs from "node:fs/promises"
import { constants } from "node:fs"
import { basename, dirname, join } from "node:path"
import * as Confine from "./PathGuard.ts"
import { fail } from "./FileFailure.ts"

/** A link is moved itself. Missing folders are made; nothing is ever replaced. */
export const move = async (roots: Confine.Roots, path: string, to: string): Promise<void> => {
  const from = await Confine.locateEntry(roots, path)
  const target = await Confine.locateEntry(roots, to)
  if ((await fs.lstat(from.real)).isDirectory()) throw fail(path, "IsDirectory", "It is a folder.")
  const folder = { ...target, real: dirname(target.real) }
  await Confine.makeFolder(roots, folder)
  await Confine.inFolder(roots, { path, real: dirname(from.real) }, (prefix, left) =>
    Confine.inFolder(roots, folder, async (next, entered) => {
      await rename(join(prefix, basename(from.real)), join(next, basename(target.real)), to)
      await left.sync()
      await entered.sync()
    }))
}

const rename = async (old: string, target: string, to: string): Promise<void> => {
  if (await fs.lstat(target).then(() => true, () => false)) throw fail(to, "Exists", "It exists already.")
  try {
    await fs.rename(old, target)
  } catch (cause) {
    // Roots may lie on different disks.
    if ((cause as NodeJS.ErrnoException).code !== "EXDEV") throw cause
    await fs.copyFile(old, target, constants.COPYFILE_EXCL)
    await fs.unlink(old)
  }
}
