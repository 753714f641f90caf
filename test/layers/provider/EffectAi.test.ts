/** A hand-written LanguageModel of `effect/ai` behind the Provider service, and behind a whole task. */
import { assert, describe, it } from "@effect/vitest"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { ModelRequest } from "../../../src/domain/provider/ModelRequest.ts"
import * as EffectAi from "../../../src/layers/provider/EffectAi.ts"
import * as ProviderLive from "../../../src/layers/provider/ProviderLive.ts"
import { collect } from "../../../src/layers/testing/CollectResponse.ts"
import { environment, request, tool } from "../../../src/layers/testing/conformance/route.ts"
import { Provider } from "../../../src/services/Provider.ts"

type Parts = ReadonlyArray<Response.StreamPartEncoded>

const usage = (input: number, output: number, cacheRead = 0) => ({ inputTokens: { uncached: input, total: input + cacheRead, cacheRead }, outputTokens: { total: output, reasoning: 2 } })
const finish = (reason: "stop" | "length" | "content-filter" | "tool-calls"): Response.StreamPartEncoded => ({ type: "finish", reason, usage: usage(100, 20, 40) })

/** Asks a model that answers with these parts, and shows what it was asked. */
const ask = (parts: Stream.Stream<Response.StreamPartEncoded, AiError.AiError>, asked: ModelRequest) =>
  Effect.gen(function*() {
    const seen: Array<LanguageModel.ProviderOptions> = []
    const model = yield* LanguageModel.make({
      generateText: () => Effect.die("not used"),
      streamText: (options) => {
        seen.push(options)
        return parts
      }
    })
    const result = yield* Effect.gen(function*() {
      const provider = yield* Provider
      const described = yield* provider.describe("mine/some-model")
      const prepared = yield* provider.prepare(described, asked)
      const chunks = yield* Stream.runCollect(provider.stream(prepared))
      return { described, ...collect(chunks.map(({ chunk }) => chunk)) }
    }).pipe(
      Effect.provide(ProviderLive.layer({ routes: [EffectAi.route(model, { name: "mine", window: 50_000, images: true })] }).pipe(Layer.provide(environment({})))),
      Effect.result
    )
    return { result, seen }
  })

const answer = (parts: Parts, asked: ModelRequest = request([{ role: "user", content: [{ _tag: "Text", text: "Hello" }] }])) =>
  Effect.map(ask(Stream.fromIterable(parts), asked), ({ result, seen }) => {
    if (result._tag === "Failure") throw result.failure
    return { ...result.success, seen }
  })

