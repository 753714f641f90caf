/**
 * The current files of the user's repository as a commit that no branch names, including changed and new ones. Captured
 * through a separate index; the user's stays as it is.
 */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { optional } from "../../../domain/Optional.ts"
import { CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import * as CheckpointExcludes from "../../../domain/workspace/CheckpointExcludes.ts"
import * as PathGuard from "../files/PathGuard.ts"
import * as Git from "../git/Git.ts"
import * as ProcessTree from "../shell/ProcessTree.ts"
import { copyIndex } from "./ShadowRepository.ts"

/** `top` is the folder of the entire work tree; `git` and `index` use the captured index, for as long as the scope lasts. */
export interface Snapshot {
  readonly top: string
  readonly commit: string
  readonly tree: string
  readonly git: (args: ReadonlyArray<string>, stdin?: string) => Effect.Effect<string, CheckpointError>
  readonly index: (args: ReadonlyArray<string>, stdin: string) => Effect.Effect<void, CheckpointError>
}

let snapshotCount = 0

/** For the repository that contains `folder`; the checked-out commit if nothing has changed since. */
export const take = Effect.fn("Snapshot.take")(function*(path: string, folder: string) {
  const output = yield* Git.check(path)({
    args: ["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-path", "index", "HEAD^{commit}", "HEAD^{tree}"],
    cwd: folder
  })
  const [top = "", userIndex = "", head = "", headTree = ""] = output.split("\n")
  const indexFile = yield* Effect.acquireRelease(copyUserIndex(userIndex), (file) => Effect.sync(() => fs.rmSync(file, { force: true })))
  const git: Snapshot["git"] = (args, stdin) =>
    Git.check(path)({ args, cwd: top, env: { GIT_INDEX_FILE: indexFile }, ...optional({ stdin }) })
  const index: Snapshot["index"] = (args, stdin) => Effect.asVoid(git(["update-index", ...args], stdin))

  yield* git(fs.existsSync(userIndex) ? ["add", "--update", "--", "."] : ["read-tree", head])
  const isClosed = PathGuard.makeIsClosed(top)
  const newFiles = (yield* git(["ls-files", "-z", "--others", "--exclude-standard"])).split("\0").filter((file) =>
    file !== "" && !isClosed(file) && canStore(join(top, file))
  )
  if (newFiles.length > 0) yield* index(["--add", "-z", "--stdin"], newFiles.map((file) => `${file}\0`).join(""))
  const tree = (yield* git(["write-tree"])).trim()
  const commit = tree === headTree ? head : (yield* git(["commit-tree", tree, "-p", head, "-m", "The files as they were"])).trim()
  return { top, commit, tree, git, index } satisfies Snapshot
})

const copyUserIndex = (userIndex: string) =>
  Effect.try({
    try: () => {
      const indexFile = `${userIndex}.dacapo-${ProcessTree.self}-${++snapshotCount}`
      if (fs.existsSync(userIndex)) copyIndex(userIndex, indexFile)
      return indexFile
    },
    catch: (cause) => new CheckpointError({ reason: "Failed", message: (cause as Error).message })
  })

/** A file or a link small enough to copy; a nested repository is skipped. */
const canStore = (file: string): boolean => {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false })
  return stat !== undefined && (stat.isSymbolicLink() || (stat.isFile() && stat.size <= CheckpointExcludes.maxFileBytes))
}
