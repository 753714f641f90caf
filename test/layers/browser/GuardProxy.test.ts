import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { createServer, request } from "node:http"
import { type AddressInfo, connect } from "node:net"
import * as GuardProxy from "../../../src/layers/browser/GuardProxy.ts"
import * as IdsLive from "../../../src/layers/settings/IdsLive.ts"

const site = Effect.acquireRelease(
  Effect.promise(async () => {
    const asked: Array<string> = []
    const server = createServer((request, response) => (asked.push(request.url ?? ""), response.end("hello"))).listen(0, "127.0.0.1")
    await once(server, "listening")
    return { asked, port: (server.address() as AddressInfo).port, server }
  }),
  ({ server }) => Effect.sync(() => (server.closeAllConnections(), server.close()))
)

describe("the browser's proxy", () => {
  const basic = (user: string, password: string) => ({ "proxy-authorization": `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` })

  it.live("lets nobody through but our browser, though the page may be where they want to go", () =>
    Effect.gen(function*() {
      const { asked, port } = yield* site
      const reached: Array<string> = []
      const proxy = yield* GuardProxy.open({ isHostAllowed: () => true, isAdmitted: async () => true, onRefused: () => {}, ports: new Set() }, {
        resolve: async () => ["127.0.0.1"],
        connect: async (address, port) => {
          reached.push(address)
          const socket = connect({ host: address, port })
          await once(socket, "connect")
          return socket
        }
      })
      const status = (method: "CONNECT" | "GET", headers: Record<string, string>) =>
        Effect.promise(() => new Promise<number>((resolve, reject) => {
          const path = method === "GET" ? `http://site.test:${port}/x` : `site.test:${port}`
          const sent = request({ host: "127.0.0.1", port: proxy.port, method, path, headers })
          sent.once("response", (answer) => (answer.resume(), resolve(answer.statusCode ?? 0)))
          sent.once("connect", (answer, socket) => (socket.destroy(), resolve(answer.statusCode ?? 0)))
          sent.once("error", reject).end()
        }))
      for (const method of ["GET", "CONNECT"] as const) {
        for (const headers of [{}, basic("dacapo", ""), basic("dacapo", proxy.password.slice(1)), basic("other", proxy.password), { "proxy-authorization": proxy.password }]) {
          assert.strictEqual(yield* status(method, headers as Record<string, string>), 407)
        }
      }
      assert.deepStrictEqual([asked, reached], [[], []])
      assert.deepStrictEqual([yield* status("GET", basic("dacapo", proxy.password)), yield* status("CONNECT", basic("dacapo", proxy.password))], [200, 200])
      assert.deepStrictEqual([asked, reached.length], [["/x"], 2])
    }).pipe(Effect.scoped, Effect.provide(IdsLive.layer)))
})
