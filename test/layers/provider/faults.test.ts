/** What goes wrong on a wire, over real HTTP on loopback. */
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import type { Chunk } from "../../../src/domain/message/Chunk.ts"
import type { ProviderError } from "../../../src/domain/provider/ProviderError.ts"
import { builtin } from "../../../src/layers/provider/builtin.ts"
import { anthropic as anthropicRoute } from "../../../src/layers/provider/routes/anthropic.ts"
import * as ProviderLive from "../../../src/layers/provider/ProviderLive.ts"
import { collect } from "../../../src/layers/testing/CollectResponse.ts"
import { environment, request } from "../../../src/layers/testing/conformance/route.ts"
import { anthropic } from "../../../src/layers/testing/servers/anthropic.ts"
import { openAiChat } from "../../../src/layers/testing/servers/openAiChat.ts"
import { openAiResponses } from "../../../src/layers/testing/servers/openAiResponses.ts"
import * as Server from "../../../src/layers/testing/servers/Server.ts"
import type { ScriptedTurn, Wire } from "../../../src/layers/testing/servers/Wire.ts"
import { Provider } from "../../../src/services/Provider.ts"
import type { Route } from "../../../src/services/Route.ts"

const { Hangs, Raw } = Server.ScriptedResponse
const hello = request([{ role: "user", content: [{ _tag: "Text", text: "Hello" }] }])
const asked = { method: "POST", path: "", headers: {}, text: "", body: {} }

/** What came, and the error that ended it. */
const answerOf = (route: Route, wire: Wire, answer: Server.ScriptedResponse, seen: (chunk: Chunk) => void = () => {}) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* Server.start(wire, [answer])
    const live = ProviderLive.layer({ routes: [route], baseUrl: `${server.url}/v1` }).pipe(Layer.provide(environment({ [route.keys[0]!]: "test-key" })))
    const chunks: Array<Chunk> = []
    const exit = yield* Effect.gen(function*() {
      const provider = yield* Provider
      const model = yield* provider.describe(`${route.name}/some-model`)
      yield* Stream.runForEach(provider.stream(yield* provider.prepare(model, hello)), ({ chunk }) =>
        Effect.sync(() => {
          chunks.push(chunk)
          seen(chunk)
        }))
    }).pipe(Effect.provide(live), Effect.exit)
    const error: ProviderError | undefined = Exit.isFailure(exit) ? exit.cause.reasons.find(Cause.isFailReason)?.error : undefined
    return { ...collect(chunks), error, tag: error?.reason._tag }
  }))

const bytes = (text: string) => new TextEncoder().encode(text)
const framesOf = (wire: Wire, turn: ScriptedTurn) => wire.frames(turn, asked).join("")

const openaiRoute = builtin.find(({ name }) => name === "openai-chat")!
const responsesRoute = builtin.find(({ name }) => name === "openai")!
const wires: ReadonlyArray<readonly [Route, Wire]> = [[anthropicRoute, anthropic], [openaiRoute, openAiChat], [responsesRoute, openAiResponses]]
for (const [route, wire] of wires) {
  describe(`an answer over ${wire.name}`, () => {
    const turn: ScriptedTurn = { reasoning: "Grübeln 🌱", text: "€ 世界", calls: [{ id: "a", name: "read_file", params: { path: "ü" } }] }
    const whole = framesOf(wire, turn)
    const check = ({ calls, error, reasoning, text }: { calls: ReadonlyArray<{ args: string }>; error: unknown; reasoning: string; text: string }) =>
      assert.deepStrictEqual([reasoning, text, calls.map(({ args }) => args), error], ["Grübeln 🌱", "€ 世界", ["{\"path\":\"ü\"}"], undefined])

    it.live("is the same wherever its bytes are cut", () =>
      Effect.gen(function*() {
        const all = bytes(whole)
        for (const size of [1, 7, 64]) {
          const parts = Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))
          check(yield* answerOf(route, wire, Raw({ parts })))
        }
      }))

    it.live("is the same with other line ends, a byte order mark, comments, and data in several lines", () =>
      Effect.gen(function*() {
        check(yield* answerOf(route, wire, Raw({ parts: [whole.replaceAll("\n", "\r\n")] })))
        check(yield* answerOf(route, wire, Raw({ parts: [whole.replaceAll("\n", "\r")] })))
        check(yield* answerOf(route, wire, Raw({ parts: ["\ufeff", whole] })))
        check(yield* answerOf(route, wire, Raw({ parts: [": PROCESSING\n\n", whole.replaceAll("\n\n", "\n\n: keep-alive\n\n")] })))
        check(yield* answerOf(route, wire, Raw({ parts: [whole.replaceAll("data: {", "data: {\ndata: ")] })))
      }))

    it.live("is broken when it ends inside an event or a character, and keeps what came before", () =>
      Effect.gen(function*() {
        const text = bytes(framesOf(wire, { text: "abc €" }))
        const cut = text.lastIndexOf(0x82) // inside the three bytes of €
        const { error, tag, text: came } = yield* answerOf(route, wire, Raw({ parts: [text.slice(0, cut)] }))
        assert.strictEqual(tag, "StreamBroken", error?.message)
        assert.notInclude(came, "\ufffd")
      }))

    it.live("is no answer when an event is no JSON, never ends, or is not encoded as it says", () =>
      Effect.gen(function*() {
        assert.strictEqual((yield* answerOf(route, wire, Raw({ parts: ["event: x\ndata: {oops}\n\n"] }))).tag, "BadAnswer")
        const long = Array.from({ length: 18 }, () => "a".repeat(1024 * 1024))
        assert.strictEqual((yield* answerOf(route, wire, Raw({ parts: ["data: ", ...long] }))).tag, "BadAnswer")
        assert.strictEqual((yield* answerOf(route, wire, Raw({ parts: [whole], headers: { "content-encoding": "gzip" } }))).tag, "BadAnswer")
      }))

    it.effect("is given up after two minutes of silence, before or in the middle of it", () =>
      Effect.gen(function*() {
        for (const after of [-1, wire === openAiResponses ? 5 : 3]) {
          const begun = Promise.withResolvers<void>()
          if (after < 0) begun.resolve()
          const fiber = yield* Effect.forkChild(answerOf(route, wire, Hangs({ turn: { text: "a long answer to be sure" }, after }), () => begun.resolve()))
          yield* Effect.promise(() => begun.promise)
          // The timer starts when the wait for bytes does; give it the time until it rings.
          const { error, tag } = yield* Effect.race(Fiber.join(fiber), Effect.forever(Effect.andThen(TestClock.adjust("119 seconds"), Effect.promise(() => new Promise((resolve) => setImmediate(resolve))))))
          assert.deepStrictEqual([tag, error?.message], ["Idle", `${route.name} sent nothing for 120 s.`])
        }
      }))
  })
}

