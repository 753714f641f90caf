import { assert, describe, it } from "@effect/vitest"
import type { Chunk } from "../../../src/domain/message/Chunk.ts"
import * as Catalogue from "../../../src/domain/provider/Catalogue.ts"
import type { ModelRequest } from "../../../src/domain/provider/ModelRequest.ts"
import { protocol } from "../../../src/domain/provider/OpenAiResponses.ts"
import { collect } from "../../../src/layers/testing/CollectResponse.ts"
import { request } from "../../../src/layers/testing/conformance/route.ts"

const gpt = Catalogue.find("openai", "gpt-5.5")!

const decode = (events: ReadonlyArray<unknown>): { readonly chunks: ReadonlyArray<Chunk>; readonly ended: boolean; readonly failed: boolean } => {
  let state = protocol.initial(request([]))
  const chunks: Array<Chunk> = []
  for (const event of events) {
    if (protocol.failure(event) !== undefined) return { chunks, ended: false, failed: true }
    const [next, out] = protocol.step(state, event)
    state = next
    chunks.push(...out)
  }
  return { chunks: [...chunks, ...protocol.end(state)], ended: protocol.hasEnded(state), failed: false }
}
const read = (events: ReadonlyArray<unknown>) => collect(decode(events).chunks)

const session: ModelRequest = {
  system: "You are careful.",
  tools: [{ name: "mcp__a.b__run", description: "Runs.", params: [], schema: { type: "object" }, aliases: [] }],
  messages: [
    { role: "user", content: [{ _tag: "Text", text: "Look at b.png." }] },
    {
      role: "assistant",
      content: [
        { _tag: "Reasoning", text: "Look.", model: "openai/gpt-5.5", encrypted: "enc_1" },
        { _tag: "Reasoning", text: "Foreign.", model: "anthropic/claude", signature: "s" },
        { _tag: "Text", text: "Looking." },
        { _tag: "ToolCall", id: "t1", name: "mcp__a.b__run", params: { path: "b.png" } }
      ]
    },
    { role: "user", content: [{ _tag: "ToolResult", id: "t1", name: "mcp__a.b__run", isError: false, content: [{ _tag: "Text", text: "An image:" }, { _tag: "Image", mediaType: "image/png", blob: "b" }] }, { _tag: "Text", text: "And?" }] }
  ],
  maxTokens: 500,
  effort: "high",
  cacheKey: "session-1",
  blobs: new Map([["b", "aGk="]])
}

describe("a request over Responses", () => {
  it("is encoded whole", () => {
    assert.deepStrictEqual(protocol.encode(session, gpt), {
      model: "gpt-5.5",
      instructions: "You are careful.",
      input: [
        { role: "user", content: [{ type: "input_text", text: "Look at b.png." }] },
        { type: "reasoning", summary: [{ type: "summary_text", text: "Look." }], encrypted_content: "enc_1" },
        { role: "assistant", content: [{ type: "output_text", text: "Looking." }] },
        { type: "function_call", call_id: "t1", name: "mcp__a_b__run", arguments: "{\"path\":\"b.png\"}" },
        { type: "function_call_output", call_id: "t1", output: [{ type: "input_text", text: "An image:" }, { type: "input_image", image_url: "data:image/png;base64,aGk=", detail: "auto" }] },
        { role: "user", content: [{ type: "input_text", text: "And?" }] }
      ],
      tools: [{ type: "function", name: "mcp__a_b__run", description: "Runs.", parameters: { type: "object" }, strict: false }],
      max_output_tokens: 500,
      reasoning: { effort: "high", summary: "auto" },
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: "session-1",
      store: false,
      stream: true
    })
  })
})

describe("an answer over Responses", () => {
  const completed = { type: "response.completed", response: { status: "completed" } }
  it("gives thought with its sealed form", () => {
    const { encrypted, reasoning } = read([
      { type: "response.output_item.added", output_index: 0, item: { type: "reasoning" } },
      { type: "response.reasoning_summary_text.delta", output_index: 0, delta: "One" },
      { type: "response.reasoning_summary_part.added", output_index: 0, summary_index: 1 },
      { type: "response.reasoning_summary_text.delta", output_index: 0, delta: "Two" },
      { type: "response.output_item.done", output_index: 0, item: { type: "reasoning", encrypted_content: "sealed", summary: [] } },
      completed
    ])
    assert.deepStrictEqual([reasoning, encrypted], ["One\n\nTwo", ["sealed"]])
  })
  it("takes an item that comes whole", () => {
    const { calls, text } = read([
      { type: "response.output_item.done", output_index: 0, item: { type: "message", content: [{ type: "output_text", text: "Whole" }] } },
      { type: "response.output_item.done", output_index: 1, item: { type: "function_call", call_id: "a", name: "f", arguments: "" } },
      completed
    ])
    assert.deepStrictEqual([text, calls], ["Whole", [{ id: "a", name: "f", args: "{}", ended: true }]])
  })
  it("counts an event once that comes twice", () => {
    const delta = { type: "response.output_text.delta", sequence_number: 4, output_index: 0, delta: "x" }
    assert.strictEqual(read([delta, delta, { ...delta, sequence_number: 5 }, completed]).text, "xx")
  })
  it("says why it ended", () => {
    const reason = (response: object | undefined, type = "response.completed") => read([{ type, ...(response === undefined ? {} : { response }) }]).finishes[0]?.reason
    assert.deepStrictEqual([
      reason({ status: "completed" }),
      reason({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }, "response.incomplete"),
      reason({ status: "incomplete", incomplete_details: { reason: "content_filter" } }, "response.incomplete")
    ], ["stop", "length", "content_filter"])
  })
  it("tells a response that failed from one that ended", () => {
    assert.strictEqual(protocol.failure({ type: "response.failed", response: { error: { code: "rate_limit_exceeded", message: "Slow" } } })?.status, 429)
    assert.strictEqual(protocol.failure({ type: "error", code: "server_error", message: "?" })?.status, 500)
  })
})
