/** Checkpoints in a shadow git repository: one commit each, one ref a session. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { Checkpoint, CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import * as CheckpointExcludes from "../../../domain/workspace/CheckpointExcludes.ts"
import { optional } from "../../../domain/Optional.ts"
import * as Root from "../../../domain/workspace/Root.ts"
import { Checkpoints, type SavedCheckpoint, type StorePacks } from "../../../services/Checkpoints.ts"
import { Environment } from "../../../services/Environment.ts"
import { Workspace } from "../../../services/Workspace.ts"
import * as Git from "../git/Git.ts"
import * as Packs from "./Packs.ts"
import * as TreeDiff from "./TreeDiff.ts"
import * as ProcessTree from "../shell/ProcessTree.ts"
import * as PathGuard from "../files/PathGuard.ts"
import * as Programs from "../Programs.ts"
import * as Restore from "./Restore.ts"
import * as ShadowRepository from "./ShadowRepository.ts"
import * as UserRepository from "./UserRepository.ts"

/** For the first root. The repository is opened at the first use, so that sessions without edits do not pay for it. */
export const layer = (options: { readonly maxFiles?: number } = {}): Layer.Layer<Checkpoints, never, Environment | Workspace> =>
  Layer.effect(Checkpoints, make(options.maxFiles ?? CheckpointExcludes.maxFiles))

