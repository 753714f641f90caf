import { assert, describe, it } from "@effect/vitest"
import type { Chunk } from "../../../src/domain/message/Chunk.ts"
import type { Message } from "../../../src/domain/message/Message.ts"
import * as Catalogue from "../../../src/domain/provider/Catalogue.ts"
import type { ModelRequest } from "../../../src/domain/provider/ModelRequest.ts"
import * as OpenAiChat from "../../../src/domain/provider/OpenAiChat.ts"
import { collect } from "../../../src/layers/testing/CollectResponse.ts"
import { request } from "../../../src/layers/testing/conformance/route.ts"

const protocol = OpenAiChat.protocol({ ...OpenAiChat.defaultQuirks, maxTokens: "max_completion_tokens", cacheKey: "prompt_cache_key" })
const gpt = Catalogue.find("openai", "gpt-5.5")!
const gpt4 = Catalogue.find("openai", "gpt-4.1")!

const decode = (events: ReadonlyArray<unknown>): { readonly chunks: ReadonlyArray<Chunk>; readonly ended: boolean } => {
  let state = protocol.initial(request([]))
  const chunks: Array<Chunk> = []
  for (const event of events) {
    const [next, out] = protocol.step(state, event)
    state = next
    chunks.push(...out)
  }
  return { chunks: [...chunks, ...protocol.end(state)], ended: protocol.hasEnded(state) }
}

const delta = (delta: object, finish_reason: string | null = null) => ({ id: "c1", choices: [{ index: 0, delta, finish_reason }] })
const stop = delta({}, "stop")
const read = (events: ReadonlyArray<unknown>) => collect(decode(events).chunks)

const user = (text: string): Message => ({ role: "user", content: [{ _tag: "Text", text }] })
const session: ModelRequest = {
  system: "You are careful.",
  tools: [{ name: "mcp__a.b__run", description: "Runs.", params: [], schema: { type: "object" }, aliases: [] }],
  messages: [
    user("Look at b.png."),
    {
      role: "assistant",
      content: [
        { _tag: "Reasoning", text: "Look.", model: "openai/gpt-5.5" },
        { _tag: "ToolCall", id: "toolu_01ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", name: "mcp__a.b__run", params: { path: "b.png" } },
        { _tag: "ToolCall", id: "t2", name: "mcp__a.b__run", params: { path: "c" } }
      ]
    },
    {
      role: "user",
      content: [
        { _tag: "ToolResult", id: "toolu_01ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", name: "mcp__a.b__run", isError: false, content: [{ _tag: "Image", mediaType: "image/png", blob: "b" }] },
        { _tag: "Text", text: "And?" }
      ]
    }
  ],
  maxTokens: 500,
  effort: "max",
  temperature: 0.2,
  cacheKey: "session-1",
  blobs: new Map([["b", "aGk="]])
}

