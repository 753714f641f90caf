/** An editor drives the command over the Agent Client Protocol, with the protocol's own SDK. */
import * as acp from "@agentclientprotocol/sdk"
import { describe, expect, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"
import * as Process from "./support/Process.ts"

type Update = acp.SessionUpdate

/** What a client offers besides permissions. */
interface Offer {
  readonly clientCapabilities: acp.ClientCapabilities
  readonly extend: (app: acp.ClientApp) => acp.ClientApp
}

const nothing: Offer = { clientCapabilities: {}, extend: (app) => app }

/** Runs the command for a client that answers permission requests, and gives the client's end of it. */
const edit = <A>(
  place: Process.Place,
  model: string,
  decide: (request: acp.RequestPermissionRequest) => string | undefined,
  use: (client: acp.ClientContext, updates: ReadonlyArray<Update>) => Promise<A>,
  ...more: ReadonlyArray<string>
): Promise<A> => editWith(nothing, place, model, decide, use, ...more)

const editWith = async <A>(
  { clientCapabilities, extend }: Offer,
  place: Process.Place,
  model: string,
  decide: (request: acp.RequestPermissionRequest) => string | undefined,
  use: (client: acp.ClientContext, updates: ReadonlyArray<Update>) => Promise<A>,
  ...more: ReadonlyArray<string>
): Promise<A> => {
  const child = spawn(process.execPath, [Process.main, "acp", "--model", model, ...more], { cwd: place.cwd, env: place.environment })
  let stderr = ""
  child.stderr.on("data", (text) => stderr += text)
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
  const updates: Array<Update> = []
  const app = extend(acp.client({ name: "test" }))
    .onNotification(acp.methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
      const optionId = decide(params)
      return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } }
    })
  const stream = acp.ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as unknown as ReadableStream<Uint8Array>
  )
  const value = await app.connectWith(stream, async (client) => {
    await client.request("initialize", { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities })
    return await use(client, updates)
  })
  child.stdin.end()
  expect({ code: await ended, stderr }).toEqual({ code: 0, stderr: "" })
  return value
}

const text = (kind: "agent_message_chunk" | "user_message_chunk", updates: ReadonlyArray<Update>): string =>
  updates.flatMap((update) => update.sessionUpdate === kind && update.content.type === "text" ? [update.content.text] : []).join("")

const write = (path: string) => ({ calls: [{ name: "write_file", params: { path, content: "hi\n" } }] })
const say = (client: acp.ClientContext, sessionId: string, words: string) =>
  client.request("session/prompt", { sessionId, prompt: [{ type: "text", text: words }] })

