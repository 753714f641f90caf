/** Every row of corpora/urls.json: a resolver of the test's own, real servers on loopback behind public addresses, and each byte counted. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { createServer, type RequestListener } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { once } from "node:events"
import { gzipSync } from "node:zlib"
import corpus from "../../corpora/urls.json" with { type: "json" }
import * as Rule from "../../../src/domain/approval/Rule.ts"
import type { WebError } from "../../../src/domain/network/WebError.ts"
import * as WebLive from "../../../src/layers/network/WebLive.ts"
import { environment } from "../../../src/layers/Test.ts"
import { type Page, Web } from "../../../src/services/Web.ts"

interface Row {
  readonly id: string
  readonly url: string
  readonly expected: string
  readonly why: string
  readonly dns?: ReadonlyArray<ReadonlyArray<string>>
  readonly redirects?: ReadonlyArray<string>
  readonly rules?: { readonly allow?: ReadonlyArray<string> }
  readonly body?: string
}

interface Net {
  /** Addresses by name, one answer after the other; what is not named is a public address. */
  readonly dns?: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>>
  readonly serve?: RequestListener
  readonly named?: (url: string) => boolean
  readonly limits?: Partial<WebLive.Limits>
}

const isPublic = "93.184.216.34"

/** Fetches over a server that stands behind every address; gives what came, whom it connected to, and what was asked. */
const fetching = (url: string, { dns = {}, limits = {}, named = () => false, serve = (_, response) => response.setHeader("content-type", "text/plain").end("hello") }: Net) =>
  Effect.gen(function*() {
    const asked: Array<string> = []
    const resolved: Array<string> = []
    const connected: Array<string> = []
    const server = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const server = createServer((request, response) => {
          asked.push(`${request.headers.host}${request.url}`)
          serve(request, response)
        }).listen(0, "127.0.0.1")
        await once(server, "listening")
        return server
      }),
      (server) => Effect.sync(() => (server.closeAllConnections(), server.close()))
    )
    const layer = WebLive.layerWith({
      resolve: async (host) => {
        const answers = dns[host] ?? [[isPublic]]
        const answer = answers[Math.min(resolved.filter((each) => each === host).length, answers.length - 1)]!
        resolved.push(host)
        return answer
      },
      connect: async (address, port) => {
        connected.push(`${address}:${port}`)
        const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
        await once(socket, "connect")
        return socket
      }
    }, limits).pipe(Layer.provide(environment))
    const result: Result.Result<Page, WebError> = yield* Effect.result(Effect.flatMap(Web, ({ get }) => get({ url, isHostAllowed: named })).pipe(Effect.provide(layer)))
    return { asked, connected, resolved, result }
  }).pipe(Effect.scoped)

const rulesOf = (allow: ReadonlyArray<string> = []) => Result.getOrThrow(Rule.compile({ allow }))

const endless: RequestListener = (_, response) => {
  response.setHeader("content-type", "text/plain")
  const more = () => void (response.destroyed || response.write("a".repeat(65_536), more))
  more()
}
const binary: RequestListener = (_, response) => response.setHeader("content-type", "application/octet-stream").end(Buffer.alloc(64))

describe("the corpus of URLs", () => {
  for (const row of corpus.rows as ReadonlyArray<Row>) {
    it.live(`${row.id} is ${row.expected}: ${row.why}`, () =>
      Effect.gen(function*() {
        const rules = rulesOf(row.rules?.allow)
        const { decision } = Rule.evaluate(rules, { tool: "WebFetch", url: row.url })
        const hops = [...row.redirects ?? []]
        const { asked, connected, resolved, result } = yield* fetching(row.url, {
          named: (url) => Rule.namesPrivateHost(rules, url),
          limits: { maxBytes: 200_000 },
          ...(row.dns === undefined ? {} : { dns: { [new URL(row.url).hostname]: row.dns } }),
          serve: row.body === "endless" ? endless : row.body === "binary" ? binary : (_, response) => {
            const to = hops.shift()
            if (to === undefined) response.setHeader("content-type", "text/plain").end("hello")
            else response.writeHead(302, { location: to }).end()
          }
        })
        assert.isTrue(new Set(resolved).size === resolved.length, "a name is resolved once")
        if (row.expected === "ask") {
          assert.strictEqual(decision, "ask")
          assert.isTrue(Result.isSuccess(result))
          return
        }
        if (row.body === "endless") {
          assert.isTrue(Result.isSuccess(result) && result.success.isTruncated && result.success.text.length === 200_000)
          return
        }
        assert.isTrue(Result.isFailure(result))
        const host = new URL(URL.canParse(row.url) ? row.url : "http://none.test").host
        if (row.redirects !== undefined || row.body !== undefined) assert.deepStrictEqual([asked.length, connected], [1, [`${isPublic}:80`]], "only the first host was asked")
        else {
          assert.deepStrictEqual([asked, connected], [[], []], `no byte went to ${host}`)
          if (row.dns === undefined) assert.strictEqual(decision, "deny")
        }
      }))
  }
})

