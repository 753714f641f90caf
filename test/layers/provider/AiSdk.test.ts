/** Models of the AI SDK, in each version of its interface, behind a route. */
import type { LanguageModelV2, LanguageModelV2StreamPart, LanguageModelV3, LanguageModelV3StreamPart, LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { APICallError } from "@ai-sdk/provider"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as AiSdk from "../../../src/layers/provider/AiSdk.ts"
import * as ProviderLive from "../../../src/layers/provider/ProviderLive.ts"
import * as provider from "../../../src/layers/testing/conformance/provider.ts"
import { environment, request, tool } from "../../../src/layers/testing/conformance/route.ts"
import { collect } from "../../../src/layers/testing/CollectResponse.ts"
import * as MemoryWorkspace from "../../../src/layers/testing/MemoryWorkspace.ts"
import * as Test from "../../../src/layers/Test.ts"
import { Provider } from "../../../src/services/Provider.ts"
import { run } from "../agent/world.ts"

const streamOf = <Part>(parts: ReadonlyArray<Part>): ReadableStream<Part> =>
  new ReadableStream({
    start: (controller) => {
      parts.forEach((part) => controller.enqueue(part))
      controller.close()
    }
  })

const usageV4 = { inputTokens: { total: 900, noCache: 100, cacheRead: 800, cacheWrite: 0 }, outputTokens: { total: 50, text: 40, reasoning: 10 } }
const fineV4: ReadonlyArray<LanguageModelV4StreamPart> = [
  { type: "stream-start", warnings: [] },
  { type: "response-metadata", id: "resp_1" },
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta: "Fi" },
  { type: "text-delta", id: "t", delta: "ne." },
  { type: "text-end", id: "t" },
  { type: "finish", finishReason: { unified: "stop", raw: "end_turn" }, usage: usageV4 }
]

/** What each version is: the interface of the SDK's own package, so that a change of it does not compile here. */
const v4 = (parts: ReadonlyArray<LanguageModelV4StreamPart>, seen: Array<unknown> = []): LanguageModelV4 => ({
  specificationVersion: "v4",
  provider: "mine",
  modelId: "m",
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error("not used")),
  doStream: (options) => (seen.push(options), Promise.resolve({ stream: streamOf(parts) }))
})
const v3 = (parts: ReadonlyArray<LanguageModelV3StreamPart>): LanguageModelV3 => ({
  specificationVersion: "v3",
  provider: "mine",
  modelId: "m",
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error("not used")),
  doStream: () => Promise.resolve({ stream: streamOf(parts) })
})
const v2 = (parts: ReadonlyArray<LanguageModelV2StreamPart>): LanguageModelV2 => ({
  specificationVersion: "v2",
  provider: "mine",
  modelId: "m",
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error("not used")),
  doStream: () => Promise.resolve({ stream: streamOf(parts) })
})

const layer = (model: AiSdk.LanguageModel) => ProviderLive.layer({ routes: [AiSdk.route(model)] }).pipe(Layer.provide(environment({})))

const send = (model: AiSdk.LanguageModel, modelRequest = request([{ role: "user", content: [{ _tag: "Text", text: "Hello" }] }])) =>
  Effect.gen(function*() {
    const { describe, prepare, stream } = yield* Provider
    const prepared = yield* prepare(yield* describe("mine/m"), modelRequest)
    return collect((yield* Stream.runCollect(stream(prepared))).map(({ chunk }) => chunk))
  }).pipe(Effect.provide(layer(model)))

