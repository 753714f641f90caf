/** The program that a server's command names: located before it is started, so that what was approved is what runs. */
import { accessSync, constants, realpathSync, statSync } from "node:fs"
import { delimiter, isAbsolute, join, resolve } from "node:path"
import * as Root from "../../domain/workspace/Root.ts"

/** `path` is what is started, `real` where its links lead. */
export interface Program {
  readonly path: string
  readonly real: string
}

/** Where it is searched: `cwd` is the server's folder, `folder` the session's. */
export interface SearchContext {
  readonly cwd: string
  readonly folder: string
  /** The PATH that the server itself gets. */
  readonly path: string | undefined
}

/**
 * Undefined if not found. A bare name is searched on PATH without relative entries and those in the folder: a
 * repository can't put its own `npx` before the user's. A path is relative to the server's folder.
 */
export const find = (command: string, { cwd, folder, path }: SearchContext): Program | undefined => {
  if (command.includes("/")) return programAt(resolve(cwd, command))
  for (const entry of entries(path, folder)) {
    const program = programAt(join(entry, command))
    if (program !== undefined) return program
  }
  return undefined
}

/** The folders of a PATH without relative entries and those in `folder`. */
export const entries = (path = "/usr/local/bin:/usr/bin:/bin", folder: string): ReadonlyArray<string> => {
  const projectFolders = [folder, realPath(folder)]
  return path.split(delimiter).filter((entry) =>
    isAbsolute(entry) && !projectFolders.some((root) => Root.contains(root, entry) || Root.contains(root, realPath(entry)))
  )
}

const programAt = (path: string): Program | undefined => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile() ? { path, real: realpathSync(path) } : undefined
  } catch {
    return undefined
  }
}

const realPath = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
