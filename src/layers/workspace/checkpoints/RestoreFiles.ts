/**
 * Rebuilds the folder of a session from its log and blobs, on a machine that need not have seen it. What the log carries was written by
 * whoever wrote the log, so nothing of it is trusted: digests are compared, and paths that lead out of the folder or into a `.git`
 * are refused.
 */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { optional } from "../../../domain/Optional.ts"
import * as CarriedFiles from "../../../domain/session/CarriedFiles.ts"
import type { LogError } from "../../../domain/session/LogError.ts"
import type { SessionEvent } from "../../../domain/session/SessionEvent.ts"
import { CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import * as CheckpointExcludes from "../../../domain/workspace/CheckpointExcludes.ts"
import { Environment } from "../../../services/Environment.ts"
import { sha256 } from "../../storage/Digest.ts"
import * as Programs from "../Programs.ts"
import * as Git from "../git/Git.ts"
import * as ProcessTree from "../shell/ProcessTree.ts"
import * as Packs from "./Packs.ts"
import * as Restore from "./Restore.ts"
import * as RestoreRepository from "./RestoreRepository.ts"
import * as ShadowRepository from "./ShadowRepository.ts"
import * as TreeDiff from "./TreeDiff.ts"

export interface Options {
  readonly session: string
  readonly events: ReadonlyArray<SessionEvent>
  readonly getBlob: (hash: string) => Effect.Effect<Uint8Array, LogError>
  /** Absolute. Created if it does not exist. */
  readonly folder: string
  /**
   * The folder belongs to the session alone: whatever it has of another moment is replaced, except ignored files. Otherwise it must
   * be empty.
   */
  readonly isOwned?: boolean
}

/** `files` is their number; `isCurrent`: nothing changed them after the last checkpoint that the log carries, at the event `seq`. */
export interface Restored {
  readonly files: number
  readonly seq: number
  readonly isCurrent: boolean
  readonly repository?: { readonly branch: string | null; readonly head: string }
}

let restoreCount = 0

export const restore = Effect.fn("RestoreFiles.restore")(
  function*({ events, folder, getBlob, isOwned = false, session }: Options) {
    const environment = yield* Environment
    const carried = CarriedFiles.of(events)
    if (carried === undefined) {
      return yield* new CheckpointError({
        reason: "Refused",
        message:
          `The log of session ${session} carries no files. They are stored from the next prompt on if "storeFiles" is true in config.jsonc.`
      })
    }
    const root = yield* openFolder(folder, isOwned)
    const path = Programs.searchPath(environment, [])
    const index = `${ProcessTree.self}-restore-${++restoreCount}`
    const place = ShadowRepository.folderOf(environment.folders.data, root)
    const repository = yield* Effect.acquireRelease(
      ShadowRepository.open({ root, folder: place, index, path, maxFiles: CheckpointExcludes.maxFiles }),
      () => Effect.sync(() => fs.rmSync(join(place, "indexes", index), { force: true }))
    )
    yield* loadPacks(repository.run, carried.packs, getBlob)
    const entries = yield* checkedEntries(repository, session, carried.checkpoint)
    const { id: current } = yield* repository.tree()
    const changes = yield* TreeDiff.changes(repository.git, current, carried.checkpoint)
    yield* Effect.uninterruptible(Restore.apply(repository, root, carried.checkpoint, changes))
    yield* repository.git(["update-ref", ShadowRepository.refOf(session), carried.checkpoint])
    const run: Packs.RunGit = (args, stdin) => Git.run(path)({ args, cwd: root, ...optional({ stdin }) })
    if (carried.repository !== undefined) {
      yield* RestoreRepository.prepare(path, root)
      yield* loadPacks(run, carried.repositoryPacks, getBlob)
      yield* RestoreRepository.checkOut(run, repository.run, root, carried.repository)
    }
    return {
      files: entries,
      seq: carried.seq,
      isCurrent: carried.isCurrent,
      ...optional({
        repository: carried.repository === undefined ? undefined : { branch: carried.repository.branch, head: carried.repository.head }
      })
    } satisfies Restored
  },
  Effect.scoped
)

/** The folder with its links resolved. */
const openFolder = (folder: string, isOwned: boolean) =>
  Effect.suspend(() => {
    try {
      fs.mkdirSync(folder, { recursive: true })
      const root = fs.realpathSync(folder)
      return isOwned || fs.readdirSync(root).length === 0 ? Effect.succeed(root)
        : Effect.fail(
          new CheckpointError({ reason: "Refused", message: `${folder} is not empty. Name an empty folder, or one that does not exist.` })
        )
    } catch (error) {
      return Effect.fail(new CheckpointError({ reason: "Failed", message: `Can't create ${folder}: ${(error as Error).message}.` }))
    }
  })

/** Loads the packs whose commit is not here yet: another process of this machine may have had the session. */
const loadPacks = Effect.fnUntraced(
  function*(run: Packs.RunGit, packs: ReadonlyArray<CarriedFiles.CarriedPack>, getBlob: Options["getBlob"]) {
    const badId = packs.find(({ id }) => !isCommitId(id))
    if (badId !== undefined) return yield* new CheckpointError({ reason: "Failed", message: `"${badId.id}" is not the id of a commit.` })
    const { out } = yield* run(["cat-file", "--batch-check"], packs.map(({ id }) => `${id}^{tree}\n`).join(""))
    const answers = out.split("\n")
    const missing = packs.filter((_, i) => answers[i]?.endsWith(" missing") !== false)
    if (missing.length === 0) return
    const bytes = yield* Effect.forEach(
      missing,
      Effect.fnUntraced(function*({ blob }) {
        const bytes = yield* getBlob(blob)
        if (sha256(bytes) === blob) return bytes
        return yield* new CheckpointError({ reason: "Failed", message: `The stored pack ${blob} does not match its digest.` })
      })
    )
    yield* Packs.load(run, bytes)
  }
)

const isCommitId = (id: string): boolean => /^[0-9a-f]{40}$/.test(id)

/** How many files the checkpoint has; fails if one of them is missing, or is not one that a checkpoint would contain. */
const checkedEntries = Effect.fnUntraced(function*(repository: ShadowRepository.Repository, session: string, checkpoint: string) {
  const { code } = yield* repository.run(["rev-list", "--objects", "--quiet", "--no-walk", checkpoint, "--"])
  if (code !== 0) {
    return yield* new CheckpointError({
      reason: "Failed",
      message: `The packs of session ${session} do not contain its checkpoint ${
        checkpoint.slice(0, 12)
      }: they are damaged, or another session's.`
    })
  }
  const entries = (yield* repository.git(["ls-tree", "-r", "-z", "--long", checkpoint])).split("\0").filter((entry) => entry !== "")
  const files = entries.map((entry) => {
    const [, mode = "", size = "", path = ""] = /^(\d+) \w+ [0-9a-f]+ +(\d+|-)\t([^]*)$/.exec(entry) ?? []
    return { mode, path, sizeBytes: Number(size) }
  })
  const paths = new Set(files.map(({ path }) => path))
  const refused = files.find(({ mode, path, sizeBytes }) =>
    !fileModes.has(mode) || sizeBytes > CheckpointExcludes.maxFileBytes || !isPlainPath(path) ||
    foldersOf(path).some((one) => paths.has(one))
  )
  if (refused !== undefined || paths.size !== files.length) {
    return yield* new CheckpointError({
      reason: "Refused",
      message: `The files of session ${session} were not restored: a checkpoint can't contain ${
        refused === undefined ? "a path twice" : JSON.stringify(refused.path)
      }.`
    })
  }
  return entries.length
})

/** Files, programs and symbolic links. */
const fileModes: ReadonlySet<string> = new Set(["100644", "100755", "120000"])

/** The folders above a path: none of them is a file or a link. */
const foldersOf = (path: string): ReadonlyArray<string> => Array.from(path.matchAll(/\//g), ({ index }) => path.slice(0, index))

/** Within the folder, and not in a `.git`, however a file system may read that name. */
const isPlainPath = (path: string): boolean =>
  path !== "" &&
  path.split("/").every((name) =>
    name !== "" && name !== "." && name !== ".." &&
    !/^(\.git|git~\d+)[. ]*(:.*)?$/i.test(name.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, ""))
  )
