import { describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { detectFormat, parseAny } from "../../../src/domain/diff/DetectFormat.ts"
import { block } from "./support.ts"

const reasons = (text: string, path?: string) =>
  Result.match(parseAny(text, path), { onSuccess: ({ files }) => files.map((edit) => edit.path), onFailure: ({ failures }) => failures.map(({ reason }) => reason) })

const git = "--- a/src/x.ts\n+++ b/src/x.ts\n@@ -1 +1 @@\n-a\n+b\n"
const v4a = "*** Begin Patch\n*** Update File: src/x.ts\n-a\n+b\n*** End Patch"

it("is not misled by a byte order mark", () => {
  for (const text of ["------- SEARCH\n", "*** Begin Patch\n", "--- a\n+++ b\n"]) expect(detectFormat(`\ufeff${text}`)).toBe(detectFormat(text))
})

describe("the format of a text", () => {
  it.each([
    [block("a\n", "b\n"), "search-replace"],
    ["  <<<<<<< SEARCH\r\n", "search-replace"],
    [git, "unified-diff"],
    ["prose\n\ndiff --git a/x b/x\n", "unified-diff"],
    ["@@\n-a\n+b\n", "unified-diff"],
    [v4a, "apply-patch"],
    ["```\n*** Begin Patch\n", "apply-patch"],
    [block(git, v4a), "search-replace"],
    ["--- a rule\n-- and more\n", undefined],
    ["", undefined]
  ])("is told by its first marker: %j", (text, format) => {
    expect(detectFormat(text)).toBe(format)
  })

  it("without an edit is rejected", () => {
    expect(reasons("hello")).toEqual(["NoEdit"])
  })
})

describe("a patch for a path", () => {
  it("takes that path, also where the patch names only its end", () => {
    for (const text of [git, v4a, block("a\n", "b\n")]) expect(reasons(text, "/repo/src/x.ts")).toEqual(["/repo/src/x.ts"])
  })

  it("may not name another file, nor the same in two sections", () => {
    expect(reasons(git, "src/y.ts")).toEqual(["OtherFile"])
    expect(reasons(v4a, "x.tsx")).toEqual(["OtherFile"])
    expect(reasons(git + git, "src/x.ts")).toEqual(["PathTwice"])
  })
})
