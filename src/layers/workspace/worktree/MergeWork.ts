/**
 * Brings what was done in worktrees into the folder that they were made from: three-way merges in git's own store (git
 * merge-tree, 2.38 and later), of which only the result touches the user's files, all of it at once.
 */
import * as Effect from "effect/Effect"
import { relative } from "node:path"
import type { Brought } from "../../../domain/subagent/MergedWork.ts"
import type { CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import type { Part } from "../../../services/Worktrees.ts"
import * as Differences from "../checkpoints/TreeDiff.ts"
import * as Git from "../git/Git.ts"
import * as Restore from "../checkpoints/Restore.ts"
import * as Snapshot from "../checkpoints/Snapshot.ts"
import * as Worktree from "./Worktree.ts"

/** Where the work of a child is: its newest commit, the one that it began at, and the files between. */
interface Work extends Part {
  readonly branch: string
  readonly base: string
  readonly tip: string
  readonly changed: ReadonlyArray<string>
}

/** In the order of `parts`; those that have no folder and no branch any more are left out. One that git can't take spoils none of the others. */
export const gather = Effect.fn("Worktrees.gather")(function*(path: string, cwd: string, parts: ReadonlyArray<Part>) {
  const works = (yield* Effect.forEach(parts, (part) =>
    Effect.catch(finished(path, cwd, part), ({ message }) => Effect.succeed(untaken(part, message))))).filter((work) => work !== undefined)
  if (works.length === 0) return []
  const snapshot = yield* Snapshot.take(path, cwd)
  const prefix = relative(snapshot.top, cwd)
  let tree = snapshot.tree
  const brought: Array<Brought> = []
  for (const work of works) {
    if ("state" in work) {
      brought.push(work)
      continue
    }
    const one = yield* merge(path, snapshot, prefix, tree, work)
    if (one.tree !== undefined) tree = one.tree
    brought.push(one.brought)
  }
  if (tree === snapshot.tree) return brought
  const changes = yield* Differences.changes(snapshot.git, snapshot.tree, tree)
  return yield* Effect.uninterruptible(Restore.apply(snapshot, snapshot.top, tree, changes)).pipe(
    Effect.as(brought),
    Effect.catch(({ message }) => Effect.succeed(brought.map((one): Brought => one.state === "merged" ? { ...one, state: "kept", why: message } : one)))
  )
}, Effect.scoped)

/** What stays in its folder as it is, because git could not take it. */
export const untaken = ({ name, place, title }: Part, message: string): Brought =>
  ({ place, name: title, branch: Worktree.branchOf(name), base: "HEAD", state: "kept", changed: [], conflicts: [], why: `it stays in .dacapo/worktrees/${name}, for git could not take it: ${message}` })

/** Commits what a child left in its worktree, and says what it comes to. */
const finished = Effect.fnUntraced(function*(path: string, cwd: string, part: Part): Effect.fn.Return<Work | undefined, CheckpointError> {
  const found = yield* Worktree.child(path, cwd, part.name)
  if (found === undefined) return undefined
  const { base, branch, place } = found
  if (place !== undefined) {
    const git = (args: ReadonlyArray<string>) => Git.check(path)({ args, cwd: place })
    yield* git(["add", "--all"])
    if ((yield* git(["status", "--porcelain"])) !== "") yield* git(["commit", "--quiet", "--no-verify", "--message", part.title])
  }
  const git = (args: ReadonlyArray<string>) => Git.check(path)({ args, cwd })
  const tip = (yield* git(["rev-parse", `refs/heads/${branch}`])).trim()
  return { ...part, branch, base, tip, changed: (yield* Differences.changes(git, base, tip)).map((change) => change.path) }
})

/** One work onto a tree: the tree that it makes, or why there is none. */
const merge = Effect.fnUntraced(function*(path: string, { git, top }: Snapshot.Snapshot, prefix: string, ours: string, work: Work) {
  const { base, branch, changed, merges, place, tip, title } = work
  const within = (file: string) => prefix === "" ? file : relative(prefix, file)
  const outside = changed.filter((file) => prefix !== "" && !file.startsWith(`${prefix}/`))
  const told = (state: Brought["state"], more: Partial<Brought> = {}): { readonly brought: Brought; readonly tree?: string } =>
    ({ brought: { place, name: title, branch, base, state, changed: changed.map(within), conflicts: [], ...more } })
  if (changed.length === 0) return told("unchanged")
  if (!merges) return told("kept")
  if (outside.length > 0) return told("kept", { why: `it changed files outside this folder (${outside.slice(0, 3).join(", ")})` })
  // With the child's own beginning as its parent, that is what both are compared with.
  const mine = (yield* git(["commit-tree", ours, "-p", base, "-m", "The files as they were"])).trim()
  const { code, error, out } = yield* Git.run(path)({ args: ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", mine, tip], cwd: top })
  const [tree = "", ...files] = out.split("\0").filter((field) => field !== "")
  if (code === 0) return { ...told("merged"), tree }
  if (code === 1) return told("conflicts", { conflicts: [...new Set(files)].map(within) })
  return told("kept", { why: /unknown option|usage:/.test(error) ? "this git can't merge beside the files (2.38 and later can)" : error })
})

/** Removes the folders of all of it, and the branches of what was merged or is empty. What can't be removed stays. */
export const tidy = Effect.fn("Worktrees.tidy")(function*(path: string, cwd: string, work: ReadonlyArray<Brought>) {
  for (const { branch, state } of work) {
    yield* Effect.ignore(Worktree.removeChild(path, cwd, branch, state === "merged" || state === "unchanged"))
  }
})
