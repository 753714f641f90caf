import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { chmodSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Access } from "../../../src/domain/tool/Access.ts"
import { FileError } from "../../../src/domain/workspace/FileError.ts"
import * as MemoryWorkspace from "../../../src/layers/testing/MemoryWorkspace.ts"
import { ApplyPatch } from "../../../src/layers/tool/ApplyPatch.ts"
import { writeFiles } from "../../../src/layers/tool/WriteFiles.ts"
import * as NodeWorkspace from "../../../src/layers/workspace/files/NodeWorkspace.ts"
import { Workspace } from "../../../src/services/Workspace.ts"
import { contents, environment, folder } from "../workspace/fixture.ts"
import { inMemory, onDisk, text } from "./world.ts"

const patch = (...lines: ReadonlyArray<string>) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n")
const files = { "src/a.ts": "one\ntwo\nthree\n", "src/b.ts": "left\r\nright\r\n", "old.txt": "gone\n" }

const all = patch(
  "*** Update File: ./src/a.ts", " one", "-two", "+TWO",
  "*** Update File: src/b.ts", "*** Move to: lib/b.ts", "-right", "+RIGHT",
  "*** Add File: new/c.txt", "+made",
  "*** Delete File: old.txt"
)

for (const [where, world] of [["in memory", inMemory], ["on disk", onDisk]] as const) {
  describe(`apply_patch ${where}`, () => {
    it.effect("changes, moves, adds and deletes files, and shows what they read now", () =>
      world({ files }, ({ call, read }) =>
        Effect.gen(function*() {
          const outcome = yield* call("apply_patch", { patch: all })
          assert.strictEqual(text(outcome), [
            "Changed src/a.ts (3 lines).", "It now reads:", "1 | one", "2 | TWO", "3 | three",
            "Moved src/b.ts to lib/b.ts.", "Changed lib/b.ts (2 lines).", "It now reads:", "1 | left", "2 | RIGHT",
            "Created new/c.txt (1 line).",
            "Deleted old.txt."
          ].join("\n"))
          assert.deepStrictEqual(outcome.touched?.map(({ hash, kind, path }) => [kind, path, hash === null]), [
            ["modified", "src/a.ts", false],
            ["deleted", "src/b.ts", true],
            ["created", "lib/b.ts", false],
            ["created", "new/c.txt", false],
            ["deleted", "old.txt", true]
          ])
          assert.match(outcome.display ?? "", /^-two\n\+TWO$[^]*^rename from src\/b\.ts$[^]*^new file mode 100644$[^]*^deleted file mode 100644$/m)
          const now = yield* Effect.forEach(["src/a.ts", "src/b.ts", "lib/b.ts", "new/c.txt", "old.txt"], read)
          assert.deepStrictEqual(now, ["one\nTWO\nthree\n", null, "left\r\nRIGHT\r\n", "made\n", null])
        })))

    it.effect("changes nothing when one hunk of one file fails, and shows where it should have been", () =>
      world({ files }, ({ call, read }) =>
        Effect.gen(function*() {
          const outcome = yield* call("apply_patch", {
            patch: patch("*** Update File: src/a.ts", "-two", "+TWO", "*** Update File: src/b.ts", " left", "-wrong", "+RIGHT")
          })
          assert.isTrue(outcome.mistake)
          assert.match(text(outcome), /^No file was changed\.\nsrc\/b\.ts, block 2, [^]*Nearest: lines 1-2[^]*\n {2}left\n- wrong\n\+ right\n[^]*Would apply: block 1/)
          assert.deepStrictEqual(yield* Effect.forEach(["src/a.ts", "src/b.ts"], read), [files["src/a.ts"], files["src/b.ts"]])
        })))

    it.effect("refuses to add what is there, to change what is not, and one file under two names", () =>
      world({ files }, ({ call }) =>
        Effect.gen(function*() {
          const why = (...lines: ReadonlyArray<string>) => Effect.map(call("apply_patch", { patch: patch(...lines) }), text)
          assert.match(yield* why("*** Add File: old.txt", "+x"), /old\.txt: the file already exists/)
          assert.match(yield* why("*** Update File: none.txt", "-x", "+y"), /none\.txt: the file does not exist/)
          assert.match(yield* why("*** Update File: src/a.ts", "*** Move to: old.txt"), /already exists/)
          assert.match(yield* why("*** Update File: src/a.ts", "-two", "+2", "*** Update File: src/../src/a.ts", "-one", "+1"), /twice/)
          assert.match(yield* why("*** Add File: ../out.txt", "+x"), /outside|inside the workspace/i)
        })))

    it.effect("does not touch a file that someone else changed since it was read", () =>
      world({ files }, ({ call, read, write }) =>
        Effect.gen(function*() {
          yield* call("read_file", { path: "src/a.ts" })
          yield* write("src/a.ts", "two, but not ours\n")
          assert.match(text(yield* call("apply_patch", { patch: all })), /src\/a\.ts changed on disk/)
          assert.strictEqual(yield* read("old.txt"), "gone\n")
        })))

    it.effect("takes a unified diff of several files as well", () =>
      world({ files }, ({ call, read }) =>
        Effect.gen(function*() {
          const diff = "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -2 +2 @@\n-two\n+TWO\n--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n"
          assert.strictEqual((yield* call("apply_patch", { input: diff })).status, "succeeded")
          assert.deepStrictEqual(yield* Effect.forEach(["src/a.ts", "old.txt"], read), ["one\nTWO\nthree\n", null])
        })))

    it.effect("moves and deletes what is no text, and changes none of it", () =>
      world({ files: { ...files, "a.bin": Uint8Array.of(0, 1, 65, 0), "b.bin": Uint8Array.of(0, 2) } }, ({ call, read }) =>
        Effect.gen(function*() {
          const outcome = yield* call("apply_patch", { patch: patch("*** Update File: a.bin", "*** Move to: lib/a.bin", "*** Delete File: b.bin") })
          assert.strictEqual(text(outcome), "Moved a.bin to lib/a.bin.\nDeleted b.bin.")
          assert.deepStrictEqual(yield* Effect.forEach(["a.bin", "lib/a.bin", "b.bin"], read), [null, "\0\u0001A\0", null])
          const refused = yield* call("apply_patch", { patch: patch("*** Update File: lib/a.bin", "-x", "+y") })
          assert.strictEqual(refused.status, "failed")
          const onto = yield* call("apply_patch", { patch: patch("*** Update File: old.txt", "*** Move to: lib/a.bin") })
          assert.match(text(onto), /already exists/)
        })))

    it.effect("previews all of it as one diff and writes nothing", () =>
      world({ files }, ({ preview, read }) =>
        Effect.gen(function*() {
          const diff = yield* preview("apply_patch", { patch: all })
          assert.strictEqual(diff?.match(/^diff --git /gm)?.length, 4)
          assert.strictEqual(yield* read("src/a.ts"), files["src/a.ts"])
        })))
  })
}

