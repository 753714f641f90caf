/** `dacapo import`: what other agents have in their files, taken over once, reported, and valid here. */
import { describe, expect, it } from "@effect/vitest"
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as JsonText from "../../src/layers/settings/JsonText.ts"
import * as Result from "effect/Result"
import * as Process from "./support/Process.ts"

const write = (place: Process.Place, files: Readonly<Record<string, string | object>>) => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(place.root, name)), { recursive: true })
    writeFileSync(join(place.root, name), typeof content === "string" ? content : JSON.stringify(content))
  }
}
const settings = (place: Process.Place, file = "home/config.jsonc") => Result.getOrThrow(JsonText.parse(readFileSync(join(place.root, file), "utf8")))
const rows = async (place: Process.Place, ...args: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await Process.run(place, ["import", ...args, "--output-format", "json"])
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return (JSON.parse(stdout) as { readonly items: ReadonlyArray<{ readonly title: string; readonly state: string; readonly why?: string }> }).items
    .map(({ state, title, why }) => `${state}: ${title}${why === undefined ? "" : `: ${why}`}`)
}

describe("dacapo import", () => {
  const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "true" }] }], Bogus: [{ hooks: [] }] }

  it("reports in a dry run what an import does, where two agents have the same", async () => {
    using place = Process.place()
    write(place, {
      ".claude.json": { mcpServers: { docs: { command: "one" } } },
      ".codex/config.toml": "model = \"gpt-5-codex\"\n",
      ".config/opencode/opencode.json": { model: "anthropic/claude-sonnet-4-5", mcp: { docs: { type: "local", command: ["two"] } } }
    })
    const expected = [
      "imported: MCP server docs",
      "imported: model openai/gpt-5-codex",
      "exists: model anthropic/claude-sonnet-4-5",
      "exists: MCP server docs"
    ]
    expect(await rows(place, "--dry-run")).toEqual(expected)
    expect(await rows(place)).toEqual(expected)
    expect(settings(place)).toMatchObject({ model: "openai/gpt-5-codex", mcpServers: { docs: { command: "one" } } })
  })

  it("takes rules, hooks, servers and agents of Claude Code once, names what has no equivalent, and keeps what is there", async () => {
    using place = Process.place()
    write(place, {
      "home/config.jsonc": "// Mine.\n{ \"permissions\": { \"allow\": [\"Bash(ls:*)\"] }, \"mcpServers\": { \"mine\": { \"command\": \"true\" } } }\n",
      ".claude/settings.json": {
        model: "opus",
        permissions: { allow: ["Bash(npm run test:*)", "Write(src/**)", "WebSearch", "Glob"], deny: ["Read(./.env)", "WebSearch"], ask: [7], defaultMode: "acceptEdits", additionalDirectories: ["../x"] },
        hooks
      },
      ".claude.json": { mcpServers: { files: { command: "npx", args: ["files"] }, mine: { command: "other" }, "bad name": { command: "x" } } },
      ".claude/agents/reviewer.md": "---\nname: reviewer\ndescription: Reviews.\n---\nYou review.",
      ".claude/commands/fix.md": "Fix it."
    })
    const before = settings(place)
    const expected = [
      "imported: allow rule Bash(npm run test:*)",
      "imported: allow rule Write(src/**) as Edit(src/**)",
      "imported: allow rule WebSearch",
      "skipped: allow rule Glob: unknown tool \"Glob\"; did you mean Read?",
      "skipped: ask rule 7: it is not a text",
      "imported: deny rule Read(./.env)",
      "imported: deny rule WebSearch",
      "imported: mode acceptEdits",
      "imported: hooks for PreToolUse",
      expect.stringMatching(/^skipped: hooks for Bogus: .*Bogus is not a hook event/),
      "skipped: model: dacapo has no such setting",
      "skipped: permissions.additionalDirectories: dacapo has no such setting",
      "imported: MCP server files",
      "exists: MCP server mine",
      expect.stringMatching(/^skipped: MCP server bad name: its name must consist of/),
      "imported: agent reviewer.md",
      "inPlace: command fix.md"
    ]
    expect(await rows(place, "claude", "--dry-run")).toEqual(expected)
    expect(settings(place)).toEqual(before)
    expect(existsSync(join(place.root, "home/agents"))).toBe(false)
    const { stdout } = await Process.run(place, ["import", "claude"])
    expect(stdout).toContain("  ✓ allow rule Write(src/**) as Edit(src/**) → ")
    expect(stdout).toContain("Imported 9 items.\n")
    expect(settings(place)).toEqual({
      permissions: { allow: ["Bash(ls:*)", "Bash(npm run test:*)", "Edit(src/**)", "WebSearch"], deny: ["Read(./.env)", "WebSearch"], defaultMode: "acceptEdits" },
      mcpServers: { mine: { command: "true" }, files: { command: "npx", args: ["files"] } },
      hooks: { PreToolUse: hooks.PreToolUse }
    })
    expect(readFileSync(join(place.root, "home/config.jsonc"), "utf8")).toContain("// Mine.")
    expect((await rows(place, "claude")).filter((row) => row.startsWith("imported"))).toEqual([])
    expect(JSON.parse((await Process.run(place, ["agents", "--output-format", "json"])).stdout)).toMatchObject([{ name: "reviewer", from: "user", used: true }])
  })

  it("puts what a project contains into the project's settings, which wait for trust", async () => {
    using place = Process.place()
    write(place, { "project/.claude/settings.json": { permissions: { allow: ["Bash(touch:*)"] } }, "project/.clinerules/workflows/ship.md": "Ship it.", "outside.md": "Secret." })
    symlinkSync(join(place.root, "outside.md"), join(place.cwd, ".clinerules/workflows/stolen.md"))
    const { stdout } = await Process.run(place, ["import"])
    expect(stdout).toContain("stolen.md: it is a link that leads out of the project")
    expect(stdout).toContain("Run `dacapo trust` to put what was imported into this folder into effect.")
    expect(settings(place, "project/.dacapo/config.jsonc")).toEqual({ permissions: { allow: ["Bash(touch:*)"] } })
    expect(readFileSync(join(place.cwd, ".dacapo/commands/ship.md"), "utf8")).toBe("Ship it.")
    const work = () => Process.run(place, ["-p", "--model", place.script({ calls: [{ name: "run_command", params: { command: "touch marker" } }] }, { text: "Done." }), "go"])
    await work()
    expect(existsSync(join(place.cwd, "marker"))).toBe(false)
    await Process.run(place, ["trust"])
    await work()
    expect(existsSync(join(place.cwd, "marker"))).toBe(true)
  })

  it("saves the keys of providers and search services, never those of a project, and shows none", async () => {
    using place = Process.place()
    write(place, {
      ".claude/settings.json": { env: { TAVILY_API_KEY: "tvly-0123456789", EXA_API_KEY: "${EXA}", DEBUG: "1" } },
      ".claude.json": { mcpServers: { search: { command: "npx", args: ["brave"], env: { BRAVE_API_KEY: "BSA0123456789", PORT: "1" } } } },
      "project/.claude/settings.json": { env: { EXA_API_KEY: "exa-0123456789" } }
    })
    const expected = [
      "imported: key TAVILY_API_KEY",
      "skipped: env: dacapo has no such setting",
      "imported: MCP server search",
      "imported: key BRAVE_API_KEY",
      "skipped: key EXA_API_KEY: keys of a project are not saved"
    ]
    expect(await rows(place, "--dry-run")).toEqual(expected)
    const status = async () => (await Process.run(place, ["auth", "status"])).stdout
    expect(await status()).not.toContain("✓")
    const { stdout } = await Process.run(place, ["import"])
    expect(stdout).toMatch(/✓ key BRAVE_API_KEY → \S+auth\.json/)
    expect(stdout).not.toMatch(/0123456789/)
    expect(await status()).toMatch(/^✓ brave +\S+auth\.json\n✓ tavily +\S+auth\.json\nNo key; set[^]*\n {2}exa +EXA_API_KEY\n/)
    expect((await rows(place)).filter((row) => row.includes(" key "))).toEqual(["exists: key TAVILY_API_KEY", "exists: key BRAVE_API_KEY", expected[4]])
  })

  it("reads the formats of Codex, opencode, Cline and Roo Code", async () => {
    using place = Process.place()
    write(place, {
      ".codex/config.toml": [
        "model = \"gpt-5\"", "model_reasoning_effort = \"high\"", "approval_policy = \"never\"", "sandbox_mode = \"workspace-write\"", "[sandbox_workspace_write]", "network_access = true",
        "[mcp_servers.docs]", "url = \"https://docs.example.com/mcp\"", "bearer_token_env_var = \"DOCS_TOKEN\"", "tool_timeout_sec = 20", "enabled_tools = [\"search\"]"
      ].join("\n"),
      ".config/opencode/opencode.jsonc": "// Mine.\n{ \"small_model\": \"openai/gpt-5-mini\", \"permission\": { \"edit\": \"ask\", \"bash\": { \"*\": \"ask\", \"git status *\": \"allow\", \"rm *\": \"deny\" } }, \"mcp\": { \"local\": { \"type\": \"local\", \"command\": [\"node\", \"a.mjs\"], \"environment\": { \"A\": \"b\" } } }, \"share\": \"auto\" }",
      ".config/opencode/agent/planner.md": "---\ndescription: Plans.\n---\nYou plan.",
      ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json": { mcpServers: { cline: { url: "https://a.example.com/mcp", timeout: 90, autoApprove: ["search"], disabled: false } } },
      ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json": { mcpServers: { roo: { command: "true", timeout: 5 } } },
      "Documents/Cline/Rules/style.md": "Tabs."
    })
    const report = await rows(place)
    expect(report).toEqual(expect.arrayContaining([
      "imported: model openai/gpt-5:high",
      "skipped: approval_policy: dacapo has no such setting",
      "skipped: ask rule bash: what no rule allows is asked about anyway",
      "skipped: share: dacapo has no such setting",
      "imported: agent planner.md",
      "imported: rules style.md"
    ]))
    expect(settings(place)).toEqual({
      model: "openai/gpt-5:high",
      cheapModel: "openai/gpt-5-mini",
      sandbox: "workspace-write",
      sandboxNetwork: true,
      permissions: { ask: ["Edit"], allow: ["Bash(git status *)"], deny: ["Bash(rm *)"] },
      mcpServers: {
        docs: { url: "https://docs.example.com/mcp", headers: { Authorization: "Bearer ${DOCS_TOKEN}" }, timeout: 20_000, includeTools: ["search"] },
        cline: { autoApprove: ["search"], url: "https://a.example.com/mcp", timeout: 90, disabled: false },
        local: { type: "local", command: ["node", "a.mjs"], environment: { A: "b" } },
        roo: { alwaysAllow: [], command: "true", timeout: 5 }
      }
    })
    expect(readFileSync(join(place.root, "home/AGENTS.md"), "utf8")).toBe("Tabs.")
    expect((await Process.run(place, ["mcp", "list"])).code).toBe(0)
  })

  it("reports files that can't be read, and agents that it does not know", async () => {
    using place = Process.place()
    expect(await Process.run(place, ["import"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Found no files of Claude Code, /) })
    write(place, { ".claude/settings.json": "{", ".codex/config.toml": "a = [" })
    expect(await rows(place)).toEqual([expect.stringMatching(/^skipped: settings\.json: line 1: is not valid JSON/), expect.stringMatching(/^skipped: config\.toml: it is not valid TOML: /)])
    expect(await Process.run(place, ["import", "cloude"])).toMatchObject({ code: 2, stderr: expect.stringContaining("did you mean claude?") })
  })
})

