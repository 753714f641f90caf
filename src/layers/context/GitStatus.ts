/** Which files git calls changed: asked once a task, for it costs a process. */
import * as Effect from "effect/Effect"
import * as PathName from "../../domain/workspace/PathName.ts"
import { Environment } from "../../services/Environment.ts"
import { Trust } from "../../services/Trust.ts"
import * as Git from "../workspace/git/Git.ts"
import { repository } from "./sources/git.ts"
import { SmallFiles } from "./sources/SmallFile.ts"

/** How long git may take before a task begins without it, and files that are told. */
const limits = { wait: "1 second", files: 200 } as const

/** What of a repository's own configuration makes `git status` run its programs, or read more configuration. */
const acting = /^\s*\[\s*(?:filter|include|includeif|extensions)\b/im

/** Untracked files one by one; nothing is asked of submodules, which have configurations of their own. */
const status = ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=all", "--no-renames", "--", "."]

/**
 * Names of changed and new files under `cwd`, as a session calls them; none where there is no repository, where git is slow, or where
 * a repository that the user does not trust would run something.
 */
export const changed = Effect.fnUntraced(function*(cwd: string) {
  const { variables: { PATH = "" } } = yield* Environment
  const files = yield* SmallFiles
  const read = (path: string, largest?: number) => Effect.map(files.read(path, largest), (found) => found._tag === "Text" ? found.text : null)
  const found = yield* repository(cwd, read)
  if (found === null) return []
  const config = yield* read(`${found.commonDir}/config`)
  const trusted = yield* Effect.orElseSucceed((yield* Trust).holds(cwd), () => false)
  if (!trusted && (config === null || acting.test(config))) return []
  return yield* Git.run(PATH)({ args: status, cwd }).pipe(
    Effect.timeout(limits.wait),
    Effect.map(({ code, out }) => code === 0 ? names(out).slice(0, limits.files).map((name) => PathName.of(cwd, `${found.folder}/${name}`)) : []),
    Effect.orElseSucceed((): ReadonlyArray<string> => [])
  )
})

/** Entries are `XY name`, from the repository's root; what was deleted is no file. */
const names = (out: string): ReadonlyArray<string> =>
  out.split("\0").flatMap((entry) => entry.length > 3 && !entry.slice(0, 2).includes("D") ? [entry.slice(3)] : [])
