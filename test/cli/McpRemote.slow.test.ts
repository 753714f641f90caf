import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { fileURLToPath } from "node:url"
import * as ServeMcp from "../../src/layers/mcp/server/ServeMcp.ts"
import * as IdsLive from "../../src/layers/settings/IdsLive.ts"
import { make } from "../layers/mcp/servers/conformance.ts"
import * as Process from "./support/Process.ts"

const everything = fileURLToPath(new URL("../../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url))

const body = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of request) text += chunk
  return text
}

/** A server at an address that lets in who has logged in, and the one who gives its tokens: both in one. */
const guarded = (behind: { readonly url: string; readonly token: string }) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer((request, response) => void answered(request, response).catch(() => response.destroy()))
      const answered = async (request: IncomingMessage, response: ServerResponse) => {
        const json = (status: number, value: object, headers: Record<string, string> = {}) =>
          response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value))
        const at = `http://127.0.0.1:${(server.address() as { port: number }).port}`
        const { pathname, searchParams } = new URL(request.url ?? "", at)
        if (pathname.startsWith("/.well-known/oauth-protected-resource")) return json(200, { resource: `${at}/mcp`, authorization_servers: [at] })
        if (pathname.startsWith("/.well-known/")) {
          return json(200, {
            issuer: at,
            authorization_endpoint: `${at}/authorize`,
            token_endpoint: `${at}/token`,
            registration_endpoint: `${at}/register`,
            response_types_supported: ["code"],
            code_challenge_methods_supported: ["S256"],
            token_endpoint_auth_methods_supported: ["none"]
          })
        }
        if (pathname === "/register") return json(201, { ...JSON.parse(await body(request)), client_id: "registered" })
        if (pathname === "/authorize") {
          return response.writeHead(302, { location: `${searchParams.get("redirect_uri")}?code=agreed&state=${searchParams.get("state")}` }).end()
        }
        if (pathname === "/token") {
          const asked = new URLSearchParams(await body(request))
          return json(200, { access_token: asked.get("grant_type") === "refresh_token" ? "renewed" : "first", refresh_token: "again", token_type: "Bearer", expires_in: 3600 })
        }
        // The first token is over at once: only one that was renewed is let in after the login itself.
        if (request.headers.authorization !== "Bearer renewed") {
          return json(401, { error: "unauthorized" }, { "www-authenticate": `Bearer resource_metadata="${at}/.well-known/oauth-protected-resource/mcp"` })
        }
        const { authorization: _, connection: __, "content-length": ___, host: ____, ...headers } = request.headers
        const text = await body(request)
        // Nothing stays open behind who has left: the server behind waits for its connections when it closes.
        const left = new AbortController()
        response.once("close", () => left.abort())
        const answer = await fetch(behind.url, { signal: left.signal, method: request.method ?? "GET", headers: { ...headers as Record<string, string>, authorization: `Bearer ${behind.token}` }, ...(text === "" ? {} : { body: text }) })
        response.writeHead(answer.status, Object.fromEntries(answer.headers))
        for await (const chunk of answer.body ?? []) response.write(chunk)
        response.end()
      }
      server.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({ url: `http://127.0.0.1:${(server.address() as { port: number }).port}/mcp`, close: () => (server.closeAllConnections(), server.close()) })))
    }),
    ({ close }) => Effect.sync(close)
  )