describe("a request to a server whose models want marks for their cache", () => {
  const { encode } = OpenAiChat.protocol({ ...OpenAiChat.defaultQuirks, cacheMarked: /^anthropic\// })
  const mark = { cache_control: { type: "ephemeral" } }
  const messages: ReadonlyArray<Message> = [
    user("First"),
    { role: "assistant", content: [{ _tag: "Text", text: "Yes." }] },
    { role: "user", content: [{ _tag: "Text", text: "Second" }, { _tag: "Image", mediaType: "image/png", blob: "b" }] },
    { role: "assistant", content: [{ _tag: "ToolCall", id: "1", name: "run", params: {} }, { _tag: "ToolCall", id: "2", name: "run", params: {} }] },
    { role: "user", content: ["1", "2"].map((id) => ({ _tag: "ToolResult", id, name: "run", isError: false, content: [{ _tag: "Text", text: id }] })) }
  ]
  const sent = (id: string) => (encode(request(messages, { blobs: new Map([["b", "aGk="]]) }), { ...gpt4, id }) as unknown as { messages: ReadonlyArray<{ role: string; content: unknown }> }).messages

  it("has them behind the system prompt and what was said last", () => {
    const [system, first, , second, , one, two] = sent("anthropic/claude-sonnet-4.5")
    assert.deepStrictEqual([system, first, second, one, two] as ReadonlyArray<unknown>, [
      { role: "system", content: [{ type: "text", text: "You are a careful engineer.", ...mark }] },
      { role: "user", content: "First" },
      { role: "user", content: [{ type: "text", text: "Second", ...mark }, { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } }] },
      { role: "tool", tool_call_id: "1", content: "1" },
      { role: "tool", tool_call_id: "2", content: "2", ...mark }
    ])
  })
  it("has none for other models", () => assert.notInclude(JSON.stringify(sent("openai/gpt-5.5")), "cache_control"))
})

describe("a request to OpenAI", () => {
  it("is encoded whole", () => {
    const body = protocol.encode(session, gpt) as { readonly messages: ReadonlyArray<any> }
    const id = body.messages[2].tool_calls[0].id as string
    assert.match(id, /^toolu_01ABCDEFGHIJKLMNOPQRSTUV_[a-z0-9]{9}$/)
    assert.deepStrictEqual<unknown>(body, {
      model: "gpt-5.5",
      messages: [
        { role: "system", content: "You are careful." },
        { role: "user", content: "Look at b.png." },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id, type: "function", function: { name: "mcp__a_b__run", arguments: "{\"path\":\"b.png\"}" } },
            { id: "t2", type: "function", function: { name: "mcp__a_b__run", arguments: "{\"path\":\"c\"}" } }
          ]
        },
        { role: "tool", tool_call_id: id, content: "[An image of this result: see the next user message.]" },
        { role: "tool", tool_call_id: "t2", content: "No result: interrupted." },
        {
          role: "user",
          content: [
            { type: "text", text: `Of the result of mcp__a.b__run (${id}):` },
            { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
            { type: "text", text: "And?" }
          ]
        }
      ],
      tools: [{ type: "function", function: { name: "mcp__a_b__run", description: "Runs.", parameters: { type: "object" } } }],
      max_completion_tokens: 500,
      reasoning_effort: "xhigh",
      prompt_cache_key: "session-1",
      stream: true,
      stream_options: { include_usage: true }
    })
  })

  it("tells of an image that the model can't see", () => {
    const body = JSON.stringify(protocol.encode(session, { ...gpt4, images: false }))
    assert.include(body, "[An image (image/png) was left out: this model does not accept images.]")
    assert.notInclude(body, "reasoning_effort")
  })

  it("gives thought back under the name that the model wants", () => {
    const deepseek = Catalogue.find("deepseek", "deepseek-reasoner")!
    const messages: ReadonlyArray<Message> = [
      user("Hi"),
      { role: "assistant", content: [{ _tag: "Reasoning", text: "Greet.", model: "deepseek/deepseek-reasoner" }, { _tag: "Text", text: "Hello" }] },
      user("Go on")
    ]
    const body = protocol.encode(request(messages, { tools: [] }), deepseek) as { readonly messages: ReadonlyArray<unknown> }
    assert.deepStrictEqual(body.messages[2], { role: "assistant", content: "Hello", reasoning_content: "Greet." })
  })

  it("keeps to nine letters and digits where a server asks for it", () => {
    const mistral = OpenAiChat.protocol({ ...OpenAiChat.defaultQuirks, ids: { illegal: /[^a-zA-Z0-9]/g, max: 9, exact: true } })
    const body = mistral.encode(session, gpt4) as { readonly messages: ReadonlyArray<any> }
    const ids = body.messages[2].tool_calls.map(({ id }: { id: string }) => id)
    assert.isTrue(ids.every((id: string) => /^[a-zA-Z0-9]{9}$/.test(id)) && new Set(ids).size === 2)
    assert.deepStrictEqual(body.messages.filter(({ role }) => role === "tool").map(({ tool_call_id }) => tool_call_id), ids)
  })
})

