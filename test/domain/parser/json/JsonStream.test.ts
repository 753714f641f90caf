import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as JsonStream from "../../../../src/domain/parser/json/JsonStream.ts"
import { pieces } from "../pieces.ts"

const read = (text: string, lengths: ReadonlyArray<number>, options?: JsonStream.Options): JsonStream.State =>
  pieces(text, lengths).reduce(JsonStream.push, JsonStream.initial(options))

const cuts = [[1], [2], [3], [1000]]

describe("valid JSON", () => {
  it.each([
    "{}", "[]", "\"\"", "null", "true", " false ", "0", "-0", "1.5e-3", "1E400", "123456789012345678901234567890",
    "{\"a\":1,\"b\":[true,null,{\"c\":\"d\"}],\"e\":{}}",
    "[\n\t1 ,\r\n 2 ]",
    "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00\"",
    "\"\\ud83d lone \\ude00\"",
    "\"😀\u2028\"",
    "{\"a\":1,\"b\":2,\"a\":3}",
    "{\"a\":{\"x\":1},\"a\":{\"y\":2}}",
    "{\"__proto__\":{\"x\":1},\"__proto__\":\"y\",\"constructor\":2}",
    "{\"2\":1,\"1\":2,\"\":3}"
  ])("%s", (text) => {
    for (const lengths of cuts) {
      for (const mode of ["strict", "repair"] as const) {
        const end = Result.getOrThrow(JsonStream.end(read(text, lengths), mode))
        assert.deepStrictEqual(end, { value: JSON.parse(text), repairs: [] })
        assert.strictEqual(JSON.stringify(end.value), JSON.stringify(JSON.parse(text)))
      }
    }
  })
})

describe("strict", () => {
  it.each([
    ["", "incomplete", 0, []],
    ["  ", "incomplete", 2, []],
    ["{\"a\":\"b", "incomplete", 7, ["a"]],
    ["{\"a\":[1,tru", "incomplete", 11, ["a", 1]],
    ["{\"a\":1", "incomplete", 6, ["a"]],
    ["1e", "incomplete", 2, []],
    ["-", "incomplete", 1, []],
    ["\"\\ud83", "incomplete", 6, []],
    ["{\"a\":1}x", "syntax", 7, []],
    ["1 2", "syntax", 2, []],
    ["{}{}", "syntax", 2, []],
    ["[1,]", "syntax", 3, [1]],
    ["[1 2]", "syntax", 3, [0]],
    ["{\"a\" 1}", "syntax", 5, ["a"]],
    ["{a:1}", "syntax", 1, []],
    ["{'a':1}", "syntax", 1, []],
    ["[01]", "syntax", 1, [0]],
    ["[1.]", "syntax", 1, [0]],
    ["[NaN]", "syntax", 1, [0]],
    ["\"a\nb\"", "syntax", 2, []],
    ["\"\\x\"", "syntax", 2, []],
    ["[1}", "syntax", 2, [0]],
    ["]", "syntax", 0, []],
    ["// c\n1", "syntax", 0, []],
    ["\ufeff1", "syntax", 0, []],
    ["[1,\u00a02]", "syntax", 3, [1]],
    ["nul", "incomplete", 3, []],
    ["nulx", "syntax", 0, []]
  ] as const)("%j is %s at %d", (text, reason, position, path) => {
    assert.throws(() => JSON.parse(text))
    for (const lengths of cuts) {
      const { failure } = expectFailure(JsonStream.end(read(text, lengths), "strict"))
      assert.deepStrictEqual([failure.reason, failure.position, [...failure.path]], [reason, position, [...path]])
    }
  })

  it("keeps a string that holds an object", () => {
    assert.deepStrictEqual(Result.getOrThrow(JsonStream.parse("\"{}\"", "strict")).value, "{}")
  })

  it("carries what could be saved", () => {
    const { failure } = expectFailure(JsonStream.parse("{\"a\":[1,{\"b\":\"c", "strict"))
    assert.deepStrictEqual(failure.partial, { a: [1, { b: "c" }] })
  })
})

