/** Where a server at an address can make us connect: by its name, by a redirect, by what its login says. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { join } from "node:path"
import * as BrowserReach from "../../../src/domain/approval/BrowserReach.ts"
import * as Rule from "../../../src/domain/approval/Rule.ts"
import * as OAuth from "../../../src/layers/mcp/oauth/OAuth.ts"
import type * as Pinned from "../../../src/layers/network/Pinned.ts"
import * as PinnedFetch from "../../../src/layers/network/PinnedFetch.ts"
import { within } from "./world.ts"

const publicly = "93.184.216.34"

const listening = (answer: RequestListener) =>
  Effect.map(Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer(answer).listen(0, "127.0.0.1")
      await once(server, "listening")
      return server
    }),
    (server) => Effect.sync(() => (server.closeAllConnections(), server.close()))
  ), (server) => (server.address() as AddressInfo).port)

/** A server of this machine that nobody named, and how often it was asked. */
const trap = Effect.gen(function*() {
  const asked: Array<string> = []
  const port = yield* listening((request, response) => (asked.push(request.url ?? ""), response.writeHead(404).end()))
  return { asked, port }
})

/** `mcp.test` leads to a public address, where the server of this port stands; every other name to this machine. */
const wires = (server: number): Pinned.Wires => ({
  resolve: async (host) => [host === "mcp.test" ? publicly : "127.0.0.1"],
  connect: async (address, port) => {
    const socket = connect({ host: "127.0.0.1", port: address === publicly ? server : port })
    await once(socket, "connect")
    return socket
  }
})

describe("a server's name that leads to this machine", () => {
  const cases: ReadonlyArray<readonly [allow: ReadonlyArray<string>, isReached: boolean]> = [
    [[], false],
    [["WebFetch(domain:inner.test)"], false],
    [["WebFetch(domain:127.0.0.1)", "WebFetch(domain:*.test)", "WebFetch", "mcp__docs"], false],
    [["Browser(private:inner.test)"], false],
    [["WebFetch(private:inner.test)"], true],
    [["WebFetch(private:*.test)"], true]
  ]
  for (const [allow, isReached] of cases) {
    it.live(`is ${isReached ? "" : "not "}connected to where the settings allow ${allow.join(", ") || "nothing"}`, () =>
      Effect.gen(function*() {
        const { asked, port } = yield* trap
        yield* within({ servers: () => ({ docs: { type: "http", url: `http://inner.test:${port}/mcp` } }), options: { wires: wires(0) } }, ({ folder, mcp, session }) =>
          Effect.gen(function*() {
            mkdirSync(join(folder, "c"))
            writeFileSync(join(folder, "c", "config.jsonc"), JSON.stringify({ permissions: { allow } }))
            const renewed = yield* mcp.refresh(session())
            assert.strictEqual(asked.length > 0, isReached)
            if (!isReached) assert.include(renewed?.notes[0] ?? "", "docs is not connected: inner.test resolves to a blocked address: it is this machine. A rule for private:inner.test would allow it.")
          }))
      }).pipe(Effect.scoped))
  }

  it.live("is connected to if the definition itself names this machine", () =>
    Effect.gen(function*() {
      const { asked, port } = yield* trap
      yield* within({ servers: () => ({ docs: { type: "http", url: `http://localhost:${port}/mcp` } }), options: { wires: wires(0) } }, ({ mcp, session }) => mcp.refresh(session()))
      assert.isAbove(asked.length, 0)
    }).pipe(Effect.scoped))
})

const elsewhere = (port: number) => [`http://127.0.0.1:${port}/x`, `http://localhost:${port}/x`, `http://inner.test:${port}/x`, `http://[::ffff:127.0.0.1]:${port}/x`]
const nothing = Result.getOrThrow(Rule.compile({}))

describe("a public server", () => {
  it.live("can't redirect to this machine", () =>
    Effect.gen(function*() {
      const { asked, port } = yield* trap
      for (const to of elsewhere(port)) {
        const server = yield* listening((_, response) => response.writeHead(307, { location: to }).end())
        yield* within({ servers: () => ({ docs: { type: "http", url: "http://mcp.test/mcp" } }), options: { wires: wires(server) } }, ({ mcp, session }) => mcp.refresh(session()))
        const { url } = yield* Effect.scoped(Effect.flatMap(PinnedFetch.make(globalThis.fetch, () => true, wires(server)), (fetch) => Effect.promise(() => fetch("http://mcp.test/mcp"))))
        assert.deepStrictEqual([asked.splice(0), url], [["/x"], new URL(to).href], "only where everything is named")
      }
    }).pipe(Effect.scoped))

  it.live("can't lead to this machine through its login", () =>
    Effect.gen(function*() {
      const { asked, port } = yield* trap
      for (const to of elsewhere(port)) {
        const server = yield* listening((request, response) =>
          request.url?.startsWith("/.well-known/oauth-protected-resource") === true
            ? response.setHeader("content-type", "application/json").end(JSON.stringify({ resource: "http://mcp.test/mcp", authorization_servers: [to] }))
            : response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="http://mcp.test/.well-known/oauth-protected-resource"` }).end())
        const tried = (named: Pinned.IsHostAllowed) =>
          Effect.scoped(Effect.flatMap(PinnedFetch.make(globalThis.fetch, named, wires(server)), (fetch) =>
            Effect.ignore(Effect.tryPromise(() => OAuth.wrap(fetch, login)("http://mcp.test/mcp", { method: "POST", body: "{}" })))))
        yield* tried(BrowserReach.serverHostMatcher(nothing, "http://mcp.test/mcp"))
        assert.deepStrictEqual(asked, [])
        yield* tried(() => true)
        assert.isAbove(asked.splice(0).length, 0, "the trap is reached where everything is named")
      }
    }).pipe(Effect.scoped))
})

const login = OAuth.login({
  server: "http://mcp.test/mcp",
  redirectUrl: "http://127.0.0.1:1/callback",
  state: "a-state",
  read: async () => ({}),
  write: async () => {},
  visit: async () => new URLSearchParams()
})
