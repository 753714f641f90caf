/**
 * What the repositories of a folder configure, read through git itself, and the settings that prevent all of it from
 * running a program: names of filters and drivers are free, so no fixed list of keys would suffice.
 */
import * as Effect from "effect/Effect"
import { existsSync, realpathSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import * as GitSettings from "../../../domain/workspace/GitSettings.ts"
import type * as ForeignContent from "./ForeignContent.ts"
import type { GitOutput } from "./GitProcess.ts"

/** Runs git with `GitSettings.fixed` in its environment. */
type GitRunner = (args: ReadonlyArray<string>, cwd: string) => Effect.Effect<GitOutput, CheckpointError>

/** The maximum number of nested repositories. */
const maxRepositories = 200

const failure = (message: string) => new CheckpointError({ reason: "Failed", message })

/**
 * For a git that works in `folder`: of its repository and of its submodules. Fails if git can't tell, or for a reason that
 * `inspect` finds in one of them.
 */
export const pairs = Effect.fnUntraced(
  function*(
    git: GitRunner,
    folder: string,
    inspect: (repository: ForeignContent.Repository) => string | undefined = () => undefined
  ): Effect.fn.Return<ReadonlyArray<GitSettings.Pair>, CheckpointError> {
    const all = new Map(GitSettings.fixedSettings)
    const queue = [folder]
    const visited = new Set<string>()
    for (let repository = queue.shift(); repository !== undefined; repository = queue.shift()) {
      if (!existsSync(repository) || visited.has(repository)) continue
      if (visited.add(repository).size > maxRepositories)
        return yield* failure(`There are more than ${maxRepositories} nested repositories in this one.`)
      const [listing, location] = yield* Effect.all([
        git(GitSettings.listArguments, repository),
        git(["rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir", "--show-toplevel"], repository)
      ], { concurrency: 2 })
      if (listing.code !== 0) return yield* failure(`git config: ${listing.error}`)
      const settings = GitSettings.parse(listing.out)
      if (!GitSettings.hasOverrides(settings))
        return yield* failure("This version of git can't be kept from running programs that a repository configures; use 2.31 or later.")
      for (const [key, value] of GitSettings.overrides(settings)) all.set(key, value)
      const [gitFolder = "", commonFolder = "", workTree, ...more] = location.code === 0 ? location.out.replace(/\n$/, "").split("\n") : []
      if (more.length > 0) return yield* failure("The name of a folder of the repository contains a line end.")
      if (workTree !== undefined && GitSettings.movesWorkTree(settings) && workTree !== workTreeOf(repository)) {
        return yield* failure(`The repository sets its work tree to ${workTree}, which is not its own location.`)
      }
      const reason = workTree === undefined ? undefined : inspect({ workTree, gitFolder, commonFolder, settings })
      if (reason !== undefined) return yield* failure(reason)
      if (workTree === undefined) continue
      const index = yield* indexEntries(git, workTree)
      const outside = index.find(({ path }) => isOutside(path))
      if (outside !== undefined) return yield* failure(`Its index names ${outside.path}, which is not in its work tree.`)
      queue.push(...submodules(index, workTree))
    }
    return [...all]
  }
)

interface IndexEntry {
  readonly mode: string
  readonly path: string
}

const indexEntries = (git: GitRunner, top: string): Effect.Effect<ReadonlyArray<IndexEntry>, CheckpointError> =>
  Effect.map(
    git(["ls-files", "--stage", "-z"], top),
    ({ out }) =>
      out.split("\0").filter((entry) => entry !== "").map((entry) => ({
        mode: entry.slice(0, 6),
        path: entry.slice(entry.indexOf("\t") + 1)
      }))
  )

/** No git writes such a name, but each follows one that it reads. */
const isOutside = (path: string): boolean => path.startsWith("/") || /(?:^|\/)\.\.(?:\/|$)/.test(path)

/** Folders of the index that are separate repositories, which git enters. */
const submodules = (index: ReadonlyArray<IndexEntry>, top: string): ReadonlyArray<string> =>
  index.filter(({ mode }) => mode === "160000").map(({ path }) => join(top, path)).filter((folder) => existsSync(join(folder, ".git")))

/** The folder of a repository: where `.git` is. */
const workTreeOf = (folder: string): string | undefined => {
  for (let path = realpathSync(resolve(folder));; path = dirname(path)) {
    if (existsSync(join(path, ".git"))) return path
    if (dirname(path) === path) return undefined
  }
}