describe("limits", () => {
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)

  it("allows 512 levels", () => {
    assert.deepStrictEqual(Result.getOrThrow(JsonStream.parse(nested(512), "strict")).value, JSON.parse(nested(512)))
  })

  it.each(["strict", "repair"] as const)("refuses the 513th, %s", (mode) => {
    for (const lengths of cuts) {
      const { failure } = expectFailure(JsonStream.end(read(`{"a":${nested(512)}}`, lengths), mode))
      assert.deepStrictEqual([failure.reason, failure.position], ["depth", 516])
      assert.isDefined(failure.partial)
    }
  })

  it.each(["strict", "repair"] as const)("refuses a byte over maxBytes, %s", (mode) => {
    for (const lengths of cuts) {
      const text = "{\"a\":\"é😀x\"}"
      assert.isTrue(Result.isSuccess(JsonStream.end(read(text, lengths, { maxBytes: 15 }), mode)))
      const { failure } = expectFailure(JsonStream.end(read(text, lengths, { maxBytes: 12 }), mode))
      assert.deepStrictEqual([failure.reason, failure.position, failure.partial], ["size", 9, { a: "é😀" }])
    }
  })
})

describe("repair", () => {
  it.each([
    ["{\"a\":\"b", { a: "b" }, ["string closed", "object closed"]],
    ["{\"a\":[1,{\"b\":2", { a: [1, { b: 2 }] }, ["object closed", "array closed", "object closed"]],
    ["{\"a\":1,\"b", { a: 1 }, ["key without a value dropped", "object closed"]],
    ["{\"a\":1,\"b\":", { a: 1 }, ["key without a value dropped", "object closed"]],
    ["{\"a\":1,", { a: 1 }, ["trailing comma dropped", "object closed"]],
    ["[1,", [1], ["trailing comma dropped", "array closed"]],
    ["{\"a\":\"x\\ud83d", { a: "x" }, ["half a character dropped", "string closed", "object closed"]],
    ["[\"x\ud83d", ["x"], ["half a character dropped", "string closed", "array closed"]],
    ["[\"x\\u00", ["x"], ["half a character dropped", "string closed", "array closed"]],
    ["[\"x\\", ["x"], ["half a character dropped", "string closed", "array closed"]],
    ["[tru", [true], ["tru completed to true", "array closed"]],
    ["[nul", [null], ["nul completed to null", "array closed"]],
    ["[Fal", [false], ["Fal completed to false", "array closed"]],
    ["[1e", [1], ["1e cut to 1", "array closed"]],
    ["[1.5e+", [1.5], ["1.5e+ cut to 1.5", "array closed"]],
    ["[-", [], ["sign without a number dropped", "array closed"]],
    ["{\"a\":-", {}, ["sign without a number dropped", "object closed"]],
    ["{'a':'b\"c'}", { a: "b\"c" }, ["single quotes read", "single quotes read"]],
    ["[\"a\nb\"]", ["a\nb"], ["raw control character kept"]],
    ["{\"a\":1,}", { a: 1 }, ["trailing comma dropped"]],
    ["[1,]", [1], ["trailing comma dropped"]],
    ["[1,,2]", [1, 2], ["comma without a value dropped"]],
    ["{a:1,$b-c:2}", { a: 1, "$b-c": 2 }, ["bare key quoted", "bare key quoted"]],
    ["{\"a\":1 // one\n,\"b\"/**/:/* t*w/o */2}", { a: 1, b: 2 }, ["comment dropped", "comment dropped", "comment dropped"]],
    ["[NaN,Infinity,-Infinity]", [null, null, null], [
      "NaN read as null",
      "Infinity read as null",
      "-Infinity read as null"
    ]],
    ["[None,True,False]", [null, true, false], ["None read as null", "True read as true", "False read as false"]],
    ["```json\n{\"a\":1}\n```", { a: 1 }, ["text before the value skipped", "text after the value skipped"]],
    ["Here it is: {\"a\":1} as asked", { a: 1 }, ["text before the value skipped", "text after the value skipped"]],
    ["{\"a\":1}{\"b\":2}", { a: 1 }, ["text after the value skipped"]],
    ["\"{\\\"a\\\":[1]}\"", { a: [1] }, ["JSON in a string read"]],
    ["\" [1] \"", [1], ["JSON in a string read"]],
    ["\"[note] a\"", "[note] a", []],
    ["{\"a\":\"[1]\"}", { a: "[1]" }, []],
    ["{\"a\":[1,{\"b\":2}", { a: [1, { b: 2 }] }, ["array closed", "object closed"]],
    ["{\"a\":[1,2}", { a: [1, 2] }, ["missing close added"]],
    ["{\"a\":1]}", { a: 1 }, ["close without an open skipped"]],
    ["[1 2]", [1, 2], ["missing comma added"]],
    ["{\"a\":1 \"b\" 2}", { a: 1, b: 2 }, ["missing comma added", "missing colon added"]],
    ["{\"a\":}", {}, ["key without a value dropped"]],
    ["{\"a\",\"b\":1}", { b: 1 }, ["key without a value dropped"]],
    ["{\"a\":word}", { a: "word" }, ["bare word quoted"]],
    ["[+1,.5,01x]", [1, 0.5, "01x"], ["+1 read as 1", ".5 read as 0.5", "bare word quoted"]],
    ["[-]", [], ["sign without a number dropped"]],
    ["[\"\\'\\q\"]", ["'q"], ["unknown escape read as its letter"]],
    ["[\"\\u12g\"]", ["\\u12g"], ["broken escape kept as text"]]
  ])("%j", (text, value, whats) => {
    for (const lengths of cuts) {
      const end = Result.getOrThrow(JsonStream.end(read(text, lengths), "repair"))
      assert.deepStrictEqual(end.value, value)
      assert.deepStrictEqual(end.repairs.map(({ what }) => what), whats)
    }
  })

  it("says where", () => {
    assert.deepStrictEqual(Result.getOrThrow(JsonStream.parse("{\"a\":[{b:1},]}", "repair")).repairs, [
      { position: 7, path: ["a", 0], what: "bare key quoted" },
      { position: 12, path: ["a", 1], what: "trailing comma dropped" }
    ])
  })

  it.each(["", " ", "no value here", "-", "```\n", "word"])("fails on %j, in which no value begins", (text) => {
    for (const lengths of cuts) {
      const { failure } = expectFailure(JsonStream.end(read(text, lengths), "repair"))
      assert.isFalse("partial" in failure)
    }
  })
})

