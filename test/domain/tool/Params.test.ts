import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Params from "../../../src/domain/tool/Params.ts"
import * as ToolSpec from "../../../src/domain/tool/ToolSpec.ts"
import { builtin } from "../../../src/layers/tool/builtin.ts"
import type { Any } from "../../../src/services/Tool.ts"

const positive = Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(1)))
const Item = Schema.Struct({ text: Schema.String, state: Schema.Literals(["open", "done"]) }).annotate({ identifier: "Item" })
const tool = {
  name: "sample",
  description: "A tool with a param of each kind.",
  params: Schema.Struct({
    path: Schema.String.annotate({ description: "A path." }),
    line_count: Schema.optionalKey(positive.annotate({ description: "A whole number." })),
    ratio: Schema.optionalKey(Schema.Finite),
    deep: Schema.optionalKey(Schema.Boolean),
    tags: Schema.optionalKey(Schema.Array(Schema.String)),
    items: Schema.optionalKey(Schema.Array(Item)),
    options: Schema.optionalKey(Schema.Struct({ depth: Schema.Int })),
    mode: Schema.optionalKey(Schema.Literals(["fast", "slow"])),
    either: Schema.optionalKey(Schema.Union([Schema.Int, Schema.Array(Schema.Int)]))
  }),
  paramAliases: { file_path: "path", file: "path" }
}
const spec = ToolSpec.fromParams(tool)
const decode = (raw: Schema.Json) => Params.decode(tool, spec, raw)
const accepted = (raw: Schema.Json) => Result.getOrThrow(decode(raw)).params
const refused = (raw: Schema.Json) => Result.getOrThrow(Result.flip(decode(raw)))

describe("what is accepted", () => {
  const table: ReadonlyArray<readonly [name: string, raw: Schema.Json, params: object]> = [
    ["a number as text", { line_count: "5" }, { line_count: 5 }],
    ["a number with a sign, a point, an exponent", { ratio: " -2.5e-1 " }, { ratio: -0.25 }],
    ["a boolean as text", { deep: "True" }, { deep: true }],
    ["no as false, 1 as true", { deep: "no" }, { deep: false }],
    ["1 as true", { deep: 1 }, { deep: true }],
    ["a number where text is wanted", { path: 42 }, { path: "42" }],
    ["an object where text is wanted", { path: { a: [1] } }, { path: "{\n  \"a\": [\n    1\n  ]\n}" }],
    ["a list as JSON text", { tags: `["a", "b"]` }, { tags: ["a", "b"] }],
    ["one string for a list of one", { tags: "a, b" }, { tags: ["a, b"] }],
    ["text in brackets that is no JSON", { tags: "[x] a" }, { tags: ["[x] a"] }],
    ["one object for a list of one", { items: { text: "a", state: "open" } }, { items: [{ text: "a", state: "open" }] }],
    ["an object as JSON text", { options: `{"depth": "3"}` }, { options: { depth: 3 } }],
    ["text inside a list", { items: [{ text: 1, state: "DONE" }] }, { items: [{ text: "1", state: "done" }] }],
    ["a choice in another case", { mode: " Fast" }, { mode: "fast" }],
    ["either of two types", { either: "7" }, { either: 7 }],
    ["the other of two types", { either: "[1, \"2\"]" }, { either: [1, 2] }],
    ["null for what is not given", { line_count: null, tags: null }, {}],
    ["nothing for what is not given", { line_count: "", deep: "  " }, {}],
    ["an alias", { path: null, file_path: "b" }, { path: "b" }],
    ["another spelling", { "Line-Count": 2, LineCount: 3 }, { line_count: 2 }]
  ]
  for (const [name, raw, params] of table) {
    it(name, () => assert.deepStrictEqual(accepted({ path: "a", ...raw as object }), { path: "a", ...params }))
  }

  it("our own name before an alias of it", () => {
    assert.deepStrictEqual(accepted({ file_path: "b", path: "a", file: "c" }), { path: "a" })
    assert.deepStrictEqual(accepted({ file: "c", file_path: "b" }), { path: "c" })
  })

  it("all params as JSON text", () => assert.deepStrictEqual(accepted(`{"path": "a", "deep": true}`), { path: "a", deep: true }))

  it("params that it does not know, by name", () => {
    const { params, unknown } = Result.getOrThrow(decode({ path: "a", colour: "red", __proto__x: 1 }))
    assert.deepStrictEqual([params, unknown], [{ path: "a" }, ["colour", "__proto__x"]])
  })

  it("no prototype in a param's name", () => {
    const { params, unknown } = Result.getOrThrow(decode(JSON.parse(`{"path":"a","__proto__":{"deep":true}}`)))
    assert.deepStrictEqual([params, unknown], [{ path: "a" }, ["__proto__"]])
  })
})

