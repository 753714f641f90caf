/** A git worktree for one task: its own folder and branch, from the current state of the user's repository. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { existsSync } from "node:fs"
import * as fs from "node:fs/promises"
import { dirname, join } from "node:path"
import { CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import * as Git from "../git/Git.ts"
import * as ProcessTree from "../shell/ProcessTree.ts"
import * as Snapshot from "../checkpoints/Snapshot.ts"

/** `cwd` is the folder in `path` that corresponds to the original one. `base` is the commit at which the branch began. */
export interface Worktree {
  readonly name: string
  readonly path: string
  readonly cwd: string
  readonly branch: string
  readonly base: string
  /** The user's own work tree. */
  readonly repository: string
}

/** A file that differs from `base`; lines are null if it is not text, `added` also for a new file. */
export interface ChangedFile {
  readonly path: string
  readonly added: number | null
  readonly removed: number | null
}

/**
 * The result of a task: nothing, and the worktree is removed with its branch; or changed files, some of them possibly
 * not committed.
 */
export interface RemainingWork {
  readonly changed: ReadonlyArray<ChangedFile>
  readonly committed: boolean
}

/** Names that are valid for both a folder and a branch. */
export const isName = (name: string): boolean => /^[A-Za-z0-9](?:[\w-]|\.(?!\.|lock$|$)){0,63}$/.test(name)

const failed = (message: string) => new CheckpointError({ reason: "Failed", message })

const gitIn = (path: string, folder: string) => (args: ReadonlyArray<string>, cwd = folder) =>
  Effect.map(Git.check(path)({ args, cwd }), (out) => out.replace(/\n$/, ""))

type GitRunner = ReturnType<typeof gitIn>

/** The folder of the repository, the first of its work trees. */
const repositoryOf = (git: GitRunner, folder: string) =>
  Effect.mapBoth(git(["rev-parse", "--path-format=absolute", "--git-common-dir"]), {
    onSuccess: dirname,
    onFailure: (error) => error.reason === "NoGit" ? error : failed(`${folder} is not in a git repository.`)
  })

const worktreesOf = (repository: string): string => join(repository, ".dacapo", "worktrees")
/** The branch of a worktree of this name. */
export const branchOf = (name: string): string => `dacapo/${name}`

const hasRef = (git: GitRunner, ref: string) => Effect.isSuccess(git(["rev-parse", "--verify", "--quiet", ref]))

/**
 * A worktree of the repository that contains `folder`, under `.dacapo/worktrees`; an existing one of this name is
 * reused. A new one begins at the commit `from`, or at the checked-out one.
 */
export const open = Effect.fn("Worktree.open")(
  function*(path: string, folder: string, name?: string, startPoint?: Effect.Effect<string, CheckpointError>) {
    const git = gitIn(path, folder)
    const repository = yield* repositoryOf(git, folder)
    const prefix = yield* git(["rev-parse", "--show-prefix"])
    const head = yield* git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).pipe(
      Effect.mapError(() => failed("the repository has no commit yet."))
    )
    const worktrees = worktreesOf(repository)
    const worktreeName = name ?? (yield* nextFreeName(git, worktrees))
    const worktreePath = join(worktrees, worktreeName)
    const branch = branchOf(worktreeName)
    const exists = yield* hasRef(git, `refs/heads/${branch}`)
    if (existsSync(worktreePath) && (yield* isIncomplete(git, worktreePath)))
      yield* Effect.promise(() => fs.rm(worktreePath, { recursive: true, force: true }))
    if (!existsSync(worktreePath)) {
      yield* Effect.promise(() => prepare(worktrees))
      yield* git(["worktree", "prune"])
      // Twice: overrides a lock of git's, too.
      yield* git([
        "worktree",
        "add",
        "--quiet",
        "--force",
        "--force",
        ...(exists ? [worktreePath, branch] : ["-b", branch, worktreePath, startPoint === undefined ? head : yield* startPoint])
      ])
    }
    const base = yield* git(["merge-base", "HEAD", branch])
    return {
      name: worktreeName,
      path: worktreePath,
      cwd: join(worktreePath, prefix.replace(/\/$/, "")),
      branch,
      base,
      repository
    } satisfies Worktree
  }
)

/** ms between two checks of a running git. */
const pollIntervalMs = 50

/**
 * Whether git was killed while it created this worktree: git locks it until all its files exist. One that is still
 * running, of a process that died meanwhile, is waited for.
 */
const isIncomplete = Effect.fnUntraced(function*(git: GitRunner, worktreePath: string) {
  const isLocked = Effect.map(
    git(["worktree", "list", "--porcelain", "-z"]),
    (out) =>
      out.split("\0\0").some((entry) => entry.startsWith(`worktree ${worktreePath}\0`) && entry.split("\0").includes("locked initializing"))
  )
  while (yield* isLocked) {
    if (!(yield* ProcessTree.isRunning("git", worktreePath))) return yield* isLocked
    yield* Effect.sleep(pollIntervalMs)
  }
  return false
})

/** Whether a worktree of this name, or its branch, exists for the repository that contains `folder`. */
export const exists = Effect.fnUntraced(function*(path: string, folder: string, name: string): Effect.fn.Return<boolean> {
  const git = gitIn(path, folder)
  const repository = yield* Effect.option(repositoryOf(git, folder))
  return Option.isSome(repository) &&
    (existsSync(join(worktreesOf(repository.value), name)) || (yield* hasRef(git, `refs/heads/${branchOf(name)}`)))
})

