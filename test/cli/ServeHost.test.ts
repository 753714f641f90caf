/** Where `dacapo serve` listens: on another interface only with TLS or the statement that it may be without, and then as exactly. */
import { describe, expect, it } from "@effect/vitest"
import { readFileSync, writeFileSync } from "node:fs"
import { request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import { networkInterfaces } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Process from "./support/Process.ts"

const tls = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url))
const certificate = ["--tls-cert", tls("server.pem"), "--tls-key", tls("server.key")]

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

/** A request as any program can send it; 0 if the connection breaks. */
const send = (url: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> =>
  new Promise((resolve) => {
    const options = { method, headers, agent: false as const, servername: "localhost" }
    const sent = url.startsWith("https:") ? httpsRequest(url, { ...options, ca: readFileSync(tls("ca.pem")) }) : httpRequest(url, options)
    sent.on("response", (response) => {
      response.resume()
      resolve({ status: response.statusCode ?? 0, headers: response.headers })
    }).on("error", () => resolve({ status: 0, headers: {} })).end()
  })

const serve = async (place: Process.Place, ...args: ReadonlyArray<string>) => {
  const running = Process.start(place, ["serve", "--model", place.script({ text: "Hi." }), ...args])
  await running.shows("stderr", /Bearer \S+\n/)
  const stderr = running.said("stderr")
  const [, url = ""] = /Serving at (\S+)\. /.exec(stderr)!
  const [, token = ""] = /Bearer (\S+)/.exec(stderr)!
  return {
    url,
    token,
    stderr,
    stop: async () => {
      running.child.kill("SIGTERM")
      await running.ended
    }
  }
}

const refused = async (place: Process.Place, ...args: ReadonlyArray<string>): Promise<string> => {
  const ended = await Process.run(place, ["serve", ...args])
  expect(ended.code).toBe(2)
  return ended.stderr
}

describe("dacapo serve --host", () => {
  it("refuses another interface without TLS, every interface at once, half a certificate, and what is no address", async () => {
    using place = Process.place()
    expect(await refused(place, "--host", "192.0.2.7")).toContain("Without TLS everyone on the network of 192.0.2.7 could read the token.")
    expect(await refused(place, "--host", "build-host.example")).toContain("--insecure-http")
    for (const all of ["0.0.0.0", "::", "[::]", "*"]) {
      expect(await refused(place, "--host", all, "--insecure-http")).toContain("means every interface")
    }
    expect(await refused(place, "--tls-cert", tls("server.pem"))).toContain("--tls-cert and --tls-key go together")
    expect(await refused(place, "--host", "a b/c")).toContain("is not a valid address")
    expect(await refused(place, "--stdio", "--host", "127.0.0.1")).toContain("--stdio can't be combined")
    expect(await Process.run(place, ["serve", "--tls-cert", "none.pem", "--tls-key", "none.pem"])).toMatchObject({
      code: 42,
      stderr: expect.stringContaining("Can't read the certificate none.pem: ENOENT.")
    })
    writeFileSync(join(place.cwd, "bad.pem"), "not a certificate\n")
    const bad = await Process.run(place, ["serve", "--tls-cert", "bad.pem", "--tls-key", "bad.pem"])
    expect(bad).toMatchObject({ code: 42, stderr: expect.stringContaining("The certificate and its key can't be used") })
  })

  it("serves over TLS alone, under exactly its names, with a cookie that stays encrypted", async () => {
    await using place = Process.scene()
    const server = await serve(place, "--host", "localhost", ...certificate)
    expect(server.url).toMatch(/^https:\/\/localhost:\d+$/)
    const { port } = new URL(server.url)
    const authorization = `Bearer ${server.token}`
    const status = async (headers: Record<string, string>) => (await send(`${server.url}/sessions`, headers)).status
    expect(await status({ authorization })).toBe(200)
    expect(await status({})).toBe(401)
    expect(await status({ authorization, host: "evil.example" })).toBe(421)
    // A name that an attacker's DNS points to this machine (rebinding).
    expect(await status({ authorization, host: `rebind.example:${port}` })).toBe(421)
    expect(await status({ authorization, origin: "https://evil.example" })).toBe(403)
    expect(await status({ authorization, origin: `http://localhost:${port}` })).toBe(403)
    expect(await status({ authorization, origin: `https://localhost:${port}` })).toBe(200)
    expect((await send(`http://localhost:${port}/sessions`, { authorization })).status).toBe(0)
    const login = await send(`${server.url}/login`, { authorization }, "POST")
    expect(login.headers["set-cookie"]).toEqual([expect.stringMatching(/; Path=\/; HttpOnly; Secure; SameSite=Strict$/)])
    await server.stop()
  })

  const outside = Object.values(networkInterfaces()).flat().find((one) => one?.internal === false && one.family === "IPv4")?.address

  it.runIf(outside !== undefined)("serves another interface without TLS when that is stated, and warns; its cookie needs the page's own header", async () => {
    await using place = Process.scene()
    const server = await serve(place, "--host", outside!, "--insecure-http")
    expect(server.stderr).toContain("Without TLS everyone on this network can read the token")
    const { port } = new URL(server.url)
    const authorization = `Bearer ${server.token}`
    expect((await send(`${server.url}/sessions`, { authorization })).status).toBe(200)
    expect((await send(`${server.url}/sessions`)).status).toBe(401)
    expect((await send(`${server.url}/sessions`, { authorization, host: `localhost:${port}` })).status).toBe(421)
    // No other interface listens.
    expect((await send(`http://127.0.0.1:${port}/sessions`, { authorization })).status).toBe(0)
    const login = await send(`${server.url}/login`, { authorization }, "POST")
    const cookie = String(login.headers["set-cookie"]).split(";")[0]!
    expect((await send(`${server.url}/page/sessions`, { cookie })).status).toBe(401)
    expect((await send(`${server.url}/page/sessions`, { cookie, "x-dacapo-page": "1" })).status).toBe(200)
    await server.stop()
  })
})
