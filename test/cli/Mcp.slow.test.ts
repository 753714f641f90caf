import { describe, expect, it } from "@effect/vitest"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Process from "./support/Process.ts"
import * as Tmux from "./support/Tmux.ts"

const modules = fileURLToPath(new URL("../../node_modules/@modelcontextprotocol/", import.meta.url))

/** The servers that the protocol's own people give as examples, as a project names them. */
const project = ({ cwd, root }: Process.Place) => {
  const server = (name: string, ...args: ReadonlyArray<string>) => ({ command: process.execPath, args: [join(modules, `server-${name}/dist/index.js`), ...args] })
  writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({
    mcpServers: {
      everything: server("everything"),
      files: server("filesystem", cwd),
      memory: { ...server("memory"), env: { MEMORY_FILE_PATH: "${DACAPO_HOME}/graph.json" } },
      off: { command: "never-started", disabled: true }
    }
  }))
  writeFileSync(join(cwd, "note.txt"), "A note from the project.\n")
  return root
}

/** The user trusts the folder, and lets its servers start. */
const agreed = async (place: Process.Place) => {
  await Process.run(place, ["trust"])
  expect(await Process.run(place, ["mcp", "allow", "everything", "files", "memory"])).toMatchObject({ code: 0, stderr: "" })
}

const allow = ["--allowedTools", "mcp__everything,mcp__files,mcp__memory"]
const call = (name: string, params: object, more: object = {}) => ({ calls: [{ name, params }], ...more })

