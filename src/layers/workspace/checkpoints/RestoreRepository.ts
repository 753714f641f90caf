/**
 * The user's own repository of a restored folder: a new one with the carried commits. Its configuration, hooks, remotes and other
 * branches are not carried, so that nothing in it can run a program here.
 */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import * as CheckpointExcludes from "../../../domain/workspace/CheckpointExcludes.ts"
import type { StoredRepository } from "../../../domain/workspace/StoredFiles.ts"
import * as Git from "../git/Git.ts"
import type { RunGit } from "./Packs.ts"

/** An empty repository, where there is none. */
export const prepare = Effect.fnUntraced(function*(path: string, root: string) {
  const folder = join(root, ".git")
  const stat = yield* Effect.sync(() => fs.lstatSync(folder, { throwIfNoEntry: false }))
  if (stat?.isDirectory() === true) return
  if (stat !== undefined) return yield* new CheckpointError({ reason: "Refused", message: `${folder} is not a folder.` })
  yield* Git.check(path)({ args: ["init", "--quiet", "--template=", root], cwd: root })
})

/**
 * Makes the carried commit the checked-out one; the files stay as they are. Files of that commit that no checkpoint contains, such as
 * images, are written where they are missing. `shadow` runs git in the repository of the checkpoints.
 */
export const checkOut = Effect.fnUntraced(
  function*(run: RunGit, shadow: RunGit, root: string, { branch, head, shallow }: StoredRepository) {
    const check = Effect.fnUntraced(function*(args: ReadonlyArray<string>, stdin?: string) {
      const { code, error, out } = yield* run(args, stdin)
      if (code === 0) return out
      return yield* new CheckpointError({
        reason: "Failed",
        message: `The files are restored, but not the commits of their repository: git ${args[0]}: ${error || `code ${code}`}`
      })
    })
    const badId = [head, ...shallow].find((id) => !/^[0-9a-f]{40}$/.test(id))
    if (badId !== undefined) return yield* new CheckpointError({ reason: "Failed", message: `"${badId}" is not the id of a commit.` })
    const isNew = (yield* run(["rev-parse", "--verify", "--quiet", "HEAD"])).code !== 0
    if (isNew && shallow.length > 0) {
      yield* Effect.sync(() => fs.writeFileSync(join(root, ".git/shallow"), shallow.map((id) => `${id}\n`).join("")))
    }
    yield* check(["rev-list", "--objects", "--quiet", head, "--"])
    if (branch === null) {
      yield* check(["update-ref", "--no-deref", "HEAD", head])
    } else {
      yield* check(["check-ref-format", "--branch", branch])
      yield* check(["update-ref", `refs/heads/${branch}`, head])
      yield* check(["symbolic-ref", "HEAD", `refs/heads/${branch}`])
    }
    yield* check(["read-tree", head])
    const missing = (yield* check(["ls-files", "-z", "--deleted"])).split("\0").filter((path) => path !== "")
    const left = yield* leftOut(run, shadow, head, new Set(missing))
    if (left.length > 0) yield* check(["checkout-index", "-z", "--stdin"], left.map((path) => `${path}\0`).join(""))
    yield* run(["update-index", "-q", "--refresh"])
  }
)

/** Those of the files that checkpoints leave out: excluded ones, and large ones. */
const leftOut = Effect.fnUntraced(function*(run: RunGit, shadow: RunGit, head: string, missing: ReadonlySet<string>) {
  if (missing.size === 0) return []
  const { out: excluded } = yield* shadow(["check-ignore", "--no-index", "-z", "--stdin"], [...missing].map((path) => `${path}\0`).join(""))
  const { out: entries } = yield* run(["ls-tree", "-r", "-z", "--long", head])
  const large = entries.split("\0").flatMap((entry) => {
    const [, size = "", path = ""] = /^\d+ blob [0-9a-f]+ +(\d+)\t([^]*)$/.exec(entry) ?? []
    return Number(size) > CheckpointExcludes.maxFileBytes ? [path] : []
  })
  return [...new Set([...excluded.split("\0"), ...large])].filter((path) => missing.has(path))
})
