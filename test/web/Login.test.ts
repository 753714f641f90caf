/** The login of the page, and requests that were under way meanwhile. */
import { afterEach, expect, it, vi } from "@effect/vitest"
import * as Api from "../../src/web/client/Api.ts"
import * as Messages from "../../src/web/client/Messages.ts"

afterEach(() => vi.unstubAllGlobals())

it("a request that was refused before a login is sent again, and the server is not said to want another token", async () => {
  const answers = new Map<string, Array<(response: Response) => void>>()
  vi.stubGlobal("fetch", (path: string) =>
    new Promise<Response>((resolve) => answers.set(path, [...answers.get(path) ?? [], resolve])))
  const list = Messages.attempt(Api.sessions)
  await vi.waitFor(() => expect(answers.get("/page/sessions")).toHaveLength(1))
  const login = Messages.login("http://127.0.0.1:7700/#token=secret")
  await vi.waitFor(() => expect(answers.get("/login")).toHaveLength(1))
  answers.get("/login")![0]!(new Response(null, { status: 204 }))
  expect(await login).toBe(true)
  answers.get("/page/sessions")![0]!(new Response("no", { status: 401 }))
  await vi.waitFor(() => expect(answers.get("/page/sessions")).toHaveLength(2))
  answers.get("/page/sessions")![1]!(Response.json([]))
  expect(await list).toEqual([])
  expect(Messages.needsLogin.value).toBe(false)
})

it("a request that is refused with the present cookie asks for a token, and is sent again after the login", async () => {
  let hasCookie = false
  vi.stubGlobal("fetch", async (path: string) => {
    if (path === "/login") hasCookie = true
    return path === "/login" ? new Response(null, { status: 204 }) : hasCookie ? Response.json([]) : new Response("no", { status: 401 })
  })
  const list = Messages.attempt(Api.sessions)
  await vi.waitFor(() => expect(Messages.needsLogin.value).toBe(true))
  expect(await Messages.login("secret")).toBe(true)
  expect(await list).toEqual([])
  expect(Messages.needsLogin.value).toBe(false)
})
