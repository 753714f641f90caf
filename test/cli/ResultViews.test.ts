/** Typed views from all kinds of tools through the command: what programs, editors and people receive, and a replay without the tools. */
import { expect, it } from "@effect/vitest"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Process from "./support/Process.ts"

const write = (file: string, text: string) => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const call = (name: string, more: object = {}) => ({ calls: [{ name, params: {} }], ...more })

const table = { type: "table", columns: [{ label: "file" }, { label: "lines", align: "right" }], rows: [["a.ts", 12]] }
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="

/** A tool of the user that prints a value as JSON. */
const commandTool = (place: Process.Place, name: string, value: unknown) => {
  const file = `${name}.json`
  write(join(place.cwd, file), typeof value === "string" ? value : JSON.stringify(value))
  write(join(place.root, "home", "tools", `${name}.md`), `---\ndescription: Shows a view.\nresult: view\n---\n\n\`\`\`bash\ncat ${file}\n\`\`\`\n`)
}

const server = `import { createInterface } from "node:readline"
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n")
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line)
  if (method === "initialize") say({ id, result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } } })
  if (method === "tools/list") say({ id, result: { tools: [{ name: "files", description: "Files.", inputSchema: { type: "object" } }] } })
  if (method === "tools/call") say({ id, result: { content: [{ type: "text", text: "two files" }], structuredContent: { files: [{ name: "a", size: 1 }, { name: "b", size: 2 }] } } })
})
`

const plugin = `export const tools = [
  { name: "chart", description: "A chart.", run: () => ({ text: "It grew.", view: { type: "chart", kind: "line", labels: ["a", "b"], series: [{ name: "n", values: [1, 2] }] } }) },
  { name: "broken", description: "Not a view.", run: () => ({ view: { type: "script", code: "alert(1)" } }) }
]
`

it("tools of files, plugins and MCP servers return views; they replay when the tools are gone", async () => {
  await using place = Process.scene()
  commandTool(place, "sizes", table)
  commandTool(place, "picture", { text: "A pixel.", view: { type: "image", alt: "One pixel", mediaType: "image/png", data: pixel } })
  commandTool(place, "prose", "no JSON here")
  write(join(place.root, "server.mjs"), server)
  write(join(place.root, "plugin", ".claude-plugin", "plugin.json"), JSON.stringify({ name: "views", version: "1.0.0", description: "Views.", module: "./index.mjs" }))
  write(join(place.root, "plugin", "index.mjs"), plugin)
  const installed = await Process.run(place, ["plugin", "install", join(place.root, "plugin")])
  const [, hash = ""] = /hash: (\S+)/.exec(installed.stdout) ?? []
  expect(hash, installed.stdout + installed.stderr).not.toBe("")
  await Process.run(place, ["trust"])
  await Process.run(place, ["plugin", "enable", "views", "--allow-code", hash])
  const model = place.script(
    call("sizes"),
    call("picture", { expect: { lastResult: "file | lines\na.ts | 12" } }),
    call("prose", { expect: { lastResult: "A pixel." } }),
    call("mcp__files__files", { expect: { lastResult: "its output is not JSON" } }),
    call("plugin__views__chart", { expect: { lastResult: "two files" } }),
    call("plugin__views__broken", { expect: { lastResult: "It grew." } }),
    { text: "Done.", expect: { lastResult: "a view that is not valid" } }
  )
  const config = JSON.stringify({ mcpServers: { files: { command: process.execPath, args: [join(place.root, "server.mjs")] } } })
  const ended = await Process.run(place, [
    ...["-p", "--output-format", "stream-json", "--verbose", "--model", model, "--mcp-config", config],
    ...["--allowedTools", "Bash(cat *),mcp__files,plugin__views__chart,plugin__views__broken", "go"]
  ])
  expect(ended.code, ended.stderr + ended.stdout).toBe(0)
  const lines = ended.stdout.trim().split("\n").map((line) => JSON.parse(line) as Record<string, any>)
  const results = lines.filter(({ type }) => type === "user").map((line) => line["tool_use_result"]?.view)
  expect(results).toEqual([
    table,
    { type: "image", alt: "One pixel", mediaType: "image/png", blob: expect.stringMatching(/^[0-9a-f]{64}$/) },
    undefined,
    { type: "table", title: "files", columns: [{ label: "name" }, { label: "size", align: "right" }], rows: [["a", 1], ["b", 2]] },
    { type: "chart", kind: "line", labels: ["a", "b"], series: [{ name: "n", values: [1, 2] }] },
    undefined
  ])
  for (const part of ["home/tools", "plugin", "server.mjs"]) rmSync(join(place.root, part), { recursive: true })
  const shown = await Process.run(place, ["replay", "latest"])
  expect(shown.stdout).toContain("file  lines\n")
  expect(shown.stdout).toContain("[image: One pixel, image/png]")
  expect(shown.stdout).toContain("n ▁█ 2")
  expect(await Process.run(place, ["replay", "latest", "--verify"])).toMatchObject({ code: 0 })
  expect(readFileSync(join(place.cwd, "sizes.json"), "utf8")).toContain("a.ts")
})
