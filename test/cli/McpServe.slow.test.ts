import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { describe, expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { existsSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { type IncomingHttpHeaders, request } from "node:http"
import { createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Process from "./support/Process.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const serve = (...args: ReadonlyArray<string>) => ({ command: process.execPath, args: [Process.main, "mcp", "serve", ...args] })

/** Our server in the hands of another program, which answers questions in this way. */
const used = async <A>(place: Process.Place, args: ReadonlyArray<string>, answer: "yes" | "no" | "none", use: (client: Client, asked: Array<string>) => Promise<A>): Promise<A> => {
  const client = new Client({ name: "another", version: "1.0.0" }, { capabilities: answer === "none" ? {} : { elicitation: { form: {} } } })
  const asked: Array<string> = []
  if (answer !== "none") {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message)
      return { action: "accept", content: { allow: answer === "yes" } }
    })
  }
  await client.connect(new StdioClientTransport({ ...serve(...args), cwd: place.cwd, env: place.environment, stderr: "ignore" }))
  try {
    return await use(client, asked)
  } finally {
    await client.close()
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** A plain request to a port, or to a socket, with exactly these headers. */
const send = (to: number | string, { body, headers, method = "POST" }: { readonly body?: string; readonly headers: Record<string, string>; readonly method?: string }) =>
  new Promise<{ readonly status: number; readonly text: string; readonly headers: IncomingHttpHeaders }>((resolve, reject) => {
    const where = typeof to === "number" ? { port: to, host: "127.0.0.1" } : { socketPath: to }
    const sent = request({ ...where, path: "/mcp", method, headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers } }, async (answer) => {
      let text = ""
      for await (const chunk of answer) text += chunk
      resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers })
    })
    sent.once("error", reject).end(body)
  })

/** A session of the older way: gives the header that names it. */
const opened = async (to: number | string, token?: string): Promise<Record<string, string>> => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "another", version: "1" } } })
  const { headers, status } = await send(to, { body, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })
  expect(status).toBe(200)
  return { "mcp-session-id": String(headers["mcp-session-id"]), "mcp-protocol-version": "2025-06-18" }
}

const text = ({ content, isError }: Awaited<ReturnType<Client["callTool"]>>) => ({ isError, text: content.map((part) => part.type === "text" ? part.text : part.type).join("\n") })

