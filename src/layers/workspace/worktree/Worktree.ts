/** A git worktree for one task: a folder and a branch of its own, from where the user's repository stands. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { existsSync } from "node:fs"
import * as fs from "node:fs/promises"
import { dirname, join } from "node:path"
import { CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import * as Git from "../git/Git.ts"
import * as Snapshot from "../checkpoints/Snapshot.ts"

/** `cwd` is the folder in `path` that corresponds to the one it was made from. `base` is the commit that the branch began at. */
export interface Worktree {
  readonly name: string
  readonly path: string
  readonly cwd: string
  readonly branch: string
  readonly base: string
  /** The user's own work tree. */
  readonly repository: string
}

/** A file that differs from `base`; lines are null where it is not text, `added` of a new file too. */
export interface Changed {
  readonly path: string
  readonly added: number | null
  readonly removed: number | null
}

/** What a task left: nothing, and the worktree is gone with its branch; or files that differ, some of them perhaps not committed. */
export interface Left {
  readonly changed: ReadonlyArray<Changed>
  readonly committed: boolean
}

/** Names that are a folder and a branch alike. */
export const isName = (name: string): boolean => /^[A-Za-z0-9](?:[\w-]|\.(?!\.|lock$|$)){0,63}$/.test(name)

const failed = (message: string) => new CheckpointError({ reason: "Failed", message })

const asking = (path: string, folder: string) => (args: ReadonlyArray<string>, cwd = folder) =>
  Effect.map(Git.check(path)({ args, cwd }), (out) => out.replace(/\n$/, ""))

type Ask = ReturnType<typeof asking>

/** The folder of the repository, the first of its work trees. */
const repositoryOf = (git: Ask, folder: string) =>
  Effect.mapBoth(git(["rev-parse", "--path-format=absolute", "--git-common-dir"]), {
    onSuccess: dirname,
    onFailure: (error) => error.reason === "NoGit" ? error : failed(`${folder} is in no git repository.`)
  })

const worktreesOf = (repository: string): string => join(repository, ".dacapo", "worktrees")
/** The branch of a worktree of this name. */
export const branchOf = (name: string): string => `dacapo/${name}`

const has = (git: Ask, ref: string) => Effect.isSuccess(git(["rev-parse", "--verify", "--quiet", ref]))

/**
 * A worktree of the repository that holds `folder`, under `.dacapo/worktrees`; one of this name that is there is taken up
 * again. A new one begins at the commit `from`, or at what is checked out.
 */
export const open = Effect.fn("Worktree.open")(function*(path: string, folder: string, name?: string, from?: Effect.Effect<string, CheckpointError>) {
  const git = asking(path, folder)
  const repository = yield* repositoryOf(git, folder)
  const prefix = yield* git(["rev-parse", "--show-prefix"])
  const head = yield* git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).pipe(Effect.mapError(() => failed("the repository has no commit yet.")))
  const worktrees = worktreesOf(repository)
  const own = name ?? (yield* free(git, worktrees))
  const place = join(worktrees, own)
  const branch = branchOf(own)
  const exists = yield* has(git, `refs/heads/${branch}`)
  if (!existsSync(place)) {
    yield* Effect.promise(() => prepare(worktrees))
    yield* git(["worktree", "prune"])
    yield* git(["worktree", "add", "--quiet", ...(exists ? [place, branch] : ["-b", branch, place, from === undefined ? head : yield* from])])
  }
  const base = yield* git(["merge-base", "HEAD", branch])
  return { name: own, path: place, cwd: join(place, prefix.replace(/\/$/, "")), branch, base, repository } satisfies Worktree
})

/** Whether there is a worktree of this name for the repository that holds `folder`, or its branch. */
export const exists = Effect.fnUntraced(function*(path: string, folder: string, name: string): Effect.fn.Return<boolean> {
  const git = asking(path, folder)
  const repository = yield* Effect.option(repositoryOf(git, folder))
  return Option.isSome(repository) && (existsSync(join(worktreesOf(repository.value), name)) || (yield* has(git, `refs/heads/${branchOf(name)}`)))
})

/** The first number that no folder and no branch has. */
const free = Effect.fnUntraced(function*(git: Ask, worktrees: string) {
  const branches = new Set((yield* git(["for-each-ref", "--format=%(refname:lstrip=3)", "refs/heads/dacapo"])).split("\n"))
  let n = 1
  while (branches.has(`task-${n}`) || existsSync(join(worktrees, `task-${n}`))) n++
  return `task-${n}`
})