const make = Effect.fnUntraced(function*(maxFiles: number) {
  const environment = yield* Environment
  const { folders } = environment
  const { roots } = yield* Workspace
  const root = realPath(roots[0] ?? "/")
  const path = Programs.searchPath(environment, roots)
  const lock = yield* Semaphore.make(1)
  const folder = ShadowRepository.folderOf(folders.data, root)
  const index = `${ProcessTree.self}-${++instanceCount}`

  const refusalReason = refusal(root, realPath(folders.home))
  let repository: ShadowRepository.Repository | undefined

  /** One at a time: the index is one file. A repository that could not be opened is retried. */
  const withRepository = <A>(use: (repository: ShadowRepository.Repository) => Effect.Effect<A, CheckpointError>) =>
    lock.withPermit(Effect.gen(function*() {
      if (refusalReason !== undefined) return yield* new CheckpointError({ reason: "Refused", message: refusalReason })
      repository ??= yield* ShadowRepository.open({ root, folder, index, path, maxFiles })
      return yield* use(repository)
    }))

  yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(join(folder, "indexes", index), { force: true })))

  const reportProgress = (onProgress: (saved: number, total: number) => void): Effect.Effect<never> =>
    Effect.sync(() => {
      const { saved, total } = repository?.progress() ?? { saved: 0, total: 0 }
      onProgress(saved, total)
    }).pipe(Effect.delay("500 millis"), Effect.forever)

  /** The newest commit and tree of sessions that were saved here; another process may have saved since. */
  const tips = new Map<string, Tip>()

  const commit = (repository: ShadowRepository.Repository, request: CheckpointRequest, snapshot: PendingTree) =>
    commitAfter(repository, request, snapshot).pipe(
      // This discards what we know of it, so that it is read again.
      Effect.retry({ times: 1, while: ({ reason }) => reason === "Failed" && tips.delete(ShadowRepository.refOf(request.session)) })
    )

  /** Builds the tree while it looks up the previous one. */
  const commitAfter = Effect.fnUntraced(
    function*(repository: ShadowRepository.Repository, request: CheckpointRequest, snapshot: PendingTree) {
      const ref = ShadowRepository.refOf(request.session)
      const cachedTip = tips.get(ref)
      const [{ against, id: tree, numstat }, tip] = yield* Effect.all([
        snapshot,
        cachedTip === undefined ? tipOf(repository, ref) : Effect.succeed(cachedTip)
      ], { concurrency: 2 })
      const position = yield* Effect.sync(() => UserRepository.position(root))
      const time = yield* Clock.currentTimeMillis
      const counts = tip === undefined || tip.tree === tree ? noChanges
        : numstat !== undefined && against === tip.tree ? TreeDiff.totalCounts(numstat)
        : TreeDiff.totalCounts(yield* TreeDiff.numstat(repository.git, tip.tree, tree))
      const facts = { ...request, ...position, time, counts }
      const id = yield* repository.commit({ ref, tree, parent: tip?.commit, time, message: encodeFacts(facts) })
      tips.set(ref, { commit: id, tree })
      return { ...facts, id } satisfies Checkpoint
    }
  )

  const runInRoot: Packs.RunGit = (args, stdin) => Git.run(path)({ args, cwd: root, ...optional({ stdin }) })

  const storePacks = Effect.fnUntraced(function*(repository: ShadowRepository.Repository, checkpoint: Checkpoint, store: StorePacks) {
    const [files, user] = yield* Effect.all([
      Packs.create(repository.run, checkpoint.id, store.since?.checkpoint),
      Packs.ofRepository(runInRoot, root, checkpoint, store.since?.repository)
    ], { concurrency: 2 })
    return { ...checkpoint, ...(yield* Packs.store(store.put, files, user)) } satisfies SavedCheckpoint
  })

  /** Trees that sessions have started to build, concurrently with other work. */
  const pendingSnapshots = new Map<string, Fiber.Fiber<TreeSnapshot, CheckpointError>>()
  const scope = yield* Effect.scope

  /** The current files, compared with the session's newest commit if it is known. */
  const takeSnapshot = (repository: ShadowRepository.Repository, session: string): PendingTree => {
    const against = tips.get(ShadowRepository.refOf(session))?.tree
    return Effect.map(repository.tree({ against }), (snapshot) => ({ ...snapshot, against }))
  }

  return Checkpoints.of({
    begin: Effect.fn("Checkpoints.begin")(function*(session) {
      // Nothing of ours changes a file before it is saved: a build in progress is as good as another.
      const pending = pendingSnapshots.get(session)
      if (pending !== undefined && pending.pollUnsafe() === undefined) return
      pendingSnapshots.set(
        session,
        yield* Effect.forkIn(withRepository((repository) => takeSnapshot(repository, session)), scope, { startImmediately: true })
      )
    }),

    save: Effect.fn("Checkpoints.save")(function*({ onProgress, store, ...request }) {
      const pending = pendingSnapshots.get(request.session)
      pendingSnapshots.delete(request.session)
      const save = Effect.gen(function*() {
        const snapshot = pending === undefined ? undefined : yield* Fiber.join(pending)
        return yield* withRepository(Effect.fnUntraced(function*(repository) {
          const tree = snapshot === undefined ? takeSnapshot(repository, request.session) : Effect.succeed(snapshot)
          const checkpoint = yield* commit(repository, request, tree)
          return store === undefined ? checkpoint : yield* storePacks(repository, checkpoint, store)
        }))
      })
      return yield* onProgress === undefined ? save : Effect.raceFirst(save, reportProgress(onProgress))
    }),

    list: (session) =>
      withRepository(Effect.fnUntraced(function*(repository) {
        const { code, out } = yield* repository.run(["log", "-z", "--reverse", "--format=%H%n%B", ShadowRepository.refOf(session), "--"])
        return code === 0 ? out.split("\0").flatMap((text) => Option.toArray(decodeFacts(text))) : []
      })),

    changes: (from, to) =>
      withRepository(Effect.fnUntraced(function*(repository) {
        return yield* TreeDiff.changes(repository.git, yield* treeOf(repository, from), yield* treeOf(repository, to))
      })),

    diff: (from, to) =>
      withRepository(Effect.fnUntraced(function*(repository) {
        const before = yield* treeOf(repository, from)
        const after = to === undefined ? (yield* repository.tree()).id : yield* treeOf(repository, to)
        return yield* TreeDiff.compare(repository.git, before, after)
      })),

    preview: (id) =>
      withRepository(Effect.fnUntraced(function*(repository) {
        return yield* TreeDiff.changes(repository.git, (yield* repository.tree()).id, yield* treeOf(repository, id))
      })),

    restore: Effect.fn("Checkpoints.restore")(function*(id, { remove, ...request }) {
      return yield* withRepository(Effect.fnUntraced(function*(repository) {
        const target = yield* treeOf(repository, id)
        // The current state is saved first, including ignored files that would be overwritten: a rewind can be undone.
        const createdFiles = (yield* TreeDiff.changes(repository.git, (yield* repository.tree()).id, target)).filter(({ kind }) =>
          kind === "created"
        )
        const extraPaths = createdFiles.map(({ path }) => path).filter((path) => fs.existsSync(join(root, path)))
        const { id: currentTree } = yield* repository.tree({ extraPaths })
        const before = yield* commit(
          repository,
          { ...request, why: `before going back to ${id.slice(0, 12)}` },
          Effect.succeed({ id: currentTree })
        )
        const isClosed = PathGuard.makeIsClosed(root)
        const changes = (yield* TreeDiff.changes(repository.git, currentTree, target)).filter(({ kind, path }) =>
          !isClosed(path) && (kind !== "deleted" || remove.includes(path))
        )
        yield* Effect.uninterruptible(Restore.apply(repository, root, target, changes))
        return { before: before.id, changes }
      }))
    }),

    adopt: (session, id) =>
      withRepository(Effect.fnUntraced(function*(repository) {
        yield* treeOf(repository, id)
        yield* repository.git(["update-ref", ShadowRepository.refOf(session), id])
        tips.delete(ShadowRepository.refOf(session))
      })),

    forget: (sessions) =>
      Effect.suspend(() =>
        fs.existsSync(folder) ? withRepository(Effect.fnUntraced(function*(repository) {
          const refs = sessions.map(ShadowRepository.refOf)
          yield* repository.git(["update-ref", "-z", "--stdin"], refs.map((ref) => `delete ${ref}\0\0`).join(""))
          refs.forEach((ref) => tips.delete(ref))
          yield* repository.prune
        })) : Effect.void
      )
  })
})