describe("other URLs than the corpus's", () => {
  const denied: ReadonlyArray<string> = [
    "http://127.1/", "http://0177.0.0.1/", "http://0x7f000001/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[::]/", "http://[::127.0.0.1]/", "http://0.0.0.0/",
    "http://10.1.2.3/", "http://172.31.255.255/", "http://192.168.1.1/", "http://100.64.0.1/", "http://100.127.255.255/", "http://169.254.170.2/", "http://[fd00:ec2::254]/",
    "http://[fe80::1]/", "http://[fec0::1]/", "http://[ff02::1]/", "http://[2002:7f00:1::]/", "http://[2002:c0a8:101::1]/", "http://[2001:0:1::1]/", "http://[2001:db8::1]/",
    "http://[64:ff9b::a9fe:a9fe]/", "http://[64:ff9b:1::1]/", "http://[::ffff:0:7f00:1]/", "http://[100::1]/", "http://[fd12::5efe:7f00:1]/", "http://192.0.2.1/", "http://198.51.100.7/",
    "http://203.0.113.9/", "http://224.0.0.1/", "http://239.255.255.250/", "http://192.0.0.192/", "http://metadata.google.internal/", "http://metadata/", "http://router.local/",
    "http://db.corp/", "http://x.home.arpa/", "http://LOCALHOST/", "http://a.b.localhost./", "http://①②⑦.⓪.⓪.①/", "http://127。0。0。1/", "http://%31%32%37.0.0.1/",
    "ftp://ok.test/", "gopher://ok.test/", "data:text/html,hi", "javascript:alert(1)", "blob:http://ok.test/1", "https://user@ok.test/", "https://:pw@ok.test/", "http://ok.test:22/",
    "http://ok.test:25/", "http://ok.test:6667/", "http://", "http:///", "ok.test", "//ok.test/", "", "http://ok.test:99999/", "http://[::1", "http://exa mple.test/"
  ]
  const asks = [
    "http://ok.test/", "https://ok.test/a?b=c#d", "HTTPS://OK.TEST/", "http://8.8.8.8/", "http://134744072/", "http://[2606:4700::1111]/", "http://11.0.0.1/", "http://172.15.255.255/",
    "http://192.167.1.1/", "http://169.253.1.1/", "http://126.255.255.255/", "http://128.0.0.1/", "http://223.255.255.255/", "http://[2002:808:808::1]/", "http://[64:ff9b::808:808]/",
    "http://localhost.ok.test/", "http://notlocalhost.test/", "http://internal.test/", "http://münchen.test/", "http://ok.test:8080/"
  ]
  const none = rulesOf()
  for (const url of denied) it(`${url} is denied`, () => assert.strictEqual(Rule.evaluate(none, { tool: "WebFetch", url }).decision, "deny"))
  for (const url of denied.slice(0, 40)) it(`${url} stays denied where everything is allowed`, () => assert.strictEqual(Rule.evaluate(rulesOf(["WebFetch", "*"]), { tool: "WebFetch", url }).decision, "deny"))
  for (const url of asks) it(`${url} is asked for`, () => assert.strictEqual(Rule.evaluate(none, { tool: "WebFetch", url }).decision, "ask"))

  const named: ReadonlyArray<readonly [string, string, Rule.Evaluation["decision"]]> = [
    ["WebFetch(domain:localhost)", "http://localhost:3000/", "allow"],
    ["WebFetch(domain:127.0.0.1)", "http://127.0.0.1:3000/", "allow"],
    ["WebFetch(domain:127.0.0.1)", "http://2130706433/", "allow"],
    ["WebFetch(domain:localhost:3000)", "http://localhost:3000/", "allow"],
    ["WebFetch(domain:localhost:3000)", "http://localhost:3001/", "ask"],
    ["WebFetch(domain:localhost)", "http://127.0.0.1/", "deny"],
    ["WebFetch(domain:[::1])", "http://[::1]:8080/", "allow"],
    ["WebFetch(domain:ok.test)", "http://ok.test:8443/", "ask"],
    ["WebFetch(domain:ok.test:8443)", "http://ok.test:8443/", "allow"],
    ["WebFetch(domain:ok.test)", "http://ok.test:22/", "deny"],
    ["WebFetch(domain:*.corp.internal)", "http://wiki.corp.internal/", "allow"],
    ["WebFetch(domain:*.arpa)", "http://x.home.arpa/", "deny"],
    ["WebFetch(private:wiki.ok.test)", "http://wiki.ok.test:8443/", "allow"],
    ["WebFetch(private:*.ok.test)", "http://wiki.ok.test/", "allow"],
    ["WebFetch(private:wiki.ok.test:3000)", "http://wiki.ok.test/", "ask"]
  ]
  for (const [rule, url, decision] of named) {
    it(`${rule} makes ${url} ${decision}`, () => assert.strictEqual(Rule.evaluate(rulesOf([rule]), { tool: "WebFetch", url }).decision, decision))
  }
})

