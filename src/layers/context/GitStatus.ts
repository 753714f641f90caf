/** The files that git reports as changed: queried once per task, since it costs a process. */
import * as Effect from "effect/Effect"
import * as PathName from "../../domain/workspace/PathName.ts"
import { Environment } from "../../services/Environment.ts"
import * as Git from "../workspace/git/Git.ts"
import * as Programs from "../workspace/Programs.ts"
import { repository } from "./sources/git.ts"
import { SmallFiles } from "./sources/SmallFile.ts"

/** How long a task's start waits for git, and how many files to report. */
const limits = { wait: "1 second", files: 200 } as const

/** Untracked files one by one; submodules are skipped, since they have configurations of their own. */
const status = ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=all", "--no-renames", "--", "."]

/**
 * Names of changed and new files under `cwd`, as a session calls them; none without a repository, or if git is slow or
 * can't be kept from running what the repository configures.
 */
export const changedFiles = Effect.fnUntraced(function*(cwd: string) {
  const path = Programs.searchPath(yield* Environment, [cwd])
  const files = yield* SmallFiles
  const read = (path: string, maxBytes?: number) =>
    Effect.map(files.read(path, maxBytes), (file) => file._tag === "Text" ? file.text : null)
  const repo = yield* repository(cwd, read)
  if (repo === null) return []
  return yield* Git.run(path)({ args: status, cwd }).pipe(
    Effect.timeout(limits.wait),
    Effect.map(({ code, out }) =>
      code === 0 ? names(out).slice(0, limits.files).map((name) => PathName.relativePath(cwd, `${repo.folder}/${name}`)) : []
    ),
    Effect.orElseSucceed((): ReadonlyArray<string> => [])
  )
})

/** Entries are `XY name`, from the repository's root; deleted files are skipped. */
const names = (out: string): ReadonlyArray<string> =>
  out.split("\0").flatMap((entry) => entry.length > 3 && !entry.slice(0, 2).includes("D") ? [entry.slice(3)] : [])
