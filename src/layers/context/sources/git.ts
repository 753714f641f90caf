/** Branch and commit, read from the repository's files: a look that costs no process. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { define } from "../../../services/Source.ts"
import { above } from "./folders.ts"

export const git = define({
  name: "git",
  fixed: false,
  gather: Effect.fn("git")(function*({ cwd }) {
    const files = yield* FileSystem.FileSystem
    const read = (path: string) => files.readFileString(path).pipe(Effect.map((text) => text.trim()), Effect.option, Effect.map(orNull))
    const found = yield* repository(cwd, read)
    if (found === null) return { git: null }
    const head = yield* read(`${found.gitDir}/HEAD`)
    if (head === null) return { git: null }
    if (!head.startsWith("ref: ")) return { git: { branch: "(detached)", head } }
    const ref = head.slice("ref: ".length)
    const commit = (yield* read(`${found.commonDir}/${ref}`)) ?? packed(yield* read(`${found.commonDir}/packed-refs`), ref)
    return { git: { branch: ref.replace(/^refs\/heads\//, ""), head: commit ?? "(no commit)" } }
  })
})

type Read = (path: string) => Effect.Effect<string | null>

/** The nearest `.git` from `cwd` upwards: a folder, or the file of a worktree that points to one. */
const repository = Effect.fnUntraced(function*(cwd: string, read: Read) {
  for (const folder of above(cwd)) {
    const dotGit = `${folder}/.git`
    if ((yield* read(`${dotGit}/HEAD`)) !== null) return { gitDir: dotGit, commonDir: dotGit }
    const pointer = yield* read(dotGit)
    if (pointer?.startsWith("gitdir: ") === true) {
      const gitDir = from(folder, pointer.slice("gitdir: ".length))
      const common = yield* read(`${gitDir}/commondir`)
      return { gitDir, commonDir: common === null ? gitDir : from(gitDir, common) }
    }
  }
  return null
})

const from = (folder: string, path: string): string => path.startsWith("/") ? path : `${folder}/${path}`

/** The commit of a ref in git's packed list: lines of `commit ref`. */
const packed = (list: string | null, ref: string): string | null =>
  list?.split("\n").find((line) => line.endsWith(` ${ref}`))?.split(" ")[0] ?? null

const orNull = (option: { readonly _tag: "None" } | { readonly _tag: "Some"; readonly value: string }): string | null =>
  option._tag === "Some" ? option.value : null