describe("dacapo acp", () => {
  it("asks with a diff, and does what is allowed and not what is denied", async () => {
    await using place = Process.scene()
    writeFileSync(join(place.cwd, "a.txt"), "one\ntwo\nthree\n")
    const requests: Array<acp.RequestPermissionRequest> = []
    const model = place.script(
      { calls: [{ name: "edit_file", params: { path: "a.txt", old_text: "two", new_text: "2" } }] },
      write("b.txt"),
      { text: "Done." }
    )
    const decide = (request: acp.RequestPermissionRequest) => {
      requests.push(request)
      return requests.length === 1 ? "once" : "deny"
    }
    await edit(place, model, decide, async (client, updates) => {
      const { modes, sessionId } = await client.request("session/new", { cwd: place.cwd, mcpServers: [] })
      expect(modes?.availableModes.map(({ id }) => id)).toEqual(["default", "acceptEdits", "plan", "auto", "dontAsk"])
      expect(await say(client, sessionId, "count")).toEqual({ stopReason: "end_turn" })
      expect(text("agent_message_chunk", updates)).toBe("Done.")
      expect(updates.flatMap((update) => update.sessionUpdate === "tool_call_update" ? update.status ?? [] : []))
        .toEqual(["in_progress", "completed", "failed"])
    })
    expect(requests[0]!.options.map(({ kind }) => kind)).toEqual(["allow_once", "allow_always", "allow_always", "reject_once"])
    const diff = requests[0]!.toolCall.content!.find(({ type }) => type === "diff")
    expect(diff).toMatchObject({ path: join(place.cwd, "a.txt"), oldText: expect.stringContaining("two"), newText: expect.stringContaining("2") })
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("one\n2\nthree\n")
    expect(existsSync(join(place.cwd, "b.txt"))).toBe(false)
  })

  it("uses the MCP servers that the editor passes, and reports plan, commands and usage", async () => {
    await using place = Process.scene()
    const memory = fileURLToPath(new URL("../../node_modules/@modelcontextprotocol/server-memory/dist/index.js", import.meta.url))
    const mcpServers: Array<acp.McpServer> = [{ name: "notes", command: process.execPath, args: [memory], env: [{ name: "MEMORY_FILE_PATH", value: join(place.root, "graph.json") }] }]
    mkdirSync(join(place.root, "home", "commands"), { recursive: true })
    writeFileSync(join(place.root, "home", "commands", "greet.md"), "Greet the fruit.")
    const remember = (name: string) => ({
      calls: [{ name: "mcp__notes__create_entities", params: { entities: [{ name, entityType: "fruit", observations: ["ripe"] }] } }]
    })
    const model = place.script(
      { calls: [{ name: "update_todo", params: { items: [{ text: "Note the pear", state: "in_progress" }, { text: "Rest", state: "pending" }] } }] },
      remember("pear"),
      { ...remember("plum"), expect: { lastResult: "pear" } },
      { text: "Noted." }
    )
    const asked: Array<string> = []
    const decide = ({ toolCall: { title } }: acp.RequestPermissionRequest) => (asked.push(title ?? ""), asked.length === 1 ? "once" : "deny")
    await edit(place, model, decide, async (client, updates) => {
      const { sessionId } = await client.request("session/new", { cwd: place.cwd, mcpServers })
      expect(await say(client, sessionId, "note the fruit")).toEqual({ stopReason: "end_turn" })
      expect(updates).toContainEqual({
        sessionUpdate: "plan",
        entries: [expect.objectContaining({ content: "Note the pear", status: "in_progress" }), expect.objectContaining({ content: "Rest", status: "pending" })]
      })
      expect(updates).toContainEqual(expect.objectContaining({ sessionUpdate: "usage_update", used: expect.any(Number), size: expect.any(Number) }))
      const commands = updates.flatMap((update) => update.sessionUpdate === "available_commands_update" ? update.availableCommands : [])
      expect(commands.map(({ name }) => name)).toEqual(["compact", "greet"])
    })
    expect(asked).toEqual([expect.stringContaining("create_entities"), expect.stringContaining("create_entities")])
    const graph = readFileSync(join(place.root, "graph.json"), "utf8")
    expect(graph).toContain("pear")
    expect(graph).not.toContain("plum")
  })

  it("compacts the conversation when it is told to, and says how far", async () => {
    await using place = Process.scene()
    const model = place.script({ text: "A pear is a fruit." }, { text: "An apple is one too." }, { text: "Goodbye." })
    await edit(place, model, () => undefined, async (client, updates) => {
      const { sessionId } = await client.request("session/new", { cwd: place.cwd, mcpServers: [] })
      await say(client, sessionId, "what is a pear?")
      const before = updates.length
      expect(await say(client, sessionId, "/compact keep the pear")).toEqual({ stopReason: "end_turn" })
      expect(updates.slice(before)).toEqual([
        { sessionUpdate: "agent_message_chunk", content: { type: "text", text: expect.stringMatching(/compact|tokens/) } }
      ])
      expect(await say(client, sessionId, "thanks")).toEqual({ stopReason: "end_turn" })
    })
  })

  it("shows typed views as diffs, images and text that is no Markdown, live and in a loaded session", async () => {
    await using place = Process.scene()
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
    const views = {
      table: { type: "table", columns: [{ label: "![x](http://evil.example/x.png)" }], rows: [["```\n# not a heading"]] },
      picture: { type: "image", alt: "One pixel", mediaType: "image/png", data: pixel },
      change: { type: "diff", diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n" }
    }
    mkdirSync(join(place.root, "home", "tools"), { recursive: true })
    for (const [name, view] of Object.entries(views)) {
      writeFileSync(join(place.cwd, `${name}.json`), JSON.stringify(view))
      writeFileSync(join(place.root, "home", "tools", `${name}.md`), `---\ndescription: Shows a view.\nresult: view\n---\n\n\`\`\`bash\ncat ${name}.json\n\`\`\`\n`)
    }
    const model = place.script(...Object.keys(views).map((name) => ({ calls: [{ name, params: {} }] })), { text: "Done." })
    const check = (updates: ReadonlyArray<Update>) => {
      const finished = updates.flatMap((update) => update.sessionUpdate === "tool_call_update" && update.rawOutput !== undefined ? [update] : [])
      expect(finished.map(({ rawOutput }) => (rawOutput as { readonly view: { readonly type: string } }).view.type)).toEqual(["table", "image", "diff"])
      expect(finished[0]!.content).toEqual([{
        type: "content",
        content: { type: "text", text: expect.stringMatching(/^(`{3,})\n!\[x\]\(http:\/\/evil\.example\/x\.png\)\n[^]*# not a heading\n\1$/) }
      }])
      expect(finished[2]!.content).toEqual([{ type: "diff", path: join(place.cwd, "a.txt"), oldText: "one", newText: "two" }])
      const images = updates.flatMap((update) => update.sessionUpdate === "tool_call_update" ? update.content ?? [] : [])
        .filter((content) => content.type === "content" && content.content.type === "image")
      expect(images).toEqual([{ type: "content", content: { type: "image", data: pixel, mimeType: "image/png" } }])
    }
    const sessionId = await edit(place, model, () => undefined, async (client, updates) => {
      const { sessionId } = await client.request("session/new", { cwd: place.cwd, mcpServers: [] })
      await say(client, sessionId, "show")
      check(updates)
      return sessionId
    }, "--allowedTools", "Bash(cat *)")
    await edit(place, model, () => undefined, async (client, updates) => {
      await client.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] })
      check(updates)
    })
  })

  it("remembers a rule for the session", async () => {
    await using place = Process.scene()
    const write = (content: string) => ({ calls: [{ name: "write_file", params: { path: "a.txt", content } }] })
    let asked = 0
    await edit(place, place.script(write("1\n"), write("2\n"), { text: "Done." }), () => (asked++, "session"), async (client) => {
      const { sessionId } = await client.request("session/new", { cwd: place.cwd, mcpServers: [] })
      await say(client, sessionId, "write twice")
    })
    expect(asked).toBe(1)
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("2\n")
  })

  it("cancels a running command, and takes the next prompt", async () => {
    await using place = Process.scene()
    const model = place.script({ calls: [{ name: "run_command", params: { command: "echo begun > begun; sleep 600" } }] }, { text: "Back." })
    const bypass = ["--permission-mode", "bypassPermissions"]
    await edit(place, model, () => undefined, async (client) => {
      const { sessionId } = await client.request("session/new", { cwd: place.cwd, mcpServers: [] })
      const first = say(client, sessionId, "wait")
      await Process.written(join(place.cwd, "begun"))
      await client.notify("session/cancel", { sessionId })
      expect(await first).toEqual({ stopReason: "cancelled" })
      expect(await say(client, sessionId, "again")).toEqual({ stopReason: "end_turn" })
    }, ...bypass)
  })

  it("shows the history of a loaded session exactly once, none of a resumed one, and lists and deletes them", async () => {
    await using place = Process.scene()
    const model = place.script({ text: "One." }, { text: "Two." })
    const sessionId = await edit(place, model, () => undefined, async (client, updates) => {
      const { sessionId } = await client.request("session/new", { cwd: place.cwd, mcpServers: [] })
      await say(client, sessionId, "first")
      await say(client, sessionId, "second")
      expect(text("user_message_chunk", updates)).toBe("")
      return sessionId
    })
    await edit(place, model, () => undefined, async (client, updates) => {
      await client.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] })
      expect(text("user_message_chunk", updates)).toBe("firstsecond")
      expect(text("agent_message_chunk", updates)).toBe("One.Two.")
      await client.request("session/close", { sessionId })
      await expect(say(client, sessionId, "closed")).rejects.toMatchObject({ code: -32002 })
      const count = updates.length
      await client.request("session/resume", { sessionId, cwd: place.cwd })
      expect(updates.slice(count).filter(({ sessionUpdate }) => sessionUpdate !== "available_commands_update")).toEqual([])
      const { sessions } = await client.request("session/list", { cwd: place.cwd })
      expect(sessions).toMatchObject([{ sessionId, cwd: place.cwd, title: "first" }])
    })
    using other = Process.place()
    const deleted = await edit(other, other.script({ text: "One." }), () => undefined, async (client) => {
      const { sessionId } = await client.request("session/new", { cwd: other.cwd, mcpServers: [] })
      await client.request("session/delete", { sessionId })
      return await client.request("session/list", {})
    })
    expect(deleted.sessions).toEqual([])
  })

  it("loads a session whose editor died in the middle of a response, and a fork of it", async () => {
    await using place = Process.scene()
    const endless = place.script({ text: "This never ends", holds: 1, chunkSize: 4 })
    // The response that was cut is not part of the history.
    const model = place.script({ text: "Continued." }, { text: "Elsewhere." })
    const child = spawn(process.execPath, [Process.main, "acp", "--model", endless], { cwd: place.cwd, env: place.environment })
    const ended = new Promise((resolve) => child.on("close", resolve))
    let sessionId = ""
    let isStreaming = (): void => {}
    const streaming = new Promise<void>((resolve) => isStreaming = resolve)
    const app = acp.client({ name: "test" }).onNotification(acp.methods.client.session.update, ({ params }) => {
      if (params.update.sessionUpdate === "agent_message_chunk") isStreaming()
    })
    const stream = acp.ndJsonStream(
      Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
      Readable.toWeb(child.stdout) as unknown as ReadableStream<Uint8Array>
    )
    await app.connectWith(stream, async (client) => {
      await client.request("initialize", { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} })
      sessionId = (await client.request("session/new", { cwd: place.cwd, mcpServers: [] })).sessionId
      say(client, sessionId, "one").catch(() => {})
      await streaming
      child.kill("SIGKILL")
      await ended
    }).catch((error) => expect(String(error)).toContain("closed"))
    await edit(place, model, () => undefined, async (client, updates) => {
      await client.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] })
      expect(text("user_message_chunk", updates)).toBe("one")
      expect(await say(client, sessionId, "two")).toMatchObject({ stopReason: "end_turn" })
      expect(text("agent_message_chunk", updates)).toContain("Continued.")
    })
    // The protocol has no operation for it; the command line has.
    const { stdout } = await Process.run(place, ["sessions", "fork", sessionId])
    const fork = /[0-9a-f-]{36}/.exec(stdout.replaceAll(sessionId, ""))![0]
    await edit(place, model, () => undefined, async (client, updates) => {
      await client.request("session/load", { sessionId: fork, cwd: place.cwd, mcpServers: [] })
      expect(text("agent_message_chunk", updates)).toContain("Continued.")
      expect(await say(client, fork, "three")).toMatchObject({ stopReason: "end_turn" })
      expect(text("user_message_chunk", updates)).toBe("onetwo")
    })
  })

  it("switches mode, model and effort, and refuses what it does not offer", async () => {
    await using place = Process.scene()
    const other = place.script({ text: "The other one." })
    await edit(place, place.script({ text: "One." }), () => undefined, async (client, updates) => {
      const { sessionId } = await client.request("session/new", { cwd: place.cwd, mcpServers: [] })
      await client.request("session/set_mode", { sessionId, modeId: "plan" })
      await expect(client.request("session/set_mode", { sessionId, modeId: "bypassPermissions" })).rejects.toMatchObject({ code: -32602 })
      const { configOptions } = await client.request("session/set_config_option", { sessionId, configId: "model", value: other })
      expect(configOptions[0]).toMatchObject({ id: "model", currentValue: other })
      await say(client, sessionId, "who?")
      expect(text("agent_message_chunk", updates)).toBe("The other one.")
      expect(updates).toContainEqual({ sessionUpdate: "current_mode_update", currentModeId: "plan" })
    })
  })

  it("takes images, linked files and embedded context", async () => {
    await using place = Process.scene()
    writeFileSync(join(place.cwd, "linked.txt"), "from the link\n")
    const model = place.script({ text: "Seen.", expect: { contains: ["from the link", "from the editor"] } })
    const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    await edit(place, model, () => undefined, async (client, updates) => {
      const { sessionId } = await client.request("session/new", { cwd: place.cwd, mcpServers: [] })
      await client.request("session/prompt", {
        sessionId,
        prompt: [
          { type: "text", text: "look at " },
          { type: "resource_link", name: "linked.txt", uri: `file://${place.cwd}/linked.txt` },
          { type: "resource", resource: { uri: "file:///x.txt", text: "from the editor" } },
          { type: "image", mimeType: "image/png", data }
        ]
      })
      expect(text("agent_message_chunk", updates)).toBe("Seen.")
    })
  })
})

describe("an editor that offers its files", () => {
  /** Files as an editor has them open: some with unsaved changes. Writing saves. */
  const editor = (buffers: Map<string, string>, refuses = false): Offer & { readonly written: Array<string> } => {
    const written: Array<string> = []
    return {
      written,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } },
      extend: (app) =>
        app
          .onRequest(acp.methods.client.fs.readTextFile, ({ params: { path } }) => {
            const content = buffers.get(path)
            if (content === undefined) throw new acp.RequestError(-32002, "not open")
            return { content }
          })
          .onRequest(acp.methods.client.fs.writeTextFile, ({ params: { content, path } }) => {
            if (refuses) throw new acp.RequestError(-32603, "the buffer is locked")
            written.push(path)
            buffers.set(path, content)
            writeFileSync(path, content)
            return {}
          })
    }
  }
  const change = (from: string, to: string) => ({ calls: [{ name: "edit_file", params: { path: "a.txt", old_text: from, new_text: to } }] })
  const read = { calls: [{ name: "read_file", params: { path: "a.txt" } }] }

  it("lets it read what is not saved, and edit in the editor", async () => {
    await using place = Process.scene()
    const file = join(place.cwd, "a.txt")
    writeFileSync(file, "one\r\ntwo\r\n")
    const buffers = new Map([[file, "one\nunsaved\n"]])
    const offer = editor(buffers)
    const model = place.script(read, { ...change("unsaved", "saved"), expect: { contains: ["unsaved"] } }, write("b.txt"), write(".git/hooks/x"), { text: "Done." })
    const end = await editWith(offer, place, model, () => "once", async (client) => {
      const { sessionId } = await client.request("session/new", { cwd: place.cwd, mcpServers: [] })
      return await say(client, sessionId, "edit")
    })
    expect(end).toEqual({ stopReason: "end_turn" })
    // The file keeps its line endings; a new file is written and shown.
    expect(readFileSync(file, "utf8")).toBe("one\r\nsaved\r\n")
    expect(readFileSync(join(place.cwd, "b.txt"), "utf8")).toBe("hi\n")
    expect(offer.written).toEqual([file, join(place.cwd, "b.txt")])
    expect(existsSync(join(place.cwd, ".git/hooks/x"))).toBe(false)
  })

  it("does not edit behind the back of an editor that refuses, and reads a file that is not open from disk", async () => {
    await using place = Process.scene()
    const file = join(place.cwd, "a.txt")
    writeFileSync(file, "one\n")
    const model = place.script(read, { ...change("one", "two"), expect: { contains: ["one"] } }, { text: "Refused.", expect: { contains: ["the buffer is locked"] } })
    await editWith(editor(new Map(), true), place, model, () => "once", async (client, updates) => {
      const { sessionId } = await client.request("session/new", { cwd: place.cwd, mcpServers: [] })
      await say(client, sessionId, "edit")
      expect(text("agent_message_chunk", updates)).toBe("Refused.")
    })
    expect(readFileSync(file, "utf8")).toBe("one\n")
  })
})

/** A process that has ended may wait for its parent (Z). */
const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))

