/** The Claude Agent SDK and acpx, programs that others wrote, drive the built command. */
import { describe, expect, it } from "@effect/vitest"
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as Process from "./support/Process.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const modules = join(root, "tools/clients/node_modules")
const sdkFile = join(modules, "@anthropic-ai/claude-agent-sdk/sdk.mjs")

/** Installed when it is first used. The optional packages are the other agent itself. */
const install = (): void => {
  if (existsSync(sdkFile)) return
  const flags = ["--omit=optional", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]
  execFileSync("npm", ["install", "--prefix", join(root, "tools/clients"), ...flags], { timeout: 300_000 })
}

interface Sdk {
  readonly query: (options: { readonly prompt: unknown; readonly options: object }) => Query
  readonly createSdkMcpServer: (options: object) => object
  readonly tool: (name: string, description: string, schema: object, run: (input: any) => Promise<object>) => object
}
interface Query extends AsyncGenerator<Record<string, any>> {
  readonly interrupt: () => Promise<unknown>
  readonly setPermissionMode: (mode: string) => Promise<void>
  readonly setModel: (model: string) => Promise<void>
  readonly supportedModels: () => Promise<ReadonlyArray<unknown>>
  readonly mcpServerStatus: () => Promise<ReadonlyArray<unknown>>
}

const load = async (): Promise<Sdk> => {
  install()
  return await import(pathToFileURL(sdkFile).href)
}

const options = (place: Process.Place, model: string, more: object = {}) => ({
  pathToClaudeCodeExecutable: Process.main,
  cwd: place.cwd,
  env: { ...place.environment },
  model,
  ...more
})

