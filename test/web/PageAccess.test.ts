/** Who may load the page, and what its cookie opens: requests as browsers and other programs send them. */
import { describe, expect, it } from "@effect/vitest"
import { request } from "node:http"
import * as Process from "../cli/support/Process.ts"
import * as Served from "./support/Served.ts"

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

const send = (url: string, method: string, headers: Record<string, string>): Promise<Answer> =>
  new Promise((resolve, reject) =>
    request(url, { method, headers }, (response) => {
      response.resume()
      resolve({ status: response.statusCode ?? 0, headers: response.headers })
    }).on("error", reject).end()
  )

describe("the page's server", () => {
  it("gives the page to this host alone, and data only with the token or with the cookie from the page itself", async () => {
    await using place = Process.scene()
    const server = await Served.serve(place, place.script({ text: "Hi." }))
    const status = async (path: string, headers: Record<string, string> = {}, method = "GET") => (await send(`${server.url}${path}`, method, headers)).status

    const { headers, status: loaded } = await send(server.url, "GET", {})
    expect(loaded).toBe(200)
    const policy = String(headers["content-security-policy"])
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|\*|data:/)
    expect(headers).toMatchObject({ "x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "cross-origin-resource-policy": "same-origin" })
    expect(await status("/", { host: "evil.example" })).toBe(421)
    expect(await status("/", { origin: "http://evil.example" })).toBe(403)
    expect(await status("/../package.json")).toBe(401)
    expect(await status("/%2e%2e/cli/main.cjs")).toBe(401)

    expect(await status("/login", {}, "POST")).toBe(401)
    expect(await status("/login", { authorization: `Bearer ${server.token.slice(1)}0` }, "POST")).toBe(401)
    const login = await send(`${server.url}/login`, "POST", { authorization: `Bearer ${server.token}` })
    expect(login.status).toBe(204)
    const [setCookie = ""] = login.headers["set-cookie"] as ReadonlyArray<string>
    expect(setCookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/)
    expect(setCookie).not.toContain(server.token)
    const cookie = setCookie.split(";")[0]!

    const own = { cookie, "sec-fetch-site": "same-origin" }
    expect(await status("/page/sessions")).toBe(401)
    expect(await status("/page/sessions", own)).toBe(200)
    // Another port of this host is the same site, and would send the cookie.
    expect(await status("/page/sessions", { cookie, "sec-fetch-site": "same-site" })).toBe(401)
    expect(await status("/page/sessions", { cookie, "sec-fetch-site": "none" })).toBe(401)
    expect(await status("/page/sessions", { cookie })).toBe(401)
    expect(await status("/page/sessions", { ...own, cookie: `${cookie.slice(0, -1)}x` })).toBe(401)
    expect(await status("/page/sessions", { ...own, host: "evil.example" })).toBe(421)
    expect(await status("/page/sessions", { ...own, origin: "http://evil.example" })).toBe(403)
    // A form can't send our header.
    expect(await status("/operations", { ...own, "content-type": "application/json" }, "POST")).toBe(401)
    expect(await status("/operations", { ...own, "content-type": "application/json", "x-dacapo-page": "1" }, "POST")).toBe(400)
    expect(await status("/page/images/00", own)).toBeGreaterThanOrEqual(400)
    await server.stop()
  })
})
