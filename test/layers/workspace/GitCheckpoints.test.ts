import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { Checkpoints } from "../../../src/services/Checkpoints.ts"
import * as GitCheckpoints from "../../../src/layers/workspace/GitCheckpoints.ts"
import * as NodeWorkspace from "../../../src/layers/workspace/NodeWorkspace.ts"
import { contents, environment, type Files, folder, write } from "./fixture.ts"

const layerOf = (root: string, data: string, options: { readonly home?: string; readonly maxFiles?: number; readonly path?: string } = {}) =>
  GitCheckpoints.layer(options.maxFiles === undefined ? {} : { maxFiles: options.maxFiles }).pipe(
    Layer.provide(NodeWorkspace.layer({ roots: [root] })),
    Layer.provide(environment({ PATH: options.path ?? process.env["PATH"] }, { data, ...(options.home === undefined ? {} : { home: options.home }) }))
  )

const use = <A, E>(files: Files, f: (checkpoints: Checkpoints["Service"], root: string) => Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const root = yield* folder(files)
    const data = yield* folder()
    return yield* Effect.flatMap(Checkpoints, (checkpoints) => f(checkpoints, root)).pipe(Effect.provide(layerOf(root, data)))
  })

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=u", "-c", "user.email=u@u", "-c", "init.defaultBranch=main", ...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })

const at = { session: "s", seq: 1, why: "first" }

describe("a checkpoint", () => {
  it.effect("holds every file, also untracked ones, and brings them back", () =>
    use({ "a.txt": "a\r\n", "dir/b.bin": Uint8Array.of(0, 255, 13, 10), ".gitignore": "ignored\n", ignored: "i", "node_modules/x": "x" }, (checkpoints, root) =>
      Effect.gen(function*() {
        const before = contents(root)
        const { counts, id } = yield* checkpoints.save(at)
        assert.deepStrictEqual(counts, { files: 0, added: 0, removed: 0 })
        write(root, { "a.txt": "changed\n", "new.txt": "mine" })
        fs.rmSync(join(root, "dir"), { recursive: true })
        const changes = [
          { path: "a.txt", kind: "modified" },
          { path: "dir/b.bin", kind: "created" },
          { path: "new.txt", kind: "deleted" }
        ]
        assert.deepStrictEqual(yield* checkpoints.preview(id), changes as never)
        assert.deepStrictEqual(yield* checkpoints.restore(id, { remove: [] }), changes.slice(0, 2) as never)
        assert.deepStrictEqual(contents(root), { ...before, "new.txt": "mine" })
        yield* checkpoints.restore(id, { remove: ["new.txt"] })
        assert.deepStrictEqual(contents(root), before)
      })))

  it.effect("counts what it differs by from the one before, and shows the difference", () =>
    use({ a: "1\n2\n" }, (checkpoints, root) =>
      Effect.gen(function*() {
        const first = yield* checkpoints.save(at)
        write(root, { a: "1\nzwei\n", b: "x\n" })
        const second = yield* checkpoints.save({ ...at, seq: 2, why: "two\nlines" })
        assert.deepStrictEqual(second.counts, { files: 2, added: 2, removed: 1 })
        assert.deepStrictEqual(yield* checkpoints.list("s"), [first, second])
        assert.deepStrictEqual(yield* checkpoints.list("other"), [])
        const { changes, patch } = yield* checkpoints.diff(first.id, second.id)
        assert.deepStrictEqual(changes, [{ path: "a", kind: "modified" }, { path: "b", kind: "created" }])
        assert.include(patch, "-2\n+zwei\n")
        fs.rmSync(join(root, "b"))
        assert.deepStrictEqual((yield* checkpoints.diff(second.id)).changes, [{ path: "b", kind: "deleted" }])
      })))

  it.effect("saves nested repositories as plain files and leaves every .git as it is", () =>
    use({ "a.txt": "a", "sub/b.txt": "b", "sub/deep/er/c.txt": "c" }, (checkpoints, root) =>
      Effect.gen(function*() {
        for (const repository of ["", "sub", "sub/deep/er"]) git(join(root, repository), "init", "-q")
        git(root, "add", "a.txt")
        git(root, "commit", "-q", "-m", "x")
        const kept = contents(root)
        const first = yield* checkpoints.save(at)
        assert.deepStrictEqual([first.branch, first.head], ["main", git(root, "rev-parse", "HEAD").trim()])
        write(root, { "sub/deep/er/c.txt": "changed", "sub/b.txt": "changed", "sub/deep/er/d.txt": "new" })
        assert.deepStrictEqual((yield* checkpoints.save(at)).counts.files, 3)
        yield* checkpoints.restore(first.id, { remove: ["sub/deep/er/d.txt"] })
        assert.deepStrictEqual(contents(root), kept)
      })))
})
