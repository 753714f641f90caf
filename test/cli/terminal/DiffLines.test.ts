/** Diffs as rows with line numbers: nothing of a file is left out, and the words that changed stand out. */
import { describe, expect, it } from "@effect/vitest"
import { text } from "../../../src/cli/render/view/DisplayText.ts"
import * as BlockLines from "../../../src/cli/render/text/BlockLines.ts"
import * as DiffLines from "../../../src/cli/render/text/DiffLines.ts"
import * as Theme from "../../../src/cli/render/text/Theme.ts"
import * as Wrap from "../../../src/cli/render/text/Wrap.ts"
import * as PrintDiff from "../../../src/domain/diff/PrintDiff.ts"

const theme = (variables: Readonly<Record<string, string>>) => Theme.of("always", true, variables, "dark")
const rows = (before: string | null, after: string | null, path = "src/tax.ts", of = Theme.plain) =>
  DiffLines.rows(text(PrintDiff.print(before, after, { path })), of)

describe("a diff in the terminal", () => {
  it("numbers removed lines as in the old file and all others as in the new one", () => {
    const before = Array.from({ length: 20 }, (_, i) => `line ${i + 1}\n`)
    const after = before.toSpliced(0, 1, "first\n", "second\n").toSpliced(18, 1)
    expect(rows(before.join(""), after.join(""))).toEqual([
      " 1 - line 1", " 1 + first", " 2 + second", " 3   line 2", " 4   line 3", " 5   line 4",
      " ⋮", "16   line 15", "17   line 16", "18   line 17", "18 - line 18", "19   line 19", "20   line 20"
    ])
  })

  it("shows every line of a file, though it looks like part of a diff", () => {
    const before = ["-- drop", "++ add", "@@ -1 +1 @@", "diff --git a/x b/x", "index 1", "\\ no", ""].map((line) => `${line}\n`).join("")
    const shown = rows(before, null)
    expect(shown).toEqual(["1 - -- drop", "2 - ++ add", "3 - @@ -1 +1 @@", "4 - diff --git a/x b/x", "5 - index 1", "6 - \\ no", "7 - "])
    expect(DiffLines.counts(text(PrintDiff.print(before, null, { path: "x" })))).toEqual({ added: 0, removed: 7 })
  })

  it("names the files where there are several, and what is more than content", () => {
    const patch = [
      "diff --git a/one.sh b/one.sh", "old mode 100644", "new mode 100755",
      "diff --git a/two b/two", "--- a/two", "+++ b/two", "@@ -1 +1 @@", "-a", "+b", "\\ No newline at end of file",
      "--- a/three", "+++ b/three", "@@ -1 +1 @@", "-c", "+d"
    ].join("\n")
    expect(DiffLines.rows(text(patch), Theme.plain)).toEqual([
      "old mode 100644", "new mode 100755", "two", "1 - a", "1 + b", "\\ No newline at end of file", "three", "1 - c", "1 + d"
    ])
  })

  it("marks the words that changed: bold with sixteen colours, a stronger background with more", () => {
    const change = (variables: Readonly<Record<string, string>>) => rows("const tax = 7\n", "const tax = 19\n", "tax", theme(variables))
    expect(change({ TERM: "xterm" })).toEqual([
      "\u001b[31m\u001b[2m1\u001b[22m - const tax = \u001b[1m7\u001b[22m\u001b[39m",
      "\u001b[32m\u001b[2m1\u001b[22m + const tax = \u001b[1m19\u001b[22m\u001b[39m"
    ])
    expect(change({ TERM: "xterm-256color" })[1]).toBe("\u001b[48;5;22m\u001b[2m1\u001b[22m + const tax = \u001b[48;5;28m19\u001b[48;5;22m\u001b[49m")
    expect(change({ COLORTERM: "truecolor" })[1]).toContain("\u001b[48;2;36;92;54m19\u001b[48;2;18;48;30m\u001b[49m")
  })

  it("has no word marks where two lines have little in common", () => {
    expect(rows("alpha beta\n", "entirely different text\n", "x", theme({ TERM: "xterm" })).join("")).not.toContain("\u001b[1m")
  })

  it("fills the width with the background, and colours the code of known languages", () => {
    const [added = ""] = rows(null, "export const tax = 19 // percent\n", "src/tax.ts", theme({ TERM: "xterm-256color" }))
    expect(added).toContain("\u001b[38;5;111mexport\u001b[39m")
    expect(Wrap.lines(added, 60).map(BlockLines.width)).toEqual([60])
    expect(Wrap.lines(added, 30).map(BlockLines.width)).toEqual([30, 30])
  })
})
