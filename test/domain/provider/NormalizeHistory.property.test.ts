/** Any history that a log can hold is one that each service accepts. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Content, Message } from "../../../src/domain/message/Message.ts"
import * as XmlHistory from "../../../src/domain/message/XmlHistory.ts"
import * as AnthropicMessages from "../../../src/domain/provider/AnthropicMessages.ts"
import * as BedrockConverse from "../../../src/domain/provider/BedrockConverse.ts"
import * as Catalogue from "../../../src/domain/provider/Catalogue.ts"
import * as Gemini from "../../../src/domain/provider/Gemini.ts"
import { fullName, type Model } from "../../../src/domain/provider/Model.ts"
import { efforts } from "../../../src/domain/provider/ModelRequest.ts"
import * as OpenAiChat from "../../../src/domain/provider/OpenAiChat.ts"
import * as OpenAiResponses from "../../../src/domain/provider/OpenAiResponses.ts"
import * as BodyBytes from "../../../src/layers/provider/BodyBytes.ts"
import * as Digest from "../../../src/layers/storage/Digest.ts"
import { request, tool } from "../../../src/layers/testing/conformance/route.ts"
import { anthropic } from "../../../src/layers/testing/servers/anthropic.ts"
import { anthropicBedrock, anthropicVertex } from "../../../src/layers/testing/servers/anthropicHosted.ts"
import { bedrock } from "../../../src/layers/testing/servers/bedrock.ts"
import { gemini } from "../../../src/layers/testing/servers/gemini.ts"
import { openAiChat } from "../../../src/layers/testing/servers/openAiChat.ts"
import { openAiResponses } from "../../../src/layers/testing/servers/openAiResponses.ts"
import { refusal, type Wire } from "../../../src/layers/testing/servers/Wire.ts"

const one = Schema.Literals
/** Ids as three providers and a fork of a session leave them: too long, with odd characters, empty, and the same twice. */
const ids = one(["toolu_1", "call|fc_1", "", "x".repeat(90), "x".repeat(91), "functions.read:0", "é"])
const names = one(["read_file", "mcp__a.b__c d", "", "n".repeat(80), "7zip"])
const texts = one(["", " ", "\n", "Do this.", "Grüße 🌱", "[system note] the file changed"])
const params = Schema.Union([one(["", "text"]), Schema.Null, Schema.Struct({ path: texts }), Schema.Array(Schema.Int)])
const image = Schema.Struct({ _tag: Schema.tag("Image"), mediaType: one(["image/png", "image/tiff"]), blob: one(["there", "gone"]) })

const content = Schema.Union([
  Schema.Struct({ _tag: Schema.tag("Text"), text: texts }),
  image,
  Schema.Struct({ _tag: Schema.tag("Document"), mediaType: one(["application/pdf", "text/plain", "application/zip"]), blob: one(["there", "gone"]) }),
  Schema.Struct({ _tag: Schema.tag("Reasoning"), text: texts, model: one(["anthropic/claude-sonnet-4-5", "anthropic/claude-opus-4-8:high", "bedrock/us.anthropic.claude-sonnet-4-5-v1:0", "gemini/gemini-3-flash-preview", "gemini/gemini-2.5-flash"]), signature: Schema.optionalKey(one(["sig_1"])) }),
  Schema.Struct({ _tag: Schema.tag("Reasoning"), text: texts, model: one(["openai/gpt-4.1", "other/x"]), signature: Schema.optionalKey(one(["of another"])), encrypted: Schema.optionalKey(one(["e"])) }),
  Schema.Struct({ _tag: Schema.tag("Reasoning"), text: texts, model: one(["openai/gpt-5.4"]), encrypted: Schema.optionalKey(one(["enc_1"])) }),
  Schema.Struct({ _tag: Schema.tag("ToolCall"), id: ids, name: names, params }),
  Schema.Struct({ _tag: Schema.tag("ToolResult"), id: ids, name: names, content: Schema.Array(Schema.Union([Schema.Struct({ _tag: Schema.tag("Text"), text: texts }), image])), isError: Schema.Boolean })
])
const histories = Schema.Array(Schema.Struct({ role: one(["user", "assistant"]), content: Schema.Array(content) }))
const settings = Schema.Struct({
  effort: Schema.optionalKey(one(efforts)),
  temperature: Schema.optionalKey(one([-1, 0, 0.7, 9])),
  maxTokens: one([0, 1, 500, 5000, 10_000_000]),
  system: texts
})