/** Worktrees are no files of the repository that they lie in. */
const prepare = async (worktrees: string): Promise<void> => {
  await fs.mkdir(worktrees, { recursive: true })
  await fs.writeFile(join(worktrees, ".gitignore"), "*\n")
}

/** Removes a worktree in which nothing has changed, and its branch; leaves any other as it is. */
export const close = Effect.fn("Worktree.close")(function*(path: string, { base, branch, path: place, repository }: Worktree) {
  const git = (args: ReadonlyArray<string>, cwd: string) => Git.check(path)({ args, cwd })
  const changed = [
    ...rows(yield* git(["diff", "--numstat", "-z", "--no-renames", base, "--"], place)),
    ...(yield* git(["ls-files", "-z", "--others", "--exclude-standard"], place)).split("\0").flatMap((path) => path === "" ? [] : [{ path, added: null, removed: null }])
  ]
  const committed = (yield* git(["status", "--porcelain"], place)) === ""
  const ahead = (yield* git(["rev-list", "--count", `${base}..${branch}`], repository)).trim() !== "0"
  if (changed.length === 0 && committed && !ahead) {
    yield* git(["worktree", "remove", place], repository)
    yield* git(["branch", "--quiet", "-D", branch], repository)
  }
  return { changed, committed } satisfies Left
})

/** `--numstat -z`: added, removed, path, with tabs between them; `-` for a file that is not text. */
const rows = (out: string): ReadonlyArray<Changed> =>
  out.split("\0").flatMap((row) => {
    const [, added, removed, path] = /^(\d+|-)\t(\d+|-)\t(.+)$/s.exec(row) ?? []
    const count = (text: string | undefined) => text === undefined || text === "-" ? null : Number(text)
    return path === undefined ? [] : [{ path, added: count(added), removed: count(removed) }]
  })

/** The ref of the commit that a child's worktree began at: its parent's files as they were then. */
const begun = (name: string): string => `refs/dacapo/${name}`

/** A child's worktree, which begins with the files of `folder` as they are, also those that are not committed. */
export const openChild = Effect.fnUntraced(function*(path: string, folder: string, name: string) {
  const git = asking(path, folder)
  const from = Effect.gen(function*() {
    const { commit } = yield* Snapshot.take(path, folder)
    yield* git(["update-ref", begun(name), commit])
    return commit
  }).pipe(Effect.scoped)
  return yield* open(path, folder, name, from)
})

/** What is there of a child's worktree: `place` is its folder, where that is still there. */
export const child = Effect.fnUntraced(function*(path: string, folder: string, name: string) {
  const git = asking(path, folder)
  const branch = branchOf(name)
  if (!(yield* has(git, `refs/heads/${branch}`)) || !(yield* has(git, begun(name)))) return undefined
  const place = join(worktreesOf(yield* repositoryOf(git, folder)), name)
  return { branch, base: yield* git(["rev-parse", begun(name)]), place: existsSync(place) ? place : undefined }
})

/** Removes a child's folder, unless something in it is not committed; with `whole` its branch too. */
export const removeChild = Effect.fnUntraced(function*(path: string, folder: string, branch: string, whole: boolean) {
  const git = asking(path, folder)
  const name = branch.slice(branchOf("").length)
  const place = join(worktreesOf(yield* repositoryOf(git, folder)), name)
  if (existsSync(place)) yield* git(["worktree", "remove", place])
  if (whole) yield* Effect.ignore(git(["branch", "--quiet", "-D", branch]))
  yield* git(["update-ref", "-d", begun(name)])
})

/** Why children in this folder can't have worktrees; undefined where they can. */
export const refusal = Effect.fnUntraced(function*(path: string, folder: string): Effect.fn.Return<string | undefined> {
  const git = asking(path, folder)
  const inside = yield* Effect.result(git(["rev-parse", "--is-inside-work-tree"]))
  if (Result.isFailure(inside)) return inside.failure.reason === "NoGit" ? "git is not there" : "it is in no git repository"
  if (inside.success !== "true") return "it is no work tree of git"
  if (!(yield* has(git, "HEAD^{commit}"))) return "its repository has no commit yet"
  return (yield* Effect.isSuccess(git(["check-ignore", "--quiet", "."]))) ? "its repository ignores it" : undefined
})
