import { describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Apply from "../../../src/domain/diff/Apply.ts"
import * as UnifiedDiff from "../../../src/domain/diff/UnifiedDiff.ts"
import { unified } from "./support.ts"

const file = "one\ntwo\nthree\nfour\nfive\n"
const hunk = "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
const after = "one\n2\nthree\nfour\nfive\n"

const all = (files: Record<string, string>, diff: string) =>
  Result.match(Result.flatMap(UnifiedDiff.parse(diff), (edits) => Apply.applyAll(files, edits)), {
    onSuccess: ({ files }): unknown => files,
    onFailure: ({ failures }): unknown => failures.map(({ reason }) => reason)
  })

describe("a unified diff", () => {
  it.each([
    ["with git's headers", `diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n${hunk}`],
    ["with plain headers and times", `--- x\t2024-01-01 00:00:00\n+++ x\t2024-01-02 00:00:00\n${hunk}`],
    ["without headers", hunk],
    ["with @@ without numbers", hunk.replace(/^@@.*/, "@@")],
    ["with @@ ... @@", hunk.replace(/^@@.*/, "@@ ... @@")],
    ["with wrong counts", hunk.replace("-1,3 +1,3", "-1,9 +1,1")],
    ["with wrong line numbers", hunk.replace("-1,3 +1,3", "-40,3 +90,3")],
    ["in prose and a fence", `Here:\n\n\`\`\`diff\n--- a/x\n+++ b/x\n${hunk}\`\`\`\nDone.\n`],
    ["with CRLF", hunk.replaceAll("\n", "\r\n")],
    ["with a line of context that lost its space", hunk.replace("\n three", "\nthree")],
    ["without a newline at the end", hunk.slice(0, -1)],
    ["with git's signature after it", `${hunk}-- \n2.39.0\n`]
  ])("is read %s", (_, diff) => {
    expect(unified(file, diff).content).toBe(after)
  })

  it("takes blank lines without their space for context, but not those after the hunk", () => {
    expect(unified("a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+B\n\n\nThat is all.\n").content).toBe("a\n\nB\n")
    expect(unified("a\nb\n\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n\n").content).toBe("a\nB\n\n")
  })

  it("takes lines that look like headers for lines while its counts lack just them", () => {
    expect(unified("-- a\nx\n", "@@ -1,2 +1,2 @@\n--- a\n+++ b\n x\n").content).toBe("++ b\nx\n")
  })

  it("keeps the file's own text in its context", () => {
    expect(unified("  one  \r\n  two\r\nthree\r\n", hunk).content).toBe("  one  \r\n  2\r\nthree\r\n")
  })

  it("never ends a hunk in its middle: a line without its mark is context where lines of a hunk follow", () => {
    expect(unified("one\n\ttwo\nthree\n", "@@\n-one\n+1\n\ttwo\n-three\n+3\n").content).toBe("1\n\ttwo\n3\n")
  })

  it("prefers the place nearest to its line number", () => {
    expect(unified("a\nb\na\nb\n", "@@ -3,2 +3,2 @@\n-a\n+A\n b\n").content).toBe("a\nb\nA\nb\n")
    expect(unified("a\nb\na\nb\n", "@@\n-a\n+A\n b\n").reasons).toEqual(["Ambiguous"])
  })

  it("puts lines without context after the line that it names", () => {
    expect(unified(file, "@@ -2,0 +3,1 @@\n+new\n").content).toBe("one\ntwo\nnew\nthree\nfour\nfive\n")
    expect(unified("", "@@ -0,0 +1,2 @@\n+a\n+b\n").content).toBe("a\nb\n")
  })

  it("speaks of the newline at the end of the file, or leaves it", () => {
    const no = "\\ No newline at end of file\n"
    expect(unified("a\nb", `@@ -1,2 +1,2 @@\n a\n-b\n${no}+B\n${no}`).content).toBe("a\nB")
    expect(unified("a\nb", `@@ -1,2 +1,2 @@\n a\n-b\n${no}+b\n`).content).toBe("a\nb\n")
    expect(unified("a\nb\n", `@@ -1,2 +1,2 @@\n a\n-b\n+b\n${no}`).content).toBe("a\nb")
    expect(unified("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n").content).toBe("a\nB")
  })

  it("that is applied already is an error that says so", () => {
    expect(unified(after, hunk).reasons).toEqual(["AlreadyApplied"])
    expect(unified("a\nb\nc\n", "@@ -1,2 +1,3 @@\n a\n b\n+c\n").reasons).toEqual(["AlreadyApplied"])
    expect(unified("c\na\nb\n", "@@ -1,2 +1,3 @@\n+c\n a\n b\n").reasons).toEqual(["AlreadyApplied"])
    const long = "the first line of several\nthe second line\nthe third line\nthe fourth\n"
    const change = "@@ -1,4 +1,4 @@\n the first line of several\n the second line\n-the third line\n+the third lime\n the fourth\n"
    expect(unified(long.replace("third line", "third lime"), change).reasons).toEqual(["AlreadyApplied"])
  })

  it("with hunks that share context applies both", () => {
    expect(unified(file, "@@ -1,3 +1,3 @@\n-one\n+1\n two\n three\n@@ -2,4 +2,4 @@\n two\n three\n-four\n+4\n five\n").content)
      .toBe("1\ntwo\nthree\n4\nfive\n")
  })

  it("with hunks that change the same line is an error", () => {
    expect(unified(file, "@@ -1,2 +1,2 @@\n one\n-two\n+2\n@@ -2,2 +2,2 @@\n-two\n+zwei\n three\n").reasons).toEqual(["Overlap"])
  })

  it("without a hunk, or whose hunks change nothing, is an error", () => {
    expect(unified(file, "nothing\n").reasons).toEqual(["NoEdit"])
    expect(unified(file, "@@ -1,2 +1,2 @@\n one\n two\n").reasons).toEqual(["NoChange"])
  })
})

describe("a unified diff of files", () => {
  it("makes, deletes, moves and changes them", () => {
    const diff = [
      "--- /dev/null", "+++ b/new.txt", "@@ -0,0 +1,2 @@", "+x", "+y", "\\ No newline at end of file",
      "--- a/old.txt", "+++ /dev/null", "@@ -1 +0,0 @@", "-gone",
      "diff --git a/from.txt b/to.txt", "similarity index 100%", "rename from from.txt", "rename to to.txt",
      "diff --git a/dir with space/a b/dir with space/a", "--- a/dir with space/a\t", "+++ b/dir with space/a\t", "@@ -1 +1 @@", "-a", "+b",
      "diff --git a/empty b/empty", "new file mode 100644", "index 0000000..e69de29"
    ].join("\n")
    expect(all({ "old.txt": "gone\n", "from.txt": "f\n", "dir with space/a": "a\n" }, diff)).toEqual({
      "new.txt": "x\ny",
      "old.txt": null,
      "from.txt": null,
      "to.txt": "f\n",
      "dir with space/a": "b\n",
      empty: ""
    })
  })

  it("that makes one that exists is an error", () => {
    const diff = "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n"
    expect(all({ x: "" }, diff)).toEqual(["FileExists"])
    expect(unified("a\n", diff).reasons).toEqual(["FileExists"])
  })

  it("that is missing, or deletes less than all, is an error", () => {
    expect(all({}, `--- a/x\n+++ b/x\n${hunk}`)).toEqual(["FileMissing"])
    expect(all({ x: "a\nb\n" }, "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n")).toEqual(["NotFound"])
  })

  it("reads names that git quotes", () => {
    expect(all({ "tab\tü": "a\n" }, '--- "a/tab\\t\\303\\274"\n+++ "b/tab\\t\\303\\274"\n@@ -1 +1 @@\n-a\n+b\n')).toEqual({ "tab\tü": "b\n" })
  })
})
