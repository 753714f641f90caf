/** The rows of the corpus of provider faults that are an answer of their own, over real HTTP: what we call them, and whether we try again. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import corpus from "../../corpora/provider-faults.json" with { type: "json" }
import type { ProviderReason } from "../../../src/domain/provider/ProviderError.ts"
import * as Retry from "../../../src/domain/provider/Retry.ts"
import * as ProviderLive from "../../../src/layers/provider/ProviderLive.ts"
import { environment, key, request } from "../../../src/layers/testing/conformance/route.ts"
import { anthropic } from "../../../src/layers/testing/servers/anthropic.ts"
import { openAiChat } from "../../../src/layers/testing/servers/openAiChat.ts"
import * as Server from "../../../src/layers/testing/servers/Server.ts"
import { Provider } from "../../../src/services/Provider.ts"

interface Row {
  readonly id: string
  readonly name: string
  readonly wire: { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string; readonly user?: string; readonly parallel?: number }
  readonly expected: { readonly retry: boolean; readonly errorClass: string }
  readonly providers?: ReadonlyArray<string>
}

/** The corpus' names for what we call otherwise. */
const ours: Readonly<Record<string, ProviderReason["_tag"]>> = {
  RateLimited: "RateLimited",
  Overloaded: "Overloaded",
  ServerError: "ServerFault",
  ModelNotFound: "UnknownModel",
  ContextTooLong: "ContextOverflow",
  BadRequest: "BadRequest",
  Redirect: "BadRequest"
}

const rows = (corpus.rows as ReadonlyArray<Row>).filter(({ wire }) => wire.status !== undefined && wire.status !== 200 && wire.user === undefined && wire.parallel === undefined)

describe("an answer that is a fault", () => {
  it("is told in enough rows of the corpus", () => assert.isAbove(rows.length, 15))
  for (const { expected, id, name, providers = ["openai"], wire } of rows) {
    it.live(`${id}: ${name}`, () =>
      Effect.scoped(Effect.gen(function*() {
        const claude = providers.includes("anthropic")
        // A moment that the corpus counts from now.
        const headers = Object.fromEntries(Object.entries(wire.headers ?? {}).map(([name, value]) => [name, value.replace("<now+20s RFC3339>", "2099-01-01T00:00:00Z")]))
        const body: unknown = wire.body?.startsWith("{") === true ? JSON.parse(wire.body) : wire.body ?? ""
        const server = yield* Server.start(claude ? anthropic : openAiChat, [Server.ScriptedResponse.Fails({ status: wire.status!, headers, body })])
        const error = yield* Effect.gen(function*() {
          const provider = yield* Provider
          const model = yield* provider.describe(claude ? "anthropic/claude-sonnet-4-5" : "openai-chat/gpt-4.1")
          const prepared = yield* provider.prepare(model, request([{ role: "user", content: [{ _tag: "Text", text: "Hello" }] }]))
          return yield* Effect.flip(Stream.runDrain(provider.stream(prepared)))
        }).pipe(Effect.provide(ProviderLive.layer({ baseUrl: `${server.url}/v1` }).pipe(Layer.provide(environment({ OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key })))))
        assert.strictEqual(error.reason._tag, ours[expected.errorClass], error.message)
        assert.isTrue(error.message.length < 700 && !error.message.includes(key))
        // A prompt that is too long is compacted and sent once more: that is no retry of the same request.
        const again = expected.errorClass === "ContextTooLong" || Option.isSome(Retry.retryPause(error, 1, 0))
        assert.strictEqual(again, expected.retry)
      })))
  }
})
