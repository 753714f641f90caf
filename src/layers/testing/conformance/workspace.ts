/**
 * The contract of every Workspace, as cases that any test runner can run: a case fails with an assertion.
 *
 *     for (const { name, run } of WorkspaceConformance.cases(MyWorkspace.layer)) it.live(name, () => run)
 */
import * as assert from "node:assert/strict"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { type TextFile, Workspace } from "../../../services/Workspace.ts"
import type { FileError } from "../../../domain/workspace/FileError.ts"
import { type Case, over } from "./ServiceCase.ts"
import { sha256 } from "../../storage/Digest.ts"

const reason = <A>(effect: Effect.Effect<A, FileError>) => Effect.map(Effect.flip(effect), ({ reason }) => reason)

/**
 * - `layer` is built for each case, with a first root that has no files.
 * - `link`, for a workspace that can hold links: makes one at an absolute path, to another one.
 */
export const cases = <E>(
  layer: Layer.Layer<Workspace, E>,
  link?: (path: string, target: string) => Effect.Effect<void, unknown>
): ReadonlyArray<Case> => {
  const check = over(Workspace, layer)
  const withFiles = (
    name: string,
    files: Readonly<Record<string, string>>,
    body: (workspace: Workspace["Service"]) => Effect.Effect<void, unknown>
  ): Case =>
    check(name, (workspace) =>
      Effect.gen(function*() {
        for (const [path, text] of Object.entries(files)) yield* workspace.writeText(path, text)
        yield* body(workspace)
      }))
  const linkCases = link === undefined ? [] : [
    withFiles("follows a link inside its roots, and none that leads out", { "src/a.txt": "a" }, (workspace) =>
      Effect.gen(function*() {
        const { list, move, readBytes, readText, remove, roots: [root = ""], search, writeText } = workspace
        yield* link(`${root}/inside`, `${root}/src`)
        yield* link(`${root}/outside`, dirname(root))
        yield* link(`${root}/src/file`, `${dirname(root)}/none`)
        assert.equal((yield* readText("inside/a.txt")).text, "a")
        const missing = "outside/that-does-not-exist"
        for (const path of [missing, "inside/file"]) {
          assert.equal(yield* reason(readText(path)), "Outside")
          assert.equal(yield* reason(readBytes(path)), "Outside")
          assert.equal(yield* reason(writeText(path, "b")), "Outside")
          assert.equal(yield* reason(search(path, "a", { context: 0, limit: 10 })), "Outside")
          assert.equal(yield* reason(move("src/a.txt", `${path}/a.txt`)), "Outside")
        }
        assert.equal(yield* reason(list("outside", { depth: 1, limit: 10 })), "Outside")
        assert.equal(yield* reason(remove(missing)), "Outside")
        assert.equal((yield* readText("src/a.txt")).text, "a")
      }))
  ]
  return [
    ...linkCases,
    check("reads what was written, with the hash of its bytes", ({ hash, readBytes, readText, writeText }) =>
      Effect.gen(function*() {
        const text = "one\r\nzwei ✓\n"
        assert.equal(yield* writeText("deep/er/a.txt", text), sha256(text))
        assert.deepEqual(yield* readText("deep/er/a.txt"), { text, encoding: "utf-8", hash: sha256(text) })
        assert.deepEqual(Buffer.from(yield* readBytes("deep/er/a.txt")), Buffer.from(text))
        assert.equal(yield* hash("deep/er/a.txt"), sha256(text))
      })),
    check("keeps an encoding, and refuses what it can't hold", ({ readText, writeText }) =>
      Effect.gen(function*() {
        const encodings: ReadonlyArray<readonly [TextFile["encoding"], string]> = [["utf-16le", "\ufeffä"], ["utf-16be", "\ufeffä"], [
          "latin1",
          "ä"
        ]]
        for (const [encoding, text] of encodings) {
          yield* writeText("a.txt", text, encoding)
          assert.deepEqual(yield* Effect.map(readText("a.txt"), (file) => [file.text, file.encoding]), [text, encoding])
        }
        assert.equal(yield* reason(writeText("a.txt", "✓", "latin1")), "NotText")
      })),
    withFiles(
      "names a file relative to its root, wherever the path begins",
      { "src/a.txt": "a" },
      ({ readText, resolve, roots, stat }) =>
        Effect.gen(function*() {
          const [root = ""] = roots
          assert.ok(root.startsWith("/"))
          for (const path of ["src/a.txt", "./src/../src/a.txt", `${root}/src/a.txt`]) {
            assert.equal((yield* stat(path)).path, "src/a.txt")
            assert.equal((yield* readText(path)).text, "a")
          }
          assert.equal(yield* resolve("src/a.txt"), `${root}/src/a.txt`)
          const { kind, size } = yield* stat("src/a.txt")
          assert.deepEqual([kind, size, (yield* stat("src")).kind], ["file", 1, "directory"])
        })
    ),
    withFiles("has another version for another content", { "a.txt": "a" }, ({ stat, writeText }) =>
      Effect.gen(function*() {
        const { version } = yield* stat("a.txt")
        yield* writeText("a.txt", "b, and more")
        assert.notEqual((yield* stat("a.txt")).version, version)
      })),
    withFiles(
      "says what is wrong with a path",
      { "folder/index.ts": "" },
      ({ list, readText, remove, stat, writeText }) =>
        Effect.gen(function*() {
          const missing = yield* Effect.flip(readText("folder/indx.ts"))
          assert.deepEqual([missing.reason, missing.near], ["NotFound", ["folder/index.ts"]])
          assert.equal(yield* reason(readText("folder")), "IsDirectory")
          assert.equal(yield* reason(list("folder/index.ts", { depth: 1, limit: 10 })), "NotDirectory")
          assert.equal(yield* reason(stat("none")), "NotFound")
          assert.equal(yield* reason(remove("none")), "NotFound")
          assert.equal(yield* reason(writeText("folder", "text")), "IsDirectory")
          assert.equal(yield* reason(writeText("folder/index.ts/x", "text")), "NotDirectory")
        })
    ),
    withFiles(
      "leaves neither its roots nor changes a repository's own files",
      { "a.txt": "a" },
      ({ move, readText, remove, writeText }) =>
        Effect.gen(function*() {
          assert.equal(yield* reason(readText("../outside")), "Outside")
          assert.equal(yield* reason(writeText("../outside", "")), "Outside")
          assert.equal(yield* reason(writeText(".git/hooks/pre-commit", "")), "Protected")
          assert.equal(yield* reason(move("a.txt", ".git/config")), "Protected")
          assert.equal(yield* reason(move("a.txt", "../outside")), "Outside")
          assert.equal(yield* reason(remove(".git/config")), "Protected")
          assert.equal((yield* readText("a.txt")).text, "a")
        })
    ),
    withFiles("moves a file, over no other", { "a.txt": "a", "b.txt": "b" }, ({ move, readText }) =>
      Effect.gen(function*() {
        assert.equal(yield* reason(move("a.txt", "b.txt")), "Exists")
        assert.equal(yield* reason(move("none", "c.txt")), "NotFound")
        yield* move("a.txt", "new/place.txt")
        assert.equal((yield* readText("new/place.txt")).text, "a")
        assert.equal(yield* reason(readText("a.txt")), "NotFound")
      })),
    withFiles(
      "removes an empty folder, and no other",
      { "a/b/c.txt": "c" },
      ({ readText, remove, removeFolder, stat }) =>
        Effect.gen(function*() {
          for (const path of ["a", "a/b", "a/b/c.txt"]) yield* Effect.flip(removeFolder(path))
          assert.equal((yield* readText("a/b/c.txt")).text, "c")
          yield* remove("a/b/c.txt")
          yield* removeFolder("a/b")
          assert.equal(yield* reason(stat("a/b")), "NotFound")
        })
    ),
    withFiles(
      "reads text alone as text, and anything as bytes",
      { "a.bin": "a\u0000b" },
      ({ readBytes, readText }) =>
        Effect.gen(function*() {
          assert.equal(yield* reason(readText("a.bin")), "Binary")
          assert.deepEqual([...yield* readBytes("a.bin")], [97, 0, 98])
        })
    ),
    withFiles("removes a file", { "a.txt": "a" }, ({ readText, remove }) =>
      Effect.gen(function*() {
        yield* remove("a.txt")
        assert.equal(yield* reason(readText("a.txt")), "NotFound")
      })),
    withFiles(
      "lists breadth first, as deep and as far as asked, without what is ignored or hidden",
      { ".gitignore": "dist\n", "dist/x.js": "", "b/c/d.txt": "", "a.txt": "", "secret.txt": "" },
      ({ list, names, roots }) =>
        Effect.gen(function*() {
          const paths = (options: Parameters<typeof list>[1]) =>
            Effect.map(list(".", options), ({ entries, isTruncated }) => [entries.map(({ path }) => path), isTruncated])
          const all = [".gitignore", "a.txt", "b", "secret.txt", "b/c", "b/c/d.txt"]
          assert.deepEqual(yield* paths({ depth: 5, limit: 100 }), [all, false])
          assert.deepEqual(yield* paths({ depth: 1, limit: 100 }), [all.slice(0, 4), false])
          assert.deepEqual(yield* paths({ depth: 5, limit: 2 }), [all.slice(0, 2), true])
          const isVisible = (path: string) => path !== `${roots[0]}/secret.txt`
          assert.deepEqual(yield* paths({ depth: 1, limit: 100, isVisible }), [[".gitignore", "a.txt", "b"], false])
          const [ignored] = yield* paths({ depth: 5, limit: 100, all: true })
          assert.ok(Array.isArray(ignored) && ignored.includes("dist/x.js"))
          assert.deepEqual((yield* names(100)).toSorted(), [".gitignore", "a.txt", "b/", "b/c/", "b/c/d.txt", "secret.txt"])
          assert.equal((yield* names(2)).length, 2)
        })
    ),
    withFiles(
      "finds lines that match, with those around them",
      { "a.ts": "x\nneedle\ny\nz\n", "b.md": "needle\n", "secret.ts": "needle\n", ".gitignore": "dist\n", "dist/c.ts": "needle\n" },
      ({ roots, search }) =>
        Effect.gen(function*() {
          const isVisible = (path: string) => path !== `${roots[0]}/secret.ts`
          const { hits, isTruncated } = yield* search(".", "ne+dle", { files: "*.ts", context: 1, limit: 10, isVisible })
          assert.deepEqual(hits.map(({ line, match, path, text }) => [path, line, text, match]), [
            ["a.ts", 1, "x", false],
            ["a.ts", 2, "needle", true],
            ["a.ts", 3, "y", false]
          ])
          assert.equal(isTruncated, false)
          assert.equal((yield* search(".", "needle", { context: 0, limit: 1 })).isTruncated, true)
          assert.deepEqual((yield* search("b.md", "needle", { context: 0, limit: 10 })).hits.map(({ path }) => path), ["b.md"])
          assert.equal(yield* reason(search(".", "(", { context: 0, limit: 10 })), "BadPattern")
        })
    )
  ]
}
