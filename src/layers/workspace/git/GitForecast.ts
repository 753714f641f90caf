/**
 * Which protected files a command's git calls would change without naming them (`git checkout branch`, `git merge`,
 * `git apply`): computed from the incoming trees, before anything is judged.
 */
import * as Effect from "effect/Effect"
import { join, normalize, relative, resolve } from "node:path"
import { optional } from "../../../domain/Optional.ts"
import * as ProtectedPaths from "../../../domain/approval/ProtectedPaths.ts"
import { type Analysis, flatten } from "../../../domain/tool/CommandLine.ts"
import * as GitCall from "../../../domain/tool/shell/GitCall.ts"
import * as GitChange from "../../../domain/tool/shell/GitChange.ts"
import { CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import * as Git from "./Git.ts"
import type { GitOutput } from "./GitProcess.ts"

export interface Forecast {
  /** Absolute paths. */
  readonly changes: ReadonlyArray<string>
  /** Why not all of them are known. */
  readonly unclear?: string
}

/** Undefined for a command that brings nothing into a work tree. `path` is a search path of `Programs`. */
export const of = (analysis: Analysis, cwd: string, path: string): Effect.Effect<Forecast | undefined> => {
  const calls = flatten(analysis.parts).filter(({ name }) => name === "git")
  const all = calls.flatMap((part, i) => {
    const change = GitChange.of(part)
    return change === undefined ? [] : [{ part, change, isAfterFetch: calls.slice(0, i).some(GitChange.fetches) }]
  })
  if (all.length === 0) return Effect.succeed(undefined)
  const namedRevisions = calls.flatMap(GitChange.revisions)
  return Effect.forEach(all, ({ change, isAfterFetch, part }): Effect.Effect<Forecast> => {
    const folders = GitCall.folders(part)
    if (isAfterFetch) return Effect.succeed({ changes: [], unclear: "what is fetched is known only once it is there" })
    // The analysis itself reports it, for rules that name the subcommand.
    if (change.unclear !== undefined) return Effect.succeed({ changes: [] })
    if (folders === undefined) return Effect.succeed({ changes: [], unclear: "the folder that git works in is known only at run time" })
    return Effect.forEach(
      folders,
      (folder) => changedFiles(path, resolve(cwd, folder), { ...change, revisions: [...change.revisions, ...namedRevisions] })
    ).pipe(
      Effect.map((files) => ({ changes: files.flat() })),
      Effect.timeout("10 seconds"),
      Effect.catch(() => Effect.succeed({ changes: [], unclear: "git can't tell what it would change" }))
    )
  }).pipe(Effect.map((forecasts) => {
    const unclear = forecasts.find((one) => one.unclear !== undefined)?.unclear
    return {
      changes: [...new Set(forecasts.flatMap(({ changes }) => changes))].slice(0, maxFiles),
      ...optional({ unclear })
    }
  }))
}

/** The maximum number of files to report. */
const maxFiles = 20

const changedFiles = Effect.fnUntraced(
  function*(path: string, folder: string, { overwrites = false, patches, paths, revisions }: GitChange.GitChange) {
    const run = yield* Git.inFolder(path, folder)
    const git = (args: ReadonlyArray<string>, cwd = folder) => run({ args, cwd })
    const toplevel = yield* git(["rev-parse", "--show-toplevel"])
    if (toplevel.code !== 0) return []
    const top = toplevel.out.replace(/\n$/, "")
    const names = patches === undefined
      ? yield* incomingFiles((args) => git(args, top), revisions, overwrites)
      : yield* patchedFiles(git, patches)
    const limits = paths?.map((one) => /[*?[\\:]/.test(one) ? "" : relative(top, resolve(folder, one)).toLowerCase())
    const isWithin = (name: string, limit: string) => limit === "" || name === limit || name.startsWith(`${limit}/`)
    return [...names].filter((name) => limits === undefined || limits.some((limit) => isWithin(name.toLowerCase(), limit)))
      .map((name) => join(top, name))
      .filter((file) => ProtectedPaths.writeProtection(file) !== undefined)
  }
)

type GitRunner = (args: ReadonlyArray<string>) => Effect.Effect<GitOutput, CheckpointError>

/** What differs between the checked-out commit, or the files if those are overwritten, and each revision. */
const incomingFiles = Effect.fnUntraced(function*(git: GitRunner, revisions: ReadonlyArray<string>, overwrites: boolean) {
  const names = new Set<string>()
  const addNames = ({ code, out }: GitOutput) => code === 0 && out.split("\0").forEach((name) => name !== "" && names.add(name))
  for (const revision of new Set(revisions)) {
    const ends = revision.split(/\.{2,3}/)
    if (ends.length === 2) addNames(yield* git(["log", "--format=", "--name-only", "-z", "-m", "--no-renames", revision, "--"]))
    for (const end of ends) {
      for (const tree of yield* treesOf(git, end === "" ? "HEAD" : end)) {
        addNames(yield* git(["diff-tree", "-r", "--name-only", "--no-renames", "-z", "HEAD", tree, "--"]))
        if (overwrites) addNames(yield* git(["diff-index", "--name-only", "--no-renames", "-z", tree, "--"]))
      }
    }
  }
  if (overwrites) addNames(yield* git(["diff-files", "--name-only", "-z"]))
  return names
})

/** Also a remote's branch, from which a local one of the same name would be created. */
const treesOf = Effect.fnUntraced(function*(git: GitRunner, revision: string): Effect.fn.Return<ReadonlyArray<string>, CheckpointError> {
  if (revision.startsWith("-") || /\s/.test(revision)) return []
  const tree = yield* git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{tree}`])
  if (tree.code === 0) return [tree.out.trim()]
  const remote = /^[\w./-]+$/.test(revision) ? (yield* git(["for-each-ref", "--format=%(objectname)", `refs/remotes/*/${revision}`])).out
    : ""
  return remote.split("\n").filter((line) => line !== "").map((commit) => `${commit}^{tree}`)
})

/** Also a file's name before its patch. */
const patchedFiles = Effect.fnUntraced(function*(git: GitRunner, patches: ReadonlyArray<string>) {
  const names = new Set<string>()
  for (const reverse of [[], ["-R"]]) {
    const { code, error, out } = yield* git(["apply", "--numstat", "-z", ...reverse, "--", ...patches])
    if (code !== 0) return yield* new CheckpointError({ reason: "Failed", message: error })
    for (const row of out.split("\0")) if (row !== "") names.add(normalize(row.slice(row.indexOf("\t", row.indexOf("\t") + 1) + 1)))
  }
  return names
})
