/** What lies between us and a server: packed answers, pages of a portal, certificates. */
import { assert, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { readFileSync } from "node:fs"
import * as https from "node:https"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { brotliCompressSync, gzipSync } from "node:zlib"
import type { Chunk } from "../../../../src/domain/message/Chunk.ts"
import { builtin } from "../../../../src/layers/provider/builtin.ts"
import * as ProviderLive from "../../../../src/layers/provider/ProviderLive.ts"
import { collect } from "../../../../src/layers/testing/CollectResponse.ts"
import { environment, request } from "../../../../src/layers/testing/conformance/route.ts"
import { openAiChat } from "../../../../src/layers/testing/servers/openAiChat.ts"
import * as Server from "../../../../src/layers/testing/servers/Server.ts"
import { Provider } from "../../../../src/services/Provider.ts"
import * as Process from "../../../cli/support/Process.ts"

const asked = { method: "POST", path: "", headers: {}, text: "", body: {} }
const words = "€ 世界, in several words"
const frames = (text: string) => Buffer.from(openAiChat.frames({ text }, asked).join(""))
const cut = (bytes: Buffer, size: number) => Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))

const answerOf = (answer: Server.ScriptedResponse) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* Server.start(openAiChat, [answer])
    return yield* Effect.gen(function*() {
      const provider = yield* Provider
      const model = yield* provider.describe("openai-chat/gpt-4.1")
      const prepared = yield* provider.prepare(model, request([{ role: "user", content: [{ _tag: "Text", text: "Hello" }] }]))
      return collect(Array.from(yield* Stream.runCollect(Stream.map(provider.stream(prepared), ({ chunk }): Chunk => chunk))))
    }).pipe(Effect.provide(ProviderLive.layer({ routes: builtin, baseUrl: `${server.url}/v1` }).pipe(Layer.provide(environment({ OPENAI_API_KEY: "test-key" })))))
  }))

describe("an answer", () => {
  it.live("may come packed, cut anywhere", () =>
    Effect.gen(function*() {
      const packed = [["gzip", gzipSync], ["br", brotliCompressSync]] as const
      for (const [encoding, pack] of packed) {
        for (const size of [3, 1_000_000]) {
          const { text } = yield* answerOf(Server.ScriptedResponse.Raw({ parts: cut(pack(frames(words)), size), headers: { "content-encoding": encoding } }))
          assert.strictEqual(text, words)
        }
      }
    }))

  it.live("is rejected if a captive portal's page takes its place", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(answerOf(Server.ScriptedResponse.Raw({ parts: ["<!doctype html><title>Log in</title>"], headers: { "content-type": "text/html; charset=utf-8" } })))
      assert.strictEqual(error.reason._tag, "BadAnswer")
      assert.include(error.message, "web page")
    }))
})

describe("a server with a certificate of its own", () => {
  const tls = join(import.meta.dirname, "../../../fixtures/tls")
  const serving = async (use: (url: string) => Promise<void>) => {
    const server = https.createServer({ key: readFileSync(join(tls, "server.key")), cert: readFileSync(join(tls, "server.pem")) }, (incoming, response) => {
      incoming.resume().on("end", () => response.writeHead(200, { "content-type": "text/event-stream" }).end(frames(words)))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    try {
      await use(`https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`)
    } finally {
      server.close()
      server.closeAllConnections()
    }
  }
  const ask = async (url: string, variables: Readonly<Record<string, string>>) => {
    using place = Process.place()
    const here: Process.Place = { ...place, environment: { ...place.environment, OPENAI_API_KEY: "test-key", ...variables } }
    return await Process.run(here, ["-p", "--model", "openai-chat/gpt-4.1", "--base-url", url, "Hello"])
  }

  it("is trusted where NODE_EXTRA_CA_CERTS names its authority", () =>
    serving(async (url) => {
      expect(await ask(url, { NODE_EXTRA_CA_CERTS: join(tls, "ca.pem") })).toMatchObject({ code: 0, stdout: `${words}\n` })
    }))

  it("is refused at once where nothing does, and the error says what to do", () =>
    serving(async (url) => {
      expect(await ask(url, {})).toMatchObject({ code: 1, stderr: expect.stringContaining("Set NODE_EXTRA_CA_CERTS to a file") })
    }))
})