/** The first number without a folder or branch. */
const nextFreeName = Effect.fnUntraced(function*(git: GitRunner, worktrees: string) {
  const branches = new Set((yield* git(["for-each-ref", "--format=%(refname:lstrip=3)", "refs/heads/dacapo"])).split("\n"))
  let n = 1
  while (branches.has(`task-${n}`) || existsSync(join(worktrees, `task-${n}`))) n++
  return `task-${n}`
})

/** Worktrees are not part of the repository in which they lie. */
const prepare = async (worktrees: string): Promise<void> => {
  await fs.mkdir(worktrees, { recursive: true })
  await fs.writeFile(join(worktrees, ".gitignore"), "*\n")
}

/** Removes a worktree without changes, and its branch; leaves any other as it is. */
export const close = Effect.fn("Worktree.close")(function*(path: string, { base, branch, path: worktreePath, repository }: Worktree) {
  const git = (args: ReadonlyArray<string>, cwd: string) => Git.check(path)({ args, cwd })
  const changed = [
    ...rows(yield* git(["diff", "--numstat", "-z", "--no-renames", base, "--"], worktreePath)),
    ...(yield* git(["ls-files", "-z", "--others", "--exclude-standard"], worktreePath)).split("\0").flatMap((path) =>
      path === "" ? [] : [{ path, added: null, removed: null }]
    )
  ]
  const committed = (yield* git(["status", "--porcelain"], worktreePath)) === ""
  const isAhead = (yield* git(["rev-list", "--count", `${base}..${branch}`], repository)).trim() !== "0"
  if (changed.length === 0 && committed && !isAhead) {
    yield* git(["worktree", "remove", worktreePath], repository)
    yield* git(["branch", "--quiet", "-D", branch], repository)
  }
  return { changed, committed } satisfies RemainingWork
})

/** `--numstat -z`: added, removed, path, with tabs between them; `-` for a file that is not text. */
const rows = (out: string): ReadonlyArray<ChangedFile> =>
  out.split("\0").flatMap((row) => {
    const [, added, removed, path] = /^(\d+|-)\t(\d+|-)\t(.+)$/s.exec(row) ?? []
    const count = (text: string | undefined) => text === undefined || text === "-" ? null : Number(text)
    return path === undefined ? [] : [{ path, added: count(added), removed: count(removed) }]
  })

/** The ref of the commit at which a subagent's worktree began: its parent's files at the time. */
const baseRef = (name: string): string => `refs/dacapo/${name}`

/** A subagent's worktree, which begins with the current files of `folder`, including uncommitted ones. */
export const openForSubagent = Effect.fnUntraced(function*(path: string, folder: string, name: string) {
  const git = gitIn(path, folder)
  const startPoint = Effect.gen(function*() {
    const { commit } = yield* Snapshot.take(path, folder)
    yield* git(["update-ref", baseRef(name), commit])
    return commit
  }).pipe(Effect.scoped)
  return yield* open(path, folder, name, startPoint)
})

/** What exists of a subagent's worktree: its folder, if it still exists, and its branch. */
export const findForSubagent = Effect.fnUntraced(function*(path: string, folder: string, name: string) {
  const git = gitIn(path, folder)
  const branch = branchOf(name)
  if (!(yield* hasRef(git, `refs/heads/${branch}`)) || !(yield* hasRef(git, baseRef(name)))) return undefined
  const worktreePath = join(worktreesOf(yield* repositoryOf(git, folder)), name)
  return { branch, base: yield* git(["rev-parse", baseRef(name)]), folder: existsSync(worktreePath) ? worktreePath : undefined }
})

/** Removes a subagent's folder, unless something in it is not committed; with `shouldDeleteBranch` its branch too. */
export const removeForSubagent = Effect.fnUntraced(function*(path: string, folder: string, branch: string, shouldDeleteBranch: boolean) {
  const git = gitIn(path, folder)
  const name = branch.slice(branchOf("").length)
  const worktreePath = join(worktreesOf(yield* repositoryOf(git, folder)), name)
  if (existsSync(worktreePath)) yield* git(["worktree", "remove", worktreePath])
  if (shouldDeleteBranch) yield* Effect.ignore(git(["branch", "--quiet", "-D", branch]))
  yield* git(["update-ref", "-d", baseRef(name)])
})

/** Why subagents in this folder can't have worktrees; undefined if they can. */
export const refusal = Effect.fnUntraced(function*(path: string, folder: string): Effect.fn.Return<string | undefined> {
  const git = gitIn(path, folder)
  const inside = yield* Effect.result(git(["rev-parse", "--is-inside-work-tree"]))
  if (Result.isFailure(inside)) return inside.failure.reason === "NoGit" ? "git is not installed" : "it is not in a git repository"
  if (inside.success !== "true") return "it is not a git work tree"
  if (!(yield* hasRef(git, "HEAD^{commit}"))) return "its repository has no commit yet"
  return (yield* Effect.isSuccess(git(["check-ignore", "--quiet", "."]))) ? "its repository ignores it" : undefined
})
