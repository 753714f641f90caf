import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { posix } from "node:path"
import * as PathName from "../../../src/domain/workspace/PathName.ts"

describe("the name of a file", () => {
  const table: ReadonlyArray<readonly [path: string, name: string]> = [
    ["a.ts", "a.ts"], ["./a.ts", "a.ts"], ["src/../a.ts", "a.ts"], ["/repo/a.ts", "a.ts"], ["/repo//src/./a.ts", "src/a.ts"],
    [".", "."], ["", "."], ["/repo", "."], ["/repo/", "."], ["/repository/a.ts", "/repository/a.ts"], ["../other/a.ts", "/other/a.ts"],
    ["../../..", "/"], ["/etc/passwd", "/etc/passwd"], ["..a", "..a"]
  ]
  for (const [path, name] of table) it(`of ${path} is ${name}`, () => assert.strictEqual(PathName.relativePath("/repo", path), name))

  it("in the root folder has no slash before it", () => {
    assert.deepStrictEqual([PathName.relativePath("/", "/a/b"), PathName.relativePath("/", "a"), PathName.relativePath("/", ".")], ["a/b", "a", "."])
  })

  const paths = Arbitrary.schema(Schema.Array(Schema.Literals(["a", "b", "..", ".", "", "c d", "..."])))
  it.effect.prop("is the one that Node finds", [paths, paths], ([cwd, path]) =>
    Effect.sync(() => {
      const folder = posix.resolve("/", cwd.join("/"))
      const relative = posix.relative(folder, posix.resolve(folder, path.join("/")))
      const expected = relative === "" ? "." : relative.startsWith("../") || relative === ".." ? posix.resolve(folder, path.join("/")) : relative
      if (!path.join("/").startsWith("/")) assert.strictEqual(PathName.relativePath(folder, path.join("/")), expected)
    }), { arbitrary: { runs: 1000 } })
})
