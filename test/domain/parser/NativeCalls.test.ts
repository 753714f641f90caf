import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Chunk } from "../../../src/domain/message/Chunk.ts"
import type { Part, ToolCallPart } from "../../../src/domain/message/Part.ts"
import { run } from "../../../src/domain/parser/Incremental.ts"
import * as NativeCalls from "../../../src/domain/parser/NativeCalls.ts"
import { lengths, pieces, withoutNegativeZero } from "./pieces.ts"

const start = (id: string, name = "read"): Chunk => ({ _tag: "ToolCallStart", id, name })
const args = (id: string, text: string): Chunk => ({ _tag: "ToolCallArgs", id, text })
const stop = (id: string): Chunk => ({ _tag: "ToolCallEnd", id })
const whole = (id: string, params: ToolCallPart["params"], more: Partial<ToolCallPart> = {}): Part => ({
  _tag: "ToolCall",
  id,
  name: "read",
  params,
  partial: false,
  warnings: [],
  ...more
})

describe("native calls", () => {
  it("text and reasoning flow through, with the signature that ends a block", () => {
    assert.deepStrictEqual(
      NativeCalls.parse([
        { _tag: "ReasoningDelta", text: "a" },
        { _tag: "ReasoningDelta", text: "b", signature: "s" },
        { _tag: "ReasoningDelta", text: "c" },
        { _tag: "TextDelta", text: "d" },
        { _tag: "TextDelta", text: "" },
        { _tag: "Notice", kind: "ping", detail: null },
        { _tag: "TextDelta", text: "e" },
        { _tag: "Finish", reason: "stop", raw: "end_turn" }
      ]),
      [
        { _tag: "Reasoning", text: "ab", signature: "s" },
        { _tag: "Reasoning", text: "c" },
        { _tag: "Text", text: "de" }
      ]
    )
  })

  it("calls may interleave", () => {
    const chunks = [start("1"), start("2"), args("1", "{\"p\":"), args("2", "{\"q\":[2"), args("1", "1}"), stop("1"), args("2", "]}"), stop("2")]
    assert.deepStrictEqual(NativeCalls.parse(chunks), [whole("1", { p: 1 }), whole("2", { q: [2] })])
  })

  it("tells which string grew", () => {
    const parts = run(NativeCalls, {}, [start("1"), args("1", "{\"p\":\"a\",\"e\":[{\"t\":\"b"), args("1", "c"), args("1", "\"}]}")])
    assert.deepStrictEqual(parts.map((part) => part._tag === "ToolCall" ? part.appended : undefined), [
      undefined,
      { param: "p", text: "a" },
      { param: "e.0.t", text: "b" },
      { param: "e.0.t", text: "c" },
      undefined,
      undefined
    ])
    assert.isTrue(parts.slice(0, -1).every((part) => part._tag === "ToolCall" && part.partial))
  })

  const outcomes: ReadonlyArray<readonly [string, ReadonlyArray<Chunk>, Part]> = [
    ["no arguments are none", [start("1"), stop("1")], whole("1", {})],
    ["arguments of white space are none", [start("1"), args("1", " \n"), stop("1")], whole("1", {})],
    ["a stream that ends before the arguments", [start("1")], whole("1", {}, { partial: true })],
    ["a stream that ends behind whole arguments", [start("1"), args("1", "{\"a\":1}")], whole("1", { a: 1 })],
    ["a stream that ends within the arguments", [start("1"), args("1", "{\"a\":\"b")], whole("1", { a: "b" }, { partial: true })],
    ["arguments that end too early", [start("1"), args("1", "{\"a\":1"), stop("1")], whole("1", { a: 1 }, { partial: true })],
    [
      "broken arguments",
      [start("1"), args("1", "{a:1}"), stop("1")],
      whole("1", { a: 1 }, { malformed: "This is not valid JSON (at 1); to repair: bare key quoted" })
    ],
    ["arguments that are no object", [start("1"), args("1", "[1]"), stop("1")], whole("1", {}, { malformed: "The arguments are not a JSON object" })],
    ["a second start and what follows the end are passed over", [
      start("1"),
      args("1", "{}"),
      start("1"),
      stop("1"),
      args("1", "{"),
      stop("1"),
      stop("2")
    ], whole("1", {})]
  ]
  for (const [name, chunks, expected] of outcomes) {
    it(name, () => assert.deepStrictEqual(NativeCalls.parse(chunks), [expected]))
  }

  const params = Arbitrary.map(Arbitrary.schema(Schema.Record(Schema.String, Schema.Json)), withoutNegativeZero)

  it.effect.prop("gives the arguments as they were written, at any cut", [params, lengths], ([params, lengths]) =>
    Effect.sync(() => {
      const chunks = [start("1"), ...pieces(JSON.stringify(params), lengths).map((piece) => args("1", piece)), stop("1")]
      assert.deepStrictEqual(NativeCalls.parse(chunks), [whole("1", params)])
    }), { arbitrary: { runs: 1000 } })
})
