import { assert, describe, it } from "@effect/vitest"
import type { Chunk } from "../../../src/domain/message/Chunk.ts"
import * as Catalogue from "../../../src/domain/provider/Catalogue.ts"
import { protocol } from "../../../src/domain/provider/Gemini.ts"
import * as GeminiSchema from "../../../src/domain/provider/GeminiSchema.ts"
import type { ModelRequest } from "../../../src/domain/provider/ModelRequest.ts"
import { collect } from "../../../src/layers/testing/CollectResponse.ts"
import { request } from "../../../src/layers/testing/conformance/route.ts"

const flash = Catalogue.find("gemini", "gemini-3-flash-preview")!
const older = Catalogue.find("gemini", "gemini-2.5-flash")!

const session: ModelRequest = {
  system: "You are careful.",
  tools: [
    { name: "mcp__a.b__run", description: "Runs.", params: [], schema: { type: "object", properties: { path: { type: ["string", "null"] } }, additionalProperties: false }, aliases: [] },
    { name: "stop", description: "Stops.", params: [], schema: { type: "object", properties: {} }, aliases: [] }
  ],
  messages: [
    { role: "user", content: [{ _tag: "Text", text: "Look at b.png." }] },
    {
      role: "assistant",
      content: [
        { _tag: "Reasoning", text: "Foreign.", model: "anthropic/claude", signature: "s" },
        { _tag: "Text", text: "Looking." },
        { _tag: "Reasoning", text: "Look.", model: "gemini/gemini-3-flash-preview", signature: "c2ln" },
        { _tag: "ToolCall", id: "t1", name: "mcp__a.b__run", params: { path: "b.png" } },
        { _tag: "ToolCall", id: "t2", name: "stop", params: [] }
      ]
    },
    {
      role: "user",
      content: [
        { _tag: "ToolResult", id: "t1", name: "mcp__a.b__run", isError: false, content: [{ _tag: "Text", text: "An image:" }, { _tag: "Image", mediaType: "image/png", blob: "b" }] },
        { _tag: "ToolResult", id: "t2", name: "stop", isError: true, content: [] },
        { _tag: "Document", mediaType: "application/pdf", blob: "b" }
      ]
    },
    { role: "assistant", content: [{ _tag: "Text", text: "Seen." }, { _tag: "Reasoning", text: "", model: "gemini/gemini-3-flash-preview", signature: "ZW5k" }] },
    { role: "user", content: [{ _tag: "Text", text: "And?" }] }
  ],
  maxTokens: 500,
  temperature: 9,
  effort: "max",
  blobs: new Map([["b", "aGk="]])
}

describe("a request over Gemini", () => {
  it("is encoded whole", () => {
    assert.deepStrictEqual(protocol.encode(session, flash), {
      contents: [
        { role: "user", parts: [{ text: "Look at b.png." }] },
        {
          role: "model",
          parts: [
            { text: "Looking." },
            { functionCall: { id: "t1", name: "mcp__a_b__run", args: { path: "b.png" } }, thoughtSignature: "c2ln" },
            { functionCall: { id: "t2", name: "stop", args: { value: [] } } }
          ]
        },
        {
          role: "user",
          parts: [
            { functionResponse: { id: "t1", name: "mcp__a_b__run", response: { output: "An image:" } } },
            { functionResponse: { id: "t2", name: "stop", response: { error: "(no output)" } } },
            { text: "Of the result of mcp__a.b__run (t1):" },
            { inlineData: { mimeType: "image/png", data: "aGk=" } },
            { inlineData: { mimeType: "application/pdf", data: "aGk=" } }
          ]
        },
        { role: "model", parts: [{ text: "Seen." }, { text: "", thoughtSignature: "ZW5k" }] },
        { role: "user", parts: [{ text: "And?" }] }
      ],
      systemInstruction: { parts: [{ text: "You are careful." }] },
      tools: [{
        functionDeclarations: [
          { name: "mcp__a_b__run", description: "Runs.", parameters: { type: "object", properties: { path: { type: "string", nullable: true } } } },
          { name: "stop", description: "Stops." }
        ]
      }],
      generationConfig: { maxOutputTokens: 500, temperature: 2, thinkingConfig: { includeThoughts: true, thinkingLevel: "high" } }
    })
  })

  it("gives another model's calls the signature that Google names for them, where one is asked for", () => {
    const messages: ModelRequest["messages"] = [{ role: "user", content: [{ _tag: "Text", text: "Go." }] }, { role: "assistant", content: [{ _tag: "ToolCall", id: "a", name: "stop", params: {} }] }]
    const parts = (model: typeof flash) => (protocol.encode({ ...session, messages }, model) as { contents: ReadonlyArray<{ parts: ReadonlyArray<object> }> }).contents[1]!.parts
    assert.deepStrictEqual(parts(flash), [{ functionCall: { id: "a", name: "stop", args: {} }, thoughtSignature: "skip_thought_signature_validator" }])
    assert.deepStrictEqual(parts(older), [{ functionCall: { id: "a", name: "stop", args: {} } }])
  })

  it("says how much to think in the model's own terms", () => {
    const thinking = (model: typeof flash, effort: ModelRequest["effort"], maxTokens = 20_000) =>
      (protocol.encode({ ...session, maxTokens, ...(effort === undefined ? {} : { effort }) }, model) as { generationConfig: { thinkingConfig?: object } }).generationConfig.thinkingConfig
    assert.deepStrictEqual(thinking(flash, "none"), { includeThoughts: true, thinkingLevel: "minimal" })
    assert.deepStrictEqual(thinking(older, "none"), { thinkingBudget: 0 })
    assert.deepStrictEqual(thinking(older, "max"), { includeThoughts: true, thinkingBudget: 19_999 })
    assert.strictEqual(thinking({ ...older, reasoning: false }, "max"), undefined)
  })
})

