/** The repository's status and newest commits, once per session: later changes are the session's own, or the user's to mention. */
import * as Effect from "effect/Effect"
import * as RepositoryState from "../../../domain/workspace/RepositoryState.ts"
import { Environment } from "../../../services/Environment.ts"
import { ReadPolicy } from "../../../services/ReadPolicy.ts"
import { define } from "../../../services/Source.ts"
import * as Git from "../../workspace/git/Git.ts"
import * as Programs from "../../workspace/Programs.ts"
import { repository as repositoryOf } from "./git.ts"
import { SmallFiles } from "./SmallFile.ts"

/** How long a session's first request waits for git, and how many commits are read. */
const limits = { wait: "1 second", commits: 8 } as const

const status = ["status", "--porcelain=v1", "-z", "--untracked-files=normal", "--ignore-submodules=all", "--no-renames", "--", "."]
const log = ["log", `-${limits.commits}`, "--format=%h %s", "--no-decorate", "--no-show-signature"]

export const repository = define({
  name: "repository",
  isFixed: true,
  gather: Effect.fn("repository")(function*({ cwd }) {
    const files = yield* SmallFiles
    const read = (path: string, maxBytes?: number) =>
      Effect.map(files.read(path, maxBytes), (file) => file._tag === "Text" ? file.text : null)
    const repo = yield* repositoryOf(cwd, read)
    if (repo === null) return {}
    const { canList } = yield* ReadPolicy
    const isVisible = (path: string) => canList(`${repo.folder}/${path}`, `${repo.folder}/${path}`)
    const path = Programs.searchPath(yield* Environment, [cwd])
    return yield* Effect.gen(function*() {
      const git = yield* Git.inFolder(path, cwd)
      const [changes, commits] = yield* Effect.all([git({ args: status, cwd }), git({ args: log, cwd })], { concurrency: 2 })
      // A repository without a commit has no log.
      return changes.code === 0 ? { repository: RepositoryState.parse(changes.out, commits.code === 0 ? commits.out : "", isVisible) } : {}
    }).pipe(Effect.timeout(limits.wait), Effect.orElseSucceed(() => ({})))
  })
})