describe("a host that leads to a private address", () => {
  const fetched: ReadonlyArray<readonly [rule: string, url: string, address: string, isFetched: boolean]> = [
    ["WebFetch", "http://ok.test/", "127.0.0.1", false],
    ["WebFetch(domain:ok.test)", "http://ok.test/", "127.0.0.1", false],
    ["WebFetch(domain:ok.test)", "http://ok.test/", "169.254.169.254", false],
    ["WebFetch(domain:ok.test:80)", "http://ok.test/", "10.1.2.3", false],
    ["WebFetch(domain:*.ok.test)", "http://wiki.ok.test/", "::1", false],
    ["WebFetch(domain:127.0.0.1)", "http://ok.test/", "127.0.0.1", false],
    ["WebFetch(private:other.test)", "http://ok.test/", "127.0.0.1", false],
    ["Browser(private:ok.test)", "http://ok.test/", "127.0.0.1", false],
    ["WebFetch(private:ok.test)", "http://ok.test/", "127.0.0.1", true],
    ["WebFetch(private:*.ok.test)", "http://wiki.ok.test/", "10.1.2.3", true],
    ["WebFetch(domain:wiki)", "http://wiki/", "10.1.2.3", true],
    ["WebFetch(domain:nas.local)", "http://nas.local/", "192.168.1.9", true],
    ["WebFetch(domain:localhost)", "http://localhost/", "127.0.0.1", true]
  ]
  for (const [rule, url, address, isFetched] of fetched) {
    it.live(`is ${isFetched ? "" : "not "}fetched from ${address} under ${rule}`, () =>
      Effect.map(fetching(url, { named: (url) => Rule.namesPrivateHost(rulesOf([rule]), url), dns: { [new URL(url).hostname]: [[address]] } }), ({ asked, connected }) =>
        assert.deepStrictEqual([asked.length, connected], isFetched ? [1, [`${address}:80`]] : [0, []])))
  }
})

describe("a page", () => {
  const get = (net: Net, url = "http://ok.test/page") => fetching(url, net)

  it.live("is asked for without cookies, credentials or anything of the user's", () =>
    Effect.gen(function*() {
      let headers: Record<string, unknown> = {}
      yield* get({ serve: (request, response) => (headers = request.headers, response.setHeader("content-type", "text/plain").end("x")) })
      assert.hasAllKeys(headers, ["host", "user-agent", "accept", "accept-encoding", "connection"])
    }))

  it.live("of a name that gives a public and a private address is not connected to", () =>
    Effect.map(get({ dns: { "ok.test": [[isPublic, "10.0.0.1"]] } }), ({ connected, result }) => {
      assert.deepStrictEqual(connected, [])
      assert.isTrue(Result.isFailure(result) && result.failure.reason === "Refused")
    }))

  it.live("is judged anew at a redirect to the same host, whose name may lead elsewhere by then", () =>
    Effect.map(get({ dns: { "ok.test": [[isPublic], ["127.0.0.1"]] }, serve: (_, response) => response.writeHead(302, { location: "/next" }).end() }), ({ asked, result }) => {
      assert.lengthOf(asked, 1)
      assert.isTrue(Result.isFailure(result) && /this machine/.test(result.failure.message))
    }))

  it.live("follows redirects on its host, and not forever", () =>
    Effect.gen(function*() {
      const once = yield* get({ serve: (request, response) => request.url === "/page" ? response.writeHead(301, { location: "/b" }).end() : response.setHeader("content-type", "text/plain").end("there") })
      assert.strictEqual(Result.getOrThrow(once.result).url, "http://ok.test/b")
      const forever = yield* get({ serve: (_, response) => response.writeHead(302, { location: "/page" }).end() })
      assert.lengthOf(forever.asked, 6)
      assert.isTrue(Result.isFailure(forever.result) && /more than 5 times/.test(forever.result.failure.message))
    }))

  it.live("of a private host is there where a rule names it", () =>
    Effect.map(get({ named: () => true, dns: { "wiki.corp": [["10.0.0.1"]] } }, "http://wiki.corp/x"), ({ asked, result }) => {
      assert.isTrue(Result.isSuccess(result))
      assert.deepStrictEqual(asked, ["wiki.corp/x"])
    }))

  it.live("is unpacked within the limit, so that a small answer can't fill the memory", () =>
    Effect.map(get({ limits: { maxBytes: 10_000 }, serve: (_, response) => response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" }).end(gzipSync("0".repeat(50_000_000))) }), ({ result }) => {
      const page = Result.getOrThrow(result)
      assert.deepStrictEqual([page.text.length, page.isTruncated], [10_000, true])
    }))

  it.live("that never comes is given up", () =>
    Effect.map(get({ limits: { timeoutMs: 50 }, serve: () => {} }), ({ result }) => assert.isTrue(Result.isFailure(result) && result.failure.reason === "TimedOut")))

  it.live("with bytes that are no text is refused, whatever it says it is", () =>
    Effect.map(get({ serve: (_, response) => response.setHeader("content-type", "text/html").end(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0])) }), ({ result }) =>
      assert.isTrue(Result.isFailure(result) && result.failure.reason === "Kind")))
})
