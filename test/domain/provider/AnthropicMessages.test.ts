import { assert, describe, it } from "@effect/vitest"
import type { Chunk } from "../../../src/domain/message/Chunk.ts"
import type { Message } from "../../../src/domain/message/Message.ts"
import { protocol } from "../../../src/domain/provider/AnthropicMessages.ts"
import * as Catalogue from "../../../src/domain/provider/Catalogue.ts"
import type { ModelRequest } from "../../../src/domain/provider/ModelRequest.ts"
import { collect } from "../../../src/layers/testing/CollectResponse.ts"
import { request } from "../../../src/layers/testing/conformance/route.ts"

const sonnet = Catalogue.find("anthropic", "claude-sonnet-4-5")!
const opus = Catalogue.find("anthropic", "claude-opus-4-8")!

/** The chunks of these events, and whether the answer ended. */
const decode = (events: ReadonlyArray<object>): { readonly chunks: ReadonlyArray<Chunk>; readonly ended: boolean } => {
  let state = protocol.initial(request([]))
  const chunks: Array<Chunk> = []
  for (const event of events) {
    const [next, out] = protocol.step(state, event)
    state = next
    chunks.push(...out)
  }
  return { chunks: [...chunks, ...protocol.end(state)], ended: protocol.hasEnded(state) }
}

const user = (text: string): Message => ({ role: "user", content: [{ _tag: "Text", text }] })
const mark = { type: "ephemeral" }

const session: ModelRequest = {
  system: "You are careful.",
  tools: [
    { name: "read_file", description: "Reads a file.", params: [], schema: { type: "object", properties: { path: { type: "string" } } }, aliases: ["cat"] },
    { name: "mcp__a.b__run", description: "Runs.", params: [], schema: { type: "object" }, aliases: [] }
  ],
  messages: [
    user("Read a.ts and b.png."),
    {
      role: "assistant",
      content: [
        { _tag: "Reasoning", text: "Two reads.", model: "anthropic/claude-sonnet-4-5", signature: "sig_1" },
        { _tag: "Reasoning", text: "Foreign.", model: "openai/gpt-5.5", encrypted: "e" },
        { _tag: "Text", text: "Reading." },
        { _tag: "ToolCall", id: "t1", name: "read_file", params: { path: "a.ts" } },
        { _tag: "ToolCall", id: "t2", name: "mcp__a.b__run", params: { path: "b.png" } },
        { _tag: "ToolCall", id: "t3", name: "read_file", params: {} }
      ]
    },
    {
      role: "user",
      content: [
        { _tag: "ToolResult", id: "t2", name: "mcp__a.b__run", isError: false, content: [{ _tag: "Text", text: "An image:" }, { _tag: "Image", mediaType: "image/png", blob: "b" }] },
        { _tag: "ToolResult", id: "t1", name: "read_file", isError: true, content: [{ _tag: "Text", text: "No such file." }] },
        { _tag: "Text", text: "Go on." }
      ]
    }
  ],
  maxTokens: 8000,
  effort: "low",
  temperature: 0.5,
  blobs: new Map([["b", "aGk="]])
}