describe("a model of the AI SDK", () => {
  for (const { name, run } of provider.cases(layer(v4(fineV4)), "mine/m")) it.live(name, () => run)

  it.live("reports text, usage and why it ended, in every version", () =>
    Effect.gen(function*() {
      const fine = yield* send(v4(fineV4))
      assert.deepStrictEqual([fine.text, fine.usage?.input, fine.usage?.cacheRead, fine.usage?.output, fine.usage?.reasoning], ["Fine.", 100, 800, 50, 10])
      assert.deepStrictEqual([fine.finishes[0]?.reason, fine.finishes[0]?.responseId], ["stop", "resp_1"])
      const text: ReadonlyArray<LanguageModelV2StreamPart> = [{ type: "text-start", id: "t" }, { type: "text-delta", id: "t", delta: "Fine." }, { type: "text-end", id: "t" }]
      const old = yield* send(v2([...text, { type: "finish", finishReason: "length", usage: { inputTokens: 900, cachedInputTokens: 800, outputTokens: 50, totalTokens: 950 } }]))
      assert.deepStrictEqual([old.text, old.usage?.input, old.usage?.cacheRead, old.finishes[0]?.reason], ["Fine.", 100, 800, "length"])
      const middle = yield* send(v3([...text as ReadonlyArray<LanguageModelV3StreamPart>, { type: "finish", finishReason: { unified: "stop", raw: undefined }, usage: usageV4 }]))
      assert.deepStrictEqual([middle.text, middle.usage?.input], ["Fine.", 100])
    }))

  it.live("calls tools: streamed as JSON, as other text, and all at once", () =>
    Effect.gen(function*() {
      const input = JSON.stringify({ path: "a.txt" })
      const call = (id: string) => ({ type: "tool-call", toolCallId: id, toolName: "read_file", input }) as const
      const { calls, finishes, reasoning } = yield* send(v4([
        { type: "reasoning-start", id: "r" },
        { type: "reasoning-delta", id: "r", delta: "Let me look." },
        { type: "reasoning-end", id: "r", providerMetadata: { mine: { signature: "s" } } },
        { type: "tool-input-start", id: "c1", toolName: "read_file" },
        { type: "tool-input-delta", id: "c1", delta: input.slice(0, 5) },
        { type: "tool-input-delta", id: "c1", delta: input.slice(5) },
        { type: "tool-input-end", id: "c1" },
        call("c1"),
        { type: "tool-input-start", id: "c2", toolName: "read_file", inputEncoding: "text" },
        { type: "tool-input-delta", id: "c2", delta: "not JSON" },
        { type: "tool-input-end", id: "c2" },
        call("c2"),
        call("c3"),
        { type: "finish", finishReason: { unified: "tool-calls", raw: undefined }, usage: usageV4 }
      ]))
      assert.deepStrictEqual(calls.map(({ args, ended, id, name }) => [id, name, args, ended]), ["c1", "c2", "c3"].map((id) => [id, "read_file", input, true]))
      assert.deepStrictEqual([reasoning, finishes[0]?.reason], ["Let me look.", "tool_calls"])
    }))

  it.live("sends a conversation in the SDK's shape", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const png = "iVBORw0KGgo="
      const history = request([
        { role: "user", content: [{ _tag: "Text", text: "Look" }] },
        { role: "assistant", content: [{ _tag: "Text", text: "I look." }, { _tag: "ToolCall", id: "c1", name: "read_file", params: { path: "a" } }] },
        { role: "user", content: [{ _tag: "ToolResult", id: "c1", name: "read_file", isError: true, content: [{ _tag: "Text", text: "No such file." }] }] },
        { role: "user", content: [{ _tag: "Image", mediaType: "image/png", blob: "p" }] }
      ], { tools: [tool("read_file")], blobs: new Map([["p", png]]) })
      yield* Effect.gen(function*() {
        const { describe, prepare, stream } = yield* Provider
        const model = { ...(yield* describe("mine/m")), images: true }
        yield* Stream.runDrain(stream(yield* prepare(model, history)))
      }).pipe(Effect.provide(layer(v4(fineV4, seen))))
      const { abortSignal, ...options } = seen[0] as { readonly abortSignal: AbortSignal }
      assert.isTrue(abortSignal.aborted, "the connection is given up with the response")
      assert.deepStrictEqual(options, {
        prompt: [
          { role: "system", content: "You are a careful engineer." },
          { role: "user", content: [{ type: "text", text: "Look" }] },
          { role: "assistant", content: [{ type: "text", text: "I look." }, { type: "tool-call", toolCallId: "c1", toolName: "read_file", input: { path: "a" } }] },
          { role: "tool", content: [{ type: "tool-result", toolCallId: "c1", toolName: "read_file", output: { type: "error-text", value: "No such file." } }] },
          { role: "user", content: [{ type: "file", mediaType: "image/png", data: { type: "data", data: png } }] }
        ],
        tools: [{ type: "function", name: "read_file", description: "Does read_file.", inputSchema: tool("read_file").schema }],
        maxOutputTokens: 1000
      } as {})
    }))

  it.live("fails with what can be done next", () =>
    Effect.gen(function*() {
      const api = (statusCode: number, responseHeaders = {}) =>
        new APICallError({ message: "refused", url: "https://mine.test", requestBodyValues: {}, statusCode, responseHeaders })
      const throwing = (error: unknown): LanguageModelV4 => ({ ...v4([]), doStream: () => Promise.reject(error) })
      const reasonOf = (model: AiSdk.LanguageModel) => Effect.map(Effect.flip(send(model)), ({ reason }) => reason)
      assert.deepStrictEqual(yield* reasonOf(throwing(api(429, { "retry-after": "7" }))), { _tag: "RateLimited", retryAfterMs: 7000 })
      assert.strictEqual((yield* reasonOf(throwing(api(401))))._tag, "Auth")
      assert.strictEqual((yield* reasonOf(throwing(new TypeError("fetch failed"))))._tag, "Connection")
      assert.strictEqual((yield* reasonOf({ ...v4([]), doStream: () => { throw new Error("at once") } }))._tag, "Connection")
      assert.strictEqual((yield* reasonOf(v4([{ type: "error", error: api(500) }])))._tag, "ServerFault")
      assert.strictEqual((yield* reasonOf(v4(fineV4.slice(0, 4))))._tag, "StreamBroken")
    }))

  it.live("is told when its response is not wanted any more", () =>
    Effect.gen(function*() {
      const { promise: aborted, resolve } = Promise.withResolvers<void>()
      const waiting: LanguageModelV4 = {
        ...v4([]),
        doStream: ({ abortSignal }) => {
          abortSignal?.addEventListener("abort", () => resolve())
          return Promise.resolve({ stream: new ReadableStream({ start: (controller) => controller.enqueue(fineV4[3]!) }) })
        }
      }
      const first = Promise.withResolvers<void>()
      const fiber = yield* Effect.forkChild(Effect.gen(function*() {
        const { describe, prepare, stream } = yield* Provider
        const prepared = yield* prepare(yield* describe("mine/m"), request([{ role: "user", content: [{ _tag: "Text", text: "Hello" }] }]))
        yield* Stream.runForEach(stream(prepared), () => Effect.sync(() => first.resolve()))
      }).pipe(Effect.provide(layer(waiting))))
      yield* Effect.promise(() => first.promise)
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => aborted)
    }))

  it.each<readonly [string, unknown, string]>([
    ["a model's name", "gpt-5", 'needs a model of one of the SDK\'s packages, such as mistral("gpt-5"), not its name.'],
    ["undefined", undefined, "needs a language model of the SDK: this has no doStream."],
    ["a model of another kind", { specificationVersion: "v3", provider: "mine", modelId: "m", doEmbed: () => {} }, "needs a language model of the SDK: this has no doStream."],
    ["a model of another version", { ...v4([]), specificationVersion: "v1" }, "knows the versions v2, v3, v4 of the SDK's models, and mine has v1."]
  ])("is not %s, which would never answer", (_, model, message) => {
    assert.throws(() => AiSdk.route(model as AiSdk.LanguageModel), TypeError, `AiSdk.route ${message}`)
  })

  it.effect("works as the agent's model", () => {
    const turns = [
      [{ type: "tool-call", toolCallId: "c1", toolName: "read_file", input: "{\"path\":\"a.txt\"}" }, { type: "finish", finishReason: { unified: "tool-calls", raw: undefined }, usage: usageV4 }],
      fineV4
    ] as ReadonlyArray<ReadonlyArray<LanguageModelV4StreamPart>>
    let count = 0
    const model: LanguageModelV4 = { ...v4([]), provider: "scripted", doStream: () => Promise.resolve({ stream: streamOf(turns[count++]!) }) }
    return Effect.gen(function*() {
      const { session } = yield* run("Read it")
      assert.deepStrictEqual([session.task.state, session.task.result], ["finished", "Fine."])
      assert.strictEqual(count, 2)
    }).pipe(Effect.provide(Test.layer({
      files: MemoryWorkspace.files({ "a.txt": "one\n" }),
      provider: ProviderLive.layer({ routes: [AiSdk.route(model)] })
    })))
  })
})
