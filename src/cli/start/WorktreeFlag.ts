/** `--worktree`: the task's own folder and branch, made before it and told of after it. */
import * as Effect from "effect/Effect"
import * as Worktree from "../../layers/workspace/worktree/Worktree.ts"
import { InputError, UsageError } from "../process/CliError.ts"
import type { Values } from "../args/Flags.ts"
import { Host } from "../process/Host.ts"
import * as View from "../render/view/View.ts"

/** The folder to work in, for as long as the scope lasts; `cwd` itself where no worktree is asked for. */
export const folder = Effect.fnUntraced(function*({ worktree: name }: Values, cwd: string) {
  const { environment, stderr } = yield* Host
  if (name === undefined) return cwd
  if (name !== "" && !Worktree.isName(name)) return yield* new UsageError({ message: `--worktree takes a name of letters, digits, "-", "_" and single dots; "${name}" is none.` })
  const path = environment.variables["PATH"] ?? ""
  const made = yield* Effect.acquireRelease(
    Worktree.open(path, cwd, name === "" ? undefined : name).pipe(
      Effect.mapError(({ message }) => new InputError({ message: `There is no worktree to work in: ${message}` }))
    ),
    (made) =>
      Worktree.close(path, made).pipe(
        Effect.match({ onSuccess: (left) => told(made, left), onFailure: ({ message }) => `The worktree ${made.path} stays as it is: ${message}` }),
        Effect.flatMap((text) => Effect.ignore(stderr.write(`${View.text(text)}\n`)))
      )
  )
  return made.cwd
})

/** Files that are named one by one. */
const most = 20

const told = ({ branch, name, path, repository }: Worktree.Worktree, { changed, committed }: Worktree.Left): string => {
  if (changed.length === 0) return `Nothing was changed in the worktree ${name}${committed ? "; it is removed" : ""}.`
  const files = changed.slice(0, most).map(({ added, path, removed }) => `  ${path}${added === null || removed === null ? "" : ` +${added} −${removed}`}`)
  const more = changed.length > most ? [`  and ${changed.length - most} more`] : []
  const where = path.slice(repository.length + 1)
  return [
    `${changed.length} file${changed.length === 1 ? "" : "s"} changed in the worktree ${where}, on the branch ${branch}:`,
    ...files,
    ...more,
    ...(committed ? [] : [`Commit: git -C ${where} add -A && git -C ${where} commit`]),
    `Merge: git merge ${branch}`,
    `Remove: git worktree remove ${where} && git branch -d ${branch}`
  ].join("\n")
}