describe("apply_patch in a real folder", () => {
  const script = { "run.sh": "#!/bin/sh\necho one\n" }

  it.effect("keeps the mode of a file that it moves and changes", () =>
    onDisk({ files: script }, ({ call, read }) =>
      Effect.gen(function*() {
        yield* call("run_command", { command: "chmod 750 run.sh" })
        yield* call("apply_patch", { patch: patch("*** Update File: run.sh", "*** Move to: bin/run", "-echo one", "+echo two") })
        assert.strictEqual(yield* read("bin/run"), "#!/bin/sh\necho two\n")
        assert.strictEqual(text(yield* call("run_command", { command: "stat -c %a bin/run" })), "Exit code 0.\n750")
      })))

  it.effect("refuses one file under two names", () =>
    onDisk({ files: script }, ({ call, read }) =>
      Effect.gen(function*() {
        yield* call("run_command", { command: "ln -s run.sh link.sh" })
        const outcome = yield* call("apply_patch", { patch: patch("*** Update File: run.sh", "-echo one", "+echo two", "*** Update File: link.sh", "-echo one", "+echo three") })
        assert.match(text(outcome), /^No file was changed\.\nrun\.sh and link\.sh are the same file/)
        assert.strictEqual(yield* read("run.sh"), script["run.sh"])
      })))

  it.effect("restores everything if it can't continue: files, modes, and no additional folder", () =>
    Effect.gen(function*() {
      const root = yield* folder({ ...script, "kept/x.txt": "x\n", "data.bin": Uint8Array.of(0, 1), "other.bin": Uint8Array.of(0) })
      chmodSync(join(root, "run.sh"), 0o750)
      const look = () => ({ files: contents(root), names: readdirSync(root).sort(), mode: statSync(join(root, "run.sh")).mode & 0o777 })
      const before = look()
      yield* Effect.gen(function*() {
        const workspace = yield* Workspace
        const run = yield* workspace.readText("run.sh")
        const outcome = yield* Effect.flip(writeFiles([
          { _tag: "Set", path: "made/deep/new.txt", before: null, after: "new\n" },
          { _tag: "Move", path: "run.sh", before: run, to: "made/bin/run" },
          { _tag: "Set", path: "made/bin/run", before: run, after: "changed\n" },
          { _tag: "Move", path: "data.bin", before: { hash: "" }, to: "kept/data.bin" },
          { _tag: "Move", path: "other.bin", before: { hash: "" }, to: "kept/x.txt" }
        ]))
        assert.match(text(outcome), /No file was changed/)
      }).pipe(Effect.provide(NodeWorkspace.layer({ roots: [root] }).pipe(Layer.provide(environment()))))
      assert.deepStrictEqual(look(), before)
    }))
})

