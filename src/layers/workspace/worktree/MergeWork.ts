/**
 * Merges the work in worktrees into the folder that they were created from: three-way merges in git's own store (git
 * merge-tree, 2.38 and later), of which only the result touches the user's files, all of it at once.
 */
import * as Effect from "effect/Effect"
import { relative } from "node:path"
import type { SubagentWork } from "../../../domain/subagent/MergedWork.ts"
import type { CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import type { SubagentWorktree } from "../../../services/Worktrees.ts"
import * as TreeDiff from "../checkpoints/TreeDiff.ts"
import * as Git from "../git/Git.ts"
import * as Restore from "../checkpoints/Restore.ts"
import * as Snapshot from "../checkpoints/Snapshot.ts"
import * as Worktree from "./Worktree.ts"

/** Where the work of a subagent is: its newest commit, the one at which it began, and the files in between. */
interface Work extends SubagentWorktree {
  readonly branch: string
  readonly base: string
  readonly tip: string
  readonly changed: ReadonlyArray<string>
}

/** In the order of `parts`; those without a folder or branch are left out. One that git can't commit does not affect the others. */
export const mergeWork = Effect.fn("Worktrees.gather")(function*(path: string, cwd: string, parts: ReadonlyArray<SubagentWorktree>) {
  const works = (yield* Effect.forEach(parts, (part) =>
    Effect.catch(finishWork(path, cwd, part), ({ message }) =>
      Effect.succeed(failedMerge(part, message))))).filter((work) =>
      work !== undefined)
  if (works.length === 0)
    return []
  const snapshot = yield* Snapshot.take(path, cwd)
  const prefix = relative(snapshot.top, cwd)
  let tree = snapshot.tree
  const results: Array<SubagentWork> = []
  for (const work of works) {
    if ("state" in work) {
      results.push(work)
      continue
    }
    const one = yield* merge(path, snapshot, prefix, tree, work)
    if (one.tree !== undefined)
      tree = one.tree
    results.push(one.result)
  }
  if (tree === snapshot.tree)
    return results
  const changes = yield* TreeDiff.changes(snapshot.git, snapshot.tree, tree)
  return yield* Effect.uninterruptible(Restore.apply(snapshot, snapshot.top, tree, changes)).pipe(
    Effect.as(results),
    Effect.catch(({ message }) =>
      Effect.succeed(results.map((one): SubagentWork =>
        one.state === "merged" ? { ...one, state: "kept", why: message } : one
      ))
    )
  )
}, Effect.scoped)

/** What stays in its folder as it is, because git could not commit it. */
export const failedMerge = ({ name, index, title }: SubagentWorktree, message: string): SubagentWork => ({
  place: index,
  name: title,
  branch: Worktree.branchOf(name),
  base: "HEAD",
  state: "kept",
  changed: [],
  conflicts: [],
  why: `it stays in .dacapo/worktrees/${name}, because git could not commit it: ${message}`
})

/** Commits what a subagent left in its worktree, and describes it. */
const finishWork = Effect.fnUntraced(
  function*(path: string, cwd: string, part: SubagentWorktree): Effect.fn.Return<Work | undefined, CheckpointError> {
    const worktree = yield* Worktree.findForSubagent(path, cwd, part.name)
    if (worktree === undefined) return undefined
    const { base, branch, folder } = worktree
    if (folder !== undefined) {
      const git = (args: ReadonlyArray<string>) => Git.check(path)({ args, cwd: folder })
      yield* git(["add", "--all"])
      if ((yield* git(["status", "--porcelain"])) !== "") yield* git(["commit", "--quiet", "--no-verify", "--message", part.title])
    }
    const git = (args: ReadonlyArray<string>) => Git.check(path)({ args, cwd })
    const tip = (yield* git(["rev-parse", `refs/heads/${branch}`])).trim()
    return { ...part, branch, base, tip, changed: (yield* TreeDiff.changes(git, base, tip)).map((change) => change.path) }
  }
)

/** Merges one subagent's work into a tree: the resulting tree, or why there is none. */
const merge = Effect.fnUntraced(function*(path: string, { git, top }: Snapshot.Snapshot, prefix: string, ours: string, work: Work) {
  const { base, branch, changed, shouldMerge, index, tip, title } = work
  const relativePath = (file: string) => prefix === "" ? file : relative(prefix, file)
  const outsideFiles = changed.filter((file) => prefix !== "" && !file.startsWith(`${prefix}/`))
  const outcome = (
    state: SubagentWork["state"],
    details: Partial<SubagentWork> = {}
  ): { readonly result: SubagentWork; readonly tree?: string } => ({
    result: { place: index, name: title, branch, base, state, changed: changed.map(relativePath), conflicts: [], ...details }
  })
  if (changed.length === 0) return outcome("unchanged")
  if (!shouldMerge) return outcome("kept")
  if (outsideFiles.length > 0)
    return outcome("kept", { why: `it changed files outside this folder (${outsideFiles.slice(0, 3).join(", ")})` })
  // With the subagent's own starting point as its parent, which becomes the merge base.
  const oursCommit = (yield* git(["commit-tree", ours, "-p", base, "-m", "The files as they were"])).trim()
  const { code, error, out } = yield* Git.run(path)({
    args: ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", oursCommit, tip],
    cwd: top
  })
  const [tree = "", ...files] = out.split("\0").filter((field) => field !== "")
  if (code === 0) return { ...outcome("merged"), tree }
  if (code === 1) return outcome("conflicts", { conflicts: [...new Set(files)].map(relativePath) })
  return outcome("kept", {
    why: /unknown option|usage:/.test(error) ? "this version of git can't merge without touching the files (2.38 and later can)" : error
  })
})

/** Removes all the folders, and the branches of merged or empty work. What can't be removed stays. */
export const tidy = Effect.fn("Worktrees.tidy")(function*(path: string, cwd: string, work: ReadonlyArray<SubagentWork>) {
  for (const { branch, state } of work) {
    yield* Effect.ignore(Worktree.removeForSubagent(path, cwd, branch, state === "merged" || state === "unchanged"))
  }
})
