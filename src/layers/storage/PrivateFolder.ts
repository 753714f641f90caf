/** A folder of ours, readable by its owner alone. */
import { existsSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"

/** Makes it with what is missing above it. Node's own recursive way never ends where a parent refuses with ENOENT, as in /proc. */
export const make = (path: string): void => {
  if (existsSync(path)) return
  make(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error // another process was first
  }
}
