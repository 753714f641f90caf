/** Branch and commit, read from the repository's files, without starting a process. */
import * as Effect from "effect/Effect"
import { define } from "../../../services/Source.ts"
import { ancestorFolders } from "./folders.ts"
import { SmallFiles } from "./SmallFile.ts"

export const git = define({
  name: "git",
  isFixed: false,
  gather: Effect.fn("git")(function*({ cwd }) {
    const files = yield* SmallFiles
    const read = (path: string, maxBytes?: number) =>
      Effect.map(files.read(path, maxBytes), (file) => file._tag === "Text" ? file.text.trim() : null)
    const repo = yield* repository(cwd, read)
    if (repo === null) return { git: null }
    const head = yield* read(`${repo.gitDir}/HEAD`)
    if (head === null) return { git: null }
    const ref = /^ref: (refs\/heads\/\S+)$/.exec(head)?.[1]
    if (ref === undefined || ref.includes("..")) return { git: isCommit(head) ? { branch: "(detached)", head } : null }
    const looseRef = yield* read(`${repo.commonDir}/${ref}`)
    const commit = looseRef ?? packedRef(yield* read(`${repo.commonDir}/packed-refs`, 32 * 1024 * 1024), ref)
    const branch = ref.slice("refs/heads/".length, maxBranchLength)
    return { git: { branch, head: commit !== null && isCommit(commit) ? commit : "(no commit)" } }
  })
})

/** A repository's files enter the prompt: names are limited to this length, and commits are validated. */
const maxBranchLength = 200
const isCommit = (text: string): boolean => /^[0-9a-f]{40,64}$/.test(text)

type Read = (path: string) => Effect.Effect<string | null>

/** The nearest `.git` from `cwd` upwards: a folder, or the file of a worktree that points to one; `folder` contains it. */
export const repository = Effect.fnUntraced(function*(cwd: string, read: Read) {
  for (const folder of ancestorFolders(cwd)) {
    const dotGit = `${folder}/.git`
    if ((yield* read(`${dotGit}/HEAD`)) !== null) return { folder, gitDir: dotGit, commonDir: dotGit }
    const pointer = (yield* read(dotGit))?.trim()
    if (pointer?.startsWith("gitdir: ") === true) {
      const gitDir = from(folder, pointer.slice("gitdir: ".length))
      const common = yield* read(`${gitDir}/commondir`)
      return { folder, gitDir, commonDir: common === null ? gitDir : from(gitDir, common.trim()) }
    }
  }
  return null
})

const from = (folder: string, path: string): string => path.startsWith("/") ? path : `${folder}/${path}`

/** The commit of a ref in git's packed list: lines of `commit ref`. */
const packedRef = (list: string | null, ref: string): string | null =>
  list?.split("\n").find((line) => line.endsWith(` ${ref}`))?.split(" ")[0] ?? null