const blobs = new Map([["there", "iVBORw0KGgo="]])
const tools = [tool("read_file"), tool("mcp__a.b__c d"), tool("mcp__a_b__c_d"), tool("read_file")]
/** A model by its name; on another's premises it has the figures of where it comes from. */
const model = (name: string, like = name): Model => {
  const { id, provider } = Catalogue.parse(like)
  const own = Catalogue.parse(name)
  return { ...Catalogue.find(provider, id)!, provider: own.provider, id: own.id }
}

const chat = OpenAiChat.protocol({ ...OpenAiChat.defaultQuirks, maxTokens: "max_completion_tokens", cacheKey: "prompt_cache_key" })
const toAnthropic = { "x-api-key": "k", "anthropic-version": "1" }
const bearer = { authorization: "Bearer k" }
const toGoogle = { "x-goog-api-key": "k" }
const wires: ReadonlyArray<readonly [Model, Wire, Record<string, string>, string, typeof chat.encode]> = [
  [model("anthropic/claude-sonnet-4-5"), anthropic, toAnthropic, "/v1/messages", AnthropicMessages.encode],
  [model("anthropic/claude-opus-4-8"), anthropic, toAnthropic, "/v1/messages", AnthropicMessages.encode],
  [model("anthropic-vertex/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"), anthropicVertex, bearer, "/v1/projects/p/locations/l/publishers/anthropic/models/claude-sonnet-4-5:streamRawPredict", AnthropicMessages.encodeHosted({ anthropic_version: "vertex-2023-10-16", stream: true })],
  [model("anthropic-bedrock/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"), anthropicBedrock, bearer, "/model/claude-sonnet-4-5/invoke-with-response-stream", AnthropicMessages.bedrockProtocol.encode],
  [model("bedrock/us.anthropic.claude-sonnet-4-5-v1:0", "anthropic/claude-sonnet-4-5"), bedrock, bearer, "/model/us.anthropic.claude-sonnet-4-5-v1%3A0/converse-stream", BedrockConverse.protocol.encode],
  [model("bedrock/mistral.large", "openai/gpt-4.1"), bedrock, bearer, "/model/mistral.large/converse-stream", BedrockConverse.protocol.encode],
  [model("gemini/gemini-3-flash-preview"), gemini, toGoogle, "/v1beta/models/gemini-3-flash-preview:streamGenerateContent", Gemini.protocol.encode],
  [model("gemini/gemini-2.5-flash"), gemini, toGoogle, "/v1beta/models/gemini-2.5-flash:streamGenerateContent", Gemini.protocol.encode],
  [model("gemini/gemini-2.5-pro"), gemini, toGoogle, "/v1beta/models/gemini-2.5-pro:streamGenerateContent", Gemini.protocol.encode],
  [model("openai/gpt-4.1"), openAiChat, bearer, "/v1/chat/completions", chat.encode],
  [model("openai/gpt-5.5"), openAiChat, bearer, "/v1/chat/completions", chat.encode],
  [model("openai/gpt-5.4"), openAiResponses, bearer, "/v1/responses", OpenAiResponses.protocol.encode],
  [model("openai/gpt-4o"), openAiResponses, bearer, "/v1/responses", OpenAiResponses.protocol.encode]
]

const refused = (wire: Wire, headers: Record<string, string>, path: string, body: Schema.Json) => {
  const text = JSON.stringify(body)
  return refusal(wire, { method: "POST", path, headers: { "content-type": "application/json", ...headers }, text, body: JSON.parse(text) })?.message
}

