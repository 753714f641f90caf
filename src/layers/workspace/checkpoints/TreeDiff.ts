/** How two trees of a repository differ, according to git. */
import * as Effect from "effect/Effect"
import {
  type Change,
  type CheckpointError,
  type Comparison,
  type CountedChange,
  countChanges
} from "../../../domain/workspace/Checkpoint.ts"

/** Runs git in the repository of the trees. */
export type GitRunner = (args: ReadonlyArray<string>) => Effect.Effect<string, CheckpointError>

/** Lines added and removed by path, from git's numstat; it has a dash for a file that is not text. */
const lineCounts = (numstat: string) =>
  new Map(
    numstat.split("\0").flatMap((line) => {
      const [, added, removed, path] = /^(\S+)\t(\S+)\t([^]*)$/.exec(line) ?? []
      return path === undefined ? [] : [[path, { added: Number(added) || 0, removed: Number(removed) || 0 }] as const]
    })
  )

/** The sums of a numstat. */
export const totalCounts = (numstat: string) =>
  countChanges([...lineCounts(numstat)].map(([path, counts]) => ({ path, kind: "modified", ...counts })))

/** The numstat from one tree to another. */
export const numstat = (git: GitRunner, before: string, after: string): Effect.Effect<string, CheckpointError> =>
  git(["diff-tree", "-r", "--no-renames", "--numstat", "-z", before, after])

/** From one tree to another. */
export const changes = Effect.fnUntraced(function*(git: GitRunner, before: string, after: string) {
  const fields = (yield* git(["diff-tree", "-r", "--no-renames", "--name-status", "-z", before, after])).split("\0")
  const result: Array<Change> = []
  for (let i = 0; i + 1 < fields.length; i += 2) result.push({ path: fields[i + 1]!, kind: kinds[fields[i]!] ?? "modified" })
  return result as ReadonlyArray<Change>
})

const kinds: Readonly<Record<string, Change["kind"]>> = { A: "created", D: "deleted" }

/** As a unified diff, file by file, and in sum. */
export const compare = Effect.fnUntraced(
  function*(git: GitRunner, before: string, after: string): Effect.fn.Return<Comparison, CheckpointError> {
    const patch = yield* git(["diff-tree", "-r", "-p", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", before, after])
    const lines = lineCounts(yield* numstat(git, before, after))
    const countedChanges = (yield* changes(git, before, after)).map((change): CountedChange => ({
      ...change,
      ...(lines.get(change.path) ?? { added: 0, removed: 0 })
    }))
    return { patch, changes: countedChanges, counts: countChanges(countedChanges) }
  }
)