describe("the view", () => {
  it("shows strings as they grow, and numbers and words once they are whole", () => {
    const steps = ["{\"pa", "th\":\"a", "b\\", "nc\",", "\"n\":1", "2,\"b\":[tr", "ue", ",\"x", "\"]}"]
    let state = JsonStream.initial()
    const seen = steps.map((piece) => {
      state = JsonStream.push(state, piece)
      return [structuredClone(JsonStream.value(state)), JsonStream.grown(state).map(({ path, text }) => [path, text])]
    })
    assert.deepStrictEqual(seen, [
      [{}, []],
      [{ path: "a" }, [[["path"], "a"]]],
      [{ path: "ab" }, [[["path"], "b"]]],
      [{ path: "ab\nc" }, [[["path"], "\nc"]]],
      [{ path: "ab\nc" }, []],
      [{ path: "ab\nc", n: 12, b: [] }, []],
      [{ path: "ab\nc", n: 12, b: [] }, []],
      [{ path: "ab\nc", n: 12, b: [true, "x"] }, [[["b", 1], "x"]]],
      [{ path: "ab\nc", n: 12, b: [true, "x"] }, []]
    ])
  })

  it("shows no half of a surrogate pair", () => {
    let state = JsonStream.initial()
    const seen = ["[\"a\ud83d", "\ude00\\ud83d\\u", "de01\"]"].map((piece) => {
      state = JsonStream.push(state, piece)
      return [structuredClone(JsonStream.value(state)), JsonStream.grown(state).map(({ text }) => text)]
    })
    assert.deepStrictEqual(seen, [[["a"], ["a"]], [["a😀"], ["😀"]], [["a😀😁"], ["😁"]]])
  })

  it("shares what is whole with the view before", () => {
    const state = JsonStream.push(JsonStream.initial(), "{\"a\":{\"b\":[1]},\"c\":\"d")
    const before = (JsonStream.value(state) as { readonly a: unknown }).a
    assert.strictEqual((JsonStream.value(JsonStream.push(state, "e")) as { readonly a: unknown }).a, before)
  })
})

const expectFailure = (
  result: ReturnType<typeof JsonStream.end>
): Result.Failure<JsonStream.ParseResult, JsonStream.JsonError> => {
  if (Result.isSuccess(result)) throw new Error(`expected a failure, got ${JSON.stringify(result.success)}`)
  return result
}
