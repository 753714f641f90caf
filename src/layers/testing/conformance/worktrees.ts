/**
 * The contract of all Worktrees, as cases that any test runner can run: a case fails with an assertion.
 *
 *     for (const { name, run } of WorktreesConformance.cases(world)) it.live(name, () => run)
 */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { SubagentWork } from "../../../domain/subagent/MergedWork.ts"
import { type SubagentWorktree, type WorktreeService, Worktrees } from "../../../services/Worktrees.ts"
import type { Case } from "./ServiceCase.ts"

/**
 * The folder `cwd`, in which `shared.txt` holds the lines `one` to `six`, and access to the files of a folder: of this one
 * and of each worktree.
 */
export interface World<E = never> {
  readonly layer: Layer.Layer<never, E>
  readonly cwd: string
  readonly write: (cwd: string, path: string, text: string) => Effect.Effect<void>
  /** The text of a file; null if it does not exist. */
  readonly read: (cwd: string, path: string) => Effect.Effect<string | null>
}

const shared = "one\ntwo\nthree\nfour\nfive\nsix\n"

const part = (name: string, index: number, shouldMerge = true): SubagentWorktree => ({ name, title: `The ${name}`, index, shouldMerge })
const states = (work: ReadonlyArray<SubagentWork>) =>
  work.map(({ changed, conflicts, name, place, state }) => [place, name, state, changed, conflicts])

/** `make` prepares a world for each case. */
export const cases = <E, E2>(make: Effect.Effect<World<E>, E2, Scope.Scope>): ReadonlyArray<Case> => {
  const check = (name: string, body: (worktrees: WorktreeService, world: World<E>) => Effect.Effect<void, unknown, Scope.Scope>): Case => ({
    name,
    run: Effect.scoped(
      Effect.flatMap(make, (world) =>
        Effect.flatMap(Layer.build(Layer.fresh(world.layer)), (context) =>
          Effect.provide(
            Effect.flatMap(Worktrees, (worktrees) => body(worktrees, world)),
            context
          )))
    )
  })
  return [
    check(
      "has a folder for each name, with the parent's current files",
      ({ open, sharingReason }, { cwd, read, write }) =>
        Effect.gen(function*() {
          assert.equal(yield* sharingReason("call", cwd), undefined)
          yield* write(cwd, "draft.txt", "not committed\n")
          const [first, second] = [yield* open(cwd, "first-1"), yield* open(cwd, "second-2")]
          assert.equal(new Set([cwd, first.cwd, second.cwd]).size, 3)
          assert.deepEqual([yield* read(first.cwd, "shared.txt"), yield* read(first.cwd, "draft.txt")], [shared, "not committed\n"])
          yield* write(first.cwd, "draft.txt", "mine\n")
          assert.deepEqual([yield* read(cwd, "draft.txt"), yield* read(second.cwd, "draft.txt")], ["not committed\n", "not committed\n"])
          assert.equal((yield* open(cwd, "first-1")).cwd, first.cwd)
          assert.equal(yield* read(first.cwd, "draft.txt"), "mine\n")
        })
    ),
    check("merges the work of several as one change", ({ merge, open }, { cwd, read, write }) =>
      Effect.gen(function*() {
        const [first, second] = [yield* open(cwd, "first-1"), yield* open(cwd, "second-2")]
        yield* write(first.cwd, "shared.txt", shared.replace("one", "ONE"))
        yield* write(second.cwd, "new/b.txt", "b\n")
        const work = yield* merge("call", cwd, [part("first-1", 0), part("second-2", 1)])
        assert.deepEqual(states(work), [[0, "The first-1", "merged", ["shared.txt"], []], [1, "The second-2", "merged", ["new/b.txt"], []]])
        assert.deepEqual([yield* read(cwd, "shared.txt"), yield* read(cwd, "new/b.txt")], [shared.replace("one", "ONE"), "b\n"])
      })),
    check("merges the same work a second time without a change", ({ merge, open }, { cwd, read, write }) =>
      Effect.gen(function*() {
        const { cwd: folder } = yield* open(cwd, "first-1")
        yield* write(folder, "shared.txt", shared.replace("one", "ONE"))
        const work = yield* merge("call", cwd, [part("first-1", 0)])
        assert.deepEqual(states(yield* merge("call", cwd, [part("first-1", 0)])), states(work))
        assert.equal(yield* read(cwd, "shared.txt"), shared.replace("one", "ONE"))
      })),
    check("leaves conflicts on their branch, and the files as they are", ({ merge, open }, { cwd, read, write }) =>
      Effect.gen(function*() {
        const [first, second] = [yield* open(cwd, "first-1"), yield* open(cwd, "second-2")]
        yield* write(first.cwd, "shared.txt", shared.replace("one", "ONE"))
        yield* write(second.cwd, "shared.txt", shared.replace("one", "1"))
        const work = yield* merge("call", cwd, [part("first-1", 0), part("second-2", 1)])
        assert.deepEqual(states(work), [
          [0, "The first-1", "merged", ["shared.txt"], []],
          [1, "The second-2", "conflicts", ["shared.txt"], ["shared.txt"]]
        ])
        assert.equal(yield* read(cwd, "shared.txt"), shared.replace("one", "ONE"))
      })),
    check(
      "tells work that changed nothing from work that is not to be merged",
      ({ merge, open }, { cwd, read, write }) =>
        Effect.gen(function*() {
          yield* open(cwd, "first-1")
          const { cwd: folder } = yield* open(cwd, "second-2")
          yield* write(folder, "shared.txt", "gone\n")
          const work = yield* merge("call", cwd, [part("first-1", 0), part("second-2", 1, false)])
          assert.deepEqual(states(work), [[0, "The first-1", "unchanged", [], []], [1, "The second-2", "kept", ["shared.txt"], []]])
          assert.equal(yield* read(cwd, "shared.txt"), shared)
        })
    ),
    check("leaves out what was never opened", ({ merge }, { cwd }) =>
      Effect.gen(function*() {
        assert.deepEqual(yield* merge("call", cwd, [part("never-1", 0)]), [])
      })),
    check("keeps all work on branches when it is told to", ({ keepBranches, open }, { cwd, read, write }) =>
      Effect.gen(function*() {
        const { cwd: folder } = yield* open(cwd, "first-1")
        yield* write(folder, "shared.txt", "gone\n")
        const [work, ...others] = yield* keepBranches(cwd, [part("first-1", 0)])
        assert.deepEqual([work?.state, work?.changed, others], ["kept", ["shared.txt"], []])
        assert.notEqual(work?.branch, "")
        assert.equal(yield* read(cwd, "shared.txt"), shared)
        assert.equal(yield* read(folder, "shared.txt"), null)
      })),
    check("removes the folders, and forgets what was merged", ({ cleanUp, merge, open }, { cwd, read, write }) =>
      Effect.gen(function*() {
        const { cwd: folder } = yield* open(cwd, "first-1")
        yield* write(folder, "shared.txt", shared.replace("one", "ONE"))
        yield* cleanUp(cwd, yield* merge("call", cwd, [part("first-1", 0)]))
        assert.equal(yield* read(folder, "shared.txt"), null)
        assert.deepEqual(yield* merge("call", cwd, [part("first-1", 0)]), [])
      }))
  ]
}
