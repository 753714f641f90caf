import { assert, describe, it } from "@effect/vitest"
import type * as Schema from "effect/Schema"
import * as JsonCheck from "../../../src/domain/tool/JsonCheck.ts"
import * as ParamSchema from "../../../src/domain/tool/ParamSchema.ts"

const wrong = (schema: Schema.JsonObject, value: Schema.Json) => JsonCheck.issues(schema, value).map(({ issue, path }) => `${path.join(".")}: ${issue}`)

describe("a value against others' schema", () => {
  const cases: ReadonlyArray<readonly [schema: Schema.JsonObject, value: Schema.Json, issues: ReadonlyArray<string>]> = [
    [{ type: "string" }, 1, [": string"]],
    [{ type: ["string", "null"] }, null, []],
    [{ type: ["string", "null"] }, 1, [": string or null"]],
    [{ type: "integer" }, 1.5, [": integer"]],
    [{ type: "object", properties: { a: { type: "number" } }, required: ["a", "b"] }, { a: "x", c: 1 }, ["b: a value", "a: number"]],
    [{ type: "object", properties: {}, additionalProperties: false }, { a: 1 }, ["a: nothing"]],
    [{ type: "object", additionalProperties: { type: "number" } }, { a: 1, b: "x" }, ["b: number"]],
    [{ type: "array", items: { type: "string" }, minItems: 2 }, ["a"], [": at least 2 items"]],
    [{ type: "array", prefixItems: [{ type: "string" }], items: { type: "number" } }, ["a", "b"], ["1: number"]],
    [{ enum: ["a", { b: 1 }] }, { b: 1 }, []],
    [{ enum: ["a", 2] }, "c", [": \"a\" | 2"]],
    [{ const: "a" }, "b", [": \"a\""]],
    [{ minimum: 1, exclusiveMaximum: 3 }, 3, [": less than 3"]],
    [{ type: "string", minLength: 2, maxLength: 3 }, "größe", [": at most 3 characters"]],
    [{ anyOf: [{ type: "string" }, { type: "object", properties: { a: { type: "string" } } }] }, { a: 1 }, ["a: string"]],
    [{ oneOf: [{ type: "string" }, { type: "number" }] }, 1, []],
    [{ allOf: [{ type: "object", required: ["a"] }, { required: ["b"] }] }, {}, ["a: a value", "b: a value"]],
    [{ pattern: "(a+)+$", if: { type: "string" }, unknown: true }, "anything", []],
    [{ type: "odd" }, "anything", []]
  ]
  for (const [schema, value, issues] of cases) {
    it(`${JSON.stringify(value)} of ${JSON.stringify(schema)}: ${issues.join(", ") || "fits"}`, () => assert.deepStrictEqual(wrong(schema, value), issues))
  }
})

describe("others' schema as it is told", () => {
  it("has its references written out, and ends where it holds itself", () => {
    assert.deepStrictEqual(
      ParamSchema.inlineRefs({
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: { to: { $ref: "#/$defs/node", description: "Where" }, $ref: { type: "string" } },
        $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } }
      }),
      {
        type: "object",
        properties: { to: { type: "object", properties: { next: {} }, description: "Where" }, $ref: { type: "string" } }
      }
    )
  })
})
