/** Errors in every face, and the bounds of what programs read, through the command line. */
import { describe, expect, it } from "@effect/vitest"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Process from "../cli/support/Process.ts"
import { serve } from "../cli/support/Server.ts"

const missing = "01900000-0000-7000-8000-000000000009"

describe("an error", () => {
  it("has the same sentence in the terminal, in JSON, over HTTP and on the page, and the same parts where there is room", async () => {
    await using place = Process.scene()
    const text = await Process.run(place, ["sessions", "show", missing])
    const json = await Process.run(place, ["-p", "--output-format", "json", "--resume", missing, "Go"])
    const result = JSON.parse(json.stdout)
    const message = result.result as string
    expect([text.code, json.code]).toEqual([42, 42])
    expect(text.stderr).toBe(`dacapo: ${message}\n`)
    expect(json.stderr).toBe(text.stderr)
    expect(result).toMatchObject({
      is_error: true,
      errors: [message],
      error: { headline: `Session ${missing}`, cause: `No session is called ${missing}.`, next: expect.stringMatching(/^Run `dacapo sessions list`/) }
    })
    const server = await serve(place, place.script({ text: "Hi." }))
    const failed = await server.operate({ _tag: "Interrupt", session: missing })
    expect(failed).toMatchObject({ _tag: "RequestFailed", message, parts: result.error })
    expect(await server.get(`/page/sessions/${missing}/log?from=0`)).toEqual({ message, parts: result.error })
    await server.stop()
  })

  it("of a task says what to do next", async () => {
    await using place = Process.scene()
    const read = { calls: [{ name: "list_files", params: { path: "." } }] }
    const ended = await Process.run(place, ["-p", "--max-turns", "1", "--model", place.script(read, read), "Go"])
    expect(ended).toMatchObject({ code: 53, stderr: "dacapo: Reached the limit of 1 turn. Raise it with --max-turns, or continue the session.\n" })
  })
})

describe("a line of stream-json", () => {
  it("stays below 1 MiB, whatever a model sends; the file and the log have all of it", async () => {
    await using place = Process.scene()
    const content = "0123456789abcdef\n".repeat(70_000)
    const model = place.script({ calls: [{ name: "write_file", params: { path: "big.txt", content } }] })
    const { code, stdout } = await Process.run(place, ["-p", "--permission-mode", "acceptEdits", "--output-format", "stream-json", "--model", model, "Go"])
    // The next request does not fit the window, which replays as well.
    expect(code).toBe(1)
    expect(JSON.parse(stdout.trimEnd().split("\n").at(-1)!)).toMatchObject({ reason: "context", error: { headline: "Context window" } })
    const lines = stdout.trimEnd().split("\n")
    expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThan(1 << 20)
    const [call] = lines.map((line) => JSON.parse(line)).find(({ type }) => type === "assistant").message.content
    expect(call.input.path).toBe("big.txt")
    expect(call.input.content).toMatch(/^0123456789abcdef\n[^]*… \d+ more$/)
    const events = await Process.run(place, ["sessions", "show", "latest", "--output-format", "events"])
    expect(events.stdout).toContain(JSON.stringify(content).slice(1, -1))
    expect(readFileSync(join(place.cwd, "big.txt"), "utf8")).toBe(content)
  })
})

/** A server whose tools return more than a model reads, in each shape that a result has. */
const largeServer = `
import { createInterface } from "node:readline"
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n")
const text = "0123456789abcdef ".repeat(300_000)
const results = {
  text: { content: [{ type: "text", text }] },
  many: { content: Array.from({ length: 5_000 }, (_, i) => ({ type: "text", text: "part " + i + " " + "x".repeat(900) })) },
  structured: { content: [], structuredContent: { rows: Array.from({ length: 5_000 }, (_, i) => ({ i, text: "y".repeat(500) })) } }
}
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === "initialize") send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "large", version: "1" } } })
  else if (method === "tools/list") send({ id, result: { tools: Object.keys(results).map((name) => ({ name, inputSchema: { type: "object" } })) } })
  else if (method === "tools/call") send({ id, result: results[params.name] })
  else if (id !== undefined) send({ id, result: {} })
})`

describe("a result of an MCP server", () => {
  it("is reduced to what a model reads, in each shape", async () => {
    await using place = Process.scene()
    mkdirSync(join(place.root, "home"), { recursive: true })
    writeFileSync(join(place.root, "server.mjs"), largeServer)
    writeFileSync(join(place.root, "home", "config.jsonc"), JSON.stringify({ mcpServers: { large: { command: process.execPath, args: [join(place.root, "server.mjs")] } } }))
    const names = ["text", "many", "structured"]
    const model = place.script(...names.map((name) => ({ calls: [{ name: `mcp__large__${name}`, params: {} }] })), { text: "Done." })
    expect(await Process.run(place, ["-p", "--permission-mode", "bypassPermissions", "--model", model, "Go"])).toMatchObject({ code: 0 })
    const { stdout } = await Process.run(place, ["sessions", "show", "latest", "--output-format", "events"])
    const contents = stdout.split("\n").flatMap((line): ReadonlyArray<ReadonlyArray<{ readonly text: string }>> => {
      const event = line.startsWith("{") ? JSON.parse(line).event : undefined
      return event?._tag === "ToolFinished" ? [event.outcome.content] : []
    })
    for (const content of contents) expect(JSON.stringify(content).length).toBeLessThan(100_000)
    const [text, many, structured] = contents
    expect(text![0]!.text).toMatch(/^0123[^]*cut[^]*cdef $/)
    expect(many!.at(-1)!.text).toBe("[4900 more parts were left out.]")
    expect(JSON.parse(structured![0]!.text).rows.at(-1)).toBe("… 4900 more")
  })
})
