/** The command asks the program that runs it: hook callbacks, and messages to the MCP servers that live in the program. */
import { describe, expect, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as Process from "./support/Process.ts"
import { drive, type Line } from "./support/Program.ts"

const write = (path: string) => ({ calls: [{ name: "write_file", params: { path, content: "hi\n" } }] })
const deny = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "not now" } }
const guard = { PreToolUse: [{ matcher: "Write|Edit", hookCallbackIds: ["h0"], timeout: 30 }] }

describe("hooks of a program", () => {
  it("guard a call, and deny it when they fail, when their answer is invalid, and when the program is gone", async () => {
    await using place = Process.scene()
    const turns = [...["a", "b", "c", "d", "e"].map((name) => write(`${name}.txt`)), { text: "Done." }]
    const program = drive(place, place.script(...turns), "--permission-mode", "acceptEdits")
    const hooks = { ...guard, TeammateIdle: [{ hookCallbackIds: ["h1"] }] }
    expect(await program.request("i", { subtype: "initialize", hooks })).toMatchObject({ response: { hook_on_failure_supported: true } })
    program.say("write")
    const first = await program.requested("hook_callback")
    expect(first["request"]).toMatchObject({
      callback_id: "h0",
      tool_use_id: "call_1_1",
      input: { hook_event_name: "PreToolUse", tool_name: "Write", tool_input: { file_path: "a.txt", content: "hi\n" } }
    })
    program.respond(first["request_id"], {})
    program.respond((await program.requested("hook_callback", 1))["request_id"], deny)
    program.refuse((await program.requested("hook_callback", 2))["request_id"], "the callback threw")
    program.respond((await program.requested("hook_callback", 3))["request_id"], { hookSpecificOutput: { permissionDecision: "perhaps" } })
    await program.requested("hook_callback", 4)
    const { code, stderr } = await program.end()
    expect(code).toBe(0)
    expect(stderr).toContain("The hook for TeammateIdle never runs")
    expect(program.lines().at(-1)).toMatchObject({ type: "result", result: "Done." })
    expect(["a", "b", "c", "d", "e"].map((name) => existsSync(join(place.cwd, `${name}.txt`)))).toEqual([true, false, false, false, false])
  })

  it("allow a call only if the program also answers permission prompts", async () => {
    await using place = Process.scene()
    const allow = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } }
    const run = async (name: string, ...more: ReadonlyArray<string>) => {
      const program = drive(place, place.script(write(name), { text: "Done." }), ...more)
      await program.request("i", { subtype: "initialize", hooks: guard })
      program.say("write")
      program.respond((await program.requested("hook_callback"))["request_id"], allow)
      await program.result()
      await program.end()
      return existsSync(join(place.cwd, name))
    }
    expect(await run("a.txt")).toBe(false)
    expect(await run("b.txt", "--permission-prompt-tool", "stdio")).toBe(true)
  })

  it("belong to the run: a resumed session has those of the program that resumes it", async () => {
    await using place = Process.scene()
    const program = drive(place, place.script({ text: "One." }), "--permission-mode", "acceptEdits")
    await program.request("i", { subtype: "initialize", hooks: guard })
    program.say("first")
    const { session_id } = await program.result()
    await program.end()
    const again = drive(place, place.script({ text: "One." }, write("a.txt"), { text: "Two." }), `--resume=${session_id}`)
    again.say("write")
    expect(await again.result()).toMatchObject({ result: "Two." })
    expect(again.requests("hook_callback")).toEqual([])
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(true)
    await again.end()
  })
})

describe("MCP servers of a program", () => {
  /** Responds as a server with one tool. */
  const serve = (program: ReturnType<typeof drive>): Promise<unknown> => {
    const results: Record<string, (params: Line) => Line> = {
      initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "calc", version: "1" } }),
      "tools/list": () => ({ tools: [{ name: "add", description: "Adds.", inputSchema: { type: "object" } }] }),
      "tools/call": ({ arguments: { a, b } }) => ({ content: [{ type: "text", text: `sum ${a + b}` }] })
    }
    const respond = async (n: number): Promise<void> => {
      const { request: { message, server_name }, request_id } = await program.requested("mcp_message", n) as { request: Line; request_id: string }
      expect(server_name).toBe("calc")
      const answer = message.id === undefined ? { result: {}, id: 0 } : { result: results[message.method]!(message.params), id: message.id }
      program.respond(request_id, { mcp_response: { jsonrpc: "2.0", ...answer } })
      if (message.method !== "tools/call") await respond(n + 1)
    }
    return respond(0)
  }

  it("are used like any other, over the connection of the program", async () => {
    await using place = Process.scene()
    const turns = [{ calls: [{ name: "mcp__calc__add", params: { a: 2, b: 40 } }] }, { text: "Done.", expect: { contains: ["sum 42"] } }]
    const program = drive(place, place.script(...turns), "--allowedTools", "mcp__calc__add")
    await program.request("i", { subtype: "initialize", sdkMcpServers: ["calc"] })
    expect(await program.request("s1", { subtype: "mcp_status" })).toMatchObject({ response: { mcpServers: [{ name: "calc", status: "pending" }] } })
    program.say("add")
    await serve(program)
    expect(await program.result()).toMatchObject({ result: "Done." })
    expect(await program.request("s2", { subtype: "mcp_status" })).toMatchObject({
      response: { mcpServers: [{ name: "calc", status: "connected", tools: [{ name: "add" }] }] }
    })
    const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" }
    expect(await program.request("m1", { subtype: "mcp_message", server_name: "calc", message: changed })).toMatchObject({ subtype: "success" })
    expect(await program.request("m2", { subtype: "mcp_message", server_name: "none", message: changed })).toMatchObject({ subtype: "error" })
    expect(await program.end()).toMatchObject({ code: 0 })
  })
})
