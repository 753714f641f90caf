import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { join } from "node:path"
import { Workspace } from "../../../src/services/Workspace.ts"
import * as NodeWorkspace from "../../../src/layers/workspace/NodeWorkspace.ts"
import { environment, type Files, folder } from "./fixture.ts"

const use = <A, E>(
  files: Files,
  f: (workspace: Workspace["Service"], root: string) => Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const root = yield* folder(files)
    return yield* Effect.flatMap(Workspace, (workspace) => f(workspace, root)).pipe(
      Effect.provide(NodeWorkspace.layer({ roots: [root] }).pipe(Layer.provide(environment())))
    )
  })

describe("reading", () => {
  it.effect("gives text as it stands, its encoding, and the hash of its bytes", () =>
    use({ "a.txt": "a\r\nb" }, (workspace) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* workspace.readText("a.txt"), {
          text: "a\r\nb",
          encoding: "utf-8",
          hash: createHash("sha256").update("a\r\nb").digest("hex")
        })
      })))

  it.effect("names what is close to a missing file", () =>
    use({ "src/index.ts": "", "src/other.md": "" }, (workspace) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(workspace.readText("src/indx.ts"))
        assert.deepStrictEqual([error.reason, error.near], ["NotFound", ["src/index.ts"]])
      })))
})

describe("listing and searching", () => {
  it.effect("goes breadth first and leaves out what is ignored", () =>
    use({ ".gitignore": "dist\n", "dist/x": "", "b/c/d.ts": "needle\n", "a.ts": "x\nneedle\ny\n", ".git/config": "needle" }, (workspace) =>
      Effect.gen(function*() {
        const { cut, entries } = yield* workspace.list(".", { depth: 3, limit: 100 })
        assert.deepStrictEqual([entries.map(({ path }) => path), cut], [[".gitignore", "a.ts", "b", "b/c", "b/c/d.ts"], false])
        const found = yield* workspace.search(".", "need.e", { context: 1, limit: 10 })
        assert.deepStrictEqual(found, {
          hits: [
            { path: "a.ts", line: 1, text: "x", match: false },
            { path: "a.ts", line: 2, text: "needle", match: true },
            { path: "a.ts", line: 3, text: "y", match: false },
            { path: "b/c/d.ts", line: 1, text: "needle", match: true }
          ],
          cut: false
        })
      })))
})

describe("writing", () => {
  it.effect("makes folders, keeps the mode, and refuses .git", () =>
    use({ "run.sh": "old" }, (workspace, root) =>
      Effect.gen(function*() {
        fs.chmodSync(join(root, "run.sh"), 0o755)
        yield* workspace.writeText("run.sh", "new")
        yield* workspace.writeText("x/y/z.txt", "z")
        assert.strictEqual(fs.statSync(join(root, "run.sh")).mode & 0o777, 0o755)
        assert.deepStrictEqual(fs.readdirSync(root).sort(), ["run.sh", "x"])
        assert.strictEqual((yield* Effect.flip(workspace.writeText(".git/config", ""))).reason, "Protected")
      })))
})
