import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { describe, expect, it } from "@effect/vitest"
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Process from "./support/Process.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const inspector = join(root, "tools/mcp/node_modules/@modelcontextprotocol/inspector/package.json")

/** The inspector comes with a hundred megabytes that nothing else needs: it is installed when it is first used. */
const inspect = (place: Process.Place, ...args: ReadonlyArray<string>) => {
  if (!existsSync(inspector)) execFileSync("npm", ["install", "--prefix", join(root, "tools/mcp"), "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"], { timeout: 300_000 })
  const bin = JSON.parse(readFileSync(inspector, "utf8")).bin
  const cli = join(inspector, "..", typeof bin === "string" ? bin : bin["mcp-inspector"])
  return spawnSync(process.execPath, [cli, "--cli", ...args], { cwd: place.cwd, env: place.environment, encoding: "utf8" })
}

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

const text = ({ content, isError }: Awaited<ReturnType<Client["callTool"]>>) => ({ isError, text: content.map((part) => part.type === "text" ? part.text : part.type).join("\n") })

describe("dacapo mcp serve", () => {
  it("is listed by the inspector without a complaint, and called", () => {
    using place = Process.place()
    writeFileSync(join(place.cwd, "a.txt"), "hello file\n")
    const { args, command } = serve()
    const listed = inspect(place, "--strict", command, ...args, "--method", "tools/list")
    expect({ status: listed.status, stderr: listed.stderr }).toEqual({ status: 0, stderr: "" })
    const tools: ReadonlyArray<{ readonly name: string; readonly annotations: object }> = JSON.parse(listed.stdout).tools
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["read_file", "run_command", "write_file"]))
    expect(tools.map(({ name }) => name)).not.toContain("ask_user")
    expect(tools.find(({ name }) => name === "read_file")?.annotations).toEqual({ readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false })
    const called = inspect(place, command, ...args, "--method", "tools/call", "--tool-name", "read_file", "--tool-arg", "path=a.txt")
    expect(called.stdout).toContain("hello file")
  }, 400_000)

  it("asks the person at the other program, and does what they allow", async () => {
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

  it("denies where nobody can be asked, and names the rule that would allow it; a deny rule holds against a yes", async () => {
    using place = Process.place()
    await used(place, [], "none", async (client) => {
      const { isError, text: told } = text(await client.callTool({ name: "run_command", arguments: { command: "npm test" } }))
      expect(isError).toBe(true)
      expect(told).toContain("--allowedTools \"Bash(npm test:*)\" would allow it")
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

  it("serves over HTTP on this machine, and to no page of another's", async () => {
    using place = Process.place()
    writeFileSync(join(place.cwd, "a.txt"), "over http\n")
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/mcp`
    const running = Process.start(place, ["mcp", "serve", "--port", `${port}`])
    await running.shows("stderr", url)
    const client = new Client({ name: "another", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } })
    await client.connect(new StreamableHTTPClientTransport(new URL(url)))
    expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28")
    expect(text(await client.callTool({ name: "read_file", arguments: { path: "a.txt" } })).text).toContain("over http")
    await client.close()
    const evil = await fetch(url, { method: "POST", headers: { Origin: "http://evil.example", "content-type": "application/json" }, body: "{}" })
    expect(evil.status).toBe(403)
    running.child.kill("SIGINT")
    expect((await running.ended).code).toBe(130)
  })
})

describe("dacapo mcp new", () => {
  it("lays out a server whose test passes, and that works as one of ours", async () => {
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
  it("adds servers for one run, and says what is wrong with them", async () => {
    using place = Process.place()
    const everything = JSON.stringify({ mcpServers: { every: { command: process.execPath, args: [join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js")] } } })
    const model = place.script({ calls: [{ name: "mcp__every__echo", params: { message: "hi" } }] }, { text: "Done.", expect: { lastResult: "Echo: hi" } })
    expect(await Process.run(place, ["-p", "--mcp-config", everything, "--allowedTools", "mcp__every__echo", "--model", model, "echo"])).toMatchObject({ code: 0, stdout: "Done.\n" })
    const wrong = await Process.run(place, ["-p", "--mcp-config", "{\"a\":{}}", "--model", model, "echo"])
    expect(wrong).toMatchObject({ code: 2 })
    expect(wrong.stderr).toContain("names a server \"a\" that can't be used: it needs a \"url\"")
  })
})
