/** What two trees of a repository differ by, as git tells it. */
import * as Effect from "effect/Effect"
import { type Change, type CheckpointError, type Compared, type Counted, sum } from "../../../domain/workspace/Checkpoint.ts"

/** Runs git in the repository that holds the trees. */
export type Ask = (args: ReadonlyArray<string>) => Effect.Effect<string, CheckpointError>

/** Lines added and removed by path, from git's numstat; it has a dash where a file is no text. */
const linesIn = (numstat: string) =>
  new Map(numstat.split("\0").flatMap((line) => {
    const [, added, removed, path] = /^(\S+)\t(\S+)\t([^]*)$/.exec(line) ?? []
    return path === undefined ? [] : [[path, { added: Number(added) || 0, removed: Number(removed) || 0 }] as const]
  }))

/** The sums of a numstat. */
export const countsIn = (numstat: string) => sum([...linesIn(numstat)].map(([path, counts]) => ({ path, kind: "modified", ...counts })))

/** The numstat from one tree to another. */
export const numstat = (git: Ask, before: string, after: string): Effect.Effect<string, CheckpointError> =>
  git(["diff-tree", "-r", "--no-renames", "--numstat", "-z", before, after])

/** From one tree to another. */
export const changes = Effect.fnUntraced(function*(git: Ask, before: string, after: string) {
  const fields = (yield* git(["diff-tree", "-r", "--no-renames", "--name-status", "-z", before, after])).split("\0")
  const found: Array<Change> = []
  for (let i = 0; i + 1 < fields.length; i += 2) found.push({ path: fields[i + 1]!, kind: kinds[fields[i]!] ?? "modified" })
  return found as ReadonlyArray<Change>
})

const kinds: Readonly<Record<string, Change["kind"]>> = { A: "created", D: "deleted" }

/** As a unified diff, file by file, and in sum. */
export const compared = Effect.fnUntraced(function*(git: Ask, before: string, after: string): Effect.fn.Return<Compared, CheckpointError> {
  const patch = yield* git(["diff-tree", "-r", "-p", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", before, after])
  const lines = linesIn(yield* numstat(git, before, after))
  const counted = (yield* changes(git, before, after)).map((change): Counted => ({ ...change, ...(lines.get(change.path) ?? { added: 0, removed: 0 }) }))
  return { patch, changes: counted, counts: sum(counted) }
})
