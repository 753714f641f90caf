import { assert, describe, it } from "@effect/vitest"
import * as AnthropicMessages from "../../../src/domain/provider/AnthropicMessages.ts"
import { protocol } from "../../../src/domain/provider/BedrockConverse.ts"
import * as Catalogue from "../../../src/domain/provider/Catalogue.ts"
import type { ModelRequest } from "../../../src/domain/provider/ModelRequest.ts"
import { request } from "../../../src/layers/testing/conformance/route.ts"

const claude = { ...Catalogue.find("anthropic", "claude-sonnet-4-5")!, provider: "bedrock", id: "us.anthropic.claude-sonnet-4-5-20250929-v1:0" }
const mark = { cachePoint: { type: "default" } }

const session: ModelRequest = {
  system: "You are careful.",
  tools: [{ name: "run", description: "Runs.", params: [], schema: { type: "object" }, aliases: [] }],
  messages: [
    { role: "user", content: [{ _tag: "Document", mediaType: "application/pdf", blob: "b", name: "my plan_v2.pdf" }, { _tag: "Document", mediaType: "application/pdf", blob: "b", name: "my plan_v2.pdf" }] },
    {
      role: "assistant",
      content: [
        { _tag: "Reasoning", text: "Look.", model: "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", signature: "sig" },
        { _tag: "Text", text: "Looking." },
        { _tag: "ToolCall", id: "t1", name: "run", params: { path: "b.png" } }
      ]
    },
    { role: "user", content: [{ _tag: "ToolResult", id: "t1", name: "run", isError: true, content: [{ _tag: "Text", text: "An image:" }, { _tag: "Image", mediaType: "image/jpeg", blob: "b" }] }] }
  ],
  maxTokens: 5000,
  effort: "low",
  blobs: new Map([["b", "aGk="]])
}

describe("a request over Converse", () => {
  it("is encoded whole", () => {
    assert.deepStrictEqual(protocol.encode(session, claude), {
      messages: [
        {
          role: "user",
          content: [
            { text: "(A document.)" },
            { document: { format: "pdf", name: "my plan-v2", source: { bytes: "aGk=" } } },
            { document: { format: "pdf", name: "my plan-v2 (2)", source: { bytes: "aGk=" } } },
            mark
          ]
        },
        {
          role: "assistant",
          content: [
            { reasoningContent: { reasoningText: { text: "Look.", signature: "sig" } } },
            { text: "Looking." },
            { toolUse: { toolUseId: "t1", name: "run", input: { path: "b.png" } } }
          ]
        },
        { role: "user", content: [{ toolResult: { toolUseId: "t1", content: [{ text: "An image:" }, { image: { format: "jpeg", source: { bytes: "aGk=" } } }], status: "error" } }, mark] }
      ],
      system: [{ text: "You are careful." }, mark],
      toolConfig: { tools: [{ toolSpec: { name: "run", description: "Runs.", inputSchema: { json: { type: "object" } } } }] },
      inferenceConfig: { maxTokens: 5000 },
      additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 4999 } }
    })
  })

  it("names the tools of a history's calls where none are offered, and marks nothing for makers that cache nothing", () => {
    const { toolConfig, ...rest } = protocol.encode({ ...session, tools: [] }, { ...claude, id: "mistral.large" }) as Readonly<Record<string, unknown>>
    assert.deepStrictEqual(toolConfig, { tools: [{ toolSpec: { name: "run", description: "Not to be called any more.", inputSchema: { json: { type: "object" } } } }] })
    assert.notInclude(JSON.stringify(rest), "cachePoint")
    assert.notInclude(JSON.stringify(rest), "thinking\"")
  })
})

describe("Claude's own wire on Bedrock", () => {
  it("has its version in the body, and the model nowhere", () => {
    const body = AnthropicMessages.bedrockProtocol.encode(session, claude) as Readonly<Record<string, unknown>>
    assert.deepStrictEqual([body.anthropic_version, body.model, body.stream, body.max_tokens], ["bedrock-2023-05-31", undefined, undefined, 5000])
  })

  it("reads events out of frames, wrapped or not, and exceptions as the errors that they are", () => {
    const { bedrockProtocol: protocol } = AnthropicMessages
    const event = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "€" } }
    const said = (data: string) => protocol.step(protocol.initial(request([])), AnthropicMessages.decodeBedrockEvent(data))[1]
    const bytes = Buffer.from(JSON.stringify(event)).toString("base64")
    assert.deepStrictEqual(said(JSON.stringify({ chunk: { bytes } })), [{ _tag: "TextDelta", text: "€" }])
    assert.deepStrictEqual(said(JSON.stringify({ chunk: event })), [{ _tag: "TextDelta", text: "€" }])
    assert.deepStrictEqual(said("{\"sparkle\":{}}").map(({ _tag }) => _tag), ["Notice"])
    assert.strictEqual(protocol.failure(AnthropicMessages.decodeBedrockEvent("{\"throttlingException\":{\"message\":\"Slow\"}}"))?.status, 429)
  })
})
