/**
 * The state of the user's own repository, read from its files: no program of the user's can run through it, and no
 * process is waited for. Layout: gitrepository-layout(5).
 */
import { readFileSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

/** Null if there is no branch (a detached HEAD, no repository) or no commit yet. */
export interface Position {
  readonly branch: string | null
  readonly head: string | null
}

/** For the repository that contains the folder. */
export const position = (folder: string): Position => {
  const git = find(folder)
  const head = git === undefined ? undefined : read(join(git, "HEAD"))
  if (git === undefined || head === undefined) return { branch: null, head: null }
  const ref = /^ref: (.+)$/.exec(head)?.[1]
  if (ref === undefined) return { branch: null, head: commitOf(head) }
  return { branch: ref.replace(/^refs\/heads\//, ""), head: commitOf(lookUp(git, ref)) }
}

/** The git folder of a work tree: `.git`, or what a file of that name points to. */
const find = (folder: string): string | undefined => {
  const path = join(folder, ".git")
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat?.isDirectory() === true) return path
  const pointer = stat === undefined ? undefined : /^gitdir: (.+)$/.exec(read(path) ?? "")?.[1]
  if (pointer !== undefined) return resolve(folder, pointer)
  return dirname(folder) === folder ? undefined : find(dirname(folder))
}

/** For an additional work tree too, whose branches are in the common folder. */
const lookUp = (git: string, ref: string): string | undefined => {
  const common = resolve(git, read(join(git, "commondir")) ?? ".")
  return read(join(common, ref)) ?? read(join(common, "packed-refs"))?.split("\n").find((line) => line.endsWith(` ${ref}`))?.split(" ")[0]
}

const commitOf = (text: string | undefined): string | null => text !== undefined && /^[0-9a-f]{40,64}$/.test(text) ? text : null

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8").trim()
  } catch {
    return undefined
  }
}
