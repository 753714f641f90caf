import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as http from "node:http"
import * as net from "node:net"
import * as FetchLive from "../../../../src/layers/provider/transport/FetchLive.ts"
import { environment } from "../../../../src/layers/testing/conformance/route.ts"
import { Fetch } from "../../../../src/services/Fetch.ts"

const listen = (server: http.Server) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as net.AddressInfo).port)))
    }),
    () => Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
  )

const get = (url: string, variables: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const fetch = yield* Fetch
    return yield* Effect.promise(async () => (await fetch(url)).text())
  }).pipe(Effect.provide(FetchLive.layer.pipe(Layer.provide(environment(variables)))))

describe("requests", () => {
  it.live("go through the proxy that the environment names, but not where it says so", () =>
    Effect.scoped(Effect.gen(function*() {
      const asked: Array<string> = []
      const port = yield* listen(http.createServer((_, response) => response.end("hello")))
      const proxy = http.createServer().on("connect", (request: http.IncomingMessage, socket: net.Socket) => {
        asked.push(request.url ?? "")
        const there = net.connect(port, "127.0.0.1", () => {
          socket.write("HTTP/1.1 200 OK\r\n\r\n")
          there.pipe(socket).pipe(there)
        })
        there.on("error", () => socket.destroy())
        socket.on("error", () => there.destroy())
      })
      const http_proxy = `http://127.0.0.1:${yield* listen(proxy)}`
      assert.strictEqual(yield* get("http://models.test/x", { http_proxy }), "hello")
      assert.deepStrictEqual(asked, ["models.test:80"])
      assert.strictEqual(yield* get(`http://127.0.0.1:${port}`, { HTTP_PROXY: http_proxy, NO_PROXY: "127.0.0.1" }), "hello")
      assert.strictEqual(asked.length, 1)
    })))

  it.live("go straight without one, and with the fetch that is there", () =>
    Effect.gen(function*() {
      const heard: Array<unknown> = []
      const fetch: typeof globalThis.fetch = async (input) => {
        heard.push(input)
        return new Response("from a cassette")
      }
      assert.strictEqual(yield* get("http://models.test", {}).pipe(Effect.provideService(Fetch, fetch)), "from a cassette")
      assert.deepStrictEqual(heard, ["http://models.test"])
    }))
})
