/**
 * Checkpoints of a child's worktree: commits of its files in the repository that it belongs to, which has most of them
 * already. No branch names them; they are for as long as the worktree is.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { type Checkpoint, CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import { Checkpoints } from "../../../services/Checkpoints.ts"
import { Environment } from "../../../services/Environment.ts"
import * as Differences from "./TreeDiff.ts"
import * as Restore from "./Restore.ts"
import * as Snapshot from "./Snapshot.ts"
import * as UserRepository from "./UserRepository.ts"

/** `cwd` is a folder of the worktree. */
export const layer = (cwd: string): Layer.Layer<Checkpoints, never, Environment> => Layer.effect(Checkpoints, Effect.gen(function*() {
  const { variables } = yield* Environment
  const turn = yield* Semaphore.make(1)
  const saved: Array<Checkpoint> = []

  const use = <A>(body: (snapshot: Snapshot.Snapshot) => Effect.Effect<A, CheckpointError>) =>
    turn.withPermit(Effect.scoped(Effect.flatMap(Snapshot.take(variables["PATH"] ?? "", cwd), body)))

  const find = (id: string) => {
    const found = saved.find((one) => one.id.startsWith(id))
    return found === undefined ? Effect.fail(new CheckpointError({ reason: "NotFound", message: `There is no checkpoint ${id}.` })) : Effect.succeed(found.id)
  }

  const add = Effect.fnUntraced(function*({ commit, git }: Snapshot.Snapshot, told: Pick<Checkpoint, "seq" | "session" | "why">) {
    const before = saved.findLast(({ session }) => session === told.session)?.id ?? commit
    const counts = Differences.countsIn(before === commit ? "" : yield* Differences.numstat(git, before, commit))
    const checkpoint = { ...told, id: commit, time: yield* Clock.currentTimeMillis, counts, ...UserRepository.position(cwd) } satisfies Checkpoint
    saved.push(checkpoint)
    return checkpoint
  })

  return Checkpoints.of({
    begin: () => Effect.void,
    save: (told) => use((snapshot) => add(snapshot, told)),
    list: (session) => Effect.sync(() => saved.filter((one) => one.session === session)),
    changes: (from, to) => use(({ git }) => Effect.gen(function*() {
      return yield* Differences.changes(git, yield* find(from), yield* find(to))
    })),
    diff: (from, to) => use(({ commit, git }) => Effect.gen(function*() {
      return yield* Differences.compared(git, yield* find(from), to === undefined ? commit : yield* find(to))
    })),
    preview: (id) => use(({ commit, git }) => Effect.flatMap(find(id), (target) => Differences.changes(git, commit, target))),
    restore: (id, { remove, seq, session }) => use((snapshot) => Effect.gen(function*() {
      const target = yield* find(id)
      const before = yield* add(snapshot, { session, seq, why: `before going back to ${id.slice(0, 12)}` })
      const all = yield* Differences.changes(snapshot.git, before.id, target)
      const changes = all.filter(({ kind, path }) => kind !== "deleted" || remove.includes(path))
      yield* Effect.uninterruptible(Restore.apply(snapshot, snapshot.top, target, changes))
      return { before: before.id, changes }
    })),
    adopt: (_, id) => Effect.asVoid(find(id)),
    forget: (sessions) => Effect.sync(() => void saved.splice(0, saved.length, ...saved.filter(({ session }) => !sessions.includes(session))))
  })
}))
