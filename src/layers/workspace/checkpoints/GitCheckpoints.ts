/** Checkpoints in a shadow git repository: one commit each, one ref a session. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { Checkpoint, CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import * as LeftOut from "../../../domain/workspace/CheckpointExcludes.ts"
import * as Root from "../../../domain/workspace/Root.ts"
import { Checkpoints } from "../../../services/Checkpoints.ts"
import { Environment } from "../../../services/Environment.ts"
import { Workspace } from "../../../services/Workspace.ts"
import * as Differences from "./TreeDiff.ts"
import * as ProcessTree from "../shell/ProcessTree.ts"
import * as Restore from "./Restore.ts"
import * as ShadowRepository from "./ShadowRepository.ts"
import * as UserRepository from "./UserRepository.ts"

/** Of the first root. The repository is opened at the first use, so that nothing is paid for by who never edits. */
export const layer = (options: { readonly maxFiles?: number } = {}): Layer.Layer<Checkpoints, never, Environment | Workspace> =>
  Layer.effect(Checkpoints, make(options.maxFiles ?? LeftOut.most))

const make = Effect.fnUntraced(function*(maxFiles: number) {
  const { folders, variables } = yield* Environment
  const { roots } = yield* Workspace
  const root = realOf(roots[0] ?? "/")
  const path = variables["PATH"] ?? ""
  const turn = yield* Semaphore.make(1)
  const folder = join(folders.data, "checkpoints", createHash("sha256").update(root).digest("hex").slice(0, 24))
  const index = `${ProcessTree.self}-${++instances}`

  const refused = refusal(root, realOf(folders.home))
  let repository: ShadowRepository.Repository | undefined

  /** One at a time: the index is one file. A repository that could not be opened is tried again. */
  const inTurn = <A>(use: (repository: ShadowRepository.Repository) => Effect.Effect<A, CheckpointError>) =>
    turn.withPermit(Effect.gen(function*() {
      if (refused !== undefined) return yield* new CheckpointError({ reason: "Refused", message: refused })
      repository ??= yield* ShadowRepository.open({ root, folder, index, path, maxFiles })
      return yield* use(repository)
    }))

  yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(join(folder, "indexes", index), { force: true })))

  /** The newest commit and tree of sessions that were saved here; another process may have saved since. */
  const tips = new Map<string, Tip>()

  const commit = (repository: ShadowRepository.Repository, told: Told, taken: Taking) =>
    commitAfter(repository, told, taken).pipe(
      // What is known of it only to us is forgotten by this, and asked anew.
      Effect.retry({ times: 1, while: ({ reason }) => reason === "Failed" && tips.delete(refOf(told.session)) })
    )

  /** Takes the tree while it looks for the one before. */
  const commitAfter = Effect.fnUntraced(function*(repository: ShadowRepository.Repository, told: Told, taken: Taking) {
    const ref = refOf(told.session)
    const known = tips.get(ref)
    const [{ against, id: tree, numstat }, tip] = yield* Effect.all([taken, known === undefined ? tipOf(repository, ref) : Effect.succeed(known)], { concurrency: 2 })
    const position = yield* Effect.sync(() => UserRepository.position(root))
    const time = yield* Clock.currentTimeMillis
    const counts = tip === undefined || tip.tree === tree ? none
      : numstat !== undefined && against === tip.tree ? Differences.countsIn(numstat)
      : Differences.countsIn(yield* Differences.numstat(repository.git, tip.tree, tree))
    const facts = { ...told, ...position, time, counts }
    const id = yield* repository.commit({ ref, tree, parent: tip?.commit, time, message: encodeFacts(facts) })
    tips.set(ref, { commit: id, tree })
    return { ...facts, id } satisfies Checkpoint
  })

  /** Trees that sessions have begun to take, beside what they do meanwhile. */
  const begun = new Map<string, Fiber.Fiber<Taken, CheckpointError>>()
  const scope = yield* Effect.scope

  /** The files as they are now, counted against the session's newest commit where that is known. */
  const take = (repository: ShadowRepository.Repository, session: string): Taking => {
    const against = tips.get(refOf(session))?.tree
    return Effect.map(repository.tree({ against }), (taken) => ({ ...taken, against }))
  }

  return Checkpoints.of({
    begin: Effect.fn("Checkpoints.begin")(function*(session) {
      // Nothing of ours changes a file before it is saved: one that is still at work is as good as another.
      const early = begun.get(session)
      if (early !== undefined && early.pollUnsafe() === undefined) return
      begun.set(session, yield* Effect.forkIn(inTurn((repository) => take(repository, session)), scope, { startImmediately: true }))
    }),

    save: Effect.fn("Checkpoints.save")(function*(told) {
      const early = begun.get(told.session)
      begun.delete(told.session)
      const taken = early === undefined ? undefined : yield* Fiber.join(early)
      return yield* inTurn((repository) => commit(repository, told, taken === undefined ? take(repository, told.session) : Effect.succeed(taken)))
    }),

    list: (session) =>
      inTurn(Effect.fnUntraced(function*(repository) {
        const { code, out } = yield* repository.run(["log", "-z", "--reverse", "--format=%H%n%B", refOf(session), "--"])
        return code === 0 ? out.split("\0").flatMap((text) => Option.toArray(decodeFacts(text))) : []
      })),

    changes: (from, to) =>
      inTurn(Effect.fnUntraced(function*(repository) {
        return yield* Differences.changes(repository.git, yield* treeOf(repository, from), yield* treeOf(repository, to))
      })),

    diff: (from, to) =>
      inTurn(Effect.fnUntraced(function*(repository) {
        const before = yield* treeOf(repository, from)
        const after = to === undefined ? (yield* repository.tree()).id : yield* treeOf(repository, to)
        return yield* Differences.compared(repository.git, before, after)
      })),

    preview: (id) =>
      inTurn(Effect.fnUntraced(function*(repository) {
        return yield* Differences.changes(repository.git, (yield* repository.tree()).id, yield* treeOf(repository, id))
      })),

    restore: Effect.fn("Checkpoints.restore")(function*(id, { remove, ...told }) {
      return yield* inTurn(Effect.fnUntraced(function*(repository) {
        const target = yield* treeOf(repository, id)
        // What is there now is saved first, ignored files that would be overwritten too: going back can be undone.
        const coming = (yield* Differences.changes(repository.git, (yield* repository.tree()).id, target)).filter(({ kind }) => kind === "created")
        const also = coming.map(({ path }) => path).filter((path) => fs.existsSync(join(root, path)))
        const { id: now } = yield* repository.tree({ also })
        const before = yield* commit(repository, { ...told, why: `before going back to ${id.slice(0, 12)}` }, Effect.succeed({ id: now }))
        const changes = (yield* Differences.changes(repository.git, now, target)).filter(({ kind, path }) => kind !== "deleted" || remove.includes(path))
        yield* Effect.uninterruptible(Restore.apply(repository, root, target, changes))
        return { before: before.id, changes }
      }))
    }),

    adopt: (session, id) =>
      inTurn(Effect.fnUntraced(function*(repository) {
        yield* treeOf(repository, id)
        yield* repository.git(["update-ref", refOf(session), id])
        tips.delete(refOf(session))
      })),

    forget: (sessions) =>
      Effect.suspend(() => fs.existsSync(folder) ? inTurn(Effect.fnUntraced(function*(repository) {
        const refs = sessions.map(refOf)
        yield* repository.git(["update-ref", "-z", "--stdin"], refs.map((ref) => `delete ${ref}\0\0`).join(""))
        refs.forEach((ref) => tips.delete(ref))
        yield* repository.prune
      })) : Effect.void)
  })
})

