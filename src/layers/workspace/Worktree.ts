/** A git worktree for one task: a folder and a branch of its own, from where the user's repository stands. */
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import * as fs from "node:fs/promises"
import { dirname, join } from "node:path"
import { CheckpointError } from "../../domain/workspace/Checkpoint.ts"
import * as Git from "./Git.ts"

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

/** A worktree of the repository that holds `folder`, under `.efferent/worktrees`; one of this name that is there is taken up again. */
export const open = Effect.fn("Worktree.open")(function*(path: string, folder: string, name?: string) {
  const git = (args: ReadonlyArray<string>, cwd = folder) => Effect.map(Git.check(path)({ args, cwd }), (out) => out.replace(/\n$/, ""))
  const common = yield* git(["rev-parse", "--path-format=absolute", "--git-common-dir"]).pipe(Effect.mapError((error) =>
    error.reason === "NoGit" ? error : failed(`${folder} is in no git repository.`)))
  const repository = dirname(common)
  const prefix = yield* git(["rev-parse", "--show-prefix"])
  const head = yield* git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).pipe(Effect.mapError(() => failed("the repository has no commit yet.")))
  const worktrees = join(repository, ".efferent", "worktrees")
  const own = name ?? (yield* free(git, worktrees))
  const place = join(worktrees, own)
  const branch = `efferent/${own}`
  const exists = yield* Effect.match(git(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`]), { onSuccess: () => true, onFailure: () => false })
  if (!existsSync(place)) {
    yield* Effect.promise(() => prepare(worktrees))
    yield* git(["worktree", "prune"])
    yield* git(["worktree", "add", "--quiet", ...(exists ? [place, branch] : ["-b", branch, place, head])])
  }
  const base = yield* git(["merge-base", "HEAD", branch])
  return { name: own, path: place, cwd: join(place, prefix.replace(/\/$/, "")), branch, base, repository } satisfies Worktree
})

/** The first number that no folder and no branch has. */
const free = Effect.fnUntraced(function*(git: (args: ReadonlyArray<string>) => Effect.Effect<string, CheckpointError>, worktrees: string) {
  const branches = new Set((yield* git(["for-each-ref", "--format=%(refname:lstrip=3)", "refs/heads/efferent"])).split("\n"))
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