describe("an editor that offers terminals", () => {
  /** Terminals as child processes, as an editor has them. */
  const terminals = () => {
    const started: Array<acp.CreateTerminalRequest> = []
    const open = new Map<string, { readonly child: ReturnType<typeof spawn>; output: string; readonly exit: Promise<{ exitCode: number | null; signal: string | null }> }>()
    const find = ({ terminalId }: { readonly terminalId: string }) => open.get(terminalId)!
    const offer: Offer = {
      clientCapabilities: { terminal: true },
      extend: (app) =>
        app
          .onRequest(acp.methods.client.terminal.create, ({ params }) => {
            const { args = [], command, cwd, env = [] } = params
            const child = spawn(command, args, {
              cwd: cwd!,
              env: { ...process.env, OPENAI_API_KEY: "sk-from-the-editor", ...Object.fromEntries(env.map(({ name, value }) => [name, value])) }
            })
            const terminalId = `t${started.push(params)}`
            const terminal = { child, output: "", exit: new Promise<{ exitCode: number | null; signal: string | null }>((resolve) => child.on("close", (exitCode, signal) => resolve({ exitCode, signal }))) }
            for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (data) => terminal.output += data)
            open.set(terminalId, terminal)
            return { terminalId }
          })
          .onRequest(acp.methods.client.terminal.output, ({ params }) => ({ output: find(params).output, truncated: false }))
          .onRequest(acp.methods.client.terminal.waitForExit, ({ params }) => find(params).exit)
          .onRequest(acp.methods.client.terminal.kill, ({ params }) => void find(params).child.kill())
          .onRequest(acp.methods.client.terminal.release, ({ params }) => void open.delete(params.terminalId))
    }
    return { offer, open, started }
  }
  const command = (command: string) => ({ calls: [{ name: "run_command", params: { command } }] })
  const bypass = ["--permission-mode", "bypassPermissions"]

  it("runs commands there, without secrets and without input, and shows the terminal in the call", async () => {
    await using place = Process.scene()
    const { offer, open, started } = terminals()
    const keyed = { ...place, environment: { ...place.environment, OPENAI_API_KEY: "sk-from-the-editor" } }
    const line = "cat; echo \"key=$OPENAI_API_KEY\"; echo oops >&2; exit 3"
    const model = place.script(command(line), { text: "Done.", expect: { contains: ["Exit code 3", "key=\n", "oops"] } })
    await editWith(offer, keyed, model, () => undefined, async (client, updates) => {
      const { sessionId } = await client.request("session/new", { cwd: place.cwd, mcpServers: [] })
      await say(client, sessionId, "run")
      expect(text("agent_message_chunk", updates)).toBe("Done.")
      const contents = updates.flatMap((update) => update.sessionUpdate === "tool_call_update" && update.content != null ? update.content : [])
      expect(contents).toEqual([{ type: "terminal", terminalId: "t1" }])
    }, ...bypass)
    expect(started).toMatchObject([{ cwd: place.cwd }])
    expect(started[0]!.args).toContain(line)
    expect(open.size).toBe(0)
  })

  it("ends a command that is cancelled, with what it started", async () => {
    await using place = Process.scene()
    const { offer, started } = terminals()
    const model = place.script(command("setsid sleep 601 & echo $! > pid; echo begun > begun; sleep 602"), { text: "Back." })
    await editWith(offer, place, model, () => undefined, async (client) => {
      const { sessionId } = await client.request("session/new", { cwd: place.cwd, mcpServers: [] })
      const first = say(client, sessionId, "wait")
      await Process.written(join(place.cwd, "begun"))
      const pid = Number(readFileSync(join(place.cwd, "pid"), "utf8"))
      expect(isRunning(pid)).toBe(true)
      await client.notify("session/cancel", { sessionId })
      expect(await first).toEqual({ stopReason: "cancelled" })
      expect(isRunning(pid)).toBe(false)
    }, ...bypass)
    expect(started).toHaveLength(1)
  })

  it("is not used where a sandbox confines commands", async () => {
    await using place = Process.scene()
    const { offer, started } = terminals()
    const model = place.script(command("echo inside"), { text: "Done." })
    await editWith(offer, place, model, () => undefined, async (client) => {
      const { sessionId } = await client.request("session/new", { cwd: place.cwd, mcpServers: [] }).catch(() => ({ sessionId: undefined }))
      if (sessionId !== undefined) await say(client, sessionId, "run")
    }, ...bypass, "--sandbox", "workspace-write")
    expect(started).toEqual([])
  })
})