describe("dacapo sessions import of another agent's session", () => {
  it("stores the conversation without sending anything, and continues it in its folder; the session replays", async () => {
    await using place = Process.scene()
    const common = { sessionId: "0f2c7d1e-1111-4222-8333-444455556666", cwd: place.cwd }
    write(place, {
      "claude.jsonl": [
        { ...common, type: "user", message: { role: "user", content: "Fix the tax." } },
        { ...common, type: "assistant", message: { model: "claude-sonnet-4-5", role: "assistant", content: [{ type: "text", text: "Fixed in a.ts." }] } }
      ].map((record) => `${JSON.stringify(record)}\n`).join("")
    })
    const model = place.script({ text: "Tested.", expect: { contains: ["This conversation began in Claude Code.", "## User\n\nFix the tax.\n\n## Assistant\n\nFixed in a.ts.", "Now test it."] } })
    const imported = await Process.run(place, ["sessions", "import", join(place.root, "claude.jsonl"), "--model", model])
    expect(imported).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/^Imported session [\w-]+ with 2 entries\. Continue it with `dacapo --resume \w+`\.\n$/) })
    expect((await Process.run(place, ["sessions", "list"])).stdout).toContain("Claude Code 0f2c7d1e")
    expect(await Process.run(place, ["-p", "--continue", "Now test it."])).toMatchObject({ code: 0, stdout: "Tested.\n" })
  })
})
