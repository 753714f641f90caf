/**
 * The contract of every Diff, as cases that any test runner can run: a case fails with an assertion. It must know blocks in
 * the SEARCH/REPLACE format; how far it tolerates a text that is not quite in the file is its own matter.
 *
 *     for (const { name, run } of DiffConformance.cases(MyDiff.layer)) it.effect(name, () => run)
 */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Apply from "../../../domain/diff/Apply.ts"
import * as UnifiedDiff from "../../../domain/diff/UnifiedDiff.ts"
import { Diff } from "../../../services/Diff.ts"
import { type Case, over } from "./ServiceCase.ts"

const before = "one\ntwo\nthree\ntwo words\n"
const block = (search: string, replace: string): string => `------- SEARCH\n${search}\n=======\n${replace}\n+++++++ REPLACE\n`
const at = (path: string) => <T extends object>(edit: T): T => ({ ...edit, path })

/** `layer` is built for each case. */
export const cases = <E>(layer: Layer.Layer<Diff, E>): ReadonlyArray<Case> => {
  const check = (name: string, body: (diff: Diff["Service"]) => void): Case =>
    over(Diff, layer)(name, (diff) => Effect.sync(() => body(diff)))
  return [
    check("replaces the lines of a block, and no others", ({ apply, parse }) => {
      const edits = Result.getOrThrow(parse(block("two\nthree", "TWO"), "a.txt"))
      assert.equal(Result.getOrThrow(apply(before, edits)).content, "one\nTWO\ntwo words\n")
    }),
    check("says which lines changed", ({ apply, parse }) => {
      const { hunks } = Result.getOrThrow(apply(before, Result.getOrThrow(parse(block("two\nthree", "TWO"), "a.txt"))))
      assert.deepEqual(hunks.map(({ newLines, newStart, oldLines, oldStart }) => [oldStart, oldLines, newStart, newLines]), [[2, 2, 2, 1]])
    }),
    check("replaces one exact text by another, or every one of them", ({ apply, exact }) => {
      const edit = (replace_all: boolean) =>
        Result.flatMap(exact({ old_text: "two", new_text: "2", replace_all }), (edits) => apply("two or two", edits))
      assert.equal(Result.getOrThrow(edit(true)).content, "2 or 2")
      const once = edit(false)
      assert.ok(Result.isFailure(once) && once.failure.failures[0].reason === "Ambiguous")
    }),
    check("changes nothing where it finds nothing", ({ apply, exact, parse }) => {
      for (const edits of [exact({ old_text: "nowhere to be seen", new_text: "2" }), parse(block("nowhere to be seen", "2"), "a.txt")]) {
        const result = apply(before, Result.getOrThrow(edits))
        assert.ok(Result.isFailure(result) && result.failure.failures[0].reason === "NotFound")
      }
    }),
    check("applies all blocks of a file or none", ({ apply, parse }) => {
      const result = apply(before, Result.getOrThrow(parse(block("one", "ONE") + block("nowhere to be seen", "2"), "a.txt")))
      assert.ok(Result.isFailure(result))
      assert.deepEqual(result.failure.failures.map(({ block }) => block), [2])
      assert.deepEqual(result.failure.wouldApply, [1])
    }),
    check("changes all files or none, in the order of the edits", ({ applyAll, exact }) => {
      const edits = (texts: Readonly<Record<string, string>>) => {
        const parsed = Object.entries(texts).map(([path, old_text]) =>
          Result.getOrThrow(exact({ old_text, new_text: "new" })).files.map(at(path))
        )
        return { format: "exact" as const, files: parsed.flat(), warnings: [] }
      }
      const files = { a: "old", b: "old" }
      const changes = Result.getOrThrow(applyAll(files, edits({ b: "old", a: "old" })))
      assert.deepEqual(changes.map(({ newContent, oldContent, path }) => [path, oldContent, newContent]), [["b", "old", "new"], [
        "a",
        "old",
        "new"
      ]])
      assert.ok(Result.isFailure(applyAll(files, edits({ a: "old", b: "nowhere to be seen" }))))
    }),
    check("refuses a text without an edit, and an edit that changes nothing", ({ exact, parse }) => {
      assert.ok(Result.isFailure(parse("Nothing of that kind.", "a.txt")))
      assert.ok(Result.isFailure(exact({ old_text: "one", new_text: "one" })))
    }),
    check("prints a unified diff that makes the second text of the first", ({ print }) => {
      for (const after of ["ONE\ntwo\nthree\ntwo words\n", "one\nthree\nand more\n", "two words\n", "one\ntwo\nthree\ntwo words"]) {
        const edits = Result.getOrThrow(UnifiedDiff.parse(print("a.txt", before, after)))
        assert.equal(Result.getOrThrow(Apply.apply(before, edits)).content, after)
      }
    }),
    check("prints a missing file as such, and equal texts as nothing", ({ print }) => {
      assert.equal(print("a.txt", before, before), "")
      assert.match(print("a.txt", null, before), /^--- \/dev\/null$/m)
      assert.match(print("a.txt", before, null), /^\+\+\+ \/dev\/null$/m)
    })
  ]
}
