/**
 * Checkpoints of a subagent's worktree: commits of its files in its repository, which has most of them already. No
 * branch names them; they exist as long as the worktree.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { type Checkpoint, CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import { Checkpoints } from "../../../services/Checkpoints.ts"
import { Environment } from "../../../services/Environment.ts"
import * as TreeDiff from "./TreeDiff.ts"
import * as Programs from "../Programs.ts"
import * as Restore from "./Restore.ts"
import * as Snapshot from "./Snapshot.ts"
import * as UserRepository from "./UserRepository.ts"

/** `cwd` is a folder of the worktree. */
export const layer = (cwd: string): Layer.Layer<Checkpoints, never, Environment> =>
  Layer.effect(
    Checkpoints,
    Effect.gen(function*() {
      const path = Programs.searchPath(yield* Environment, [cwd])
      const lock = yield* Semaphore.make(1)
      /** By session: its own checkpoints, and those that it adopted. */
      const checkpoints = new Map<string, ReadonlyArray<Checkpoint>>()
      const listOf = (session: string): ReadonlyArray<Checkpoint> => checkpoints.get(session) ?? []
      const notFound = (id: string) => new CheckpointError({ reason: "NotFound", message: `There is no checkpoint ${id}.` })

      const withSnapshot = <A>(body: (snapshot: Snapshot.Snapshot) => Effect.Effect<A, CheckpointError>) =>
        lock.withPermit(Effect.scoped(Effect.flatMap(Snapshot.take(path, cwd), body)))

      const find = (id: string) => {
        const match = [...checkpoints.values()].flat().find((one) => one.id.startsWith(id))
        return match === undefined ? Effect.fail(notFound(id)) : Effect.succeed(match.id)
      }

      const add = Effect.fnUntraced(function*({ commit, git }: Snapshot.Snapshot, request: Pick<Checkpoint, "seq" | "session" | "why">) {
        const previous = listOf(request.session).at(-1)?.id ?? commit
        const counts = TreeDiff.totalCounts(previous === commit ? "" : yield* TreeDiff.numstat(git, previous, commit))
        const checkpoint = {
          ...request,
          id: commit,
          time: yield* Clock.currentTimeMillis,
          counts,
          ...UserRepository.position(cwd)
        } satisfies Checkpoint
        checkpoints.set(request.session, [...listOf(request.session), checkpoint])
        return checkpoint
      })

      return Checkpoints.of({
        begin: () => Effect.void,
        save: (request) => withSnapshot((snapshot) => add(snapshot, request)),
        list: (session) => Effect.sync(() => listOf(session)),
        changes: (from, to) =>
          withSnapshot(({ git }) =>
            Effect.gen(function*() {
              return yield* TreeDiff.changes(git, yield* find(from), yield* find(to))
            })
          ),
        diff: (from, to) =>
          withSnapshot(({ commit, git }) =>
            Effect.gen(function*() {
              return yield* TreeDiff.compare(git, yield* find(from), to === undefined ? commit : yield* find(to))
            })
          ),
        preview: (id) => withSnapshot(({ commit, git }) => Effect.flatMap(find(id), (target) => TreeDiff.changes(git, commit, target))),
        restore: (id, { remove, seq, session }) =>
          withSnapshot((snapshot) =>
            Effect.gen(function*() {
              const target = yield* find(id)
              const before = yield* add(snapshot, { session, seq, why: `before going back to ${id.slice(0, 12)}` })
              const all = yield* TreeDiff.changes(snapshot.git, before.id, target)
              const changes = all.filter(({ kind, path }) => kind !== "deleted" || remove.includes(path))
              yield* Effect.uninterruptible(Restore.apply(snapshot, snapshot.top, target, changes))
              return { before: before.id, changes }
            })
          ),
        adopt: (session, id) =>
          Effect.suspend(() => {
            const list = [...checkpoints.values()].find((list) => list.some((one) => one.id === id))
            if (list === undefined) return Effect.fail(notFound(id))
            return Effect.sync(() => void checkpoints.set(session, list.slice(0, list.findIndex((one) => one.id === id) + 1)))
          }),
        forget: (sessions) => Effect.sync(() => sessions.forEach((session) => checkpoints.delete(session)))
      })
    })
  )
