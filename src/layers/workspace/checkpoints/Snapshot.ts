/**
 * The files of the user's repository as they are now, as a commit that no branch names: changed ones and new ones too. Taken
 * through an index of its own; the user's stays as it is.
 */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import * as LeftOut from "../../../domain/workspace/CheckpointExcludes.ts"
import * as Git from "../git/Git.ts"
import * as ProcessTree from "../shell/ProcessTree.ts"
import { copyIndex } from "./ShadowRepository.ts"

/** `top` is the folder of the whole work tree; `git` and `index` work with the index that was taken, for as long as the scope lasts. */
export interface Snapshot {
  readonly top: string
  readonly commit: string
  readonly tree: string
  readonly git: (args: ReadonlyArray<string>, stdin?: string) => Effect.Effect<string, CheckpointError>
  readonly index: (args: ReadonlyArray<string>, stdin: string) => Effect.Effect<void, CheckpointError>
}

let taken = 0

/** Of the repository that holds `folder`; the commit that is checked out where nothing has changed since. */
export const take = Effect.fn("Snapshot.take")(function*(path: string, folder: string) {
  const found = yield* Git.check(path)({ args: ["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-path", "index", "HEAD^{commit}", "HEAD^{tree}"], cwd: folder })
  const [top = "", theirs = "", head = "", headTree = ""] = found.split("\n")
  const own = yield* Effect.acquireRelease(copied(theirs), (own) => Effect.sync(() => fs.rmSync(own, { force: true })))
  const git: Snapshot["git"] = (args, stdin) =>
    Git.check(path)({ args, cwd: top, env: { GIT_INDEX_FILE: own }, ...(stdin === undefined ? {} : { stdin }) })
  const index: Snapshot["index"] = (args, stdin) => Effect.asVoid(git(["update-index", ...args], stdin))

  yield* git(fs.existsSync(theirs) ? ["add", "--update", "--", "."] : ["read-tree", head])
  const fresh = (yield* git(["ls-files", "-z", "--others", "--exclude-standard"])).split("\0").filter((file) => file !== "" && canTake(join(top, file)))
  if (fresh.length > 0) yield* index(["--add", "-z", "--stdin"], fresh.map((file) => `${file}\0`).join(""))
  const tree = (yield* git(["write-tree"])).trim()
  const commit = tree === headTree ? head : (yield* git(["commit-tree", tree, "-p", head, "-m", "The files as they were"])).trim()
  return { top, commit, tree, git, index } satisfies Snapshot
})

const copied = (theirs: string) =>
  Effect.try({
    try: () => {
      const own = `${theirs}.dacapo-${ProcessTree.self}-${++taken}`
      if (fs.existsSync(theirs)) copyIndex(theirs, own)
      return own
    },
    catch: (cause) => new CheckpointError({ reason: "Failed", message: (cause as Error).message })
  })

/** A file or a link of a size that is worth a copy; another repository within this one is none. */
const canTake = (file: string): boolean => {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false })
  return stat !== undefined && (stat.isSymbolicLink() || (stat.isFile() && stat.size <= LeftOut.largest))
}
