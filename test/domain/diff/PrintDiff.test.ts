import { assert, describe, expect, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Apply from "../../../src/domain/diff/Apply.ts"
import { print } from "../../../src/domain/diff/PrintDiff.ts"
import * as UnifiedDiff from "../../../src/domain/diff/UnifiedDiff.ts"
import { file, runs } from "./texts.ts"

interface Change {
  readonly path: string
  readonly moveTo?: string
  readonly before: string | null
  readonly after: string | null
}

const patchOf = (changes: ReadonlyArray<Change>): string =>
  changes.map(({ after, before, moveTo, path }) =>
    print(before, after, moveTo === undefined ? { path } : { path: moveTo, oldPath: path })
  ).join("")

/** The files after `git apply` of the patch in a folder of its own. */
const gitApply = (changes: ReadonlyArray<Change>): ReadonlyArray<string | null> => {
  const folder = mkdtempSync(join(tmpdir(), "print-"))
  try {
    for (const { before, path } of changes) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      if (before !== null) writeFileSync(join(folder, path), before)
    }
    const patch = patchOf(changes)
    if (patch !== "") {
      execFileSync("git", ["apply", "--whitespace=nowarn", "-"], {
        cwd: folder,
        input: patch,
        env: { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir(), GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" }
      })
    }
    return changes.map(({ moveTo, path }) => {
      const at = join(folder, moveTo ?? path)
      return existsSync(at) ? readFileSync(at, "utf8") : null
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe("a printed diff", () => {
  it("reads as git's own", () => {
    const before = "function one() {\n  a\n  b\n  c\n  d\n  e\n  f\n}\n"
    expect(print(before, before.replace("  f", "  F"), { path: "x.ts" })).toBe([
      "diff --git a/x.ts b/x.ts",
      "--- a/x.ts",
      "+++ b/x.ts",
      "@@ -4,5 +4,5 @@ function one() {",
      "   c",
      "   d",
      "   e",
      "-  f",
      "+  F",
      " }",
      ""
    ].join("\n"))
  })

  it("is empty without a difference, and names no function where no grammar is known", () => {
    expect(print("a\n", "a\n", { path: "x" })).toBe("")
    expect(print("int f(\na\nb\nc\nd\n", "int f(\na\nb\nc\nD\n", { path: "x.unknown" })).toContain("@@ -2,4 +2,4 @@\n")
  })

  it("is accepted by git for files that come, go and move, and for paths that need quotes", () => {
    const changes: ReadonlyArray<Change> = [
      { path: "new", before: null, after: "a\nb" },
      { path: "empty", before: null, after: "" },
      { path: "gone", before: "a\n", after: null },
      { path: "emptied and gone", before: "", after: null },
      { path: "from here", moveTo: "to/there", before: "a\nb\n", after: "a\nc\n" },
      { path: "still", moveTo: "elsewhere", before: "a\n", after: "a\n" },
      { path: "with space/and \"quotes\"\t\\", before: "a\n", after: "b\n" },
      { path: "ünï", before: "a\r\n", after: "a\n" }
    ]
    expect(gitApply(changes)).toEqual(changes.map(({ after }) => after))
  })

  const pair = Arbitrary.all([file, file])

  it.effect.prop("is accepted by git and gives the same file", [Arbitrary.array(pair, { minLength: 10, maxLength: 30 })], ([pairs]) =>
    Effect.sync(() => {
      const changes = pairs.map(([before, after], i): Change => ({ path: `file ${i}.ts`, before, after }))
      assert.deepStrictEqual(gitApply(changes), changes.map(({ after }) => after))
    }), runs(100))

  it.effect.prop("is read back and gives the same file", [file, file, Arbitrary.schema(Schema.Literals([0, 1, 3, 10]))], ([left, right, context]) =>
    Effect.sync(() => {
      const [before, after] = [plain(left), plain(right)]
      const patch = print(before, after, { path: "x", context })
      if (patch === "") return
      const applied = Result.flatMap(UnifiedDiff.parse(patch), (edits) => Apply.applyAll({ x: before }, edits))
      assert.deepStrictEqual(Result.getOrThrow(applied).files, { x: after })
    }), runs(4000))
})

/** With one kind of line ending, since an edit keeps the file's. */
const plain = (text: string): string => text.replaceAll("\r", "").replaceAll("\ufeff", "")