const user = (content: unknown) => ({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" })

const collect = async (messages: Query): Promise<ReadonlyArray<Record<string, any>>> => {
  const all: Array<Record<string, any>> = []
  for await (const message of messages) all.push(message)
  return all
}

/** Input that stays open: a message is sent when it is pushed. */
const channel = () => {
  const waiting: Array<(value: IteratorResult<object>) => void> = []
  const items: Array<IteratorResult<object>> = []
  const push = (item: IteratorResult<object>): void => {
    const resolve = waiting.shift()
    if (resolve === undefined) items.push(item)
    else resolve(item)
  }
  return {
    say: (content: unknown) => push({ done: false, value: user(content) }),
    end: () => push({ done: true, value: undefined }),
    [Symbol.asyncIterator]: () => ({
      next: () => {
        const item = items.shift()
        return item === undefined ? new Promise<IteratorResult<object>>((resolve) => waiting.push(resolve)) : Promise.resolve(item)
      }
    })
  }
}

const write = (path: string, content = "hi\n") => ({ calls: [{ name: "write_file", params: { path, content } }] })

describe("the Claude Agent SDK", () => {
  it("runs a task from a prompt, with the flags of its options", async () => {
    const { query } = await load()
    await using place = Process.scene()
    const plugin = join(place.root, "pears")
    mkdirSync(join(plugin, ".claude-plugin"), { recursive: true })
    mkdirSync(join(plugin, "commands"))
    writeFileSync(join(plugin, ".claude-plugin/plugin.json"), JSON.stringify({ name: "pears" }))
    writeFileSync(join(plugin, "commands/greet.md"), "Greet the pears.")
    const messages = await collect(query({
      prompt: "hello",
      options: options(place, place.script({ text: "Hello." }), {
        systemPrompt: { type: "preset", preset: "claude_code", append: "Be brief." },
        permissionMode: "plan",
        allowDangerouslySkipPermissions: true,
        maxThinkingTokens: 5_000,
        settingSources: [],
        strictMcpConfig: true,
        includePartialMessages: true,
        disallowedTools: ["NotebookRead"],
        plugins: [{ type: "local", path: plugin }],
        additionalDirectories: [place.root]
      })
    }))
    expect(messages.map(({ type }) => type)).toContain("stream_event")
    expect(messages[0]).toMatchObject({ type: "system", subtype: "init", permissionMode: "plan", apiKeySource: "none", uuid: expect.any(String) })
    expect(messages[0]!["slash_commands"]).toContain("pears:greet")
    expect(messages.at(-1)).toMatchObject({ type: "result", subtype: "success", result: "Hello.", is_error: false })
  }, 400_000)

  it("allows one call, denies another with words, and changes a third", async () => {
    const { query } = await load()
    await using place = Process.scene()
    const model = place.script(write("a.txt"), write("b.txt"), { ...write("c.txt"), expect: { contains: ["leave b alone"] } }, { text: "Done." })
    const asked: Array<string> = []
    const canUseTool = async (name: string, input: Record<string, string>) => {
      const file = input["file_path"]!
      asked.push(`${name} ${file}`)
      if (file === "b.txt") return { behavior: "deny", message: "leave b alone" }
      return { behavior: "allow", updatedInput: file === "c.txt" ? { ...input, file_path: "d.txt" } : input }
    }
    const messages = await collect(query({
      prompt: "write",
      options: options(place, model, { canUseTool, extraArgs: { "tool-names": "claude" } })
    }))
    expect(asked).toEqual(["Write a.txt", "Write b.txt", "Write c.txt", "Write d.txt"])
    expect(messages.at(-1)).toMatchObject({ result: "Done.", permission_denials: [{ tool_name: "Write" }] })
    expect(["a.txt", "b.txt", "c.txt", "d.txt"].map((file) => existsSync(join(place.cwd, file)))).toEqual([true, false, false, true])
  }, 400_000)

  it("interrupts a command, switches mode and model, and resumes and forks the session", async () => {
    const { query } = await load()
    await using place = Process.scene()
    const input = channel()
    const running = query({
      prompt: input,
      options: options(place, place.script({ calls: [{ name: "run_command", params: { command: "echo begun > begun; sleep 600" } }] }), {
        permissionMode: "bypassPermissions",
        allowDangerouslySkipPermissions: true
      })
    })
    const results = (async () => {
      const all: Array<Record<string, any>> = []
      for await (const message of running) if (message["type"] === "result") all.push(message)
      return all
    })()
    expect(await running.supportedModels()).not.toEqual([])
    expect(await running.mcpServerStatus()).toEqual([])
    input.say("wait")
    await Process.written(join(place.cwd, "begun"))
    await running.interrupt()
    await running.setPermissionMode("default")
    // Each script has exactly the turns that it needs: a message or request too many would fail the run.
    await running.setModel(place.script({ text: "Before." }, { text: "Back." }))
    input.say([{ type: "text", text: "and now?" }])
    input.end()
    const [first, second, ...others] = await results
    expect(others).toEqual([])
    expect(first).toMatchObject({ subtype: "error_during_execution", reason: "interrupted" })
    expect(second).toMatchObject({ subtype: "success", result: "Back." })
    for (const forkSession of [false, true]) {
      const turns = Array.from({ length: forkSession ? 4 : 3 }, () => ({ text: "More." }))
      const resumed = await collect(query({
        prompt: "more",
        options: options(place, place.script(...turns), { resume: second!["session_id"], forkSession })
      }))
      expect(resumed.at(-1)).toMatchObject({ result: "More." })
      expect(resumed.at(-1)!["session_id"] === second!["session_id"]).toBe(!forkSession)
    }
  }, 400_000)

  it("goes away in the middle of a response, and resumes the session without what it had not received", async () => {
    const { query } = await load()
    await using place = Process.scene()
    const abortController = new AbortController()
    const running = query({
      prompt: "tell a story",
      options: options(place, place.script({ text: "Once upon a time", holds: 2, chunkSize: 4 }), { abortController, includePartialMessages: true })
    })
    let session = ""
    try {
      for await (const message of running) {
        if (message["type"] === "system") session = message["session_id"]
        if (message["type"] === "stream_event" && message["event"].type === "content_block_delta") abortController.abort()
      }
    } catch (error) {
      expect(String(error)).toMatch(/abort/i)
    }
    expect(abortController.signal.aborted).toBe(true)
    // The other process closes its log after the program is gone.
    const events = async () => (await Process.run(place, ["sessions", "show", session, "--output-format", "events"])).stdout
    while (!(await events()).includes("\"Interrupted\"")) await new Promise((resolve) => setTimeout(resolve, 200))
    const resumed = await collect(query({ prompt: "and then?", options: options(place, place.script({ text: "Unused." }, { text: "The end." }), { resume: session }) }))
    expect(resumed.at(-1)).toMatchObject({ subtype: "success", session_id: session })
  }, 400_000)

  it("defines agents that tasks are delegated to", async () => {
    const { query } = await load()
    await using place = Process.scene()
    const file = join(place.root, "delegate.json")
    writeFileSync(file, JSON.stringify({
      turns: [{ calls: [{ name: "delegate", params: { tasks: [{ prompt: "Look at it.", agent: "reviewer" }] } }] }, { text: "Reviewed." }],
      children: [{ prompt: "Look at it.", turns: [{ text: "It holds.", expect: { system: ["You review pears."] } }] }]
    }))
    const reviewer = { description: "Reviews pears.", prompt: "You review pears.", tools: ["Read", "Grep"], model: "inherit" }
    const messages = await collect(query({ prompt: "go", options: options(place, `scripted/${file}`, { agents: { reviewer } }) }))
    expect(messages.find(({ subtype }) => subtype === "init")!["agents"]).toContain("reviewer")
    expect(messages.find(({ type }) => type === "result")).toMatchObject({ result: "Reviewed.", is_error: false })
    const listed = JSON.parse((await Process.run(place, ["sessions", "list", "--output-format", "json"])).stdout)
    const child = listed.find(({ parent }: { readonly parent?: string }) => parent !== undefined)
    const log = (await Process.run(place, ["sessions", "show", child.id, "--output-format", "events"])).stdout.trim().split("\n").map((line) => JSON.parse(line))
    expect(log.find(({ event }) => event._tag === "SessionStarted").event.settings.onlyTools).toEqual(["read_file", "search_files"])
  }, 400_000)

  it("guards calls with its hooks", async () => {
    const { query } = await load()
    await using place = Process.scene()
    const seen: Array<string> = []
    const guard = async ({ tool_input }: Record<string, any>) => {
      seen.push(tool_input.file_path)
      return tool_input.file_path === "b.txt"
        ? { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "b stays as it is" } }
        : {}
    }
    const prompt = async () => ({ hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "from the program" } })
    const messages = await collect(query({
      prompt: "write",
      options: options(
        place,
        place.script({ ...write("a.txt"), expect: { contains: ["from the program"] } }, write("b.txt"), { text: "Done.", expect: { contains: ["b stays"] } }),
        {
          permissionMode: "acceptEdits",
          hooks: { PreToolUse: [{ matcher: "Write", hooks: [guard], onFailure: "block" }], UserPromptSubmit: [{ hooks: [prompt] }] }
        }
      )
    }))
    expect(seen).toEqual(["a.txt", "b.txt"])
    expect(messages.at(-1)).toMatchObject({ result: "Done." })
    expect(["a.txt", "b.txt"].map((file) => existsSync(join(place.cwd, file)))).toEqual([true, false])
  }, 400_000)

  it("offers its own tools through an MCP server in its process", async () => {
    const { createSdkMcpServer, query, tool } = await load()
    const { z } = await import(pathToFileURL(join(modules, "zod/index.js")).href)
    await using place = Process.scene()
    const add = tool("add", "Adds.", { a: z.number(), b: z.number() }, async ({ a, b }: { a: number; b: number }) => ({
      content: [{ type: "text", text: `sum ${a + b}` }]
    }))
    const call = { calls: [{ name: "mcp__calc__add", params: { a: 2, b: 40 } }] }
    const run = (more: object) =>
      collect(query({
        prompt: "add",
        options: options(place, place.script(call, { text: "Done.", expect: { contains: ["sum 42"] } }), {
          mcpServers: { calc: createSdkMcpServer({ name: "calc", version: "1.0.0", tools: [add] }) },
          ...more
        })
      }))
    const messages = await run({ allowedTools: ["mcp__calc__add"] })
    expect(messages.at(-1)).toMatchObject({ result: "Done.", is_error: false })
    // The tool needs an approval like any other.
    const asked: Array<string> = []
    const deny = async (name: string) => (asked.push(name), { behavior: "deny", message: "sum 42 I know" })
    expect((await run({ canUseTool: deny })).at(-1)).toMatchObject({ result: "Done.", permission_denials: [{ tool_name: "mcp__calc__add" }] })
    expect(asked).toEqual(["mcp__calc__add"])
  }, 400_000)
})

