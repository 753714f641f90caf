/** The schemas of our tools use only what Anthropic, OpenAI (chat and responses), Gemini and Bedrock Converse all accept. */
import { assert, describe, it } from "@effect/vitest"
import type * as Schema from "effect/Schema"
import * as GeminiSchema from "../../../src/domain/provider/GeminiSchema.ts"
import * as ToolSpec from "../../../src/domain/tool/ToolSpec.ts"
import { builtin } from "../../../src/layers/tool/builtin.ts"

const specs = builtin.map((tool) => ToolSpec.fromParams(tool))

const types = ["array", "boolean", "integer", "number", "object", "string"]
const keywords = ["type", "description", "properties", "required", "additionalProperties", "items", "enum"]

const record = (value: Schema.Json | undefined): Schema.JsonObject => {
  assert.isObject(value)
  return value as Schema.JsonObject
}

const check = (schema: Schema.JsonObject, path: string): void => {
  assert.includeMembers(keywords, Object.keys(schema), path)
  assert.include(types, schema.type, path)
  if (schema.type === "object") {
    const properties = record(schema.properties)
    assert.strictEqual(schema.additionalProperties, false, path)
    assert.includeMembers(Object.keys(properties), [...(schema.required ?? []) as ReadonlyArray<string>], path)
    for (const [name, part] of Object.entries(properties)) check(record(part), `${path}.${name}`)
  }
  if (schema.type === "array") check(record(schema.items), `${path}[]`)
  if (schema.enum !== undefined) {
    assert.strictEqual(schema.type, "string", path)
    assert.isTrue((schema.enum as ReadonlyArray<unknown>).every((value) => typeof value === "string" && value !== ""), path)
  }
}

describe("a tool's schema", () => {
  for (const { description, name, params, schema } of specs) {
    it(`stays within the subset of all wires: ${name}`, () => {
      assert.match(name, /^[a-z][a-z0-9_]{0,63}$/)
      assert.strictEqual(schema.type, "object")
      assert.isAtMost(description.length, 1024)
      for (const param of params) assert.notStrictEqual(param.description, "", `${name}.${param.name} has no description`)
      check(schema, name)
    })
  }

  it("without parameters is an empty object, and no parameters at all for Gemini", () => {
    const { schema } = specs.find(({ name }) => name === "mcp_guide")!
    assert.deepStrictEqual(schema, { type: "object", properties: {}, additionalProperties: false })
    assert.isUndefined(GeminiSchema.parameters(schema))
  })

  it("loses nothing on its way to Gemini but the closing of objects", () => {
    for (const { name, schema } of specs) {
      const { additionalProperties: _, ...open } = JSON.parse(JSON.stringify(schema), (key, value) => {
        if (typeof value !== "object" || value === null || Array.isArray(value)) return value
        const { additionalProperties: _, ...rest } = value
        return key === "" ? value : rest
      })
      if (Object.keys(open.properties).length > 0) assert.deepStrictEqual(GeminiSchema.parameters(schema), open, name)
    }
  })
})
