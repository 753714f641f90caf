/** Which of OpenAI's wires a model is called on, over real HTTP on loopback. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Model } from "../../../src/domain/provider/Model.ts"
import * as ProviderLive from "../../../src/layers/provider/ProviderLive.ts"
import { collect } from "../../../src/layers/testing/CollectResponse.ts"
import { environment, request } from "../../../src/layers/testing/conformance/route.ts"
import { openAiChat } from "../../../src/layers/testing/servers/openAiChat.ts"
import { openAiResponses } from "../../../src/layers/testing/servers/openAiResponses.ts"
import { encryptedPrefix } from "../../../src/layers/testing/servers/openAiResponsesRules.ts"
import * as Server from "../../../src/layers/testing/servers/Server.ts"
import type { Wire } from "../../../src/layers/testing/servers/Wire.ts"
import type { Message } from "../../../src/domain/message/Message.ts"
import { Provider } from "../../../src/services/Provider.ts"

const question: Message = { role: "user", content: [{ _tag: "Text", text: "Hello" }] }
const turn = { reasoning: "First this.", text: "Reading.", calls: [{ id: "call_1", name: "read_file", params: { path: "a" } }] }

/** The chunks of responses to `histories`, and what the server received. */
const asked = (wire: Wire, name: string, recorded: (model: Model) => Model, ...histories: ReadonlyArray<ReadonlyArray<Message>>) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* Server.start(wire, histories.map(() => Server.ScriptedResponse.Says({ turn })))
    const live = ProviderLive.layer({ baseUrl: `${server.url}/v1` }).pipe(Layer.provide(environment({ OPENAI_API_KEY: "test-key" })))
    return yield* Effect.gen(function*() {
      const provider = yield* Provider
      const model = recorded(yield* provider.describe(name))
      const responses = yield* Effect.forEach(histories, (messages) =>
        Effect.gen(function*() {
          const prepared = yield* provider.prepare(model, { ...request(messages), cacheKey: "session-1" })
          return collect((yield* Stream.runCollect(provider.stream(prepared))).map(({ chunk }) => chunk))
        }))
      return { model, responses, requests: server.requests }
    }).pipe(Effect.provide(live))
  }))

const asDescribed = (model: Model) => model
const fromBefore = ({ wire: _, ...model }: Model): Model => model

describe("a model of OpenAI", () => {
  it.live("is called on Responses, its reasoning is sent back encrypted, and the description says so", () =>
    Effect.gen(function*() {
      const reasoned: Message = {
        role: "assistant",
        content: [
          { _tag: "Reasoning", text: "First this.", model: "openai/gpt-5.5", encrypted: `${encryptedPrefix}1` },
          { _tag: "ToolCall", id: "call_1", name: "read_file", params: { path: "a" } }
        ]
      }
      const result: Message = { role: "user", content: [{ _tag: "ToolResult", id: "call_1", name: "read_file", isError: false, content: [{ _tag: "Text", text: "one" }] }] }
      const first = yield* asked(openAiResponses, "openai/gpt-5.5", asDescribed, [question], [question, reasoned, result])
      assert.strictEqual(first.model.wire, "openai-responses")
      assert.deepStrictEqual(first.requests.map(({ path }) => path), ["/v1/responses", "/v1/responses"])
      assert.include(first.requests[1]!.text, `"encrypted_content":"${encryptedPrefix}1"`)
      assert.include(first.requests[1]!.text, "\"prompt_cache_key\":\"session-1\"")
      const { reasoning, text } = first.responses[0]!
      assert.deepStrictEqual([reasoning, text], ["First this.", "Reading."])
    }))

  it.live("is called on Chat Completions as openai-chat", () =>
    Effect.gen(function*() {
      const { model, requests } = yield* asked(openAiChat, "openai-chat/gpt-4.1", asDescribed, [question])
      assert.deepStrictEqual([model.wire, requests.map(({ path }) => path)], [undefined, ["/v1/chat/completions"]])
    }))

  it.live("stays on Chat Completions in a session that recorded no wire, with the same requests as then", () =>
    Effect.gen(function*() {
      const before = yield* asked(openAiChat, "openai/gpt-4.1", fromBefore, [question])
      const chat = yield* asked(openAiChat, "openai-chat/gpt-4.1", asDescribed, [question])
      assert.deepStrictEqual(before.requests.map(({ path }) => path), ["/v1/chat/completions"])
      assert.deepStrictEqual(before.requests.map(({ text }) => text), chat.requests.map(({ text }) => text))
    }))

  it.live("on a server without Responses names the wire to use", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(asked(openAiChat, "openai/gpt-4.1", asDescribed, [question]))
      assert.include(error.message, "A server without the Responses API answers as openai-chat/gpt-4.1.")
    }))
})