let instanceCount = 0

/** A folder with all links resolved; a missing one is left to its users. */
const realPath = (folder: string): string => {
  try {
    return fs.realpathSync(folder)
  } catch {
    return folder
  }
}

/** Why a folder is not saved; undefined if it can be. */
const refusal = (root: string, home: string): string | undefined =>
  root === "/" || Root.contains(root, home)
    ? `${root} is ${root === home ? "the home folder" : "above the home folder"}: too broad for checkpoints. Start in a project's folder.`
    : dirname(root) === home && generalFolders.has(root.slice(home.length + 1).toLowerCase())
    ? `${root} is not a project's folder: too broad for checkpoints.`
    : undefined

const generalFolders: ReadonlySet<string> = new Set(["desktop", "documents", "downloads"])

interface Tip {
  readonly commit: string
  readonly tree: string
}

const tipOf = (repository: ShadowRepository.Repository, ref: string): Effect.Effect<Tip | undefined, CheckpointError> =>
  Effect.map(repository.run(["rev-parse", "--quiet", ref, `${ref}^{tree}`, "--"]), ({ code, out }) => {
    const [commit, tree] = out.trim().split("\n")
    return code === 0 && commit !== undefined && tree !== undefined ? { commit, tree } : undefined
  })

const treeOf = (repository: ShadowRepository.Repository, id: string): Effect.Effect<string, CheckpointError> =>
  !/^[0-9a-f]{7,64}$/.test(id)
    ? Effect.fail(notFound(id))
    : Effect.flatMap(repository.run(["rev-parse", "--verify", "--quiet", `${id}^{tree}`]), ({ code, out }) =>
      code === 0 ? Effect.succeed(out.trim()) : Effect.fail(notFound(id)))

const notFound = (id: string) => new CheckpointError({ reason: "NotFound", message: `There is no checkpoint ${id}.` })

const noChanges = { files: 0, added: 0, removed: 0 }

/** A tree, and how it differs from the one it was compared with. */
interface TreeSnapshot {
  readonly id: string
  readonly against?: string | undefined
  readonly numstat?: string
}
type PendingTree = Effect.Effect<TreeSnapshot, CheckpointError>

type CheckpointRequest = Pick<Checkpoint, "session" | "seq" | "why">

/** A commit's message: the reason, and the facts as one trailer. */
const Facts = Schema.fromJsonString(Schema.Struct({
  session: Checkpoint.fields.session,
  seq: Checkpoint.fields.seq,
  time: Checkpoint.fields.time,
  why: Checkpoint.fields.why,
  branch: Checkpoint.fields.branch,
  head: Checkpoint.fields.head,
  counts: Checkpoint.fields.counts
}))
const trailer = "Dacapo-Checkpoint: "

const encodeFacts = (facts: Omit<Checkpoint, "id">): string =>
  `${facts.why.replace(/\s+/g, " ").slice(0, 72).trim() || "checkpoint"}\n\n${trailer}${Schema.encodeSync(Facts)(facts)}\n`

/** From the commit's id and message, separated by a line end. */
const decodeFacts = (text: string): Option.Option<Checkpoint> => {
  const at = text.lastIndexOf(`\n${trailer}`)
  return at < 0
    ? Option.none()
    : Option.map(
      Schema.decodeOption(Facts)(text.slice(at + trailer.length + 1).trim()),
      (facts) => ({ ...facts, id: text.slice(0, text.indexOf("\n")) })
    )
}
