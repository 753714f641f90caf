import { describe, expect, it } from "@effect/vitest"
import * as Locate from "../../../src/domain/diff/Locate.ts"
import { block, searchReplace } from "./support.ts"

const find = (content: string, search: ReadonlyArray<string>) => Locate.locate(Locate.target(content), search).places

describe("the steps", () => {
  it("each find what the one before does not, and say so", () => {
    expect(find("a\nb\n", ["b"])).toEqual([{ start: 1, strategy: "exact", confidence: 1 }])
    expect(find("a\nb  \n", ["b"])).toEqual([{ start: 1, strategy: "trailing-whitespace", confidence: 1 }])
    expect(find("a\n  b\n", ["b"])).toEqual([{ start: 1, strategy: "whitespace", confidence: 1 }])
    expect(find("a\nsay “b” – c…\n", ["say \"b\" - c..."])).toEqual([{ start: 1, strategy: "look-alike", confidence: 1 }])
    expect(find("begin\nalpha beta gamma\nend\n", ["begin", "alpha beta delta", "end"]))
      .toEqual([{ start: 0, strategy: "anchors", confidence: 1 - 4 / 16 }])
    expect(find("the quick brown fox jumps\n", ["the quick brown fox jumped"]))
      .toEqual([{ start: 0, strategy: "similar", confidence: 1 - 2 / 26 }])
  })

  it("decide by the first that finds any place", () => {
    expect(find("b \nb\n b\n", ["b"])).toEqual([{ start: 1, strategy: "exact", confidence: 1 }])
    expect(searchReplace("b \nb \nb\t\n", block("b\n", "c\n")).reasons).toEqual(["Ambiguous"])
  })

  it.each([
    ["smart quotes", "it’s “so”\n", "it's \"so\"\n"],
    ["dashes", "a — b – c ‑ d\n", "a - b - c - d\n"],
    ["a non-breaking space", "a\u00a0b\n", "a b\n"],
    ["an ellipsis", "wait…\n", "wait...\n"],
    ["a character without width", "a\u200bb\n", "ab\n"]
  ])("fold %s, in the file or in the search text", (_, fancy, plain) => {
    expect(searchReplace(fancy, block(plain, "x\n"))).toEqual({ content: "x\n", strategies: ["look-alike"], warnings: [] })
    expect(searchReplace(plain, block(fancy, "x\n"))).toEqual({ content: "x\n", strategies: ["look-alike"], warnings: [] })
  })

  it("take off backslashes that escape for nothing, in the replacement too", () => {
    const outcome = searchReplace("say(\"a\")\n", block("say(\\\"a\\\")\n", "say(\\\"b\\\")\n"))
    expect(outcome.content).toBe("say(\"b\")\n")
    expect(outcome.warnings).toHaveLength(1)
  })

  it("take off line numbers that were copied into every line, in the replacement where every line has them", () => {
    const outcome = searchReplace("a\n  b\nc\n", block("1 | a\n2 |   b\n", "1 | A\n2 |   B\n3 | x\n"))
    expect(outcome).toEqual({
      content: "A\n  B\nx\nc\n",
      strategies: ["look-alike"],
      warnings: ["block 1: removed the line numbers from its lines"]
    })
    expect(searchReplace("a\nb\n", block("1 | a\n", "x\n")).content).toBe("x\nb\n")
    expect(searchReplace("x\ny\nx\n", block("3 | x\n", "z\n")).content).toBe("x\ny\nz\n")
    expect(searchReplace("a\nb\n", block("1 | a\nb\n", "x\n")).reasons).toEqual(["NotFound"])
    expect(searchReplace("1 | a\n", block("1 | a\n", "1 | b\n")).content).toBe("1 | b\n")
  })

  it("want three lines and a middle at least 60% similar between anchors", () => {
    expect(find("begin\nalpha beta gamma\nend\n", ["begin", "no no no no no no", "end"])).toEqual([])
    expect(find("begin\nend\n", ["begin", "end of it all"])).toEqual([])
  })

  it("want a similar place to be at least 0.9 similar, or what the call says", () => {
    const file = "alpha beta gamma\nx\n"
    expect(searchReplace(file, block("alpha beta gamut\n", "y\n")).reasons).toEqual(["NotFound"])
    expect(searchReplace(file, block("alpha beta gamut\n", "y\n"), { similarity: 0.8 }).content).toBe("y\nx\n")
  })

  it("want a similar place to be 0.05 better than the second best", () => {
    const near = "the quick brown fox jumps over 1\nthe quick brown fox jumps over 2\n"
    const outcome = searchReplace(near, block("the quick brown fox jumps over 3\n", "y\n"))
    expect(outcome.reasons).toEqual(["Ambiguous"])
    expect(outcome.message).toContain("lines 1, 2")
  })

  it("tell what they guessed", () => {
    expect(searchReplace("the quick brown fox jumps\n", block("the quick brown fox jumped\n", "x\n")).warnings)
      .toEqual(["block 1: matched by similarity (92%) at lines 1-1"])
  })
})

describe("several equal places", () => {
  const hinted = (line: number) => `<<<<<<< SEARCH\n:start_line:${line}\n-------\nx\n=======\ny\n>>>>>>> REPLACE\n`

  it("are settled by the hint if one is nearest", () => {
    expect(searchReplace("x\na\na\na\nx\n", hinted(4)).content).toBe("x\na\na\na\ny\n")
    expect(searchReplace("x\na\nx\n", hinted(2)).reasons).toEqual(["Ambiguous"])
  })

  it("are taken in order by as many blocks with the same search text", () => {
    expect(searchReplace("x\na\nx\n", block("x\n", "1\n") + block("x\n", "2\n")).content).toBe("1\na\n2\n")
    expect(searchReplace("x\na\nx\nx\n", block("x\n", "1\n") + block("x\n", "2\n")).reasons).toEqual(["Ambiguous", "Ambiguous"])
  })

  it("are an error that lists them otherwise", () => {
    const outcome = searchReplace("x\na\nx\n", block("x\n", "1\n"))
    expect(outcome.message).toBe(
      "block 1, line 1 of the input: the text to find occurs in 2 places (lines 1, 3): add surrounding lines to identify one"
    )
  })
})

describe("re-indentation", () => {
  it.each([
    ["deeper", "    a\n    b\n", "a\nb\n", "x\n  y\n", "    x\n      y\n"],
    ["shallower", "a\n  b\n", "    a\n      b\n", "    x\n      y\n", "x\n  y\n"],
    ["tabs for spaces", "\tif a:\n\t\tb\n", "    if a:\n        b\n", "    if c:\n        d\n            e\n", "\tif c:\n\t\td\n\t\t\te\n"],
    ["spaces for tabs", "  a\n    b\n", "\ta\n\t\tb\n", "\tx\n\t\ty\n\t\t\tz\n", "  x\n    y\n      z\n"],
    ["blank lines as they are", "  a\n", "a\n", "x\n\ny\n", "  x\n\n  y\n"],
    ["a line less deep than the search text", "\t\ta\n", "    a\n", "  x\n    y\n", "\tx\n\t\ty\n"],
    ["where only the first line lost its indentation", "  if a\n    b\n  end\n", "if a\n    b\n  end\n", "if c\n    d\n  end\n", "  if c\n    d\n  end\n"]
  ])("%s", (_, file, search, replace, after) => {
    expect(searchReplace(file, block(search, replace)).content).toBe(after)
  })

  it("leaves an exact replacement as it is written", () => {
    expect(searchReplace("\ta\n", block("\ta\n", "    b\n")).content).toBe("    b\n")
  })
})
