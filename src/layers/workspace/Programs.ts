/**
 * Where programs are searched: on PATH, without folders in which someone else could put another program in their
 * place (`node_modules/.bin` comes first under `npm exec`). Every program that we start ourselves is located here.
 */
import * as fs from "node:fs"
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path"
import * as CommandEnvironment from "../../domain/tool/CommandEnvironment.ts"
import * as Root from "../../domain/workspace/Root.ts"
import type { Environment } from "../../services/Environment.ts"

type SearchEnvironment = Pick<Environment["Service"], "variables"> & Partial<Pick<Environment["Service"], "folders">>

const defaultPath = "/usr/local/bin:/usr/bin:/bin"

/** PATH for our own programs: no relative folder, none within the roots or the repositories that contain them, no `node_modules`. */
export const searchPath = (environment: SearchEnvironment, roots: ReadonlyArray<string>): string => {
  const isInside = insideRoots(environment, roots)
  return entriesOf(environment).filter((entry) => isAbsolute(entry) && !isNodeModules(entry) && !isInside(entry)).join(delimiter)
}

/** The variables of a program that we start for the user, without secrets, and with that PATH. */
export const variables = (environment: Environment["Service"], roots: ReadonlyArray<string>): Record<string, string> => ({
  ...CommandEnvironment.withoutSecrets(environment.variables),
  PATH: searchPath(environment, roots)
})

/** The program's file; undefined if no folder of the path has it. */
export const find = (path: string, name: string): string | undefined =>
  path.split(delimiter).filter(isAbsolute).map((folder) => join(folder, name)).find(isExecutable)

/** Whether a command's program name in `cwd` would resolve to a file in the open folders. */
export const isLocal = (environment: SearchEnvironment, roots: ReadonlyArray<string>): (name: string, cwd: string) => boolean => {
  const isInside = insideRoots(environment, roots)
  const entries = entriesOf(environment)
  return (name, cwd) => {
    const files = name.includes("/") ? [resolve(cwd, name)] : entries.map((entry) => resolve(cwd, entry, name))
    const file = files.find(isExecutable)
    return file !== undefined && (isNodeModules(dirname(file)) || isInside(dirname(file)) || isInside(realPath(file)))
  }
}

const entriesOf = ({ variables }: SearchEnvironment): ReadonlyArray<string> => (variables["PATH"] || defaultPath).split(delimiter)

/** Packages of a project: under `npm exec` those of every folder above come first. */
const isNodeModules = (folder: string): boolean => /\/node_modules(?:\/|$)/.test(folder)

/** A repository around the home folder contains the user's programs too: only what lies deeper counts. */
const insideRoots = ({ folders }: SearchEnvironment, roots: ReadonlyArray<string>): (path: string) => boolean => {
  const projectFolders = roots.flatMap((root) => [root, Root.origin(root)]).flatMap((root) => [root, topOf(root)]).flatMap((
    folder
  ) => [folder, realPath(folder)])
    .filter((folder) => folder !== "/" && (folders === undefined || !Root.contains(folder, folders.home)))
  return (path) => [path, realPath(path)].some((one) => projectFolders.some((folder) => Root.contains(folder, one)))
}

/** The folder of the repository that contains it, or itself. */
const topOf = (folder: string): string => {
  for (let path = resolve(folder);; path = dirname(path)) {
    if (fs.existsSync(join(path, ".git"))) return path
    if (dirname(path) === path) return folder
  }
}

const realPath = (path: string): string => {
  try {
    return fs.realpathSync(path)
  } catch {
    return path
  }
}

const isExecutable = (path: string): boolean => {
  try {
    fs.accessSync(path, fs.constants.X_OK)
    return fs.statSync(path).isFile()
  } catch {
    return false
  }
}