describe("an answer over Chat Completions", () => {
  it("is read from every name that servers give to thought", () => {
    const thoughts = [
      [delta({ reasoning_content: "a" }), delta({ reasoning_content: "b" })],
      [delta({ reasoning: "ab", reasoning_details: [{ type: "reasoning.text", text: "ab" }] })],
      [delta({ reasoning_content: "ab", reasoning: "ab" })],
      [delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "ab" }] }] })],
      [delta({ reasoning_details: [{ type: "reasoning.summary", summary: "ab" }] })]
    ]
    assert.deepStrictEqual(thoughts.map((events) => read([...events, delta({ content: "x" }), stop]).reasoning), ["ab", "ab", "ab", "ab", "ab"])
  })

  it("puts calls together however they come", () => {
    const call = (index: number | undefined, id: string | undefined, name: string | undefined, args: unknown) =>
      delta({ tool_calls: [{ ...(index === undefined ? {} : { index }), ...(id === undefined ? {} : { id }), function: { ...(name === undefined ? {} : { name }), arguments: args } }] })
    const whole = (events: ReadonlyArray<unknown>) => read([...events, delta({}, "tool_calls")]).calls.map(({ args, id, name }) => [id, name, JSON.parse(args)])
    assert.deepStrictEqual(whole([call(0, "a", "f", ""), call(1, "b", "g", "{\"y\""), call(0, undefined, undefined, "{\"x\":1}"), call(1, undefined, "", ":2}")]), [["a", "f", { x: 1 }], ["b", "g", { y: 2 }]], "interleaved")
    assert.deepStrictEqual(whole([call(0, "a", "f", "{}"), call(0, "b", "f", "{}")]), [["a", "f", {}], ["b", "f", {}]], "all at index 0")
    assert.deepStrictEqual(whole([call(undefined, "a", "f", "{\"x\""), call(undefined, undefined, undefined, ":1}"), call(undefined, "b", "g", "{}")]), [["a", "f", { x: 1 }], ["b", "g", {}]], "without an index")
    assert.deepStrictEqual(whole([call(0, undefined, "f", { x: 1 })]), [["call_1", "f", { x: 1 }]], "an object, and no id")
    assert.deepStrictEqual(whole([call(0, "a", "f", "")]), [["a", "f", {}]], "no arguments")
    assert.deepStrictEqual(whole([call(0, "a", "f", "{}"), call(1, "a", "f", "{}")]), [["a", "f", {}], ["a_2", "f", {}]], "one id for two")
  })

  it("finds usage where it stands", () => {
    const usage = { prompt_tokens: 100, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 60 } }
    const places: ReadonlyArray<ReadonlyArray<unknown>> = [
      [stop, { choices: [], usage }],
      [{ choices: [{ index: 0, delta: {}, finish_reason: "stop", usage }] }],
      [{ choices: [{ index: 0, delta: {}, finish_reason: "stop" }], x_groq: { usage } }]
    ]
    for (const events of places) assert.deepStrictEqual(read([delta({ content: "x" }), ...events]).usage, { input: 40, output: 10, cacheRead: 60, cacheWrite: 0, reasoning: 0 })
    const beside = { prompt_tokens: 291, completion_tokens: 26, total_tokens: 513, completion_tokens_details: { reasoning_tokens: 196 } }
    assert.deepStrictEqual(read([stop, { choices: [], usage: beside }]).usage?.output, 222, "thought counted beside the completion")
  })

  it("takes a finish reason for an end, and [DONE] without one", () => {
    assert.deepStrictEqual([decode([delta({ content: "x" })]).ended, decode([stop]).ended, decode(["[DONE]"]).ended], [false, true, true])
    assert.deepStrictEqual(read([delta({ content: "x" }), "[DONE]"]).finishes.map(({ reason }) => reason), ["other"])
  })

  it("says refusal for refused words, and calls for calls that end with stop", () => {
    assert.strictEqual(read([delta({ refusal: "I can't." }), stop]).finishes[0]?.reason, "refusal")
    assert.strictEqual(read([delta({ tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: "{}" } }] }), stop]).finishes[0]?.reason, "tool_calls")
  })

  it("keeps what it does not know as notices", () => {
    assert.deepStrictEqual(read([delta({ content: "x", annotations: [{ url: "u" }], audio: { id: "a" } }), stop]).notices, ["annotations", "audio"])
  })

  it("tells an error that comes in place of a chunk", () => {
    assert.strictEqual(protocol.failure({ error: { code: 502, message: "upstream" } })?.status, 502)
    assert.strictEqual(protocol.failure({ error: { message: "?" } })?.status, 500)
    assert.isUndefined(protocol.failure(stop))
  })
})
