/** The files of a plugin: read from a folder within limits, without links, and identified by a hash of all of them. */
import * as Result from "effect/Result"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { isSafePath } from "../../domain/extension/PluginManifest.ts"
import { sha256 } from "../storage/Digest.ts"

/** One file; `path` is relative, with slashes. */
export interface PluginFile {
  readonly path: string
  readonly bytes: Uint8Array
  readonly isExecutable: boolean
}

/** More than any plugin has: bytes and files of all, and the depth of folders. */
export const limits = { bytes: 20 * 1024 * 1024, files: 2_000, depth: 12 }

/** What a developer's folder has besides the plugin; in an installed plugin nothing is left out. */
const developerNames: ReadonlySet<string> = new Set([".git", ".DS_Store"])
const noNames: ReadonlySet<string> = new Set()

interface Entry {
  readonly path: string
  readonly size: number
  readonly isExecutable: boolean
  /** Changes with the file. */
  readonly stamp: string
}

/** The files of a folder without their content, sorted; a failure says why it is not that of a plugin. */
const list = (folder: string, ignored: ReadonlySet<string>): Result.Result<ReadonlyArray<Entry>, string> => {
  const entries: Array<Entry> = []
  const listed = Result.try({ try: () => listBelow(folder, "", entries, ignored), catch: (error) => (error as Error).message })
  if (Result.isFailure(listed)) return Result.fail(listed.failure)
  const problem = listed.success
  return problem === undefined ? Result.succeed(entries.toSorted((a, b) => a.path < b.path ? -1 : 1)) : Result.fail(problem)
}

const listBelow = (root: string, prefix: string, entries: Array<Entry>, ignored: ReadonlySet<string>): string | undefined => {
  for (const name of fs.readdirSync(join(root, prefix))) {
    if (ignored.has(name)) continue
    const path = prefix === "" ? name : `${prefix}/${name}`
    const stat = fs.lstatSync(join(root, path), { bigint: true })
    const isExecutable = (stat.mode & 0o111n) !== 0n
    const problem = pathProblem(path) ?? (
      stat.isDirectory() ? listBelow(root, path, entries, ignored)
        : !stat.isFile() ? `${JSON.stringify(path)} is ${stat.isSymbolicLink() ? "a link" : "not a regular file"}`
        : void entries.push({
          path,
          size: Number(stat.size),
          isExecutable,
          stamp: [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs, stat.mode].join()
        })
    ) ?? sizeProblem(entries)
    if (problem !== undefined) return problem
  }
  return undefined
}

const pathProblem = (path: string): string | undefined =>
  !isSafePath(path) ? `${JSON.stringify(path.slice(0, 200))} is not a path within the plugin`
    : path.split("/").length > limits.depth ? `its folders are more than ${limits.depth} deep`
    : undefined

const sizeProblem = (entries: ReadonlyArray<{ readonly size: number }>): string | undefined =>
  entries.length > limits.files ? `it has more than ${limits.files} files`
    : entries.reduce((sum, { size }) => sum + size, 0) > limits.bytes ? `it is larger than ${limits.bytes / 1024 / 1024} MB`
    : undefined

/** All files of a developer's folder. */
export const read = (folder: string): Result.Result<ReadonlyArray<PluginFile>, string> => readAll(folder, developerNames)

const readAll = (folder: string, ignored: ReadonlySet<string>): Result.Result<ReadonlyArray<PluginFile>, string> =>
  Result.flatMap(list(folder, ignored), (entries) =>
    Result.try({
      try: () => entries.map(({ isExecutable, path }) => ({ path, isExecutable, bytes: fs.readFileSync(join(folder, path)) })),
      catch: (error) => (error as Error).message
    }))

/** Why files that came otherwise, from an archive, can't be a plugin's. */
export const problem = (files: ReadonlyArray<PluginFile>): string | undefined => {
  const paths = new Set<string>()
  for (const { path } of files) {
    const why = pathProblem(path) ?? (paths.has(path.toLowerCase()) ? `it has ${JSON.stringify(path)} twice` : undefined)
    if (why !== undefined) return why
    paths.add(path.toLowerCase())
  }
  return sizeProblem(files.map(({ bytes }) => ({ size: bytes.length })))
}

/** The hash that identifies a plugin's content: of all paths, of what may be executed, and of all bytes. */
export const hash = (files: ReadonlyArray<PluginFile>): string =>
  `sha256-${
    sha256(
      files.toSorted((a, b) => a.path < b.path ? -1 : 1)
        .map(({ bytes, isExecutable, path }) => `${path}\0${isExecutable ? "x" : "-"}\0${sha256(bytes)}\n`).join("")
    )
  }`

/** The hash of an installed folder, computed again only when one of its files changed; undefined if it is not that of a plugin. */
export const folderHash = (folder: string): string | undefined => {
  try {
    const entries = Result.getOrUndefined(list(folder, noNames))
    if (entries === undefined) return undefined
    const stamp = entries.map((entry) => `${entry.path} ${entry.stamp}`).join("\n")
    const last = hashes.get(folder)
    if (last?.stamp === stamp) return last.hash
    const files = Result.getOrUndefined(readAll(folder, noNames))
    if (files === undefined) return undefined
    const current = hash(files)
    hashes.set(folder, { stamp, hash: current })
    return current
  } catch {
    return undefined // missing or unreadable
  }
}

const hashes = new Map<string, { readonly stamp: string; readonly hash: string }>()

/** Writes the files into a folder that does not exist yet, under another name until it is complete. */
export const write = (folder: string, files: ReadonlyArray<PluginFile>): void => {
  const unfinished = `${folder}.new`
  fs.rmSync(unfinished, { recursive: true, force: true })
  for (const { bytes, isExecutable, path } of files) {
    fs.mkdirSync(dirname(join(unfinished, path)), { recursive: true, mode: 0o700 })
    fs.writeFileSync(join(unfinished, path), bytes, { flag: "wx", mode: isExecutable ? 0o700 : 0o600 })
  }
  fs.rmSync(folder, { recursive: true, force: true })
  fs.renameSync(unfinished, folder)
}
