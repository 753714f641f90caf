/**
 * Where programs are searched: on PATH, without folders in which someone else could put another program in their
 * place (`node_modules/.bin` comes first under `npm exec`). Every program that we start ourselves is located here.
 */
import * as fs from "node:fs"
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path"
import * as CommandEnvironment from "../../domain/tool/CommandEnvironment.ts"
import * as Root from "../../domain/workspace/Root.ts"
import type { Environment } from "../../services/Environment.ts"

type SearchEnvironment = Pick<Environment["Service"], "variables"> & Partial<Pick<Environment["Service"], "folders">>

const defaultPath = "/usr/local/bin:/usr/bin:/bin"

/** PATH for our own programs: no relative folder, none within the roots or the repositories that contain them, no `node_modules`. */
export const searchPath = (environment: SearchEnvironment, roots: ReadonlyArray<string>): string => {
  const paths = searchPaths.get(environment) ?? new Map<string, string>()
  searchPaths.set(environment, paths)
  const key = roots.join("\0")
  const path = paths.get(key) ?? safePath(environment, roots)
  paths.set(key, path)
  return path
}

/** By the roots: each layer asks, and the file system is only looked at once. */
const searchPaths = new WeakMap<SearchEnvironment, Map<string, string>>()

const safePath = (environment: SearchEnvironment, roots: ReadonlyArray<string>): string => {
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

/**
 * Whether a program only stands for the one that a file of the folder names, as the programs of rustup, asdf and mise do: a
 * `rust-toolchain.toml` or a `.tool-versions` with a path makes `cargo` or `node` any program.
 */
export const isChosenByFolder = (environment: SearchEnvironment, roots: ReadonlyArray<string>): (name: string, cwd: string) => boolean => {
  const entries = entriesOf(environment)
  return (name, cwd) => {
    const file = entries.map((entry) => resolve(cwd, entry, name)).find(isExecutable)
    if (file === undefined || name.includes("/")) return false
    const isProxy = rustPrograms.has(name) && fs.existsSync(join(dirname(file), "rustup"))
    const isShim = /\/shims$/.test(dirname(file)) || shimPrograms.has(basename(realPath(file)))
    return foldersUpTo(roots, cwd).some((folder) =>
      isProxy && rustToolchains.some((name) => fs.existsSync(join(folder, name))) ||
      isShim && versionFiles.some((name) => namesPath(join(folder, name)))
    )
  }
}

const rustPrograms = new Set("cargo cargo-clippy cargo-fmt clippy-driver rust-analyzer rustc rustdoc rustfmt".split(" "))
const rustToolchains = ["rust-toolchain", "rust-toolchain.toml"]
const shimPrograms = new Set("asdf mise proto-shim rtx rustup volta-shim".split(" "))
const versionFiles = [".tool-versions", "mise.toml", ".mise.toml", ".prototools", ".node-version", ".python-version", ".ruby-version"]

/** From a folder to the root that contains it, or to the top. */
const foldersUpTo = (roots: ReadonlyArray<string>, folder: string): ReadonlyArray<string> =>
  dirname(folder) === folder || roots.includes(folder) ? [folder] : [folder, ...foldersUpTo(roots, dirname(folder))]

/** A version has no slash. */
const namesPath = (file: string): boolean => {
  try {
    return /\/|\bpath:/.test(fs.readFileSync(file, "utf8").slice(0, 65_536))
  } catch {
    return fs.existsSync(file)
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
