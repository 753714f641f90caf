import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { build } from "esbuild"
import { execFile } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as ServeMcp from "../../../src/layers/mcp/server/ServeMcp.ts"
import * as IdsLive from "../../../src/layers/settings/IdsLive.ts"
import { choose } from "../../suite.ts"
import { make } from "./servers/conformance.ts"

const suite = fileURLToPath(new URL("../../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url))

/** Runs the suite in a folder of its own, which it fills with results. */
const conformance = (...args: ReadonlyArray<string>): Effect.Effect<{ readonly code: number; readonly output: string }> =>
  Effect.callback((resume) => {
    const folder = mkdtempSync(join(tmpdir(), "dacapo-conformance-"))
    const child = execFile(process.execPath, [suite, ...args], { cwd: folder, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      rmSync(folder, { recursive: true, force: true })
      resume(Effect.succeed({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : 1, output: `${stdout}${stderr}` }))
    })
    return Effect.sync(() => void child.kill())
  })

describe("the protocol's conformance suite", () => {
  it.live("passes every scenario against a server on our server layer", () =>
    Effect.gen(function*() {
      const url = yield* proved(yield* ServeMcp.http(make, 0))
      const { output } = yield* conformance("server", "--url", url, "--suite", "all")
      assert.match(output, /Total: \d+ passed, \d failed/)
      // The suite waits for each answer for a time of its own: what a busy machine missed is tried again, by itself.
      const missed = [...output.matchAll(/^✗ (\S+):/gm)].map(([, name = ""]) => name)
      for (const scenario of missed) {
        const again = yield* conformance("server", "--url", url, "--scenario", scenario)
        assert.strictEqual(again.code, 0, again.output)
      }
    }).pipe(Effect.scoped, Effect.provide(IdsLive.layer)))

  // One by one, a few at a time: the suite's own way starts all at once, and a busy machine answers none of them in time.
  it.live("passes the scenarios of a client with our connection, our answers and our login", () =>
    Effect.gen(function*() {
      const client = yield* bundled
      const { output } = yield* conformance("list", "--client")
      const scenarios = [...output.matchAll(/^ {2}- (\S+)/gm)].map(([, name = ""]) => name)
      assert.isAbove(scenarios.length, 20)
      const chosen = choose({ quick: scenarios.filter((_, i) => i % 4 === 0), all: scenarios })
      const failed = yield* Effect.forEach(chosen, (scenario) =>
        Effect.map(conformance("client", "--command", `${process.execPath} ${client}`, "--scenario", scenario), ({ code, output }) =>
          code === 0 && output.includes("OVERALL: PASSED") ? [] : [`${scenario}: …${output.slice(-800)}`]), { concurrency: 3 })
      assert.deepStrictEqual(failed.flat(), [])
    }).pipe(Effect.scoped), 120_000)
})

/** The suite knows no tokens: what it sends goes on as it is, with the token put in, and this address where it named itself by ours. */
const proved = ({ token, url }: { readonly url: string; readonly token: string }) =>
  Effect.map(Effect.acquireRelease(
    Effect.promise(async () => {
      const behind = new URL(url)
      const server = createServer((asked, answer) => {
        const own = `127.0.0.1:${(server.address() as AddressInfo).port}`
        const headers = Object.fromEntries(Object.entries(asked.headers).map(([name, value]) => [name, typeof value === "string" ? value.replace(own, behind.host) : value]))
        const sent = request({ port: behind.port, method: asked.method, path: asked.url, headers: { ...headers, authorization: `Bearer ${token}` }, setHost: false })
        sent.once("error", () => answer.destroy())
        sent.once("response", (got) => {
          answer.writeHead(got.statusCode ?? 502, got.headers).flushHeaders()
          got.pipe(answer)
        })
        answer.once("close", () => sent.destroy())
        asked.pipe(sent)
      }).listen(0, "127.0.0.1")
      await once(server, "listening")
      return server
    }),
    (server) => Effect.sync(() => (server.closeAllConnections(), server.close()))
  ), (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${new URL(url).pathname}`)

/** The client in one file, which starts in a fraction of the time that its sources take. */
const bundled = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = fileURLToPath(new URL("../../../node_modules/.cache/mcp-client/", import.meta.url))
    mkdirSync(folder, { recursive: true })
    await build({
      entryPoints: [fileURLToPath(new URL("servers/client.ts", import.meta.url))],
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node22.19",
      mainFields: ["module", "main"],
      outfile: join(folder, "client.mjs"),
      banner: { js: "import { createRequire } from \"node:module\"; const require = createRequire(import.meta.url)" },
      logLevel: "warning"
    })
    return join(folder, "client.mjs")
  }),
  (file) => Effect.sync(() => rmSync(file, { force: true }))
)
