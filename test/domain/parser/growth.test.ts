import { assert, describe, it } from "@effect/vitest"
import { run } from "../../../src/domain/parser/Incremental.ts"
import * as JsonStream from "../../../src/domain/parser/json/JsonStream.ts"
import * as XmlTools from "../../../src/domain/parser/xml/XmlTools.ts"
import { pieces } from "./pieces.ts"

/** Counts how many units are looked at: by index, or on the way of a search. */
const looks = (work: () => void): number => {
  const { charCodeAt, indexOf } = String.prototype
  let count = 0
  String.prototype.charCodeAt = function(at) {
    count++
    return charCodeAt.call(this, at)
  }
  String.prototype.indexOf = function(search, from = 0) {
    const found = indexOf.call(this, search, from)
    count += (found === -1 ? this.length : found) - from + 1
    return found
  }
  try {
    work()
  } finally {
    Object.assign(String.prototype, { charCodeAt, indexOf })
  }
  return count
}

/** Of a text of `count` repetitions, in pieces of each length, each unit is looked at a few times at most. */
const looksFew = (make: (count: number) => string, read: (pieces: ReadonlyArray<string>) => void): void => {
  for (const length of [1, 20, 1_000_000]) {
    const text = make(4_000)
    const all = pieces(text, [length])
    assert.isAtMost(looks(() => read(all)) / text.length, 8, `in pieces of ${length}`)
  }
}

const options: XmlTools.Options = {
  tools: [
    { name: "read_file", params: [{ name: "path" }] },
    { name: "write", params: [{ name: "path" }, { name: "content", raw: true }] }
  ]
}

const adversaries: ReadonlyArray<readonly [string, (count: number) => string]> = [
  ["words", (n) => "some words ".repeat(n)],
  ["white space", (n) => "a" + " \n".repeat(n) + "b"],
  ["opening brackets", (n) => "<".repeat(n)],
  ["almost tags", (n) => "<read_fil<read_file <thinking".repeat(n)],
  ["white space in a tag", (n) => "<read_file" + " ".repeat(n) + "x"],
  ["a name without an end", (n) => "<invoke name=\"" + "a".repeat(n)],
  ["backticks", (n) => "`".repeat(n) + "\n".repeat(n) + "`a``".repeat(n)],
  ["fences of nothing", (n) => "```\n".repeat(n)],
  ["a fence of white space", (n) => "```\n" + " \n".repeat(n) + "x"],
  ["fences that are cut by text", (n) => "```a\n<function_calls>\nb\n```\n".repeat(n)],
  ["blocks of nothing", (n) => "<function_calls>".repeat(n)],
  ["calls", (n) => "<read_file><path>a</path></read_file>".repeat(n)],
  ["calls that are never closed", (n) => "<read_file><path>a</path>".repeat(n)],
  ["a parameter", (n) => "<read_file><path>" + "a value ".repeat(n)],
  ["a parameter full of tags", (n) => "<read_file><path>" + "</p</pat</path </b>".repeat(n)],
  ["a parameter of white space", (n) => "<read_file><path>a" + " \n".repeat(n)],
  ["closes of a raw parameter", (n) => "<write><content>" + "</content>".repeat(n)],
  ["closes of a raw parameter, and white space", (n) => "<write><content>" + "</content>\n\n\n</wri".repeat(n)],
  ["a raw close and much white space", (n) => "<write><content></content>" + "\n ".repeat(n) + "x"],
  ["newlines in a raw parameter", (n) => "<write><content>" + "\r\n".repeat(n)],
  ["text between parameters", (n) => "<read_file>" + "a < b ".repeat(n)],
  ["parameters given again", (n) => "<read_file>" + "<path>a</path>x".repeat(n)],
  ["parameters of any name", (n) =>
    "<invoke name=\"x\">" + Array.from({ length: n / 10 }, (_, i) => `<parameter name="p${i}">v</parameter>`).join("")]
]

describe("XmlTools looks at each character a few times at most", () => {
  it.each(adversaries)("%s", (_, make) => {
    looksFew(make, (pieces) => {
      run(XmlTools, options, pieces)
    })
  })
})

/** A megabyte of each: were it read again from each tag, the test would never end. */
const misses: ReadonlyArray<readonly [string, string, boolean]> = [
  ["opening tags", "<new_rule>", false],
  ["tags and a sentence", "<new_rule>a</new_rule> b ", false],
  ["closing tags", "</new_rule>", false],
  ["attributes", "<new_rule a=b ", false],
  ["white space after tags", `<new_rule>${" ".repeat(200)}</new_rule> b `, false],
  ["parameters that are not closed", "<new_rule><path>", false],
  ["backticks", "`a ``", false],
  ["lines with a call at the end", "<a_b>\nx\n", true]
]

describe("XmlTools finds near misses in linear time", () => {
  it.each(misses)("%s", (_, piece, isCall) => {
    const text = piece.repeat(1_000_000 / piece.length) + (isCall ? "<a_b>\n</a_b>" : "")
    assert.strictEqual(XmlTools.nearMiss(text, options.tools) !== undefined, isCall)
  })
})

const documents: ReadonlyArray<readonly [string, (count: number) => string]> = [
  ["a string", (n) => `{"a":"${"some words ".repeat(n)}`],
  ["escapes", (n) => `["${"\\n\\u00e9\\ud83d\\ude00".repeat(n)}`],
  ["half a pair at each cut", (n) => `["${"😀".repeat(n)}`],
  ["strings", (n) => `[${"\"a\",".repeat(n)}`],
  ["numbers", (n) => `[${"1.5e3,".repeat(n)}`],
  ["a number", (n) => `[${"1".repeat(n)}`],
  ["pairs", (n) => `{${"\"a\":{\"b\":[true,null]},".repeat(n)}`],
  ["white space", (n) => `[${" \n".repeat(n)}`],
  ["comments", (n) => `[${"/* a * b **/// c\n".repeat(n)}`],
  ["prose", (n) => "no value here ".repeat(n)],
  ["commas", (n) => `[${",".repeat(n)}`],
  ["closes that nothing opened", (n) => `${"[".repeat(500)}${"}".repeat(n)}`],
  ["raw newlines in a string", (n) => `["${"a\n".repeat(n)}`],
  ["text behind the value", (n) => `1 ${"2 ".repeat(n)}`],
  ["too deep", (n) => "[".repeat(n)]
]

describe("JsonStream looks at each character a few times at most", () => {
  it.each(documents)("%s", (_, make) => {
    looksFew(make, (pieces) => {
      let state = JsonStream.initial()
      for (const piece of pieces) {
        state = JsonStream.push(state, piece)
        JsonStream.value(state)
      }
      JsonStream.end(state, "repair")
    })
  })
})
