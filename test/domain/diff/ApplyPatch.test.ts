import { describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Apply from "../../../src/domain/diff/Apply.ts"
import * as ApplyPatch from "../../../src/domain/diff/ApplyPatch.ts"
import { patch } from "./support.ts"

const all = (files: Record<string, string>, text: string) =>
  Result.match(Result.flatMap(ApplyPatch.parse(text), (edits) => Apply.applyAll(files, edits)), {
    onSuccess: ({ files, warnings }): unknown => warnings.length === 0 ? files : { files, warnings },
    onFailure: ({ failures }): unknown => failures.map(({ reason }) => reason)
  })

const envelope = (...lines: ReadonlyArray<string>): string => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n")

const classes = "class A:\n    def run(self):\n        return 1\n\nclass B:\n    def run(self):\n        return 1\n"

describe("a V4A patch", () => {
  it("adds, changes, moves and deletes files", () => {
    expect(all({ "a.ts": "one\ntwo\n", "b.ts": "x\n", "c.ts": "y\n" }, envelope(
      "*** Add File: new.ts", "+first", "+", "+third",
      "*** Update File: a.ts", "@@", " one", "-two", "+2",
      "*** Update File: b.ts", "*** Move to: d/b.ts", "@@", "-x", "+X",
      "*** Delete File: c.ts"
    ))).toEqual({ "new.ts": "first\n\nthird\n", "a.ts": "one\n2\n", "b.ts": null, "d/b.ts": "X\n", "c.ts": null })
  })

  it("says so where a header is not in the file, and the lines alone decided", () => {
    const update = (header: string) => all({ a: classes }, envelope("*** Update File: a", header, "-class B:", "+class C:"))
    expect(update("@@ class Z:")).toMatchObject({ warnings: ["a, block 1: its header \"@@ class Z:\" is not in the file; used only its lines"] })
    expect(update("@@ class B:")).toEqual({ a: classes.replace("B", "C") })
    expect(update("@@")).toEqual({ a: classes.replace("B", "C") })
  })

  it("moves a file without a hunk", () => {
    expect(all({ a: "x" }, envelope("*** Update File: a", "*** Move to: b"))).toEqual({ a: null, b: "x" })
  })

  it.each([
    ["a heredoc", `apply_patch <<'EOF'\n${envelope("*** Update File: a", "-x", "+y")}\nEOF\n`],
    ["an indentation of its own", envelope("*** Update File: a", "-x", "+y").replace(/^/gm, "    ")],
    ["a first line that alone is indented", `  ${envelope("*** Update File: a", "-x", "+y")}`],
    ["a code fence", `\`\`\`\n${envelope("*** Update File: a", "-x", "+y")}\n\`\`\`\n`],
    ["prose", `I change a:\n${envelope("*** Update File: a", "-x", "+y")}\nDone.\n`],
    ["CRLF", envelope("*** Update File: a", "@@", "-x", "+y").replaceAll("\n", "\r\n")],
    ["white space after markers", "*** Begin Patch \n*** Update File: a \n-x\n+y\n*** End Patch  \n"]
  ])("is read in %s", (_, text) => {
    expect(all({ a: "x\n" }, text)).toEqual({ a: "y\n" })
  })

  it.each(["", "\n```\n", "\nEOF"])("without its End is accepted with a warning (%j after it)", (tail) => {
    const opening = tail.includes("`") ? "```\n" : tail.includes("EOF") ? "<<EOF\n" : ""
    expect(all({ a: "x\n" }, `${opening}*** Begin Patch\n*** Update File: a\n-x\n+y${tail}`)).toEqual({
      files: { a: "y\n" },
      warnings: ["`*** End Patch` is missing; treated the end of the input as the end of the patch"]
    })
  })

  it("takes a line of context without its space, with a warning", () => {
    const outcome = patch("one\ntwo\n", "@@\none\n-two\n+2")
    expect(outcome.content).toBe("one\n2\n")
    expect(outcome.warnings).toEqual(["line 4: treated a line without its leading space as context"])
  })

  it("keeps the file's own text in its context, and its line endings", () => {
    expect(patch("\tone  \r\n\ttwo\r\n", "@@\n one\n-two\n+2").content).toBe("\tone  \r\n\t2\r\n")
    expect(patch("“one”\ntwo", "@@\n \"one\"\n-two\n+2").content).toBe("“one”\n2")
  })

  it("adds what it says, also where the file has such a line already", () => {
    expect(patch("call\nimport a\nend\n", "@@\n call\n+import a").content).toBe("call\nimport a\nimport a\nend\n")
  })

  it("finds a hunk under its @@ headers", () => {
    const hunk = "-        return 1\n+        return 2"
    expect(patch(classes, `@@ class B:\n@@     def run(self):\n${hunk}`).content).toBe(classes.replace(/1\n$/, "2\n"))
    expect(patch(classes, `@@ class A:\n${hunk}`).content).toBe(classes.replace("1", "2"))
    expect(patch(classes, `@@ def run(self):\n${hunk}`).reasons).toEqual(["Ambiguous"])
    expect(patch(classes, `@@\n${hunk}`).reasons).toEqual(["Ambiguous"])
  })

  it("finds a hunk whose header is its own first line, or only the beginning of a line", () => {
    expect(patch(classes, "@@ class B:\n class B:\n     def run(self):\n-        return 1\n+        return 2").content)
      .toBe(classes.replace(/1\n$/, "2\n"))
    expect(patch(classes, "@@ class B\n-        return 1\n+        return 2").content).toBe(classes.replace(/1\n$/, "2\n"))
  })

  it("settles several places by the order of its hunks", () => {
    expect(patch("a\nx\nb\nx\nc\n", "@@\n-b\n+B\n@@\n-x\n+X").content).toBe("a\nx\nB\nX\nc\n")
    expect(patch("x\na\nx\nb\nx\n", "@@\n-a\n+A\n@@\n-x\n+X\n@@\n-b\n+B").content).toBe("x\nA\nX\nB\nx\n")
  })

  it("puts a hunk at the end of the file when it says so", () => {
    expect(patch("x\na\nx\n", "@@\n-x\n+X\n*** End of File").content).toBe("x\na\nX\n")
  })

  it("puts lines without context after their header, else at the end", () => {
    expect(patch(classes, "@@ class B:\n+    y = 1").content).toBe(classes.replace("class B:\n", "class B:\n    y = 1\n"))
    expect(patch("a\nb", "@@\n+c").content).toBe("a\nb\nc")
    expect(patch("a\nb\n", "@@\n+c").content).toBe("a\nb\nc\n")
    expect(patch("a\n", "@@ nowhere\n+c").reasons).toEqual(["NotFound"])
  })

  it("takes the numbers of a unified diff for a hint", () => {
    expect(patch("a\nb\na\n", "@@ -3,1 +3,1 @@\n-a\n+A").content).toBe("a\nb\nA\n")
  })
})

describe("a V4A patch is refused", () => {
  it.each([
    ["without its Begin", {}, "*** Update File: a\n-x\n+y\n*** End Patch", ["Malformed"]],
    ["without anything of it", {}, "hello", ["Malformed"]],
    ["that changes nothing", {}, "*** Begin Patch\n*** End Patch", ["NoEdit"]],
    ["for an Add of a file that exists", { a: "" }, envelope("*** Add File: a", "+x"), ["FileExists"]],
    ["for an Update of one that is missing", {}, envelope("*** Update File: a", "-x", "+y"), ["FileMissing"]],
    ["for a Delete of one that is missing", {}, envelope("*** Delete File: a"), ["FileMissing"]],
    ["for an Update without hunks and without a move", { a: "x" }, envelope("*** Update File: a"), ["Malformed"]],
    ["for a Move onto a file that exists", { a: "x", b: "y" }, envelope("*** Update File: a", "*** Move to: b"), ["FileExists"]],
    ["for a path twice", { a: "x\n" }, envelope("*** Update File: a", "-x", "+y", "*** Delete File: ./a"), ["PathTwice"]],
    ["for a line before its first file", {}, envelope("hello"), ["Malformed"]],
    ["for one bad file among several", { a: "x\n", b: "y\n" }, envelope("*** Update File: a", "-x", "+X", "*** Update File: b", "-z", "+Z"), ["NotFound"]]
  ])("%s", (_, files, text, reasons) => {
    expect(all(files, text)).toEqual(reasons)
  })

  it("with the blocks of other files that would apply", () => {
    const parsed = Result.getOrThrow(ApplyPatch.parse(envelope("*** Update File: a", "-x", "+X", "*** Update File: b", "-z", "+Z")))
    expect(Result.getOrThrow(Result.flip(Apply.applyAll({ a: "x\n", b: "y\n" }, parsed)))).toMatchObject({
      failures: [{ path: "b", block: 2 }],
      wouldApply: [1]
    })
  })
})
