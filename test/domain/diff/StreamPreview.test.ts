import { assert, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Apply from "../../../src/domain/diff/Apply.ts"
import * as ApplyPatch from "../../../src/domain/diff/ApplyPatch.ts"
import type { TextFormat } from "../../../src/domain/diff/DetectFormat.ts"
import * as StreamPreview from "../../../src/domain/diff/StreamPreview.ts"
import * as SearchReplace from "../../../src/domain/diff/SearchReplace.ts"
import * as UnifiedDiff from "../../../src/domain/diff/UnifiedDiff.ts"
import { block, cut } from "./support.ts"
import { file, garbage, lengths, linesOf, runs, words } from "./texts.ts"

/** What is shown after each piece. */
const shown = (content: string, format: TextFormat, pieces: ReadonlyArray<string>): ReadonlyArray<string> => {
  let preview = StreamPreview.initial(content, format)
  return pieces.map((piece) => {
    preview = StreamPreview.push(preview, piece)
    return StreamPreview.content(preview)
  })
}

const file3 = "one\n\ttwo\nthree\n"

describe("a preview", () => {
  it("shows a replacement line by line once its search text is found", () => {
    const pieces = ["------- SEARCH\ntw", "o\n===", "====\n", "2", "\nzwei\n", "deux\n+++", "++++ REPLACE\n"]
    expect(shown(file3, "search-replace", pieces)).toEqual([
      file3,
      file3,
      "one\nthree\n",
      "one\nthree\n",
      "one\n\t2\n\tzwei\nthree\n",
      "one\n\t2\n\tzwei\n\tdeux\nthree\n",
      "one\n\t2\n\tzwei\n\tdeux\nthree\n"
    ])
  })

  it("shows blocks in any order, and none that overlaps another", () => {
    const pieces = [block("three\n", "3\n"), "------- SEARCH\none\n=======\n1\n", "+++++++ REPLACE\n", block("one\n\ttwo\n", "x\n")]
    expect(shown(file3, "search-replace", pieces)).toEqual([
      "one\n\ttwo\n3\n",
      "1\n\ttwo\n3\n",
      "1\n\ttwo\n3\n",
      "1\n\ttwo\n3\n"
    ])
  })

  it("shows hunks as they end, and a new file as it grows", () => {
    expect(shown("a\nb\n", "unified-diff", ["@@ -1,2 +1,2 @@\n a\n-b\n+B\n", "\n\n@@ -9 +9 @@\n", "-x\n", "+y\n"]).at(-1)).toBe("a\nB\n")
    expect(shown("", "search-replace", ["------- SEARCH\n=======\na\n", "b\n"])).toEqual(["a\n", "a\nb\n"])
  })

  it("waits for the end where a second line of = leaves the separator in doubt", () => {
    const pieces = ["------- SEARCH\none\n=======\nTitle\n", "=======\n", "x\n", "+++++++ REPLACE\n"]
    const preview = pieces.reduce((preview, piece) => StreamPreview.push(preview, piece), StreamPreview.initial(file3, "search-replace"))
    expect(Result.getOrThrow(StreamPreview.end(preview)).content).toBe("Title\n=======\nx\n\ttwo\nthree\n")
    expect(shown(file3, "search-replace", pieces)[1]).toBe("Title\n\ttwo\nthree\n")
  })

  it("of one file of several shows the hunks of that file", () => {
    const text = "*** Begin Patch\n*** Update File: a\n-x\n+y\n*** Update File: b\n-x\n+z\n*** End Patch\n"
    const preview = StreamPreview.push(StreamPreview.initial("x\n", "apply-patch", "b"), text)
    expect(StreamPreview.content(preview)).toBe("z\n")
    expect(Result.getOrThrow(StreamPreview.end(preview)).content).toBe("z\n")
  })

  const parsers = { "search-replace": SearchReplace, "unified-diff": UnifiedDiff, "apply-patch": ApplyPatch }

  it.effect.prop("ends as the edit is applied, whatever the input and its pieces", [file, garbage, lengths], ([content, input, lengths]) =>
    Effect.sync(() => {
      for (const format of ["search-replace", "unified-diff", "apply-patch"] as const) {
        let preview = StreamPreview.initial(content, format)
        for (const piece of cut(input, lengths)) assert.isString(StreamPreview.content(preview = StreamPreview.push(preview, piece)))
        const applied = Result.flatMap(parsers[format].parse(input), (edits) => Apply.apply(content, edits))
        assert.deepStrictEqual(told(StreamPreview.end(preview)), told(applied))
      }
    }), runs(2000))

  const lines = linesOf(words, 3)

  it.effect.prop("shows the result as soon as the last block is whole, where each is found by itself", [linesOf(words, 14), lines, lines, lines, lengths], ([content, search, other, replace, lengths]) =>
    Effect.sync(() => {
      const text = content.map((line) => `${line}\n`).join("")
      const input = block(search.map((line) => `${line}\n`).join(""), replace.map((line) => `${line}\n`).join("")) +
        block(other.map((line) => `${line}\n`).join(""), "new\n")
      const applied = Result.flatMap(SearchReplace.parse(input), (edits) => Apply.apply(text, edits))
      if (Result.isFailure(applied) || input.split("=======").length > 3) return
      const { content: after, hunks } = applied.success
      if (hunks.some(({ strategy }) => strategy === "anchors" || strategy === "similar")) return
      if (search.join("\n") === other.join("\n")) return
      assert.strictEqual(shown(text, "search-replace", cut(input, lengths)).at(-1), after)
    }), runs(4000))
})

/** A result as data. */
const told = (applied: Result.Result<Apply.ApplyResult, { readonly failures: unknown }>): unknown =>
  Result.match(applied, { onSuccess: (success) => success, onFailure: ({ failures }) => failures })
