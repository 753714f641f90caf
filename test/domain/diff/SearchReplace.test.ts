import { describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as SearchReplace from "../../../src/domain/diff/SearchReplace.ts"
import { block, searchReplace } from "./support.ts"

const file = "one\ntwo\nthree\n"

describe("a SEARCH/REPLACE block", () => {
  it.each([
    ["with dashes and pluses", "------- SEARCH\ntwo\n=======\n2\n+++++++ REPLACE\n"],
    ["with angle brackets", "<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n"],
    ["with a > after the word", "------- SEARCH>\ntwo\n=======\n2\n+++++++ REPLACE>\n"],
    ["with three characters", "--- SEARCH\ntwo\n===\n2\n+++ REPLACE\n"],
    ["with ten characters", "<<<<<<<<<< SEARCH\ntwo\n==========\n2\n>>>>>>>>>> REPLACE\n"],
    ["with white space after its markers", "------- SEARCH \t\ntwo\n=======  \n2\n+++++++ REPLACE  \n"],
    ["without a newline at the end", "------- SEARCH\ntwo\n=======\n2\n+++++++ REPLACE"],
    ["in prose", `I will change it:\n\n${block("two\n", "2\n")}\nand that is all. - done\n`],
    ["in a code fence", `\`\`\`diff\n${block("two\n", "2\n")}\`\`\`\n`],
    ["with markers indented, and its lines with them", "  ------- SEARCH\n  two\n  =======\n  2\n  +++++++ REPLACE\n"],
    ["with CRLF", block("two\n", "2\n").replaceAll("\n", "\r\n")]
  ])("is read %s", (_, diff) => {
    expect(searchReplace(file, diff)).toEqual({ content: "one\n2\nthree\n", strategies: ["exact"], warnings: [] })
  })

  it("takes a start line for a hint", () => {
    const diff = "<<<<<<< SEARCH\n:start_line:4\n-------\na\n=======\nA\n>>>>>>> REPLACE\n"
    expect(searchReplace("a\nb\nb\na\n", diff).content).toBe("a\nb\nb\nA\n")
  })

  it("keeps a line of dashes that follows no start line", () => {
    expect(searchReplace("-------\nx\n", block("-------\nx\n", "y\n")).content).toBe("y\n")
  })

  it("takes a marker after a backslash for data", () => {
    const marked = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
    const escaped = marked.replace(/^(?=[<=>])/gm, "\\")
    expect(searchReplace(marked, block(escaped, "gone\n")).content).toBe("gone\n")
    expect(searchReplace("x\n", block("x\n", escaped)).content).toBe(marked)
  })

  it("keeps a marker that is indented otherwise than its own", () => {
    expect(searchReplace("x\n", block("x\n", "  ------- SEARCH\n  =======\n  +++++++ REPLACE\n")).content)
      .toBe("  ------- SEARCH\n  =======\n  +++++++ REPLACE\n")
  })
})

describe("several lines of =", () => {
  it("are an underline but for the only one of exactly seven, on either side", () => {
    expect(searchReplace("Title\n=====\nx\n", block("Title\n=====\n", "New\n=====\n")).content).toBe("New\n=====\nx\n")
  })

  it("of exactly seven: the last whose search side is in the file divides, with a warning", () => {
    const inSearch = searchReplace("Heading\n=======\nx\n", block("Heading\n=======\n", "Plain\n"))
    expect(inSearch.content).toBe("Plain\nx\n")
    expect(inSearch.warnings).toEqual(["block 1: of several ======= lines, treated the one at line 4 as the separator"])
    const inReplace = searchReplace("Plain\nx\n", block("Plain\n", "Heading\n=======\n"))
    expect(inReplace.content).toBe("Heading\n=======\nx\n")
    expect(inReplace.warnings).toHaveLength(1)
  })

  it("of which none has exactly seven are an error that lists them", () => {
    const outcome = searchReplace("a\n", "------- SEARCH\na\n=====\nb\n=========\nc\n+++++++ REPLACE\n")
    expect(outcome.reasons).toEqual(["Malformed"])
    expect(outcome.message).toContain("lines 3, 5")
  })

  it("none of whose search sides is in the file are an error that lists them", () => {
    const outcome = searchReplace("nothing alike\n", block("aaaaaa\n=======\nbbbbbb\n", "cccccc\n"))
    expect(outcome.reasons).toEqual(["NotFound"])
    expect(outcome.message).toContain("lines 3, 5")
  })
})

describe("a broken input", () => {
  it("without its last marker is accepted with a warning", () => {
    const outcome = searchReplace(file, "------- SEARCH\ntwo\n=======\n2\n")
    expect(outcome.content).toBe("one\n2\nthree\n")
    expect(outcome.warnings).toHaveLength(1)
  })

  it.each(["+++", "+++++++", "+++++++ REP", "+++++++ REPLAC"])("loses a last line %j, the beginning of its marker", (cut) => {
    expect(searchReplace(file, `------- SEARCH\ntwo\n=======\n2\n${cut}`).content).toBe("one\n2\nthree\n")
  })

  it.each(["```", "~~~~ts"])("loses the end of the code fence %s around it", (fence) => {
    const end = fence.replace("ts", "")
    expect(searchReplace(file, `${fence}\n------- SEARCH\ntwo\n=======\n2\n${end}\n\n`).content).toBe("one\n2\nthree\n")
    expect(searchReplace(file, `------- SEARCH\ntwo\n=======\n2\n${end}\n`).content).toBe(`one\n2\n${end}\nthree\n`)
  })

  it.each(["++", "++++ x", ">>>", "+++\n"])("keeps a last line %j", (line) => {
    const kept = line.endsWith("\n") ? line : `${line}\n`
    expect(searchReplace(file, `------- SEARCH\ntwo\n=======\n${line}`).content).toBe(`one\n${kept}three\n`)
  })

  it.each([
    ["without a separator", "------- SEARCH\ntwo\n+++++++ REPLACE\n", "line 3"],
    ["that ends before a separator", "------- SEARCH\ntwo\n", "line 2"],
    ["with a second SEARCH marker", "------- SEARCH\ntwo\n------- SEARCH\n", "line 3"],
    ["with a SEARCH marker in the replacement", "------- SEARCH\ntwo\n=======\n2\n------- SEARCH\n", "line 5"],
    ["with a REPLACE marker first", "x\n+++++++ REPLACE\n", "line 2"],
    ["cut off within its separator", "------- SEARCH\ntwo\n====", "line 3"]
  ])("%s is an error that names the line", (_, diff, line) => {
    const outcome = searchReplace(file, diff)
    expect(outcome.reasons).toEqual(["Malformed"])
    expect(outcome.message).toContain(line)
  })

  it.each(["", "only prose\n=======\n"])("%j holds no edit", (diff) => {
    expect(searchReplace(file, diff).reasons).toEqual(["NoEdit"])
  })
})

describe("an empty search text", () => {
  it("makes a file that is missing or empty", () => {
    expect(searchReplace("", block("", "new\n")).content).toBe("new\n")
    expect(searchReplace("", block("", "new\n").replaceAll("\n", "\r\n")).content).toBe("new\r\n")
    expect(searchReplace("\ufeff", block("", "new\n")).content).toBe("\ufeffnew\n")
  })

  it("is refused on a file with content, unless the call replaces the whole", () => {
    expect(searchReplace(file, block("", "new\n")).reasons).toEqual(["NotEmpty"])
    expect(searchReplace("\ufeffa\r\nb", block("", "new\nfile\n"), { replace: "whole" }).content).toBe("\ufeffnew\r\nfile")
  })

  it("is not one blank line", () => {
    expect(searchReplace("a\n\nb\n", block("\n", "x\n")).content).toBe("a\nx\nb\n")
  })
})

describe("several blocks", () => {
  it("may come in any order", () => {
    const outcome = searchReplace(file, block("three\n", "3\n") + block("one\n", "1\n"))
    expect(outcome.content).toBe("1\ntwo\n3\n")
  })

  it("that overlap are an error, and nothing changes", () => {
    const outcome = searchReplace(file, block("one\ntwo\n", "1\n") + block("two\nthree\n", "2\n"))
    expect(outcome.reasons).toEqual(["Overlap"])
    expect(outcome.message).toContain("blocks 1 and 2")
  })

  it("say which failed, which part is nearest, and which would apply", () => {
    const source = "function area(w, h) {\n  return w * h\n}\n\nfunction edge(w, h) {\n  return 2 * (w + h)\n}\n"
    const diff = block("function edge(w, h) {\n  return w + h\n}\n", "x\n") + block("function area(w, h) {\n", "y\n")
    const parsed = SearchReplace.parse(diff)
    expect(Result.isSuccess(parsed)).toBe(true)
    const outcome = searchReplace(source, diff.replace("  return w + h", "  throw new Error(String(w + h))"))
    expect(outcome.reasons).toEqual(["NotFound"])
    expect(outcome.message).toBe([
      "block 1, line 1 of the input: the text to find is not in the file, and nothing in it is similar enough",
      "Nearest: lines 5-7, 62% similar (- expected, + found):",
      "  function edge(w, h) {",
      "-   throw new Error(String(w + h))",
      "+   return 2 * (w + h)",
      "  }",
      "Would apply: block 2. Nothing was changed."
    ].join("\n"))
  })
})

describe("the file's own form", () => {
  it.each([
    ["CRLF in the file", "a\r\nb\r\n", block("b\n", "B\nC\n"), "a\r\nB\r\nC\r\n"],
    ["CRLF in the diff", "a\nb\n", block("b\n", "B\nC\n").replaceAll("\n", "\r\n"), "a\nB\nC\n"],
    ["mixed line endings, each where it is", "a\r\nb\nc\r\n", block("b\n", "B\n"), "a\r\nB\nc\r\n"],
    ["a byte order mark before the diff", "a\n", `\ufeff${block("a\n", "A\n")}`, "A\n"],
    ["a byte order mark", "\ufeffa\nb\n", block("a\n", "A\n"), "\ufeffA\nb\n"],
    ["no newline at the end", "a\nb", block("b\n", "B\nC\n"), "a\nB\nC"],
    ["no newline at the end, when the last line goes", "a\nb", block("b\n", ""), "a"],
    ["a newline at the end, when the last line goes", "a\nb\n", block("b\n", ""), "a\n"],
    ["no newline at the end of CRLF, when the last line goes", "a\r\nb", block("b\n", ""), "a"]
  ])("is kept: %s", (_, before, diff, after) => {
    expect(searchReplace(before, diff).content).toBe(after)
  })

  it("is nothing when all its lines go", () => {
    expect(searchReplace("a\nb\n", block("a\nb\n", "")).content).toBe("")
  })
})

describe("a place", () => {
  it("is whole lines, never the tail of a longer one", () => {
    expect(searchReplace("let x = 1\nx = 1\n", block("x = 1\n", "x = 2\n")).content).toBe("let x = 1\nx = 2\n")
    expect(searchReplace("let x = 1\n", block("x = 1\n", "x = 2\n")).reasons).toEqual(["NotFound"])
  })

  it("is not found in an empty file", () => {
    expect(searchReplace("", block("a\n", "b\n")).reasons).toEqual(["NotFound"])
  })
})

it("a replacement equal to what it replaces is an error", () => {
  expect(searchReplace(file, block("two\n", "two\n")).reasons).toEqual(["NoChange"])
  expect(searchReplace("  two\n", block("two\n", "two\n")).reasons).toEqual(["NoChange"])
  expect(searchReplace(file, block("two \n", "two\n")).reasons).toEqual(["NoChange"])
})
