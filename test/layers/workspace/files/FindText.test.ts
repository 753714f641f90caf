import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import { join } from "node:path"
import * as NodeWorkspace from "../../../../src/layers/workspace/files/NodeWorkspace.ts"
import * as SearchPattern from "../../../../src/layers/workspace/files/SearchPattern.ts"
import { Workspace } from "../../../../src/services/Workspace.ts"
import { environment, folder } from "../fixture.ts"

const utf16 = (text: string) => Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from(text, "utf16le")])

const files = {
  ".gitignore": "*.log\n/dist/\n",
  ".dacapoignore": "secrets/\n",
  ".hidden/a.ts": "needle\n",
  "a.log": "needle\n",
  "a.ts": "one\nneedle two\nthree\nneedle four\nfive\n",
  "a/b.ts": "needle in a/b\n",
  "a-b.ts": "needle in a-b\n",
  "bin.dat": Uint8Array.of(110, 101, 101, 100, 108, 101, 0, 1),
  "crlf.txt": "x\r\nneedle\r\n",
  "dist/out.js": "needle\n",
  "latin.txt": Buffer.from("caf\xe9 needle\n", "latin1"),
  "secrets/key": "needle\n",
  "sub/.gitignore": "!keep.log\nlocal.ts\n",
  "sub/deep/local.ts": "needle\n",
  "sub/keep.log": "needle\n",
  "sub/node_modules/.gitignore": "*\n",
  "sub/node_modules/x.ts": "needle\n",
  "upper.md": "NEEDLE\nüber\n",
  "wide.txt": utf16("wide needle\n")
}

const cases: ReadonlyArray<readonly [path: string, regex: string, options?: { readonly files?: string; readonly context?: number; readonly limit?: number }]> = [
  [".", "needle"],
  [".", "needle", { context: 1 }],
  [".", "needle", { limit: 3 }],
  [".", "needle", { files: "*.ts" }],
  [".", "needle", { files: "a/**" }],
  [".", "needle", { files: "*.{md,txt}" }],
  [".", "(?i)needle$"],
  [".", "^NEEDLE$"],
  [".", "\\bn\\w+e\\b \\w+"],
  [".", "(?<=a/)b"],
  [".", "über"],
  [".", "caf. needle"],
  [".", "^$"],
  [".", "nothing like it"],
  ["sub", "needle"],
  ["dist", "needle"],
  ["a.ts", "four"],
  ["sub/node_modules/x.ts", "needle"]
]

const use = <A, E>(ripgrep: null | undefined, f: (workspace: Workspace["Service"], root: string) => Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const root = yield* folder(files)
    fs.symlinkSync(join(root, "a.ts"), join(root, "link.ts"))
    return yield* Effect.flatMap(Workspace, (workspace) => f(workspace, root)).pipe(
      Effect.provide(NodeWorkspace.layer({ roots: [root], ...(ripgrep === undefined ? {} : { ripgrep }) }).pipe(Layer.provide(environment())))
    )
  })

const all = (ripgrep: null | undefined) =>
  use(ripgrep, (workspace) =>
    Effect.forEach(cases, ([path, regex, options]) => workspace.search(path, regex, { context: 0, limit: 300, ...options })))

describe("search", () => {
  it.effect("finds the same, in the same order, with ripgrep and without", () =>
    Effect.gen(function*() {
      const [withIt, without] = [yield* all(undefined), yield* all(null)]
      for (const [i, [path, regex, options]] of cases.entries()) {
        assert.deepStrictEqual(withIt[i], without[i], `${path} ${regex} ${JSON.stringify(options)}`)
      }
      const paths = withIt.map(({ hits }) => hits.map(({ line, path }) => `${path}:${line}`))
      assert.deepStrictEqual(paths[0], [
        ".hidden/a.ts:1", "a/b.ts:1", "a-b.ts:1", "a.ts:2", "a.ts:4", "crlf.txt:2", "latin.txt:1", "sub/keep.log:1", "wide.txt:1"
      ])
      assert.deepStrictEqual([paths[2]!.length, withIt[2]!.isTruncated], [3, true])
      assert.deepStrictEqual(paths[3], [".hidden/a.ts:1", "a/b.ts:1", "a-b.ts:1", "a.ts:2", "a.ts:4"])
      assert.deepStrictEqual(paths[4], ["a/b.ts:1"])
      assert.deepStrictEqual(paths[10], ["upper.md:2"])
      assert.deepStrictEqual(paths[15], ["dist/out.js:1"])
      assert.deepStrictEqual(paths[17], ["sub/node_modules/x.ts:1"])
    }))

  for (const ripgrep of [undefined, null]) {
    const how = ripgrep === null ? "without ripgrep" : "with ripgrep"

    it.effect(`says what is wrong with an expression, ${how}`, () =>
      use(ripgrep, (workspace) =>
        Effect.gen(function*() {
          for (const regex of ["(", "a{2,1}", "[z-a]"]) {
            assert.strictEqual((yield* Effect.flip(workspace.search(".", regex, { context: 0, limit: 1 }))).reason, "BadPattern")
          }
        })))

    it.effect(`stops an expression that never ends, ${how}`, () =>
      use(ripgrep, (workspace, root) =>
        Effect.gen(function*() {
          fs.writeFileSync(join(root, "trap"), `${"a".repeat(40)}b\n${"a".repeat(10)}\n`)
          const search = workspace.search("trap", "^(a+)+$", { context: 0, limit: 1 })
          const error = yield* Effect.flip(Effect.provideService(search, SearchPattern.LimitMs, 1000))
          assert.strictEqual(error.reason, "BadPattern")
          assert.include(error.message, "takes too long")
        })))
  }
})