describe("a request to Anthropic", () => {
  it("is encoded whole", () => {
    assert.deepStrictEqual(protocol.encode(session, sonnet), {
      model: "claude-sonnet-4-5",
      max_tokens: 8000,
      system: [{ type: "text", text: "You are careful.", cache_control: mark }],
      tools: [
        { name: "read_file", description: "Reads a file.", input_schema: { type: "object", properties: { path: { type: "string" } } } },
        { name: "mcp__a_b__run", description: "Runs.", input_schema: { type: "object" }, cache_control: mark }
      ],
      messages: [
        { role: "user", content: [{ type: "text", text: "Read a.ts and b.png.", cache_control: mark }] },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Two reads.", signature: "sig_1" },
            { type: "text", text: "Reading." },
            { type: "tool_use", id: "t1", name: "read_file", input: { path: "a.ts" } },
            { type: "tool_use", id: "t2", name: "mcp__a_b__run", input: { path: "b.png" } },
            { type: "tool_use", id: "t3", name: "read_file", input: {} }
          ]
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "No such file." }], is_error: true },
            {
              type: "tool_result",
              tool_use_id: "t2",
              content: [{ type: "text", text: "An image:" }, { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } }]
            },
            { type: "tool_result", tool_use_id: "t3", content: [{ type: "text", text: "No result: interrupted." }], is_error: true },
            { type: "text", text: "Go on.", cache_control: mark }
          ]
        }
      ],
      thinking: { type: "enabled", budget_tokens: 7999 },
      stream: true
    })
  })

  it("names its effort to models that take one", () => {
    const body = protocol.encode({ ...session, effort: "minimal" }, opus) as Record<string, unknown>
    assert.deepStrictEqual([body.thinking, body.output_config], [{ type: "adaptive", display: "summarized" }, { effort: "low" }])
  })

  it("goes without thinking where another model wrote the turn that is answered", () => {
    const messages = session.messages.map((message) => ({ ...message, content: message.content.filter(({ _tag }) => _tag !== "Reasoning") }))
    assert.isFalse("thinking" in (protocol.encode({ ...session, messages }, sonnet) as object))
  })

  it("sends temperature only where the model takes it", () => {
    const plain: ModelRequest = { system: "", messages: [user("Hi")], tools: [], maxTokens: 10, temperature: 0.5 }
    assert.strictEqual((protocol.encode(plain, sonnet) as Record<string, unknown>).temperature, 0.5)
    assert.isFalse("temperature" in (protocol.encode(plain, opus) as object))
  })
})

describe("an answer of Anthropic", () => {
  const start = { type: "message_start", message: { id: "msg_1", usage: { input_tokens: 5, cache_read_input_tokens: 90, output_tokens: 1 } } }
  const stop = (stop_reason: string): ReadonlyArray<object> => [{ type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 12 } }, { type: "message_stop" }]

  it("gives thought with its signature, and hidden thought as it came", () => {
    const { chunks } = decode([
      start,
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm" } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "s" } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "redacted_thinking", data: "x" } },
      { type: "content_block_stop", index: 1 },
      ...stop("end_turn")
    ])
    const { encrypted, reasoning, signatures } = collect(chunks)
    assert.deepStrictEqual([reasoning, signatures, encrypted], ["Hm", ["s"], ["x"]])
  })

  it("takes arguments that came whole, and none as an empty object", () => {
    const { chunks } = decode([
      start,
      { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "a", name: "f", input: { x: 1 } } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "tool_use", id: "b", name: "g", input: {} } },
      { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: "" } },
      { type: "content_block_stop", index: 1 },
      ...stop("tool_use")
    ])
    assert.deepStrictEqual(collect(chunks).calls.map(({ args }) => args), ["{\"x\":1}", "{}"])
  })

  it("counts what is cumulative once", () => {
    const { chunks } = decode([start, { type: "message_delta", delta: {}, usage: { output_tokens: 7 } }, ...stop("end_turn")])
    assert.deepStrictEqual(collect(chunks).usage, { input: 5, output: 12, cacheRead: 90, cacheWrite: 0, reasoning: 0 })
  })

  it("keeps what it does not know as notices", () => {
    const { chunks } = decode([start, { type: "ping" }, { type: "something_new" }, { type: "content_block_start", index: 0, content_block: { type: "video" } }, ...stop("end_turn")])
    assert.deepStrictEqual(collect(chunks).notices, ["ping", "something_new", "video"])
  })

  it("ends only with its terminal event", () => {
    assert.isFalse(decode([start, { type: "message_delta", delta: { stop_reason: "end_turn" } }]).ended)
    assert.isTrue(decode([start, ...stop("end_turn")]).ended)
  })

  it("says in our words why it ended", () => {
    const reasons = ["end_turn", "stop_sequence", "max_tokens", "tool_use", "refusal", "model_context_window_exceeded", "pause_turn"].map((raw) =>
      collect(decode([start, ...stop(raw)]).chunks).finishes[0]?.reason
    )
    assert.deepStrictEqual(reasons, ["stop", "stop", "length", "tool_calls", "refusal", "length", "other"])
  })

  it("tells an error that comes in the middle", () => {
    assert.deepStrictEqual(protocol.failure({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } })?.status, 529)
    assert.isUndefined(protocol.failure({ type: "ping" }))
  })
})
