/** A real Chromium behind the guard: where a page, what it holds and the browser itself get to, with each connection counted. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { readdirSync } from "node:fs"
import { connect } from "node:net"
import * as BrowserReach from "../../../src/domain/approval/BrowserReach.ts"
import * as Rule from "../../../src/domain/approval/Rule.ts"
import type { BrowserError } from "../../../src/domain/network/BrowserError.ts"
import * as BrowserLive from "../../../src/layers/browser/BrowserLive.ts"
import * as Chromium from "../../../src/layers/browser/Chromium.ts"
import * as IdsLive from "../../../src/layers/settings/IdsLive.ts"
import * as ProcessTree from "../../../src/layers/workspace/shell/ProcessTree.ts"
import { type Action, Browser, type PageSnapshot } from "../../../src/services/Browser.ts"
import { Environment } from "../../../src/services/Environment.ts"
import { type Answer, serve, type Site } from "./site.ts"

const variables = { PATH: process.env["PATH"] }
const environment = Layer.merge(IdsLive.layer, Layer.succeed(Environment, {
  variables,
  folders: { home: "/", config: "/", data: "/", state: "/", cache: "/" },
  platform: process.platform,
  version: "0"
}))
const works = Chromium.find({ path: variables["PATH"] ?? "", platform: process.platform }) !== undefined

interface Bench {
  readonly site: Site
  /** `url`: what the site is called; a name is resolved to a public address, behind which the site stands. */
  readonly go: (action: Action) => Effect.Effect<PageSnapshot, BrowserError>
  readonly open: (url: string) => ReturnType<Bench["go"]>
  /** Places that were connected to, as asked. */
  readonly reached: ReadonlyArray<string>
  readonly resolved: ReadonlyArray<string>
}

interface World {
  readonly pages: Parameters<typeof serve>[0]
  readonly rules?: Rule.Rules | ((port: number) => Rule.Rules)
  readonly dns?: Readonly<Record<string, string>>
}

const publicly = "93.184.216.34"

/** Every public address is the site's own port on loopback. */
const inBrowser = <A, E>({ dns = {}, pages, rules = {} }: World, body: (bench: Bench) => Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const site = yield* Effect.acquireRelease(Effect.promise(() => serve(pages)), (site) => Effect.promise(() => site[Symbol.asyncDispose]()))
    const reached: Array<string> = []
    const resolved: Array<string> = []
    const layer = BrowserLive.layerWith({
      resolve: async (host) => {
        resolved.push(host)
        return [dns[host] ?? publicly]
      },
      connect: async (address, port) => {
        reached.push(`${address}:${port}`)
        const socket = connect({ host: "127.0.0.1", port: address === publicly ? site.port : port })
        await once(socket, "connect")
        return socket
      }
    })
    const reach = BrowserReach.of(Result.getOrThrow(Rule.compile(typeof rules === "function" ? rules(site.port) : rules)))
    return yield* Effect.gen(function*() {
      const browser = yield* Browser
      const go: Bench["go"] = (action) => browser.perform("session", reach, action)
      return yield* body({ site, go, open: (url) => go({ _tag: "Open", url }), reached, resolved })
    }).pipe(Effect.provide(Layer.provide(layer, environment)))
  }).pipe(Effect.scoped)

const html = (body: string): Answer => `<title>Page</title><body>${body}</body>`
const console_ = { _tag: "Console" } as const
const click = (selector: string): Action => ({ _tag: "Click", at: { selector } })

