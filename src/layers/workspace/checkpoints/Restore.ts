/** Restores files of a tree in the workspace; deletes only what was named. */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { type Change, CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import { nulTerminated, type Repository as ShadowRepository } from "./ShadowRepository.ts"

/** The repository of the tree, with an index of the current files. */
export type Repository = Pick<ShadowRepository, "git" | "index">

/** `changes` lead from the current files (as in the index) to `tree`; an obstacle to one of them fails before anything is changed. */
export const apply = Effect.fnUntraced(function*(repository: Repository, root: string, tree: string, changes: ReadonlyArray<Change>) {
  const removedPaths = new Set(changes.filter(({ kind }) => kind === "deleted").map(({ path }) => path))
  const restoredPaths = changes.filter(({ kind }) => kind !== "deleted").map(({ path }) => path)
  const obstacles = changes.flatMap(({ kind, path }) => kind === "deleted" ? [] : obstacle(root, path, kind === "created", removedPaths))
  if (obstacles.length > 0) {
    return yield* new CheckpointError({
      reason: "Failed",
      message: `These files are in the way of the restored ones: ${[...new Set(obstacles)].join(", ")}.`
    })
  }
  yield* Effect.sync(() => removedPaths.forEach((path) => remove(root, path)))
  if (removedPaths.size > 0) yield* repository.index(["--force-remove", "-z", "--stdin"], nulTerminated([...removedPaths]))
  if (restoredPaths.length === 0) return
  const modes = restoredPaths.map((path) => fs.lstatSync(join(root, path), { throwIfNoEntry: false })?.mode)
  const restoredSet = new Set(restoredPaths)
  const entries = (yield* repository.git(["ls-tree", "-r", "-z", tree])).split("\0").filter((line) =>
    restoredSet.has(line.slice(line.indexOf("\t") + 1))
  )
  yield* repository.index(["-z", "--index-info"], nulTerminated(entries))
  yield* repository.git(["checkout-index", "--force", "--index", "-z", "--stdin"], nulTerminated(restoredPaths))
  yield* Effect.sync(() => restoredPaths.forEach((path, i) => keepMode(join(root, path), modes[i])))
})

/**
 * Obstacles where a file or one of its folders must be, and that were not named for removal. An existing file where one
 * is to be created could not be saved (it is too large, or not readable) and would be lost.
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

/** With folders that become empty. */
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

/** Git only records whether a file is executable: its other permissions stay as they were. */
const keepMode = (path: string, before: number | undefined): void => {
  const stat = fs.lstatSync(path)
  if (before === undefined || !stat.isFile()) return
  const executable = (stat.mode & 0o100) === 0 ? 0 : (before & 0o444) >> 2
  fs.chmodSync(path, (before & 0o666) | executable)
}