describe("servers of .mcp.json", () => {
  it("work in a task: everything, filesystem and memory; and the session replays without them", async () => {
    await using place = Process.scene()
    project(place)
    await agreed(place)
    const model = place.script(
      call("mcp__everything__echo", { message: "hello" }),
      call("use_mcp_tool", { server_name: "files", tool_name: "read_text_file", arguments: JSON.stringify({ path: join(place.cwd, "note.txt") }) }, { expect: { lastResult: "Echo: hello" } }),
      call("mcp__files__write_file", { path: join(place.cwd, "made.txt"), content: "made" }, { expect: { lastResult: "A note from the project." } }),
      call("mcp__memory__create_entities", { entities: [{ name: "dacapo", entityType: "agent", observations: ["remembers"] }] }),
      call("mcp__memory__read_graph", {}),
      call("mcp__everything__get-sum", { a: "2", b: 3 }, { expect: { lastResult: "remembers" } }),
      call("mcp__everything__get-sum", { a: "two" }, { expect: { lastResult: "5" } }),
      call("mcp__everything__get-tiny-image", {}, { expect: { lastResult: "- b: expected number, received nothing" } }),
      { text: "All of them work.", expect: { lastResult: "The image above is the MCP logo." } }
    )
    const ended = await Process.run(place, ["-p", ...allow, "--model", model, "try the servers"])
    expect(ended).toMatchObject({ code: 0, stdout: "All of them work.\n" })
    expect(readFileSync(join(place.cwd, "made.txt"), "utf8")).toBe("made")
    expect(readFileSync(join(place.root, "home", "graph.json"), "utf8")).toContain("remembers")
    expect(await Process.run(place, ["replay", "latest", "--verify"])).toMatchObject({ code: 0 })
  })

  it("provide resources and prompts", async () => {
    await using place = Process.scene()
    project(place)
    await agreed(place)
    const model = place.script(
      call("read_resource", { server: "everything" }, { expect: { contains: ["complex prompt", "temperature=0.5"] } }),
      call("access_mcp_resource", { server_name: "everything", uri: "demo://resource/static/document/architecture.md" }, { expect: { lastResult: "demo://resource/" } }),
      call("list_prompts", {}, { expect: { lastResult: "Architecture" } }),
      { text: "Read.", expect: { lastResult: "mcp__everything__args-prompt(city, state?)" } }
    )
    const script = JSON.parse(readFileSync(model.slice("scripted/".length), "utf8"))
    delete script.turns[0].expect
    writeFileSync(model.slice("scripted/".length), JSON.stringify(script))
    const ended = await Process.run(place, ["-p", ...allow, "--model", model, "/mcp__everything__args-prompt Paris France"])
    expect(ended).toMatchObject({ code: 0, stdout: "Read.\n" })
    const shown = await Process.run(place, ["sessions", "show", "latest"])
    expect(shown.stdout).toContain("What's weather in Paris, France?")
  })

  it("have their prompts completed after a slash", async () => {
    await using place = Process.scene()
    project(place)
    await agreed(place)
    using terminal = Tmux.open(place, [...allow, "--model", place.script({ text: "Hello there." }), "hi"])
    await terminal.shows("Hello there.")
    terminal.type("/mcp__everything__ar")
    await terminal.shows("/mcp__everything__args-prompt")
    await terminal.still()
    terminal.press("C-c")
    await terminal.still()
  })

  it("are not started in an untrusted folder", async () => {
    await using place = Process.scene()
    writeFileSync(join(place.cwd, ".mcp.json"), JSON.stringify({ mcpServers: { evil: { command: "sh", args: ["-c", "touch started"] } } }))
    const model = place.script({ text: "Nothing to do." })
    const ended = await Process.run(place, ["-p", "--permission-mode", "bypassPermissions", "--model", model, "hi"])
    expect(ended).toMatchObject({ code: 0, stdout: "Nothing to do.\n" })
    expect(ended.stderr).toContain(".mcp.json defines MCP servers (evil), but none was started: this folder is not trusted. Run `dacapo trust` to trust it.")
    expect((await Process.run(place, ["doctor"])).stdout).toMatch(/! mcp +no servers; \.mcp\.json defines MCP servers \(evil\)/)
    expect(existsSync(join(place.cwd, "started"))).toBe(false)
  })

  it("need approval before they start, also in a trusted folder; a headless run denies it, whatever rules allow, and an approval lasts until the definition changes", async () => {
    await using place = Process.scene()
    writeFileSync(join(place.cwd, ".mcp.json"), JSON.stringify({ mcpServers: { shy: { command: "sh", args: ["-c", "touch started"] } } }))
    await Process.run(place, ["trust"])
    const model = place.script({ text: "Done." })
    const started = join(place.cwd, "started")
    const refused = await Process.run(place, ["-p", "--allowedTools", "Bash(sh -c 'touch started'),mcp__shy", "--model", model, "hi"])
    expect(refused).toMatchObject({ code: 0, stdout: "Done.\n" })
    expect(refused.stderr).toContain("The MCP server shy was not started: No user is available to approve this in a headless run. Run `dacapo mcp allow shy` to see what it starts, and to allow it.")
    expect((await Process.run(place, ["mcp", "test"])).code).not.toBe(0)
    expect((await Process.run(place, ["mcp", "list"])).stdout).toContain("needs approval before it starts")
    expect(existsSync(started)).toBe(false)
    const allowed = await Process.run(place, ["mcp", "allow", "shy"])
    expect(allowed.stdout).toMatch(/^shy \(.*\.mcp\.json\): sh -c 'touch started'\n {2}Program: \/.*\/sh.*\n {2}Folder: .*\nAllowed to start here until any of this changes\.\n✗ The MCP server shy ended/)
    expect((await Process.run(place, ["mcp", "list"])).stdout).not.toContain("needs approval")
    rmSync(started)
    await Process.run(place, ["-p", "--model", model, "hi"])
    expect(existsSync(started)).toBe(true)
    rmSync(started)
    writeFileSync(join(place.cwd, ".mcp.json"), JSON.stringify({ mcpServers: { shy: { command: "sh", args: ["-c", "touch started"], env: { BASH_ENV: "evil" } } } }))
    await Process.run(place, ["-p", "--model", model, "hi"])
    expect(existsSync(started)).toBe(false)
  })

  it("with more tools than fit are searched", async () => {
    await using place = Process.scene()
    project(place)
    await agreed(place)
    const file = join(place.root, "small.json")
    writeFileSync(file, JSON.stringify({
      model: { window: 30_000, maxOutput: 2_000 },
      turns: [
        call("search_tools", { query: "sum of two numbers" }, { expect: { system: ["## everything", "Use search_tools to load the ones you need"] } }),
        call("mcp__everything__get-sum", { a: 1, b: 2 }, { expect: { lastResult: "mcp__everything__get-sum: Returns the sum of two numbers" } }),
        { text: "3", expect: { lastResult: "The sum of 1 and 2 is 3" } }
      ]
    }))
    const ended = await Process.run(place, ["-p", ...allow, "--model", `scripted/${file}`, "add"])
    expect(ended).toMatchObject({ code: 0, stdout: "3\n" })
  })
})