describe("dacapo mcp serve", () => {
  it("lists its tools with annotations, except those that ask the user", async () => {
    using place = Process.place()
    await used(place, [], "none", async (client) => {
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["read_file", "run_command", "write_file"]))
      expect(tools.map(({ name }) => name)).not.toContain("ask_user")
      expect(tools.find(({ name }) => name === "read_file")?.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false })
    })
  })

  it("runs a task by the agent, and denies it what nobody can allow", async () => {
    await using place = Process.scene()
    const model = place.script(
      { calls: [{ name: "write_file", params: { path: "a.txt", content: "one\n" } }] },
      { calls: [{ name: "run_command", params: { command: "touch b.txt" } }] },
      { text: "Written, not touched." }
    )
    const progress: Array<string> = []
    await used(place, ["--model", model, "--allowedTools", "Edit"], "yes", async (client, asked) => {
      const call = (params: Record<string, unknown>) =>
        client.callTool({ name: "run_task", arguments: params }, { onprogress: ({ message = "" }) => void progress.push(message) })
      const { isError, text: report } = text(await call({ prompt: "Write it" }))
      expect([isError, report]).toEqual([false, expect.stringMatching(/^Written, not touched\.\n\n\[finished; session [-\w]+; 0\.0000 USD\]$/)])
      expect(text(await call({}))).toEqual({ isError: true, text: "run_task expects one param: prompt, a text." })
      expect(asked).toEqual([])
    })
    expect([existsSync(join(place.cwd, "a.txt")), existsSync(join(place.cwd, "b.txt"))]).toEqual([true, false])
    expect(progress).toEqual(["turn 1", "turn 2", "turn 3"])
  })

  it("offers no tasks without a model", async () => {
    using place = Process.place()
    await used(place, [], "none", async (client) => {
      expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("run_task")
      expect(text(await client.callTool({ name: "run_task", arguments: { prompt: "Do it" } }))).toEqual({ isError: true, text: "There is no tool named \"run_task\"." })
    })
  })

  it("asks the user of the other program, and does what they allow", async () => {
    using place = Process.place()
    const params = { path: "made.txt", content: "made\n" }
    await used(place, [], "no", async (client, asked) => {
      expect(text(await client.callTool({ name: "write_file", arguments: params }))).toMatchObject({ isError: true })
      expect(asked[0]).toMatch(/^Allow write made\.txt\?|^Allow .*made\.txt/)
      expect(asked[0]).toContain("+made")
    })
    expect(existsSync(join(place.cwd, "made.txt"))).toBe(false)
    await used(place, [], "yes", async (client) => {
      expect(text(await client.callTool({ name: "write_file", arguments: params }))).toMatchObject({ isError: false })
    })
    expect(readFileSync(join(place.cwd, "made.txt"), "utf8")).toBe("made\n")
  })

  it("denies if nobody can be asked, and names the rule that would allow it; a deny rule overrides a yes", async () => {
    using place = Process.place()
    await used(place, [], "none", async (client) => {
      const { isError, text: told } = text(await client.callTool({ name: "run_command", arguments: { command: "npm test" } }))
      expect(isError).toBe(true)
      expect(told).toContain("To allow it, add --allowedTools \"Bash(npm test:*)\"")
    })
    await used(place, ["--disallowedTools", "Bash"], "yes", async (client, asked) => {
      expect(text(await client.callTool({ name: "run_command", arguments: { command: "ls" } })).isError).toBe(true)
      expect(asked).toEqual([])
    })
    await used(place, ["--allowedTools", "Bash(echo:*)"], "none", async (client) => {
      expect(text(await client.callTool({ name: "run_command", arguments: { command: "echo allowed" } })).text).toContain("allowed")
      expect(text(await client.callTool({ name: "read_file", arguments: { start_line: "x" } })).text).toContain("- path: expected string, received nothing")
    })
  })

  it("serves over HTTP only with the token of this run: not to other users, web pages or rebound host names", async () => {
    using place = Process.place()
    writeFileSync(join(place.cwd, "a.txt"), "over http\n")
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/mcp`
    const running = Process.start(place, ["mcp", "serve", "--port", `${port}`, "--allowedTools", "Bash(touch:*)"])
    await running.shows("stderr", "Authorization: Bearer ")
    const [, token = ""] = /Authorization: Bearer ([0-9a-f]{64})\n/.exec(running.said("stderr")) ?? []
    const client = new Client({ name: "another", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } })
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }))
    expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28")
    expect(text(await client.callTool({ name: "read_file", arguments: { path: "a.txt" } })).text).toContain("over http")
    await client.close()
    // One request that is whole: what differs from the one that runs it is all that the others lack.
    const runs = (marker: string) => JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "run_command", arguments: { command: `touch ${marker}` } } })
    const session = await opened(port, token)
    const proof = { authorization: `Bearer ${token}`, ...session }
    const attempts: ReadonlyArray<readonly [marker: string, status: number, headers: Record<string, string>]> = [
      ["nothing", 401, session],
      ["wrong", 401, { ...proof, authorization: `Bearer ${"0".repeat(64)}` }],
      ["cut", 401, { ...proof, authorization: `Bearer ${token.slice(1)}` }],
      ["basic", 401, { ...proof, authorization: `Basic ${token}` }],
      ["rebound", 421, { ...proof, host: "evil.example" }],
      ["rebound-port", 421, { ...proof, host: `evil.example:${port}` }],
      ["no-port", 421, { ...proof, host: "127.0.0.1" }],
      ["page", 403, { ...proof, origin: "http://evil.example" }],
      ["other-port", 403, { ...proof, origin: "http://localhost:1" }],
      ["null", 403, { ...proof, origin: "null" }]
    ]
    for (const [marker, status, headers] of attempts) expect([marker, (await send(port, { body: runs(marker), headers })).status]).toEqual([marker, status])
    for (const method of ["PUT", "OPTIONS", "TRACE", "PATCH"]) expect([method, (await send(port, { method, headers: proof })).status]).toEqual([method, 405])
    expect((await send(port, { body: runs("allowed"), headers: proof })).status).toBe(200)
    expect(readdirSync(place.cwd).sort()).toEqual(["a.txt", "allowed"])
    const bad = await Promise.all(Array.from({ length: 30 }, (_, i) => send(port, { body: "{}", headers: { authorization: `Bearer ${i}` } })))
    expect(new Set(bad.map(({ status, text }) => `${status} ${text}`)).size, "one answer for every bad token, and one for too many").toBe(2)
    expect((await send(port, { body: runs("still"), headers: proof })).status, "who has the token is not held up").toBe(200)
    running.child.kill("SIGINT")
    expect((await running.ended).code).toBe(130)
  })

  it("writes the token to a private file, and removes it at the end", async () => {
    using place = Process.place()
    const file = join(place.cwd, "token")
    const port = await freePort()
    writeFileSync(join(place.root, "other"), "kept")
    symlinkSync(join(place.root, "other"), file)
    const running = Process.start(place, ["mcp", "serve", "--port", `${port}`, "--token-file", "token"])
    await running.shows("stderr", "The token is in token.")
    expect(running.said("stderr")).not.toContain("Bearer")
    expect(lstatSync(file).mode & 0o7777777).toBe(0o100600)
    await opened(port, readFileSync(file, "utf8").trim())
    running.child.kill("SIGINT")
    await running.ended
    expect([existsSync(file), readFileSync(join(place.root, "other"), "utf8")]).toEqual([false, "kept"])
  })

  it("serves on a private socket, also after a killed server, and only once at a time", async () => {
    using place = Process.place()
    writeFileSync(join(place.cwd, "a.txt"), "over a socket\n")
    const start = async () => {
      const running = Process.start(place, ["mcp", "serve", "--socket"])
      await running.shows("stderr", ".sock")
      return { running, socket: /at (\S+\.sock) /.exec(running.said("stderr"))?.[1] ?? "" }
    }
    const first = await start()
    first.running.child.kill("SIGKILL")
    await first.running.ended
    const { running, socket } = await start()
    expect(socket).toBe(first.socket)
    expect(statSync(join(socket, "..")).mode & 0o777).toBe(0o700)
    const again = await Process.run(place, ["mcp", "serve", "--socket"])
    expect([again.code === 0, again.stderr]).toEqual([false, expect.stringContaining("is already in use")])
    const read = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "read_file", arguments: { path: "a.txt" } } })
    expect((await send(socket, { body: read, headers: await opened(socket) })).text).toContain("over a socket")
    running.child.kill("SIGINT")
    expect((await running.ended).code).toBe(130)
    expect(existsSync(socket)).toBe(false)
  })
})

describe("dacapo mcp new", () => {
  it("creates a server whose test passes, and that works with dacapo", async () => {
    using place = Process.place()
    const made = await Process.run(place, ["mcp", "new", "hello"])
    expect(made).toMatchObject({ code: 0, stderr: "" })
    const folder = join(place.cwd, "hello")
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
    const tested = spawnSync(process.execPath, ["--test"], { cwd: folder, env: place.environment, encoding: "utf8" })
    expect(tested.status, tested.stdout).toBe(0)
    await Process.run(place, ["mcp", "add", "hello", "--", process.execPath, join(folder, "server.mjs")])
    const model = place.script(
      { calls: [{ name: "mcp_guide", params: {} }] },
      { calls: [{ name: "mcp__hello__greet", params: { name: "Ada" } }], expect: { lastResult: "dacapo mcp new <name>" } },
      { text: "Greeted.", expect: { lastResult: "Hello, Ada." } }
    )
    expect(await Process.run(place, ["-p", "--allowedTools", "mcp__hello", "--model", model, "greet Ada"])).toMatchObject({ code: 0, stdout: "Greeted.\n" })
    expect(await Process.run(place, ["mcp", "new", "hello"])).toMatchObject({ code: 42 })
  })
})

describe("--mcp-config", () => {
  it("adds servers for one run, and reports what is wrong with them", async () => {
    using place = Process.place()
    const everything = JSON.stringify({ mcpServers: { every: { command: process.execPath, args: [join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js")] } } })
    const model = place.script({ calls: [{ name: "mcp__every__echo", params: { message: "hi" } }] }, { text: "Done.", expect: { lastResult: "Echo: hi" } })
    expect(await Process.run(place, ["-p", "--mcp-config", everything, "--allowedTools", "mcp__every__echo", "--model", model, "echo"])).toMatchObject({ code: 0, stdout: "Done.\n" })
    const wrong = await Process.run(place, ["-p", "--mcp-config", "{\"a\":{}}", "--model", model, "echo"])
    expect(wrong).toMatchObject({ code: 2 })
    expect(wrong.stderr).toContain("the server \"a\" is not valid: it needs a \"url\"")
  })
})