describe("acpx", () => {
  const command = (place: Process.Place, model: string, ...args: ReadonlyArray<string>): ReadonlyArray<string> => {
    install()
    const { bin } = JSON.parse(readFileSync(join(modules, "acpx/package.json"), "utf8"))
    const program = join(modules, "acpx", typeof bin === "string" ? bin : bin.acpx)
    const agent = `${process.execPath} ${Process.main} acp --model ${model}`
    return [program, "--agent", agent, "--cwd", place.cwd, "--format", "json", "--json-strict", ...args]
  }
  const call = (place: Process.Place, model: string, ...args: ReadonlyArray<string>) =>
    spawnSync(process.execPath, command(place, model, ...args), { cwd: place.cwd, env: place.environment, encoding: "utf8", timeout: 120_000 })
  const acpx = (place: Process.Place, model: string, approval: string, prompt: string) => call(place, model, approval, "exec", prompt)

  it("cancels a command, continues, and resumes the session in another process", async () => {
    await using place = Process.scene()
    const model = place.script(
      { calls: [{ name: "run_command", params: { command: "echo begun > begun; sleep 600" } }] },
      { text: "Back." },
      { text: "Resumed." },
      { text: "Resumed again." }
    )
    const asking = ["--approve-all", "--ttl", "60"]
    const { acpxSessionId: id } = JSON.parse(call(place, model, ...asking, "sessions", "new").stdout)
    const waiting = Process.start(place, ["prompt", "wait"], "ignore", [...command(place, model, ...asking)])
    await Process.written(join(place.cwd, "begun"))
    expect(call(place, model, ...asking, "cancel").stdout).toContain("\"cancelled\":true")
    expect((await waiting.ended).stdout).toContain("\"stopReason\":\"cancelled\"")
    expect(call(place, model, ...asking, "prompt", "and now").stdout).toContain("\"stopReason\":\"end_turn\"")
    call(place, model, ...asking, "sessions", "close")
    // A session that began there is continued by its id, and one that is a fork as well.
    const { stdout } = await Process.run(place, ["sessions", "fork", id])
    const fork = /[0-9a-f-]{36}/.exec(stdout.replaceAll(id, ""))![0]
    for (const session of [id, fork]) {
      expect(JSON.parse(call(place, model, ...asking, "sessions", "new", "--resume-session", session).stdout)).toMatchObject({ acpxSessionId: session })
      expect(call(place, model, ...asking, "prompt", "more").stdout).toContain("\"stopReason\":\"end_turn\"")
      call(place, model, ...asking, "sessions", "close")
    }
  }, 400_000)

  it("approves and denies, and finds every line valid", async () => {
    await using place = Process.scene()
    writeFileSync(join(place.cwd, "a.txt"), "one\n")
    const turns = [{ calls: [{ name: "edit_file", params: { path: "a.txt", old_text: "one", new_text: "two" } }] }, { text: "Done." }]
    const denied = acpx(place, place.script(...turns), "--deny-all", "edit it")
    expect(denied.stdout).toContain("\"stopReason\":\"end_turn\"")
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("one\n")
    const approved = acpx(place, place.script(...turns), "--approve-all", "edit it")
    expect(approved).toMatchObject({ status: 0, stderr: "" })
    expect(approved.stdout).toContain("\"stopReason\":\"end_turn\"")
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("two\n")
  }, 400_000)
})