describe("a remote server", () => {
  it.live("works in a task, over streamable HTTP", () =>
    Effect.gen(function*() {
      const { token, url } = yield* ServeMcp.http(make, 0)
      yield* Effect.promise(async () => {
        await using place = Process.scene()
        await Process.run(place, ["mcp", "add", "fixture", url, "-H", `Authorization: Bearer ${token}`])
        const model = place.script(
          { calls: [{ name: "mcp__fixture__test_simple_text", params: {} }] },
          { calls: [{ name: "mcp__fixture__test_error_handling", params: {} }], expect: { lastResult: "This is a simple text response for testing." } },
          { calls: [{ name: "mcp__fixture__test_image_content", params: {} }], expect: { lastResult: "This tool intentionally returns an error for testing" } },
          { text: "Done." }
        )
        expect(await Process.run(place, ["-p", "--allowedTools", "mcp__fixture", "--model", model, "try"])).toMatchObject({ code: 0, stdout: "Done.\n", stderr: "" })
      })
    }).pipe(Effect.scoped, Effect.provide(IdsLive.layer)))

  it.live("uses a login in the browser; tokens are renewed, kept private, and deleted", () =>
    Effect.gen(function*() {
      const { url } = yield* guarded(yield* ServeMcp.http(make, 0))
      yield* Effect.promise(async () => {
        using made = Process.place()
        const place = { ...made, environment: { ...made.environment, DACAPO_DISABLE_KEYRING: "1" } }
        await Process.run(place, ["mcp", "add", "docs", url])
        const before = await Process.run(place, ["mcp", "test", "docs"])
        expect(before).toMatchObject({ code: 41 })
        expect(before.stdout).toContain("`dacapo mcp auth docs`")
        const running = Process.start(place, ["mcp", "auth", "docs"])
        await running.shows("stderr", "Waiting for the login in your browser")
        const address = /http:\/\/\S+\/authorize\S+/.exec(running.said("stderr"))?.[0] ?? ""
        const agreed = await fetch(address, { redirect: "manual" })
        const back = new URL(agreed.headers.get("location") ?? "")
        const evil = (change: (url: URL) => void, init: RequestInit = {}) => {
          const url = new URL(back)
          change(url)
          return fetch(url, init).then(({ status }) => status)
        }
        // Whoever reaches the port can't end the login with an answer of their own.
        expect(await Promise.all([
          evil(({ searchParams }) => searchParams.set("state", "0".repeat(64))),
          evil(({ searchParams }) => searchParams.delete("state")),
          evil((url) => void (url.pathname = "/callback/")),
          evil((url) => void (url.hostname = "localhost")),
          evil(() => {}, { method: "POST" })
        ])).toEqual([404, 404, 404, 404, 404])
        await fetch(agreed.headers.get("location") ?? "")
        expect(await running.ended).toMatchObject({ code: 0, stdout: "Logged in to docs.\n" })
        const after = await Process.run(place, ["mcp", "test", "docs"])
        expect(after).toMatchObject({ code: 0 })
        expect(after.stdout).not.toContain("renewed")
        expect(await Process.run(place, ["mcp", "auth", "docs", "--revoke"])).toMatchObject({ code: 0, stdout: "Deleted the login for docs.\n" })
        expect(await Process.run(place, ["mcp", "test", "docs"])).toMatchObject({ code: 41 })
      })
    }).pipe(Effect.scoped, Effect.provide(IdsLive.layer)))
})

describe("sampling", () => {
  it("uses the session's model with the user's approval, at the cost of its budget", async () => {
    await using place = Process.scene()
    await Process.run(place, ["mcp", "add", "every", "--", process.execPath, everything])
    const ask = { calls: [{ name: "mcp__every__trigger-sampling-request", params: { prompt: "Say it.", maxTokens: 50 } }] }
    // One turn for the server's question and for the answer after it: a script counts the session's answers.
    const model = place.script(ask, { text: "Said it." })
    const run = (...rules: ReadonlyArray<string>) =>
      Process.run(place, ["-p", "--output-format", "events", "--max-tokens-total", "500000", "--allowedTools", rules.join(","), "--model", model, "ask it"])
    const allowed = await run("mcp__every__trigger-sampling-request", "mcp__every__sampling")
    expect(allowed.code).toBe(0)
    expect(allowed.stdout).toMatch(/"BudgetReserved"[^\n]*"child":"[^"]*\/mcp\/every\/1"/)
    expect(allowed.stdout).toMatch(/"BudgetSettled"[^\n]*"child":"[^"]*\/mcp\/every\/1"/)
    expect(allowed.stdout).toMatch(/"ToolFinished"[^\n]*Said it\./)
    const refused = await run("mcp__every__trigger-sampling-request")
    expect(refused.stdout).toMatch(/"ToolFinished"[^\n]*may not use the model/)
    expect(refused.stdout).not.toMatch(/"child":"[^"]*\/mcp\/every"/)
  })
})