describe("dacapo mcp", () => {
  it("adds, lists, tests and removes a server", async () => {
    using place = Process.place()
    const added = await Process.run(place, ["mcp", "add", "files", "-e", "A=b,c d", "--", process.execPath, join(modules, "server-filesystem/dist/index.js"), place.cwd])
    expect(added).toMatchObject({ code: 0, stderr: "" })
    expect(added.stdout).toContain("Added files in ")
    const listed = await Process.run(place, ["mcp", "list", "--output-format", "json"])
    expect(JSON.parse(listed.stdout)).toMatchObject({ servers: [{ name: "files", transport: "stdio", state: "starts" }], notes: [] })
    const tested = await Process.run(place, ["mcp", "test", "files"])
    expect(tested).toMatchObject({ code: 0, stderr: "" })
    expect(tested.stdout).toMatch(/^✓ files 0\.2\.0: 14 tools \(protocol 2025-11-25, \d+ ms\)\n {4}mcp__files__create_directory {2}Create/)
    expect(await Process.run(place, ["mcp", "remove", "file"])).toMatchObject({ code: 42, stderr: "dacapo: No MCP server is called \"file\". Did you mean files?\n" })
    expect(await Process.run(place, ["mcp", "remove", "files"])).toMatchObject({ code: 0 })
    expect((await Process.run(place, ["mcp", "list"])).stdout).toBe("No MCP servers configured. Run `dacapo mcp add <name> -- <command>` to add one.\n")
  })

  it("writes a project's server into .mcp.json, and says that it needs trust", async () => {
    using place = Process.place()
    const added = await Process.run(place, ["mcp", "add", "docs", "https://mcp.example.com/mcp", "--scope", "project", "-H", "Authorization: Bearer ${TOKEN}"])
    expect(added.stdout).toContain("This folder is not trusted. Run `dacapo trust` to let its servers start.")
    expect(JSON.parse(readFileSync(join(place.cwd, ".mcp.json"), "utf8"))).toEqual({
      mcpServers: { docs: { type: "http", url: "https://mcp.example.com/mcp", headers: { Authorization: "Bearer ${TOKEN}" } } }
    })
  })

  it("reports what is wrong with an invalid server", async () => {
    using place = Process.place()
    const told = async (...args: ReadonlyArray<string>) => {
      const { code, stderr } = await Process.run(place, ["mcp", ...args])
      return [code, stderr.split(". Run `dacapo")[0]]
    }
    expect(await told("add", "two__parts", "x")).toEqual([2, "dacapo: Can't add the server \"two__parts\": its name must not contain two consecutive underscores"])
    expect(await told("add", "json", "{\"type\":\"odd\"}")).toEqual([2, "dacapo: Can't add the server \"json\": \"type\" must be one of stdio, http, sse, not \"odd\""])
    expect(await told("add")).toEqual([2, "dacapo: Give the server's name and its command or URL."].map((one) => typeof one === "string" ? expect.stringContaining(one) : one))
    expect(await Process.run(place, ["mcp", "test", "none"])).toMatchObject({ code: 42, stdout: "✗ The MCP server none does not exist. No MCP server is configured here. Run `dacapo mcp list` to list the servers.\n" })
    expect(await told("fly")).toEqual([2, "dacapo: \"fly\" is not a valid action of `dacapo mcp`; expected one of add, allow, auth, list, new, remove, search, serve, test"])
    writeFileSync(join(place.cwd, ".mcp.json"), "{ broken")
    await Process.run(place, ["trust"])
    expect((await Process.run(place, ["mcp", "list"])).stdout).toMatch(/^! No MCP server of .*\.mcp\.json:1 was started: the file is not valid JSON/)
    await Process.run(place, ["mcp", "add", "gone", "no-such-program"])
    expect(await Process.run(place, ["mcp", "test"])).toMatchObject({ code: 1, stdout: "✗ The MCP server gone can't be started: the program no-such-program was not found on PATH (folders of this project don't count). Check its command or address; `dacapo mcp list` shows where it is configured.\n" })
  })
})
