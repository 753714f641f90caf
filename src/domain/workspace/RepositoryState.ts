/** The state of a Git repository when a session begins: what is staged, what is not, and the newest commits. */
import * as Schema from "effect/Schema"

/**
 * Paths are relative to the repository, each with its letter of `git status`: `M src/a.ts`. `commits` are the newest first:
 * `3f2a91c Fix it`.
 */
export const RepositoryState = Schema.Struct({
  staged: Schema.Array(Schema.String),
  unstaged: Schema.Array(Schema.String),
  untracked: Schema.Array(Schema.String),
  commits: Schema.Array(Schema.String)
}).annotate({ identifier: "RepositoryState" })
export type RepositoryState = typeof RepositoryState.Type

/** Files of a kind that are recorded, and characters of a line. */
const limits = { files: 100, line: 160 }

const line = (text: string): string => text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, " ").slice(0, limits.line)

/** From `git status --porcelain=v1 -z --no-renames` and `git log --format=%h %s`; files that are not visible are left out. */
export const parse = (status: string, log: string, isVisible: (path: string) => boolean = () => true): RepositoryState => {
  const entries = status.split("\0")
    .filter((entry) => entry.length > 3 && isVisible(entry.slice(3)))
    .map((entry) => ({ index: entry[0]!, tree: entry[1]!, path: entry.slice(3) }))
  const list = (pick: (entry: (typeof entries)[number]) => string | undefined) =>
    entries.flatMap((entry) => {
      const text = pick(entry)
      return text === undefined ? [] : [line(text)]
    }).slice(0, limits.files)
  return {
    staged: list(({ index, path }) => index === " " || index === "?" ? undefined : `${index} ${path}`),
    unstaged: list(({ path, tree }) => tree === " " || tree === "?" ? undefined : `${tree} ${path}`),
    untracked: list(({ index, path }) => index === "?" ? path : undefined),
    commits: log.split("\n").filter((text) => text !== "").map(line)
  }
}

/** With at most so many files of a kind and commits; undefined if there is nothing to say. */
export const render = (
  { commits, staged, unstaged, untracked }: RepositoryState,
  maxFiles: number,
  maxCommits: number
): string | undefined => {
  const group = (title: string, paths: ReadonlyArray<string>) =>
    paths.length === 0 ? [] : [
      `${title}:`,
      ...paths.slice(0, maxFiles).map((path) => `- ${path}`),
      ...(paths.length > maxFiles ? [`[… ${paths.length - maxFiles} more]`] : [])
    ]
  const groups = [
    ...group("Staged", staged),
    ...group("Not staged", unstaged),
    ...group("Untracked", untracked),
    ...(commits.length === 0 ? [] : ["Newest commits:", ...commits.slice(0, maxCommits).map((commit) => `- ${commit}`)])
  ]
  return groups.length === 0 ? undefined : ["The repository when the session began:", ...groups].join("\n")
}

/** In one line. */
export const summary = ({ commits, staged, unstaged, untracked }: RepositoryState): string =>
  `The repository when the session began: ${staged.length} files staged, ${unstaged.length} changed but not staged, ${untracked.length} untracked${
    commits[0] === undefined ? "" : `; newest commit ${commits[0]}`
  }.`