describe("a schema for Gemini", () => {
  const rows: ReadonlyArray<readonly [string, object, object | undefined]> = [
    ["without properties is none", { type: "object" }, undefined],
    ["loses what the service refuses", { $schema: "x", properties: { a: { type: "string", format: "uri", examples: ["b"], minLength: 1 } }, additionalProperties: false, required: ["a", "gone"] }, {
      type: "object", properties: { a: { type: "string", minLength: 1 } }, required: ["a"]
    }],
    ["keeps choices of strings alone", { properties: { a: { enum: ["x", "y", "x"] }, b: { type: "integer", enum: [1, 2] }, c: { const: "z" } } }, {
      type: "object", properties: { a: { type: "string", enum: ["x", "y"] }, b: { type: "integer" }, c: { type: "string", enum: ["z"] } }
    }],
    ["says of what a list is", { properties: { a: { type: "array" }, b: { type: "array", prefixItems: [{ type: "number" }] } } }, {
      type: "object", properties: { a: { type: "array", items: { type: "string" } }, b: { type: "array", items: { type: "number" } } }
    }],
    ["turns alternatives into anyOf", { properties: { a: { oneOf: [{ type: "string" }, { type: "object", properties: {} }, { type: "null" }] }, b: { type: ["integer", "string"] }, c: { anyOf: [{ type: "number" }, { type: "null" }], description: "A number." } } }, {
      type: "object",
      properties: {
        a: { nullable: true, anyOf: [{ type: "string" }, { type: "object" }] },
        b: { anyOf: [{ type: "integer" }, { type: "string" }] },
        c: { type: "number", description: "A number.", nullable: true }
      }
    }],
    ["follows references, and stops where a schema holds itself", { $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" }, name: { type: "string" } } } }, properties: { root: { $ref: "#/$defs/node" } } }, {
      type: "object", properties: { root: { type: "object", properties: { next: { type: "object" }, name: { type: "string" } } } }
    }],
    ["joins the parts of allOf", { allOf: [{ type: "object", properties: { a: { type: "string" } }, required: ["a"] }, { properties: { b: { type: "boolean" } }, required: ["b"] }] }, {
      type: "object", properties: { a: { type: "string" }, b: { type: "boolean" } }, required: ["a", "b"]
    }]
  ]
  for (const [name, schema, reduced] of rows) {
    it(name, () => assert.deepStrictEqual(GeminiSchema.parameters(schema as Parameters<typeof GeminiSchema.parameters>[0]), reduced as ReturnType<typeof GeminiSchema.parameters>))
  }
})

const decode = (...events: ReadonlyArray<unknown>) => {
  let state = protocol.initial(request([]))
  const chunks: Array<Chunk> = []
  for (const event of events) {
    const [next, out] = protocol.step(state, event)
    state = next
    chunks.push(...out)
  }
  return { ...collect([...chunks, ...protocol.end(state)]), ended: protocol.hasEnded(state) }
}

describe("an answer over Gemini", () => {
  it("is a filter's where the prompt was refused", () => {
    const { ended, finishes, notices } = decode({ promptFeedback: { blockReason: "OTHER" }, usageMetadata: { promptTokenCount: 5 } })
    assert.deepStrictEqual([ended, finishes, notices], [true, [{ _tag: "Finish", reason: "content_filter", raw: "OTHER" }], ["promptFeedback"]])
  })

  it("counts cached tokens and thought apart", () =>
    assert.deepStrictEqual(decode({ usageMetadata: { promptTokenCount: 100, cachedContentTokenCount: 60, candidatesTokenCount: 7, thoughtsTokenCount: 5, toolUsePromptTokenCount: 3 } }).usage, {
      input: 43, output: 12, cacheRead: 60, cacheWrite: 0, reasoning: 5
    }))

  it("gives calls without an id, or with one that is taken, ids of their own", () => {
    const call = (id?: string) => ({ candidates: [{ content: { parts: [{ functionCall: { name: "stop", ...(id === undefined ? {} : { id }) } }] } }] })
    assert.deepStrictEqual(decode(call(), call("x"), call("x"), call()).calls.map(({ args, ended, id }) => [id, args, ended]), [["call_1", "{}", true], ["x", "{}", true], ["x_2", "{}", true], ["call_4", "{}", true]])
  })

  it("keeps what is not used", () => {
    const { notices } = decode({ candidates: [{ index: 0, content: { parts: [{ executableCode: { code: "1" } }] }, groundingMetadata: {}, finishReason: "STOP" }, { index: 1 }] })
    assert.deepStrictEqual(notices, ["executableCode", "groundingMetadata", "candidate"])
  })

  it("tells an error that comes as an event", () =>
    assert.deepStrictEqual(protocol.failure({ error: { code: 503, message: "Overloaded" } }), { status: 503, body: { error: { code: 503, message: "Overloaded" } } }))
})
