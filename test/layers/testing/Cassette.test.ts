import { assert, describe, it } from "@effect/vitest"
import type * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as ProviderLive from "../../../src/layers/provider/ProviderLive.ts"
import * as Cassette from "../../../src/layers/testing/Cassette.ts"
import { collect } from "../../../src/layers/testing/CollectResponse.ts"
import { environment, key, request } from "../../../src/layers/testing/conformance/route.ts"
import { anthropic } from "../../../src/layers/testing/servers/anthropic.ts"
import * as Server from "../../../src/layers/testing/servers/Server.ts"
import { Provider } from "../../../src/services/Provider.ts"

const folder = Effect.acquireRelease(Effect.sync(() => mkdtempSync(join(tmpdir(), "tape-"))), (path) => Effect.sync(() => rmSync(path, { recursive: true })))

const ask = (text: string, baseUrl: string, tape: Layer.Layer<never, Config.ConfigError>) =>
  Effect.gen(function*() {
    const provider = yield* Provider
    const model = yield* provider.describe("anthropic/claude-sonnet-4-5")
    const prepared = yield* provider.prepare(model, request([{ role: "user", content: [{ _tag: "Text", text }] }]))
    return collect((yield* Stream.runCollect(provider.stream(prepared))).map(({ chunk }) => chunk))
  }).pipe(Effect.provide(ProviderLive.layer({ baseUrl }).pipe(Layer.provide([tape, environment({ ANTHROPIC_API_KEY: key })]))))

describe("a tape", () => {
  it.live("plays again what was recorded, without the server and without the key", () =>
    Effect.scoped(Effect.gen(function*() {
      const file = join(yield* folder, "hello.json")
      const recorded = yield* Effect.scoped(Effect.gen(function*() {
        const server = yield* Server.start(anthropic, [Server.ScriptedResponse.Says({ turn: { reasoning: "Hm", text: "Grüße 🌱", calls: [{ id: "a", name: "read_file", params: { path: "b" } }] } })])
        return { url: server.url, answer: yield* ask("Hello", server.url, Cassette.record(file)) }
      }))
      assert.notInclude(readFileSync(file, "utf8"), key)
      assert.deepStrictEqual(yield* ask("Hello", recorded.url, Cassette.replay(file)), recorded.answer)
      const other = yield* Effect.flip(ask("Something else", recorded.url, Cassette.replay(file)))
      assert.match(other.message, /Request 1 does not match the cassette .*: its body is/)
    })))
})

describe("a folder of tapes", () => {
  it.live("asks for real only where it may record, and then never again", () =>
    Effect.scoped(Effect.gen(function*() {
      const tapes = join(yield* folder, "tapes")
      const set = (variables: Record<string, string>) => Layer.provide(Cassette.layer(tapes), ConfigProvider.layer(ConfigProvider.fromUnknown(variables)))
      const recorded = yield* Effect.scoped(Effect.gen(function*() {
        const server = yield* Server.start(anthropic, [Server.ScriptedResponse.Says({ turn: { text: "One" } }), Server.ScriptedResponse.Says({ turn: { text: "Two" } })])
        assert.match((yield* Effect.flip(ask("First", server.url, set({})))).message, /no cassette for this request; with DACAPO_RECORD=1/)
        assert.match((yield* Effect.flip(ask("First", server.url, set({ DACAPO_RECORD: "1", CI: "true" })))).message, /no cassette/)
        assert.lengthOf(server.requests, 0)
        const first = yield* ask("First", server.url, set({ DACAPO_RECORD: "1" }))
        return { url: server.url, first, second: yield* ask("Second", server.url, set({ DACAPO_RECORD: "1" })) }
      }))
      assert.deepStrictEqual(yield* ask("Second", recorded.url, set({ CI: "1" })), recorded.second)
      assert.deepStrictEqual(yield* ask("First", recorded.url, set({})), recorded.first)
      assert.deepStrictEqual(yield* ask("First", recorded.url, set({})), recorded.first)
    })))
})
