/** Brings files of a tree back into the workspace; deletes nothing that was not named. */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { type Change, CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import type { Repository as Whole } from "./ShadowRepository.ts"

/** What holds the tree, with an index that says what the files are now. */
export type Repository = Pick<Whole, "git" | "index">

/** `changes` lead from the files as they are (and as the index has them) to `tree`; what is in the way of one fails before anything is changed. */
export const apply = Effect.fnUntraced(function*(repository: Repository, root: string, tree: string, changes: ReadonlyArray<Change>) {
  const removed = new Set(changes.filter(({ kind }) => kind === "deleted").map(({ path }) => path))
  const back = changes.filter(({ kind }) => kind !== "deleted").map(({ path }) => path)
  const inTheWay = changes.flatMap(({ kind, path }) => kind === "deleted" ? [] : obstacle(root, path, kind === "created", removed))
  if (inTheWay.length > 0) {
    return yield* new CheckpointError({ reason: "Failed", message: `In the way of what would come back: ${[...new Set(inTheWay)].join(", ")}.` })
  }
  yield* Effect.sync(() => removed.forEach((path) => remove(root, path)))
  if (removed.size > 0) yield* repository.index(["--force-remove", "-z", "--stdin"], join0([...removed]))
  if (back.length === 0) return
  const modes = back.map((path) => fs.lstatSync(join(root, path), { throwIfNoEntry: false })?.mode)
  const wanted = new Set(back)
  const entries = (yield* repository.git(["ls-tree", "-r", "-z", tree])).split("\0").filter((line) => wanted.has(line.slice(line.indexOf("\t") + 1)))
  yield* repository.index(["-z", "--index-info"], join0(entries))
  yield* repository.git(["checkout-index", "--force", "--index", "-z", "--stdin"], join0(back))
  yield* Effect.sync(() => back.forEach((path, i) => keepMode(join(root, path), modes[i])))
})

const join0 = (paths: ReadonlyArray<string>): string => paths.map((path) => `${path}\0`).join("")

/**
 * What stands where a file or one of its folders must be, and was not named for removal. Where a file is to be
 * created and one is there, that one could not be saved (it is too large, or not readable) and would be lost.
 */
const obstacle = (root: string, path: string, isNew: boolean, removed: ReadonlySet<string>): ReadonlyArray<string> => {
  const names = path.split("/")
  for (let depth = 1; depth < names.length; depth++) {
    const folder = names.slice(0, depth).join("/")
    const stat = fs.lstatSync(join(root, folder), { throwIfNoEntry: false })
    if (stat !== undefined && !stat.isDirectory()) return removed.has(folder) ? [] : [folder]
  }
  const stat = fs.lstatSync(join(root, path), { throwIfNoEntry: false })
  if (stat?.isDirectory() === true) return filesUnder(root, path).filter((file) => !removed.has(file))
  return stat !== undefined && isNew ? [path] : []
}

const filesUnder = (root: string, path: string): ReadonlyArray<string> =>
  fs.readdirSync(join(root, path), { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))

/** With folders that become empty by it. */
const remove = (root: string, path: string): void => {
  fs.rmSync(join(root, path), { force: true })
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    try {
      fs.rmdirSync(join(root, folder))
    } catch {
      return
    }
  }
}

/** Git knows only whether a file is executable: who may read it stays as it was. */
const keepMode = (path: string, before: number | undefined): void => {
  const stat = fs.lstatSync(path)
  if (before === undefined || !stat.isFile()) return
  const executable = (stat.mode & 0o100) === 0 ? 0 : (before & 0o444) >> 2
  fs.chmodSync(path, (before & 0o666) | executable)
}