describe("a model of effect/ai", () => {
  it.effect("streams text, thought, calls in pieces or whole, and usage", () =>
    Effect.gen(function*() {
      const { calls, described, finishes, notices, reasoning, signatures, text, usage: counted } = yield* answer([
        { type: "response-metadata", id: "resp_1" },
        { type: "reasoning-start", id: "r" },
        { type: "reasoning-delta", id: "r", delta: "Hm." },
        { type: "reasoning-end", id: "r", metadata: { maker: { signature: "s" } } },
        { type: "text-start", id: "t" },
        { type: "text-delta", id: "t", delta: "Grü" },
        { type: "text-delta", id: "t", delta: "ße" },
        { type: "text-end", id: "t" },
        { type: "tool-params-start", id: "a", name: "mcp__a_b__run", providerExecuted: false },
        { type: "tool-params-delta", id: "a", delta: "{\"path\":" },
        { type: "tool-params-delta", id: "a", delta: "\"x\"}" },
        { type: "tool-params-end", id: "a" },
        { type: "tool-call", id: "a", name: "mcp__a_b__run", params: { path: "x" }, providerExecuted: false },
        { type: "tool-call", id: "b", name: "mcp__a_b__run", params: { path: "y" }, providerExecuted: false },
        { type: "source", sourceType: "url", id: "u", url: "https://example.com/", title: "Example" },
        finish("tool-calls")
      ], request([{ role: "user", content: [{ _tag: "Text", text: "Go" }] }], { tools: [tool("mcp__a.b__run")] }))
      assert.deepStrictEqual([text, reasoning, signatures], ["Grüße", "Hm.", ["{\"maker\":{\"signature\":\"s\"}}"]])
      assert.deepStrictEqual(calls, [{ id: "a", name: "mcp__a.b__run", args: "{\"path\":\"x\"}", ended: true }, { id: "b", name: "mcp__a.b__run", args: "{\"path\":\"y\"}", ended: true }])
      assert.deepStrictEqual(counted, { input: 100, output: 20, cacheRead: 40, cacheWrite: 0, reasoning: 2 })
      assert.deepStrictEqual(finishes, [{ _tag: "Finish", reason: "tool_calls", raw: "tool-calls", responseId: "resp_1" }])
      assert.deepStrictEqual([notices, described.window, described.nativeTools], [["source"], 50_000, true])
    }))

  it.effect("is told the history and the tools", () =>
    Effect.gen(function*() {
      const { seen } = yield* answer([{ type: "text-start", id: "t" }, { type: "text-delta", id: "t", delta: "Yes." }, { type: "text-end", id: "t" }, finish("stop")], request([
        { role: "user", content: [{ _tag: "Text", text: "Look" }, { _tag: "Image", mediaType: "image/png", blob: "b" }] },
        {
          role: "assistant",
          content: [
            { _tag: "Reasoning", text: "Hm.", model: "mine/some-model", signature: "{\"maker\":{\"signature\":\"s\"}}" },
            { _tag: "ToolCall", id: "1", name: "read_file", params: { path: "a" } },
            { _tag: "ToolCall", id: "2", name: "read_file", params: { path: "b" } }
          ]
        },
        { role: "user", content: [{ _tag: "ToolResult", id: "1", name: "read_file", content: [{ _tag: "Text", text: "A" }], isError: false }] }
      ], { blobs: new Map([["b", "aGk="]]) }))
      const [{ prompt, tools }] = seen as [LanguageModel.ProviderOptions]
      assert.deepStrictEqual(tools.map(({ description, name }) => [name, description]), [["read_file", "Does read_file."], ["run_command", "Does run_command."]])
      assert.deepStrictEqual(prompt.content.map(({ content, role }) => [role, typeof content === "string" ? content : content.map(({ type }) => type)]), [
        ["system", "You are a careful engineer."],
        ["user", ["text", "file"]],
        ["assistant", ["reasoning", "tool-call", "tool-call"]],
        ["tool", ["tool-result", "tool-result"]]
      ])
      assert.include(JSON.stringify(prompt.content), "{\"maker\":{\"signature\":\"s\"}}")
      assert.include(JSON.stringify(prompt.content), "No result: interrupted.")
    }))

  it.effect("fails as any provider does", () =>
    Effect.gen(function*() {
      const failing = (reason: AiError.AiErrorReason) => Stream.fail(AiError.make({ module: "test", method: "streamText", reason }))
      const hello = request([{ role: "user", content: [{ _tag: "Text", text: "Hello" }] }])
      const tag = (parts: Stream.Stream<Response.StreamPartEncoded, AiError.AiError>) =>
        Effect.map(ask(parts, hello), ({ result }) => result._tag === "Failure" ? result.failure.reason : undefined)
      assert.deepStrictEqual(yield* tag(failing(new AiError.RateLimitError({ retryAfter: Duration.seconds(7) }))), { _tag: "RateLimited", retryAfterMs: 7000 })
      assert.deepStrictEqual(yield* tag(failing(new AiError.AuthenticationError({ kind: "InvalidKey" }))), { _tag: "Auth" })
      assert.deepStrictEqual(yield* tag(failing(new AiError.InternalProviderError({ description: "Oops" }))), { _tag: "ServerFault" })
      assert.deepStrictEqual(yield* tag(failing(new AiError.InvalidRequestError({ description: "prompt is too long: 9 tokens > 8 maximum" }))), { _tag: "ContextOverflow" })
      assert.deepStrictEqual(yield* tag(Stream.fromIterable<Response.StreamPartEncoded>([{ type: "text-start", id: "t" }, { type: "text-delta", id: "t", delta: "So" }])), { _tag: "StreamBroken" })
      assert.deepStrictEqual(yield* tag(Stream.fromIterable<Response.StreamPartEncoded>([finish("stop")])), { _tag: "EmptyAnswer" })
    }))
})
