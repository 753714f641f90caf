/** `--worktree`: a git worktree and branch for the task, created before it and described after it. */
import * as Effect from "effect/Effect"
import * as Programs from "../../layers/workspace/Programs.ts"
import * as Worktree from "../../layers/workspace/worktree/Worktree.ts"
import { InputError, UsageError } from "../process/CliError.ts"
import type { Values } from "../args/Flags.ts"
import { Host } from "../process/Host.ts"
import * as View from "../render/view/View.ts"

/** The working folder until the scope closes: the worktree, or `cwd` without the flag. */
export const folder = Effect.fnUntraced(function*({ worktree: name }: Values, cwd: string) {
  const { environment, stderr } = yield* Host
  if (name === undefined) return cwd
  if (name !== "" && !Worktree.isName(name)) {
    return yield* new UsageError({
      message: `"${name}" is not a valid name for --worktree; use letters, digits, "-", "_" and single dots.`
    })
  }
  const path = Programs.searchPath(environment, [cwd])
  const worktree = yield* Effect.acquireRelease(
    Worktree.open(path, cwd, name === "" ? undefined : name).pipe(
      Effect.mapError(({ message }) => new InputError({ message: `Can't create the worktree: ${message}` }))
    ),
    (worktree) =>
      Worktree.close(path, worktree).pipe(
        Effect.match({
          onSuccess: (changes) => describe(worktree, changes),
          onFailure: ({ message }) => `Can't check the worktree ${worktree.path}, so it is kept: ${message}`
        }),
        Effect.flatMap((text) => Effect.ignore(stderr.write(`${View.text(text)}\n`)))
      )
  )
  return worktree.cwd
})

/** Maximum number of files to list. */
const maxFiles = 20

const describe = ({ branch, name, path, repository }: Worktree.Worktree, { changed, committed }: Worktree.RemainingWork): string => {
  if (changed.length === 0) return `Nothing changed in the worktree ${name}${committed ? ", so it was removed" : ""}.`
  const files = changed.slice(0, maxFiles).map(({ added, path, removed }) =>
    `  ${path}${added === null || removed === null ? "" : ` +${added} −${removed}`}`
  )
  const overflow = changed.length > maxFiles ? [`  and ${changed.length - maxFiles} more`] : []
  const relativePath = path.slice(repository.length + 1)
  return [
    `${changed.length} file${changed.length === 1 ? "" : "s"} changed in the worktree ${relativePath}, on the branch ${branch}:`,
    ...files,
    ...overflow,
    ...(committed ? [] : [`Commit: git -C ${relativePath} add -A && git -C ${relativePath} commit`]),
    `Merge: git merge ${branch}`,
    `Remove: git worktree remove ${relativePath} && git branch -d ${branch}`
  ].join("\n")
}