describe("what is refused", () => {
  const lines = (raw: Schema.Json) => refused(raw).split("\n").filter((line) => line.includes("received"))
  const table: ReadonlyArray<readonly [name: string, raw: Schema.Json, lines: ReadonlyArray<string>]> = [
    ["what is missing", {}, ["- path: expected string, received nothing"]],
    ["every field at once", { path: null, line_count: "many", deep: "maybe" }, [
      "- path: expected string, received null",
      "- line_count: expected integer, received \"many\"",
      "- deep: expected boolean, received \"maybe\""
    ]],
    ["what breaks a bound", { path: "a", line_count: 0 }, ["- line_count: expected a value greater than or equal to 1, received 0"]],
    ["a number that is not whole", { path: "a", line_count: 1.5 }, ["- line_count: expected integer, received 1.5"]],
    ["what is wrong inside", { path: "a", items: [{ text: "b", state: "lost" }, { state: "done" }] }, [
      "- items[0].state: expected \"open\" | \"done\", received \"lost\"",
      "- items[1].text: expected string, received nothing"
    ]],
    ["an invalid list", { path: "a", tags: [["b"], {}] }, ["- tags[0]: expected string, received an array of 1"]],
    ["a long text", { path: "a", mode: "x".repeat(500) }, [`- mode: expected "fast" | "slow", received "${"x".repeat(56)}…" (500 characters)`]],
    ["params that are no object", [1, 2], ["- params: expected an object, received an array of 2"]],
    ["params that are text", "path", ["- params: expected an object, received \"path\""]]
  ]
  for (const [name, raw, expected] of table) it(name, () => assert.deepStrictEqual(lines(raw), expected))

  it("lists the tool's params once", () => {
    const report = refused({ tags: 1, colour: 1 })
    assert.isTrue(report.startsWith("sample was not run because its parameters are invalid:\n- path: "))
    assert.include(report, "\nUnknown parameters: colour.\nParameters of sample:\n- path (string, required): A path.\n- line_count (integer): A whole number.\n")
    assert.include(report, "- items (array of { text: string, state: \"open\" | \"done\" })")
  })
})

describe("any JSON for any tool", () => {
  const json = Arbitrary.schema(Schema.Json)

  it.effect.prop("is accepted or reported, never thrown", [json], ([raw]) =>
    Effect.sync(() => {
      for (const tool of builtin as ReadonlyArray<Any>) {
        const spec = ToolSpec.fromParams(tool)
        const filled = Object.fromEntries(spec.params.map(({ name }) => [name, raw]))
        for (const given of [raw, filled]) {
          const decoded = Params.decode<unknown>(tool, spec, given)
          if (Result.isFailure(decoded)) assert.match(decoded.failure, /expected .*, received /)
          else assert.deepStrictEqual(Result.getOrThrow(Params.decode<unknown>(tool, spec, decoded.success.params as Schema.Json)).params, decoded.success.params)
        }
      }
    }), { arbitrary: { runs: 300 } })
})
