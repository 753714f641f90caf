import { describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Apply from "../../../src/domain/diff/Apply.ts"
import * as ExactEdit from "../../../src/domain/diff/ExactEdit.ts"
import { exact } from "./support.ts"

describe("an exact edit", () => {
  it.each([
    ["within a line", "let a = 1\n", "a = 1", "b = 2", "let b = 2\n"],
    ["over lines", "a(\n  b\n)\n", "(\n  b\n)", "()", "a()\n"],
    ["of whole lines", "a\nb\nc\n", "b\n", "B\nC\n", "a\nB\nC\nc\n"],
    ["of a whole line, its newline left", "a\nb\nc\n", "b", "", "a\n\nc\n"],
    ["that takes a line out", "a\nb\nc\n", "b\n", "", "a\nc\n"],
    ["of the last line, without a newline", "a\nb", "b", "c", "a\nc"],
    ["with CRLF in the file", "a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\n", "x\r\ny\r\nc\r\n"],
    ["with CRLF in the edit", "a\nb\n", "a\r\nb\r\n", "x\r\ny\r\n", "x\ny\n"],
    ["that begins with a newline, in CRLF", "a\r\nb\r\nc", "\nb\n", "\nB\n", "a\r\nB\r\nc"],
    ["after a byte order mark", "\ufeffa\n", "a", "b", "\ufeffb\n"],
    ["with dollar signs", "price\n", "price", "$& $1 $$", "$& $1 $$\n"],
    ["of one blank line", "a\n\nb\n", "\n\n", "\n", "a\nb\n"]
  ])("%s is to the character", (_, before, oldText, newText, after) => {
    expect(exact(before, oldText, newText)).toEqual({ content: after, strategies: ["exact"], warnings: [] })
  })

  it("prefers whole lines to a place within a line", () => {
    expect(exact("let x = 1\nx = 1\n", "x = 1", "x = 2").content).toBe("let x = 1\nx = 2\n")
  })

  it("of a text in several places is an error that lists their lines", () => {
    const outcome = exact("a b\nc\nb\nb a\n", "a", "x")
    expect(outcome.reasons).toEqual(["Ambiguous"])
    expect(outcome.message).toContain("lines 1, 4")
    expect(exact("aaa\n", "aa", "x").reasons).toEqual(["Ambiguous"])
    expect(exact("a\nb\na\n", "a\n", "x\n").reasons).toEqual(["Ambiguous"])
  })

  it("with replace_all takes every place", () => {
    expect(exact("a b a\nc\na\n", "a", "xx", { replace_all: true }).content).toBe("xx b xx\nc\nxx\n")
    expect(exact("aaaa\n", "aa", "a", { replace_all: true }).content).toBe("aa\n")
    expect(exact("  a \nb\n\ta \n", "a\n", "c\n", { replace_all: true }).content).toBe("  c\nb\n\tc\n")
  })

  it("is found as whole lines with other white space", () => {
    expect(exact("\tif (a) {\n\t\tb()\n\t}\n", "if (a) {\n  b()\n}\n", "if (a) {\n  c()\n  d()\n}\n"))
      .toEqual({ content: "\tif (a) {\n\t\tc()\n\t\td()\n\t}\n", strategies: ["whitespace"], warnings: [] })
    expect(exact("a  \nb\n", "a\nb", "c").content).toBe("c\n")
    expect(exact("a\nb", "b\n", "c\n").content).toBe("a\nc")
  })

  it("with an empty old text makes a file, or replaces the whole when told", () => {
    expect(exact("", "", "x").content).toBe("x")
    expect(exact("a\n", "", "x").reasons).toEqual(["NotEmpty"])
    expect(exact("\ufeffa\r\n", "", "x\ny\n", { replace: "whole" }).content).toBe("\ufeffx\r\ny\r\n")
  })

  it("of a text for itself is an error", () => {
    expect(exact("a\n", "a", "a").reasons).toEqual(["NoChange"])
    expect(exact("a\n", "a\n", "a\r\n").reasons).toEqual(["NoChange"])
  })

  it("carries its path", () => {
    const edits = Result.getOrThrow(ExactEdit.parse({ old_text: "a", new_text: "b", path: "x.ts" }))
    expect(Result.getOrThrow(Apply.applyAll({ "x.ts": "a", "y.ts": "a" }, edits))).toEqual({ files: { "x.ts": "b" }, warnings: [] })
  })

  it("tells which lines changed", () => {
    const edits = Result.getOrThrow(ExactEdit.parse({ old_text: "x", new_text: "y\nz", replace_all: true }))
    expect(Result.getOrThrow(Apply.apply("a\nx x\nb\nx\n", edits)).hunks).toEqual([
      { oldStart: 2, oldLines: 1, newStart: 2, newLines: 3, strategy: "exact" },
      { oldStart: 4, oldLines: 1, newStart: 6, newLines: 2, strategy: "exact" }
    ])
  })
})
