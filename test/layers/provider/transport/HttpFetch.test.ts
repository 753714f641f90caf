import { assert, describe, it } from "@effect/vitest"
import * as http from "node:http"
import type * as net from "node:net"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { HeaderFields } from "../../../../src/layers/provider/transport/HeaderFields.ts"
import { errorCodes } from "../../../../src/layers/provider/transport/HttpErrors.ts"
import * as HttpFetch from "../../../../src/layers/provider/transport/HttpFetch.ts"

interface Heard {
  readonly method: string | undefined
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}

/** Answers each request as told, and passes what it heard. */
const withServer = async (
  answer: (response: http.ServerResponse) => void,
  use: (url: string, heard: ReadonlyArray<Heard>) => Promise<void>
) => {
  const heard: Array<Heard> = []
  const server = http.createServer((request, response) => {
    let text = ""
    request.setEncoding("utf8").on("data", (part: string) => text += part).on("end", () => {
      heard.push({ method: request.method, headers: request.headers, text })
      answer(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    await use(`http://127.0.0.1:${(server.address() as net.AddressInfo).port}/v1/messages?a=b`, heard)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/** What it does not do itself goes here. */
const left: Array<unknown> = []
const fetch = HttpFetch.over(async (input) => {
  left.push(input)
  return new Response("from Node's fetch")
})

const failure = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(() => assert.fail("it succeeded"), (error: unknown) => error)

describe("a fetch over node:http", () => {
  it("sends method, headers and body, and returns status, headers and body", () =>
    withServer((response) => {
      response.writeHead(429, "Slow down", [["Retry-After", "3"], ["X-Two", "a"], ["X-Two", "b"], ["Set-Cookie", "a=1"], ["Set-Cookie", "b=2"]])
      response.end("{\"later\":true}")
    }, async (url, heard) => {
      const headers = new HeaderFields([["X-Api-Key", "secret"], ["accept", "application/json"]])
      const response = await fetch(url, { method: "POST", headers, body: "grüße", redirect: "manual" })
      assert.deepStrictEqual([response.ok, response.status, response.statusText, response.url], [false, 429, "Slow down", url])
      const { connection, date, "transfer-encoding": encoding, ...rest } = Object.fromEntries(response.headers)
      assert.deepStrictEqual(rest, { "retry-after": "3", "set-cookie": "b=2", "x-two": "a, b", "keep-alive": "timeout=5" })
      assert.deepStrictEqual(response.headers.getSetCookie(), ["a=1", "b=2"])
      assert.deepStrictEqual(await response.json(), { later: true })
      assert.strictEqual(response.bodyUsed, true)
      const [request] = heard
      assert.deepStrictEqual([request?.method, request?.text], ["POST", "grüße"])
      assert.deepInclude(request?.headers, { "x-api-key": "secret", accept: "application/json", "content-length": "7" })
      assert.deepStrictEqual(left, [])
    }))

  it("passes a body on as it arrives, and keeps the connection for the next request", () =>
    withServer((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write("one")
      setImmediate(() => response.end("two"))
    }, async (url) => {
      const ports = new Set<unknown>()
      for (let i = 0; i < 3; i++) {
        const response = await fetch(new URL(url), { redirect: "manual" })
        let text = ""
        for await (const bytes of response.body!) text += new TextDecoder().decode(bytes)
        assert.strictEqual(text, "onetwo")
        ports.add(response.headers.get("connection"))
      }
      assert.deepStrictEqual([...ports], ["keep-alive"])
    }))

  for (const [encoding, encode] of [["gzip", gzipSync], ["br", brotliCompressSync], ["deflate", deflateSync]] as const) {
    it(`reads a body that a proxy encoded with ${encoding}, and fails with a wrong one`, () =>
      withServer((response) => response.writeHead(200, { "content-encoding": encoding }).end(encode("plain text")), async (url) => {
        assert.strictEqual(await (await fetch(url, { redirect: "manual" })).text(), "plain text")
      }).then(() =>
        withServer((response) => response.writeHead(200, { "content-encoding": encoding }).end("no such encoding"), async (url) => {
          await failure((await fetch(url, { redirect: "manual" })).text())
        })
      ))
  }

  it("has no body where the status has none", () =>
    withServer((response) => response.writeHead(204).end(), async (url) => {
      assert.strictEqual((await fetch(url, { redirect: "manual" })).body, null)
    }))

  it("says why a connection failed: refused, closed without a response, closed in the middle of one", async () => {
    let closedUrl = ""
    await withServer((response) => response.destroy(), async (url) => {
      closedUrl = url
      assert.deepStrictEqual(errorCodes(await failure(fetch(url, { redirect: "manual" }))), ["ERR_STREAM_PREMATURE_CLOSE"])
    })
    assert.deepStrictEqual(errorCodes(await failure(fetch(closedUrl, { redirect: "manual" }))), ["ECONNREFUSED"])
    await withServer((response) => {
      response.writeHead(200, { "content-length": "100" }).write("part")
      setImmediate(() => response.destroy())
    }, async (url) => {
      const error = await failure((await fetch(url, { redirect: "manual" })).text())
      assert.include(["ERR_STREAM_PREMATURE_CLOSE", "ECONNRESET"], errorCodes(error).at(-1))
    })
  })

  it("ends with its signal, before the response and in the middle of it", async () => {
    const reason = new Error("stopped by the user")
    assert.strictEqual(await failure(fetch("http://127.0.0.1:9", { redirect: "manual", signal: AbortSignal.abort(reason) })), reason)
    const first = new AbortController()
    await withServer(() => first.abort(reason), async (url) => {
      assert.strictEqual(await failure(fetch(url, { redirect: "manual", signal: first.signal })), reason)
    })
    const second = new AbortController()
    await withServer((response) => response.writeHead(200).write("part"), async (url) => {
      const response = await fetch(url, { redirect: "manual", signal: second.signal })
      const text = failure(response.text())
      second.abort(reason)
      await text
    })
  })

  it("leaves to Node's fetch what it does not do", async () => {
    const own = { redirect: "manual" } as const
    const inputs = ["http://127.0.0.1:9/redirects", "data:text/plain,hi", "http://user:key@127.0.0.1:9", "not a URL"]
    left.length = 0
    await fetch(inputs[0]!)
    for (const input of inputs.slice(1)) await fetch(input, own)
    await fetch("http://127.0.0.1:9", { ...own, method: "POST", body: new FormData() })
    await fetch(new Request("http://127.0.0.1:9"), own)
    assert.deepStrictEqual(left.slice(0, 5), [...inputs, "http://127.0.0.1:9"])
    assert.strictEqual(left.length, 6)
  })
})

describe("header fields", () => {
  it("behave as those of the standard do", () => {
    const run = (headers: Headers) => {
      headers.append("X-B", " two ")
      headers.set("x-a", "one")
      headers.append("x-b", "three")
      headers.append("Set-Cookie", "a=1")
      headers.append("set-cookie", "b=2")
      headers.set("gone", "x")
      headers.delete("Gone")
      const each: Array<string> = []
      headers.forEach((value, name) => void each.push(`${name}: ${value}`))
      return {
        each,
        entries: [...headers],
        names: [...headers.keys()],
        values: [...headers.values()],
        cookies: headers.getSetCookie(),
        got: ["X-A", "x-b", "set-cookie", "gone"].map((name) => [headers.has(name), headers.get(name)])
      }
    }
    for (const init of [undefined, { "X-From": "record" }, [["x-from", "pairs"]] as [[string, string]], new Headers({ "x-from": "headers" })]) {
      assert.deepStrictEqual(run(new HeaderFields(init)), run(new Headers(init)))
    }
    assert.deepStrictEqual([...new Headers(new HeaderFields({ a: "b" }))], [["a", "b"]])
  })
})
