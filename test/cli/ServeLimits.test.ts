/** What a hostile or broken client can send to `dacapo serve`: it costs neither memory nor the server. */
import { describe, expect, it } from "@effect/vitest"
import { request } from "node:http"
import { connect } from "node:net"
import * as RequestLimits from "../../src/cli/serve/RequestLimits.ts"
import * as Process from "./support/Process.ts"
import * as Server from "./support/Server.ts"

describe("limits of requests", () => {
  it("refuse a body that is too large or of unknown size before it is read", () => {
    const head = (headers: Record<string, string>, method = "POST") => RequestLimits.bodyRefusal({ method, headers })?.status
    expect(head({ "content-length": "100" })).toBeUndefined()
    expect(head({}, "GET")).toBeUndefined()
    expect(head({ "content-length": `${33 * 1024 * 1024}` })).toBe(413)
    expect(head({ "transfer-encoding": "chunked" })).toBe(411)
  })

  it("refuse an address that can't be decoded", () => {
    const status = (path: string) => {
      const url = RequestLimits.parseUrl(path, "http://127.0.0.1:7700")
      return url instanceof Response ? url.status : url.pathname
    }
    expect([status("/page/%E0%A4%A"), status("/%"), status("http://[")]).toEqual([400, 400, 400])
    expect(status("/page/sessions?q=%")).toBe("/page/sessions")
  })

  it("end a request whose head or body does not arrive", () => {
    expect(RequestLimits.timeouts.headersTimeout).toBeLessThan(RequestLimits.timeouts.requestTimeout)
    expect(RequestLimits.timeouts.connectionsCheckingInterval).toBeLessThan(RequestLimits.timeouts.headersTimeout)
  })
})

describe("dacapo serve", () => {
  it("answers requests that are not valid with an error of the client, and continues", async () => {
    await using place = Process.scene()
    const server = await Server.serve(place, place.script({ text: "Hi." }))
    const authorization = `Bearer ${server.token}`
    const send = (path: string, headers: Record<string, string> = {}, body?: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const sent = request(server.url, { path, method: body === undefined ? "GET" : "POST", headers: { authorization, ...headers } }, (response) => {
          response.destroy()
          resolve(response.statusCode)
        })
        sent.on("error", reject).end(body)
      })
    const { session } = await server.operate({ _tag: "Start", cwd: place.cwd })
    expect(await send("/page/%E0%A4%A")).toBe(400)
    expect(await send("/%")).toBe(400)
    expect(await send("//evil.example/page/sessions")).toBe(400)
    expect(await send("/page/images/..%2F..%2Fauth.json")).toBe(404)
    expect(await send("/page/sessions/..%2F..%2Fauth/log")).toBe(404)
    for (const from of ["abc", "-1", "1.5", "NaN", "1e400"]) expect(await send(`/sessions/${session}/events?from=${from}`), from).toBe(400)
    expect(await send("/operations", { "content-type": "application/json", "content-length": "999999999" }, "{")).toBe(413)
    expect(await send("/operations", { "content-type": "application/json", "transfer-encoding": "chunked" }, "{}")).toBe(411)
    expect(await send("/operations", { "content-type": "application/json" }, `{"_tag":"Nothing"}`)).toBe(400)
    expect(await send("/operations", { "content-type": "application/json" }, `{"_tag":"Start","cwd":5,"__proto__":{"cwd":"/"}}`)).toBe(400)
    expect(await send("/page/settings", { "content-type": "application/json" }, "not json")).toBe(422)
    expect(await send("/page/servers", { "content-type": "application/json" }, JSON.stringify({ _tag: "Test", cwd: place.cwd, name: "no\u202esuch" }))).toBe(422)
    expect(await send("/page/waiting", { "x-long": "a".repeat(20_000) })).toBe(431)
    // What is no HTTP at all ends its own connection alone.
    const { port } = new URL(server.url)
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), "127.0.0.1", () => socket.end("\u0000\u0001 not HTTP\r\n\r\n"))
      socket.on("close", () => resolve()).on("error", () => {}).resume()
    })
    expect(await send("/sessions")).toBe(200)
    await server.stop()
  })
})
