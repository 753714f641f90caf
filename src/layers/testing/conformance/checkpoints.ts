/**
 * The contract of all Checkpoints, as cases that any test runner can run: a case fails with an assertion. Counts are those of a line
 * diff, such as `Core.parts().diff` prints; `ExactDiff` shows whole files, which are other counts.
 *
 *     const layer = Layer.provideMerge(MyCheckpoints.layer, MyWorkspace.layer)
 *     for (const { name, run } of CheckpointsConformance.cases(layer)) it.live(name, () => run)
 */
import * as assert from "node:assert/strict"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { FileError } from "../../../domain/workspace/FileError.ts"
import { Checkpoints } from "../../../services/Checkpoints.ts"
import { Workspace } from "../../../services/Workspace.ts"
import type { Case } from "./ServiceCase.ts"

interface World {
  readonly checkpoints: Checkpoints["Service"]
  /** Saves a checkpoint, and returns its id. */
  readonly save: (session: string, seq: number) => Effect.Effect<string, unknown>
  readonly write: (path: string, text: string) => Effect.Effect<void, FileError>
  readonly remove: (path: string) => Effect.Effect<void, FileError>
  /** The text of a file; null if it does not exist. */
  readonly read: (path: string) => Effect.Effect<string | null>
}

/** `layer` is built for each case; its workspace has no files yet, and is the one that is saved. */
export const cases = <E>(layer: Layer.Layer<Checkpoints | Workspace, E>): ReadonlyArray<Case> => {
  const check = (name: string, body: (world: World) => Effect.Effect<void, unknown>): Case => ({
    name,
    run: Effect.scoped(Effect.gen(function*() {
      const context = yield* Layer.build(Layer.fresh(layer))
      const checkpoints = Context.get(context, Checkpoints)
      const workspace = Context.get(context, Workspace)
      const write: World["write"] = (path, text) => Effect.asVoid(workspace.writeText(path, text))
      yield* write("a.txt", "one\ntwo\n")
      yield* write("folder/b.txt", "other\n")
      yield* body({
        checkpoints,
        write,
        save: (session, seq) => Effect.map(checkpoints.save({ session, seq, why: `at ${seq}` }), ({ id }) => id),
        remove: workspace.remove,
        read: (path) => workspace.readText(path).pipe(Effect.map(({ text }) => text), Effect.orElseSucceed(() => null))
      })
    }))
  })
  const ids = ({ checkpoints }: World, session: string) => Effect.map(checkpoints.list(session), (all) => all.map(({ id }) => id))
  return [
    check("lists the checkpoints of a session, oldest first", (world) =>
      Effect.gen(function*() {
        yield* world.checkpoints.begin("a")
        yield* world.save("a", 1)
        yield* world.save("b", 2)
        yield* world.write("a.txt", "changed\n")
        yield* world.save("a", 3)
        const all = yield* world.checkpoints.list("a")
        assert.deepEqual(all.map(({ seq, session, why }) => [session, seq, why]), [["a", 1, "at 1"], ["a", 3, "at 3"]])
        assert.deepEqual(yield* world.checkpoints.list("c"), [])
      })),
    check("counts what changed since the session's last one", ({ checkpoints, save, write }) =>
      Effect.gen(function*() {
        yield* save("a", 1)
        yield* write("a.txt", "one\n2\nthree\n")
        yield* save("b", 2)
        const { counts } = yield* checkpoints.save({ session: "a", seq: 3, why: "" })
        assert.deepEqual(counts, { files: 1, added: 2, removed: 1 })
        assert.deepEqual((yield* checkpoints.save({ session: "a", seq: 4, why: "" })).counts, { files: 0, added: 0, removed: 0 })
      })),
    check("compares two checkpoints, or one with the current files", ({ checkpoints, remove, save, write }) =>
      Effect.gen(function*() {
        const first = yield* save("a", 1)
        yield* write("a.txt", "one\n2\n")
        yield* write("new.txt", "new\n")
        yield* remove("folder/b.txt")
        const second = yield* save("a", 2)
        assert.deepEqual(yield* checkpoints.changes(first, second), [
          { path: "a.txt", kind: "modified" },
          { path: "folder/b.txt", kind: "deleted" },
          { path: "new.txt", kind: "created" }
        ])
        const { changes, counts, patch } = yield* checkpoints.diff(first)
        assert.deepEqual(changes.map(({ added, path, removed }) => [path, added, removed]), [["a.txt", 1, 1], ["folder/b.txt", 0, 1], [
          "new.txt",
          1,
          0
        ]])
        assert.deepEqual(counts, { files: 3, added: 2, removed: 2 })
        assert.ok(patch.includes("-two\n") && patch.includes("+2\n"), patch)
        assert.deepEqual(yield* checkpoints.diff(second), { patch: "", changes: [], counts: { files: 0, added: 0, removed: 0 } })
      })),
    check("shows what restoring would change, and changes nothing", ({ checkpoints, read, save, write }) =>
      Effect.gen(function*() {
        const id = yield* save("a", 1)
        yield* write("a.txt", "changed\n")
        yield* write("new.txt", "new\n")
        assert.deepEqual(yield* checkpoints.preview(id), [{ path: "a.txt", kind: "modified" }, { path: "new.txt", kind: "deleted" }])
        assert.deepEqual([yield* read("a.txt"), yield* read("new.txt")], ["changed\n", "new\n"])
      })),
    check(
      "restores every file, deletes only what it is told to, and can be undone",
      ({ checkpoints, read, remove, save, write }) =>
        Effect.gen(function*() {
          const id = yield* save("a", 1)
          yield* write("a.txt", "changed\n")
          yield* write("mine.txt", "mine\n")
          yield* write("ours.txt", "ours\n")
          yield* remove("folder/b.txt")
          const files = Effect.all(["a.txt", "folder/b.txt", "mine.txt", "ours.txt"].map(read))
          const { before, changes } = yield* checkpoints.restore(id, { session: "a", seq: 2, remove: ["ours.txt"] })
          assert.deepEqual(changes.map(({ kind, path }) => [path, kind]), [["a.txt", "modified"], ["folder/b.txt", "created"], [
            "ours.txt",
            "deleted"
          ]])
          assert.deepEqual(yield* files, ["one\ntwo\n", "other\n", "mine\n", null])
          yield* checkpoints.restore(before, { session: "a", seq: 3, remove: ["folder/b.txt"] })
          assert.deepEqual(yield* files, ["changed\n", null, "mine\n", "ours\n"])
        })
    ),
    check("fails for a checkpoint that does not exist", ({ checkpoints, save }) =>
      Effect.gen(function*() {
        const id = yield* save("a", 1)
        const none = "0123456789abcdef"
        const attempts: ReadonlyArray<Effect.Effect<unknown, { readonly reason: string }>> = [
          checkpoints.changes(id, none),
          checkpoints.diff(none),
          checkpoints.preview(none),
          checkpoints.restore(none, { session: "a", seq: 2, remove: [] }),
          checkpoints.adopt("b", none)
        ]
        for (const attempt of attempts) assert.equal((yield* Effect.flip(attempt)).reason, "NotFound")
      })),
    check("gives a session the checkpoints up to one, for as long as it stays", (world) =>
      Effect.gen(function*() {
        const { checkpoints, read, save, write } = world
        const first = yield* save("a", 1)
        yield* write("a.txt", "changed\n")
        const second = yield* save("a", 2)
        yield* write("a.txt", "changed again\n")
        yield* save("a", 3)
        yield* checkpoints.adopt("fork", second)
        assert.deepEqual(yield* ids(world, "fork"), [first, second])
        yield* checkpoints.forget(["a"])
        assert.deepEqual(yield* ids(world, "fork"), [first, second])
        yield* checkpoints.restore(first, { session: "fork", seq: 4, remove: [] })
        assert.equal(yield* read("a.txt"), "one\ntwo\n")
      })),
    check("forgets the checkpoints of some sessions, and no others", (world) =>
      Effect.gen(function*() {
        const { checkpoints, save, write } = world
        const forgotten = yield* save("a", 1)
        yield* write("a.txt", "changed\n")
        const second = yield* save("b", 2)
        yield* checkpoints.forget(["a", "never there"])
        assert.deepEqual([yield* ids(world, "a"), yield* ids(world, "b")], [[], [second]])
        assert.deepEqual(yield* checkpoints.preview(second), [])
        assert.equal((yield* Effect.flip(checkpoints.preview(forgotten))).reason, "NotFound")
      }))
  ]
}