describe.runIf(works)("the browser", () => {
  it.live("resolves no name and connects to nothing by itself: not for its maker, and not ahead of a page", () =>
    inBrowser({ pages: { "/": html("<link rel=preconnect href=http://pre.test><link rel=dns-prefetch href=http://dns.test><p>Hello</p>") } }, ({ go, open, reached, resolved }) =>
      Effect.gen(function*() {
        const { outline } = yield* open("http://site.test/")
        assert.include(outline ?? "", "Hello")
        yield* go({ _tag: "Screenshot" })
        yield* go(console_)
        assert.deepStrictEqual([...new Set(resolved)], ["site.test"])
        assert.deepStrictEqual([...new Set(reached)], [`${publicly}:80`])
      })))

  it.live("gives a page its pieces from public hosts, and nothing from this machine or its network", () =>
    inBrowser({
      dns: { "rebound.test": "10.0.0.7" },
      pages: {
        "/": html(["http://cdn.test/a.png", "http://169.254.169.254/latest", "http://rebound.test/b", "http://[::1]:81/", "http://localhost:82/", "file:///etc/passwd"].map((url) => `<img src="${url}">`).join("")),
        "/a.png": { headers: { "content-type": "image/png" }, body: "" }
      }
    }, ({ go, open, reached, site }) =>
      Effect.gen(function*() {
        yield* open("http://site.test/")
        const { lines } = yield* go(console_)
        const told = lines.join("\n")
        assert.include(site.asked, "GET /a.png")
        assert.deepStrictEqual([...new Set(reached)], [`${publicly}:80`])
        for (const host of ["169.254.169.254", "rebound.test", "[::1]:81", "localhost:82"]) assert.include(told, host)
        assert.include(told, "metadata")
      })))

  it.live("follows no redirect and opens no WebSocket to where a page may not get", () =>
    inBrowser({
      pages: {
        "/": html("<img src=/away><script>new WebSocket('ws://127.0.0.1:8123/x'); new WebSocket('ws://site.test/ok'); fetch('/beyond').catch(() => {})</script>"),
        "/away": { status: 302, headers: { location: "http://127.0.0.1:8124/secret" } },
        "/beyond": { status: 302, headers: { location: "http://other.test/ok", "access-control-allow-origin": "*" } }
      },
      dns: { "other.test": publicly }
    }, ({ go, open, reached, site }) =>
      Effect.gen(function*() {
        yield* open("http://site.test/")
        const told = (yield* go(console_)).lines.join("\n")
        assert.include(told, "127.0.0.1:8124")
        assert.include(told, "ws://127.0.0.1:8123/x")
        assert.deepStrictEqual([...new Set(reached)], [`${publicly}:80`])
        assert.include(site.asked, "GET /ok")
      })))

  it.live("lets a page go nowhere that no call opened, by link, script, form or redirect, and says so", () =>
    inBrowser({
      pages: {
        "/": html("<a id=link href=http://other.test/x>x</a><form action=http://form.test/f><button id=send>Send</button></form><button id=script onclick=\"location = 'http://script.test/s'\">Go</button><a id=tab target=_blank href=http://tab.test/>tab</a><a id=hop href=/hop>hop</a>"),
        "/hop": { status: 302, headers: { location: "http://hop.test/" } }
      }
    }, ({ go, open, resolved }) =>
      Effect.gen(function*() {
        for (const [id, host] of [["link", "other.test"], ["send", "form.test"], ["script", "script.test"], ["tab", "tab.test"], ["hop", "hop.test"]] as const) {
          yield* open("http://site.test/")
          const { lines } = yield* Effect.catch(go(click(`#${id}`)), ({ message }) => Effect.succeed({ lines: [message] }))
          const told = [...lines, ...(yield* go(console_)).lines].join("\n")
          assert.include(told, `http://${host}/`, id)
        }
        assert.deepStrictEqual([...new Set(resolved)], ["site.test"])
      })))

  it.live("opens what a redirect leads to only when it is asked for", () =>
    inBrowser({ pages: { "/": { status: 302, headers: { location: "http://next.test/home" } }, "/home": html("Home") } }, ({ open }) =>
      Effect.gen(function*() {
        const failure = yield* Effect.flip(open("http://site.test/"))
        assert.strictEqual(failure.reason, "Refused")
        assert.include(failure.message, "http://next.test/home")
        assert.include((yield* open("http://next.test/home")).outline ?? "", "Home")
      })))

  it.live("keeps deny rules for what a page loads, and reaches this machine only by the port that a rule names", () =>
    inBrowser({
      rules: (port) => ({ allow: [`Browser(domain:127.0.0.1:${port})`], deny: ["Browser(domain:ads.test)"] }),
      pages: { "/": html("<img src=http://ads.test/ad><img src=http://127.0.0.1:8125/x><img src=/own>"), "/own": "" }
    }, ({ go, open, resolved, site }) =>
      Effect.gen(function*() {
        yield* open(`${site.url}/`)
        const told = (yield* go(console_)).lines.join("\n")
        assert.include(told, "ads.test")
        assert.include(told, "8125")
        assert.deepStrictEqual(resolved, [])
        assert.deepStrictEqual(site.asked, ["GET /", "GET /own"])
      })))

  it.live("sends no datagram for a page that would talk past the guard", () =>
    Effect.gen(function*() {
      const socket = createSocket("udp4").bind(0, "127.0.0.1")
      yield* Effect.promise(() => once(socket, "listening"))
      let datagrams = 0
      socket.on("message", () => datagrams++)
      const script = `const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${socket.address().port}" }] }); peer.createDataChannel("x");
        peer.onicegatheringstatechange = () => peer.iceGatheringState === "complete" && (document.title = "gathered"); peer.createOffer().then((offer) => peer.setLocalDescription(offer))`
      const { title } = yield* inBrowser({ pages: { "/": html(`<p>…</p><script>${script}</script>`) } }, ({ go, open }) =>
        Effect.andThen(open("http://site.test/"), Effect.repeat(go(console_), { until: ({ title }) => title === "gathered" })))
      assert.deepStrictEqual([title, datagrams], ["gathered", 0])
      socket.close()
    }))

  it.live("says what could not be used, in text that is fit to be read", () =>
    inBrowser({ pages: { "/": html("<button>Go</button><button>Go</button><script>console.error('\\u001b]0;owned\\u0007 \\u202eabc'); alert('Give me a key')</script>") } }, ({ go, open }) =>
      Effect.gen(function*() {
        const { lines } = yield* open("http://site.test/")
        assert.notMatch(lines.join("\n"), /[\u001b\u202e]/)
        assert.include(lines.join("\n"), "alert: \"Give me a key\" was dismissed")
        assert.include((yield* Effect.flip(go(click("text=Go")))).message, "resolved to 2 elements")
        assert.include((yield* Effect.flip(go({ _tag: "Press", key: "Nokey" }))).message, "Nokey")
      })))

  it.live("ends what it does within 3 s when it is interrupted, and leaves no process and no folder", () =>
    inBrowser({ pages: { "/": html("<p>Nothing to click</p>") } }, ({ go, open }) =>
      Effect.gen(function*() {
        // Markers count up: the browser gets the next one.
        const last = Number(ProcessTree.marker({}).split(".").at(-1))
        yield* open("http://site.test/")
        const before = ProcessTree.alive({ marker: `${ProcessTree.owner()}.${last + 1}` })
        assert.isAbove((yield* before).length, 0)
        const waiting = yield* Effect.forkChild(go(click("#never")), { startImmediately: true })
        yield* Effect.timeout(Fiber.interrupt(waiting), 3000)
        assert.deepStrictEqual(yield* before, [])
        assert.deepStrictEqual(folders(), [])
        assert.strictEqual((yield* Effect.flip(go(click("p")))).reason, "NoPage")
      })))
})

/** Folders of browsers that this process runs. */
const folders = () => readdirSync(process.env["TMPDIR"] ?? "/tmp").filter((name) => name.startsWith(`dacapo-browser-${ProcessTree.owner()}`))