const sse = (...events: ReadonlyArray<object | string>) => Raw({ parts: events.map((event) => typeof event === "string" ? event : `data: ${JSON.stringify(event)}\n\n`) })
const delta = (content: string) => ({ choices: [{ index: 0, delta: { content } }] })

describe("an answer of OpenAI", () => {
  const over = (answer: Server.ScriptedResponse) => answerOf(openaiRoute, openAiChat, answer)

  it.live("is whole with a finish reason and without [DONE]", () =>
    Effect.gen(function*() {
      const { error, finishes, text } = yield* over(sse(delta("x"), { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }))
      assert.deepStrictEqual([text, finishes.length, error], ["x", 1, undefined])
    }))
  it.live("is taken with [DONE] and without a finish reason, but says so", () =>
    Effect.gen(function*() {
      const { finishes, text } = yield* over(sse(delta("x"), "data: [DONE]\n\n"))
      assert.deepStrictEqual([text, finishes.map(({ raw, reason }) => [raw, reason])], ["x", [["", "other"]]])
    }))
  it.live("fails with the error that stands in place of a chunk", () =>
    Effect.gen(function*() {
      const { error, text } = yield* over(sse(delta("so far"), { error: { code: 502, message: "upstream" } }))
      assert.deepStrictEqual([text, error?.reason, error?.status], ["so far", { _tag: "ServerFault" }, 502])
    }))
  it.live("may come whole where a server does not stream", () =>
    Effect.gen(function*() {
      const whole = { id: "c", choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }], usage: { prompt_tokens: 3, completion_tokens: 1 } }
      const { finishes, text, usage } = yield* over(Raw({ parts: [JSON.stringify(whole, null, 2)], headers: { "content-type": "application/json" } }))
      assert.deepStrictEqual([text, usage?.input, finishes.length], ["Hi", 3, 1])
    }))
})

describe("an answer of Anthropic", () => {
  it.live("fails with the error event in its middle", () =>
    Effect.gen(function*() {
      const { error, text } = yield* answerOf(anthropicRoute, anthropic, Raw({ parts: [
        ...anthropic.frames({ text: "so far" }, asked).slice(0, 4),
        "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"
      ] }))
      assert.deepStrictEqual([text, error?.reason], ["so far", { _tag: "Overloaded" }])
    }))
})

describe("a local server", () => {
  it.live("that cuts the prompt without a word is found out by its count", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* Server.start(openAiChat, [Server.ScriptedResponse.Says({ turn: { text: "Ok", usage: { input: 4096 } } }), Server.ScriptedResponse.Says({ turn: { text: "Ok", usage: { input: 16_000 } } })])
      const live = ProviderLive.layer({ baseUrl: `${server.url}/v1` }).pipe(Layer.provide(environment({})))
      const asked = request([{ role: "user", content: [{ _tag: "Text", text: "word ".repeat(16_000) }] }])
      const ask = Effect.gen(function*() {
        const provider = yield* Provider
        const model = yield* provider.describe("ollama/qwen3:8b")
        yield* Stream.runDrain(provider.stream(yield* provider.prepare(model, asked)))
      }).pipe(Effect.provide(live))
      const error = yield* Effect.flip(ask)
      assert.strictEqual(error.reason._tag, "ContextOverflow", error.message)
      yield* ask
    })))
})

describe("an effort in a model's name", () => {
  it.effect("goes out with every request", () =>
    Effect.gen(function*() {
      const provider = yield* Provider
      const model = yield* provider.describe("openai/gpt-5.5:high")
      const { body: responses } = yield* provider.prepare(model, hello)
      assert.strictEqual((responses as { readonly reasoning?: { readonly effort?: string } }).reasoning?.effort, "high")
      const { body } = yield* provider.prepare(yield* provider.describe("openai-chat/gpt-5.5:high"), hello)
      assert.strictEqual((body as { readonly reasoning_effort?: string }).reasoning_effort, "high")
    }).pipe(Effect.provide(ProviderLive.layer().pipe(Layer.provide(environment({ OPENAI_API_KEY: "test-key" }))))))
})