describe("what apply_patch says that it would touch", () => {
  const access = (patch: string): ReadonlyArray<Access> => ApplyPatch.access({ patch }, { cwd: "/workspace", files: new Map() })

  it("is every file that the patch names, where it comes from and where it goes", () =>
    assert.deepStrictEqual(access(all), [
      { _tag: "Edit", path: "src/a.ts", kind: "modify" },
      { _tag: "Edit", path: "src/b.ts", kind: "delete" },
      { _tag: "Edit", path: "lib/b.ts", kind: "create" },
      { _tag: "Edit", path: "new/c.txt", kind: "create" },
      { _tag: "Edit", path: "old.txt", kind: "delete" }
    ]))

  it("is what a path means, however it is written", () =>
    assert.deepStrictEqual(access(patch("*** Delete File: src/../../etc/passwd")), [{ _tag: "Edit", path: "/etc/passwd", kind: "delete" }]))

  it("is nothing where it can't be read, and then nothing is done", () => assert.deepStrictEqual(access("no patch"), []))
})

describe("several files written as one", () => {
  const texts = { "a.txt": "a\r\n", "b.txt": "b\n", "c.txt": "c\n" }

  /** Every change of `broken` fails; `after` says that the file has changed all the same. */
  const failing = (broken: string, after: boolean) => {
    const files = MemoryWorkspace.files(texts)
    let left = 1
    const layer = Layer.effect(Workspace, Effect.map(Workspace, (workspace) => {
      const fail = <A>(path: string, change: Effect.Effect<A, FileError>): Effect.Effect<A, FileError> => {
        if (path !== broken || left-- <= 0) return change
        const full = Effect.fail(new FileError({ path, reason: "DiskFull", message: "The disk is full." }))
        return after ? Effect.andThen(change, full) : full
      }
      return Workspace.of({
        ...workspace,
        writeText: (path, text, encoding) => fail(path, workspace.writeText(path, text, encoding)),
        remove: (path) => fail(path, workspace.remove(path))
      })
    })).pipe(Layer.provide(MemoryWorkspace.layer(files)))
    const run = Effect.gen(function*() {
      const workspace = yield* Workspace
      const before = (path: string) => workspace.readText(path)
      return yield* Effect.flip(writeFiles([
        { _tag: "Set", path: "fresh.txt", before: null, after: "fresh\n" },
        { _tag: "Remove", path: "c.txt", before: yield* before("c.txt") },
        { _tag: "Set", path: "b.txt", before: yield* before("b.txt"), after: "B\n" },
        { _tag: "Move", path: "a.txt", before: yield* before("a.txt"), to: "moved/a.txt" },
        { _tag: "Set", path: "moved/a.txt", before: yield* before("a.txt"), after: "A\n" },
        { _tag: "Set", path: "new.txt", before: null, after: "new\n" }
      ]))
    }).pipe(Effect.provide(layer))
    return Effect.map(run, (outcome) => ({ outcome, left: Object.fromEntries([...files].map(([path, bytes]) => [path, new TextDecoder().decode(bytes)])) }))
  }

  for (const broken of ["b.txt", "new.txt", "c.txt"]) {
    for (const after of [false, true]) {
      it.effect(`are as they were when ${broken} fails ${after ? "after it was changed" : "before it is changed"}`, () =>
        Effect.gen(function*() {
          const { left, outcome } = yield* failing(broken, after)
          assert.deepStrictEqual(left, texts)
          assert.match(text(outcome), /disk is full[^]*No file was changed/i)
        }))
    }
  }
})
