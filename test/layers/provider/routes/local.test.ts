/** What servers say of their own models, over real HTTP. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { llamacpp, lmstudio, ollama, vllm } from "../../../../src/layers/provider/routes/local.ts"
import { openAiCompatible } from "../../../../src/layers/provider/routes/openAiCompatible.ts"
import * as ProviderLive from "../../../../src/layers/provider/ProviderLive.ts"
import { environment } from "../../../../src/layers/testing/conformance/route.ts"
import { Provider } from "../../../../src/services/Provider.ts"
import type { Route } from "../../../../src/services/Route.ts"

/** Describes models of a route whose server has these pages; counts how often it was asked. */
const described = (route: Route, pages: Readonly<Record<string, unknown>>, ids: ReadonlyArray<string>) =>
  Effect.scoped(Effect.gen(function*() {
    let asked = 0
    const server = http.createServer((request, response) => {
      asked++
      const page = pages[request.url ?? ""]
      response.writeHead(page === undefined ? 404 : 200, { "content-type": "application/json" }).end(JSON.stringify(page ?? { error: "not found" }))
    })
    yield* Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    }))
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    const live = ProviderLive.layer({ routes: [route], baseUrl }).pipe(Layer.provide(environment({ [route.keys[0]!]: "test-key" })))
    const models = yield* Effect.provide(Effect.flatMap(Provider, (provider) => Effect.forEach(ids, (id) => Effect.result(provider.describe(`${route.name}/${id}`)))), live)
    return { asked, models: models.map((result) => result._tag === "Success" ? result.success : result.failure) }
  }))

const told = (model: object) => {
  const { images, nativeTools, window } = model as { images: boolean; nativeTools: boolean; window: number }
  return { images, nativeTools, window }
}

describe("a local server states the window", () => {
  it.live("of Ollama as its file or the running model has it, never as it was trained", () =>
    Effect.gen(function*() {
      const show = (parameters: string) => ({ parameters, model_info: { "qwen3.context_length": 262_144 }, capabilities: ["completion", "tools", "vision"] })
      const fixed = yield* described(ollama, { "/api/show": show("temperature 0.6\nnum_ctx    16384") }, ["qwen3:8b"])
      assert.deepStrictEqual(fixed.models.map(told), [{ window: 16_384, nativeTools: true, images: true }])
      const running = yield* described(ollama, { "/api/show": show(""), "/api/ps": { models: [{ name: "qwen3:8b", context_length: 32_768 }] } }, ["qwen3:8b"])
      assert.deepStrictEqual(running.models.map(told), [{ window: 32_768, nativeTools: true, images: true }])
      const silent = yield* described(ollama, { "/api/show": show("") }, ["qwen3:8b"])
      assert.deepStrictEqual(silent.models.map(told), [{ window: 8192, nativeTools: true, images: true }])
    }))
  it.live("of LM Studio as it is loaded", () =>
    Effect.gen(function*() {
      const { models } = yield* described(lmstudio, { "/api/v0/models/q": { type: "vlm", loaded_context_length: 4096, max_context_length: 131_072, capabilities: ["tool_use"] } }, ["q"])
      assert.deepStrictEqual(models.map(told), [{ window: 4096, nativeTools: true, images: true }])
    }))
  it.live("of llama.cpp, and asks once in five minutes", () =>
    Effect.gen(function*() {
      const { asked, models } = yield* described(llamacpp, { "/props": { default_generation_settings: { n_ctx: 12_288 }, chat_template_caps: { supports_tools: true } } }, ["any", "any"])
      assert.deepStrictEqual([asked, models.map(told)], [1, [{ window: 12_288, nativeTools: true, images: false }, { window: 12_288, nativeTools: true, images: false }]])
    }))
  it.live("of vLLM, which denies what it does not have", () =>
    Effect.gen(function*() {
      const { models } = yield* described(vllm, { "/v1/models": { data: [{ id: "meta/llama", max_model_len: 65_536 }] } }, ["meta/llama", "meta/lama"])
      assert.strictEqual((models[0] as { window: number }).window, 65_536)
      assert.deepStrictEqual((models[1] as { reason: unknown }).reason, { _tag: "UnknownModel", near: ["vllm/meta/llama"] })
    }))
  it.live("and nothing, where it does not answer the question", () =>
    Effect.gen(function*() {
      const { models } = yield* described(ollama, {}, ["x"])
      assert.deepStrictEqual(models.map(told), [{ window: 8192, nativeTools: true, images: false }])
    }))
})

describe("OpenRouter", () => {
  it.live("states abilities and prices", () =>
    Effect.gen(function*() {
      const { models } = yield* described(openAiCompatible.find(({ name }) => name === "openrouter")!, {
        "/v1/models": { data: [{ id: "a/b", name: "B", context_length: 200_000, top_provider: { max_completion_tokens: 32_000 }, pricing: { prompt: "0.000003", completion: "0.000015", input_cache_read: "0.0000003" }, architecture: { input_modalities: ["text", "image"] }, supported_parameters: ["tools", "reasoning", "temperature"] }] }
      }, ["a/b"])
      assert.deepStrictEqual(models, [{
        provider: "openrouter", id: "a/b", name: "B", window: 200_000, maxOutput: 32_000, nativeTools: true, reasoning: true, images: true, documents: false, temperature: true,
        effort: { kind: "named", values: ["none", "minimal", "low", "medium", "high", "xhigh"] },
        price: { input: 3, output: 15, cacheRead: 0.3 }
      }])
    }))
})

describe("a server that is not there", () => {
  it.live("is told at once", () =>
    Effect.gen(function*() {
      const port = yield* Effect.callback<number>((resume) => {
        const server = http.createServer().listen(0, "127.0.0.1", () => {
          const { port } = server.address() as AddressInfo
          server.close(() => resume(Effect.succeed(port)))
        })
      })
      const live = ProviderLive.layer({ baseUrl: `http://127.0.0.1:${port}/v1` }).pipe(Layer.provide(environment({})))
      const error = yield* Effect.flip(Effect.provide(Effect.flatMap(Provider, (provider) => provider.describe("ollama/x")), live))
      assert.deepStrictEqual([error.reason._tag, error.message], ["Connection", `Could not reach ollama at http://127.0.0.1:${port}: the connection was refused (ECONNREFUSED). Is the server running?`])
    }))
})