for (const [model, wire, headers, path, encode] of wires) {
  describe(`a request to ${fullName(model)}`, () => {
    it.effect.prop("is accepted whatever the history holds", [histories, settings], ([messages, settings]) =>
      Effect.sync(() => {
        const body = encode(request(messages as ReadonlyArray<Message>, { tools, blobs, cacheKey: "s", ...settings }), model)
        assert.strictEqual(refused(wire, headers, path, body), undefined, JSON.stringify(body))
      }), { arbitrary: { runs: 600 } })

    it.effect.prop("has the same bytes whether or not earlier requests of the session were encoded", [histories, settings], ([list, settings]) =>
      Effect.sync(() => {
        const messages = list as ReadonlyArray<Message>
        for (const length of messages.keys()) {
          // The message that ends a request is another object in the next one.
          const sent = [...messages.slice(0, length), structuredClone(messages[length]!)]
          const [xml, fresh] = [XmlHistory.toXmlMessages(sent, tools), structuredClone(sent)]
          const told = encode(request(xml, { tools: [], blobs }), model)
          assert.strictEqual(JSON.stringify(told), JSON.stringify(encode(request(XmlHistory.toXmlMessages(fresh, [...tools]), { tools: [], blobs }), { ...model })))
          const body = encode(request(sent, { tools, blobs, cacheKey: "s", ...settings }), model)
          const text = JSON.stringify(encode(request(fresh, { tools: [...tools], blobs, cacheKey: "s", ...settings }), { ...model }))
          const { bytes, digest } = BodyBytes.of(body)
          assert.strictEqual(Buffer.from(bytes).toString(), text)
          assert.strictEqual(digest, Digest.sha256(text))
        }
      }), { arbitrary: { runs: 20 } })

    it.effect.prop("is accepted with the calls told as XML", [histories], ([messages]) =>
      Effect.sync(() => {
        const told = XmlHistory.toXmlMessages(messages as ReadonlyArray<Message>, tools)
        assert.isFalse(told.some(({ content }) => content.some(({ _tag }) => _tag === "ToolCall" || _tag === "ToolResult")))
        const body = encode(request(told, { tools: [], blobs }), model)
        assert.strictEqual(refused(wire, headers, path, body), undefined, JSON.stringify(body))
      }), { arbitrary: { runs: 200 } })
  })
}

/** What a log really holds: calls answered in the message after them, and the user's word at the end. */
const turn = Schema.Struct({ said: one(["Do this.", "And that."]), calls: Schema.Array(Schema.Struct({ id: ids, params: Schema.Struct({ path: texts }) })), answer: texts })

describe("the bytes of a request", () => {
  const without = (body: Schema.Json): string => JSON.stringify(body).replaceAll(",\"cache_control\":{\"type\":\"ephemeral\"}", "").replaceAll(",{\"cachePoint\":{\"type\":\"default\"}}", "")
  const tell = (turns: ReadonlyArray<typeof turn.Type>): ReadonlyArray<Message> => [
    { role: "user", content: [{ _tag: "Text", text: "Begin." }] },
    ...turns.flatMap(({ answer, calls, said }): ReadonlyArray<Message> => [
      { role: "assistant", content: [{ _tag: "Text", text: `So: ${answer}` }, ...calls.map(({ id, params }, i): Content => ({ _tag: "ToolCall", id: `${i}${id}`, name: "read_file", params }))] },
      {
        role: "user",
        content: [
          ...calls.map(({ id }, i): Content => ({ _tag: "ToolResult", id: `${i}${id}`, name: "read_file", content: [{ _tag: "Text", text: answer }], isError: false })),
          { _tag: "Text", text: said }
        ]
      }
    ])
  ]
  for (const [model, , , , encode] of wires) {
    it.effect.prop(`stay the same when the session continues (${fullName(model)})`, [Schema.Array(turn), turn], ([turns, next]) =>
      Effect.sync(() => {
        const messages = (turns: ReadonlyArray<typeof turn.Type>) => {
          const { contents = [], input = contents, messages = input } = encode(request(tell(turns)), model) as { readonly [list: string]: ReadonlyArray<Schema.Json> }
          return messages.map(without)
        }
        const before = messages(turns)
        assert.deepStrictEqual(messages([...turns, next]).slice(0, before.length), before)
      }), { arbitrary: { runs: 150 } })
  }
})
