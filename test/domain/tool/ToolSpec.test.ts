import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as ToolSpec from "../../../src/domain/tool/ToolSpec.ts"

const Point = Schema.Struct({ x: Schema.Int, y: Schema.optionalKey(Schema.Finite) }).annotate({ identifier: "Point", description: "A place." })

interface Tree {
  readonly name: string
  readonly children: ReadonlyArray<Tree>
}
const Tree = Schema.Struct({
  name: Schema.String,
  children: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
}).annotate({ identifier: "Tree" })

const spec = ToolSpec.fromParams({
  name: "draw",
  description: "Draw a line. It is drawn at once.",
  aliases: ["paint"],
  raw: ["text"],
  params: Schema.Struct({
    from: Point,
    to: Schema.optionalKey(Schema.Array(Point).annotate({ description: "Where it goes." })),
    text: Schema.String.annotate({ description: "What is written on it." })
  })
})

describe("the spec of a tool", () => {
  it("has a closed JSON Schema without references or empty bounds", () => {
    const point = {
      type: "object",
      description: "A place.",
      properties: { x: { type: "integer" }, y: { type: "number" } },
      required: ["x"],
      additionalProperties: false
    }
    assert.deepStrictEqual(spec.schema, {
      type: "object",
      properties: {
        from: point,
        to: { type: "array", description: "Where it goes.", items: point },
        text: { type: "string", description: "What is written on it." }
      },
      required: ["from", "text"],
      additionalProperties: false
    })
  })

  it("names each param with what is said of it", () => {
    assert.deepStrictEqual(spec.params, [
      { name: "from", description: "A place.", required: true, raw: false },
      { name: "to", description: "Where it goes.", required: false, raw: false },
      { name: "text", description: "What is written on it.", required: true, raw: true }
    ])
  })

  it("lets any value through where a schema holds itself", () => {
    const { schema } = ToolSpec.fromParams({ name: "plant", description: "Plant.", params: Schema.Struct({ tree: Tree }) })
    assert.deepStrictEqual(schema, {
      type: "object",
      properties: {
        tree: {
          type: "object",
          properties: { name: { type: "string" }, children: { type: "array", items: {} } },
          required: ["name", "children"],
          additionalProperties: false
        }
      },
      required: ["tree"],
      additionalProperties: false
    })
  })

  it("is told as XML in full, in short, and by its name alone", () => {
    assert.strictEqual(ToolSpec.toXml(spec), `## draw
Draw a line. It is drawn at once.
- from ({ x: integer, y?: number }, required): A place.
- to (array of { x: integer, y?: number }): Where it goes.
- text (string, required): What is written on it.
<draw>
<from>…</from>
<text>
…
</text>
</draw>`)
    assert.strictEqual(ToolSpec.toXml(spec, "short"), `## draw
Draw a line.
- from ({ x: integer, y?: number }, required)
- to (array of { x: integer, y?: number })
- text (string, required)
<draw>
<from>…</from>
<text>
…
</text>
</draw>`)
    assert.strictEqual(ToolSpec.toXml(spec, "names"), "- draw(from, to?, text)")
  })
})