let instances = 0

/** A folder behind all links; a folder that is not there is left to those who use it. */
const realOf = (folder: string): string => {
  try {
    return fs.realpathSync(folder)
  } catch {
    return folder
  }
}

/** Why a folder is not saved; undefined when it can be. */
const refusal = (root: string, home: string): string | undefined =>
  root === "/" || Root.contains(root, home)
    ? `${root} is ${root === home ? "the home folder" : "above the home folder"}: too general to be saved. Start in a project's folder.`
    : dirname(root) === home && general.has(root.slice(home.length + 1).toLowerCase())
    ? `${root} is not a project's folder: too general to be saved.`
    : undefined

const general: ReadonlySet<string> = new Set(["desktop", "documents", "downloads"])

/** Session ids are UUIDs; anything else is named by its hash, as not every text can be a ref. */
const refOf = (session: string): string =>
  `refs/sessions/${/^[\w-]{1,64}$/.test(session) ? session : createHash("sha256").update(session).digest("hex")}`

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

const none = { files: 0, added: 0, removed: 0 }

/** A tree, and what it differs by from the one it was counted against. */
interface Taken {
  readonly id: string
  readonly against?: string | undefined
  readonly numstat?: string
}
type Taking = Effect.Effect<Taken, CheckpointError>

type Told = Pick<Checkpoint, "session" | "seq" | "why">

/** A commit's message: why, and the facts as one trailer. */
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

/** From the commit's id and message, a line end between them. */
const decodeFacts = (text: string): Option.Option<Checkpoint> => {
  const at = text.lastIndexOf(`\n${trailer}`)
  return at < 0
    ? Option.none()
    : Option.map(Schema.decodeOption(Facts)(text.slice(at + trailer.length + 1).trim()), (facts) => ({ ...facts, id: text.slice(0, text.indexOf("\n")) }))
}
