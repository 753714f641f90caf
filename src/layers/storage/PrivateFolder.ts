/** Creates folders that only their owner can read. */
import { existsSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"

/** Creates a folder and its parents. Node's recursive mkdir never returns if a parent fails with ENOENT, as in /proc. */
export const make = (path: string): void => {
  if (existsSync(path)) return
  make(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error // another process created it
  }
}
