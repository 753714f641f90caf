/** What happens to the connection that an answer came over. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { once } from "node:events"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { anthropic as route } from "../../../../src/layers/provider/routes/anthropic.ts"
import * as ProviderLive from "../../../../src/layers/provider/ProviderLive.ts"
import { environment, request } from "../../../../src/layers/testing/conformance/route.ts"
import { anthropic } from "../../../../src/layers/testing/servers/anthropic.ts"
import { Provider } from "../../../../src/services/Provider.ts"

const frames = anthropic.frames({ text: "Hello" }, { method: "POST", path: "", headers: {}, text: "", body: {} })

/** A server that says hello and then does with the response what it is told to. */
const serve = (end: (response: http.ServerResponse) => void, says = frames.join("")) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const seen = { connections: 0, lost: Promise.withResolvers<void>() }
      const server = http.createServer((asked, response) => {
        asked.resume().on("end", () => {
          response.writeHead(200, { "content-type": "text/event-stream" })
          response.write(says, () => end(response))
        })
      }).on("connection", (socket) => {
        seen.connections++
        socket.on("close", () => seen.lost.resolve())
      })
      await once(server.listen(0, "127.0.0.1"), "listening")
      return { server, seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

const ask = Effect.gen(function*() {
  const provider = yield* Provider
  const model = yield* provider.describe("anthropic/some-model")
  const prepared = yield* provider.prepare(model, request([{ role: "user", content: [{ _tag: "Text", text: "Hello" }] }]))
  return yield* Stream.runCollect(provider.stream(prepared))
})

const live = (url: string) => ProviderLive.layer({ routes: [route], baseUrl: url }).pipe(Layer.provide(environment({ [route.keys[0]!]: "test-key" })))

describe("a connection", () => {
  it.live("serves the next request, though the body ends a moment after the response", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* serve((response) => setImmediate(() => response.end()))
      yield* Effect.provide(Effect.repeat(Effect.andThen(ask, Effect.sleep("20 millis")), { times: 4 }), live(url))
      assert.strictEqual(seen.connections, 1)
    }))

  it.live("is given up when its server never ends the body, and nothing waits for that", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* serve(() => {})
      yield* Effect.provide(ask, live(url))
      yield* Effect.promise(() => seen.lost.promise)
    }))

  it.live("is cut when the caller stops in the middle", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* serve(() => {}, frames.slice(0, -1).join(""))
      yield* Effect.gen(function*() {
        const provider = yield* Provider
        const model = yield* provider.describe("anthropic/some-model")
        const prepared = yield* provider.prepare(model, request([{ role: "user", content: [{ _tag: "Text", text: "Hello" }] }]))
        yield* Stream.runDrain(Stream.take(provider.stream(prepared), 1))
      }).pipe(Effect.provide(live(url)))
      yield* Effect.promise(() => seen.lost.promise)
    }))
})
