/** `npm run bench:peers` with stand-ins for other agents on the path. */
import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"

const root = fileURLToPath(new URL("../", import.meta.url))

/** An agent of 30 lines, called like pi: it reads the file as often as the model asks. */
const agent = `#!${process.execPath}
import { readFileSync } from "node:fs"
const args = process.argv.slice(2)
if (args.includes("--version")) console.log("stand-in v9.8.7")
else {
  const { providers } = JSON.parse(readFileSync(process.env.PI_CODING_AGENT_DIR + "/models.json", "utf8"))
  const messages = [{ role: "user", content: args.at(-1) }]
  const tools = [{ name: "read", description: "Reads a file.", input_schema: { type: "object", properties: { path: { type: "string" }, offset: { type: "number" } } } }]
  for (;;) {
    const response = await fetch(providers.anthropic.baseUrl + "/v1/messages", {
      method: "POST",
      headers: { "x-api-key": "k", "anthropic-version": "2023-06-01", "content-type": "application/json" },
      body: JSON.stringify({ model: "claude-sonnet-4-6", max_tokens: 100, stream: true, tools, messages })
    })
    const events = (await response.text()).split("\\n").filter((line) => line.startsWith("data: ")).map((line) => JSON.parse(line.slice(6)))
    const start = events.find(({ content_block: block }) => block?.type === "tool_use")?.content_block
    if (start === undefined) break
    const input = JSON.parse(events.map(({ delta }) => delta?.partial_json ?? "").join(""))
    messages.push({ role: "assistant", content: [{ ...start, input }] })
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: start.id, content: readFileSync(input.path, "utf8") }] })
  }
}
`

const bench = (programs: Readonly<Record<string, string>>, args: ReadonlyArray<string> = []) => {
  const folder = mkdtempSync(join(tmpdir(), "dacapo-peers-test-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, "package.json"), `{ "type": "module" }`)
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, name), text, { mode: 0o755 })
  const env = { ...process.env, DACAPO_PEERS: join(folder, "peers"), PATH: `${folder}:${dirname(process.execPath)}:/usr/bin:/bin`, ROUNDS: "1" }
  return spawnSync(process.execPath, [join(root, "bench/peers.ts"), ...args], { cwd: root, env, encoding: "utf8" })
}

it("measures the agents on the path, reports one that fails, and names the missing ones", () => {
  const { status, stderr, stdout } = bench({ pi: agent, codex: `#!/bin/sh\n[ "$1" = --version ] && exec echo 1.0.0\necho no key >&2\nexit 3\n` })
  assert.deepStrictEqual([status, stderr], [0, ""])
  const rows = stdout.split("\n").filter((line) => line.startsWith("| ")).slice(2).map((line) => line.split(" | "))
  assert.deepStrictEqual(rows.map(([name]) => name), [`| dacapo ${JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version}`, "| pi 9.8.7"])
  for (const row of rows) {
    assert.lengthOf(row, 10)
    for (const cell of row.slice(1)) assert.match(cell, /^\d+(?:\.\d)? (?:ms|MiB|kB)/)
    const [, version, request, oneShot, memory, reads] = row.map((cell) => Number.parseFloat(cell))
    assert.isTrue(version! > 0 && request! > 0 && oneShot! > request! && memory! > 10 && reads! > request!, row.join())
  }
  assert.include(stdout, "codex failed: it ended with 3: no key")
  assert.include(stdout, "Not found: claude, opencode. To install and compare them: npm run bench:peers -- --install claude opencode")
})

it("installs the agents that are named, and nothing without a name", () => {
  const npm = `#!/bin/sh
while [ "$1" != --prefix ]; do shift; done
for package; do echo "asked for $package"; done
mkdir -p "$2/node_modules/.bin"
printf '#!/bin/sh\necho 4.5.6\n' > "$2/node_modules/.bin/codex"
chmod +x "$2/node_modules/.bin/codex"
`
  const named = bench({ npm }, ["--install", "codex"])
  assert.include(named.stdout, "asked for @openai/codex@latest\n")
  assert.notInclude(named.stdout, "claude")
  assert.include(named.stdout, "codex failed: it sent 0 requests with tools instead of 1")
  const unnamed = bench({ npm }, ["--install"])
  assert.deepStrictEqual([unnamed.status, unnamed.stdout, unnamed.stderr], [2, "", "Name what to install: claude, codex, opencode, pi.\n"])
})

it("refuses a name that it doesn't know", () => {
  const { status, stderr } = bench({}, ["emacs"])
  assert.strictEqual(status, 2)
  assert.include(stderr, "Unknown: emacs. Known are claude, codex, opencode, pi.")
})
