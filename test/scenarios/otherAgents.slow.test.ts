/** Files of other agents that work here as they are: commands, rules, MCP settings; each read only as far as the folder is trusted. */
import { describe, expect, it } from "@effect/vitest"
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Process from "../cli/support/Process.ts"

const write = (place: Process.Place, files: Readonly<Record<string, string | object>>) => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(place.root, name)), { recursive: true })
    writeFileSync(join(place.root, name), typeof content === "string" ? content : JSON.stringify(content))
  }
}

/** Runs a prompt whose message to the model must contain some texts. */
const ask = (place: Process.Place, prompt: string, contains: ReadonlyArray<string>, ...flags: ReadonlyArray<string>) =>
  Process.run(place, ["-p", ...flags, "--model", place.script({ text: "Done.", expect: { contains } }), prompt])

describe("commands of other agents", () => {
  it("of Gemini expand in a trusted folder: files are read, and commands are judged and replayed", async () => {
    await using place = Process.scene()
    write(place, {
      "project/notes.md": "Tabs, not spaces.",
      "project/.gemini/commands/git/fix.toml": "description = \"Fixes\"\nprompt = \"\"\"\nFix {{args}} by @{notes.md}. Files: !{ls notes.md}. Made: !{touch {{args}}}.\n\"\"\"\n"
    })
    expect(await ask(place, "/git:fix a b", [])).toMatchObject({ code: 55, stderr: expect.stringContaining("/git:fix is defined in this folder, which is not trusted") })
    expect((await Process.run(place, ["trust"])).stdout).toContain(".gemini/commands adds commands")
    const expanded = ["Fix a b by @\"notes.md\". Files: notes.md. Made: [`touch 'a b'` was not run: ", "Tabs, not spaces."]
    expect(await ask(place, "/git:fix a b", expanded)).toMatchObject({ code: 0 })
    expect(existsSync(join(place.cwd, "a b"))).toBe(false)
    expect(await ask(place, "/git:fix a b", ["Made: ."], "--allowedTools", "Bash(touch:*)")).toMatchObject({ code: 0 })
    expect(existsSync(join(place.cwd, "a b"))).toBe(true)
  })

  it("of the user are read from the folders of Codex, Gemini, Claude Code and opencode, after dacapo's own", async () => {
    using place = Process.place()
    write(place, {
      ".codex/prompts/ticket.md": "---\ndescription: Works on a ticket\nargument-hint: ID=<ticket>\n---\nWork on $ID, $1.",
      ".gemini/commands/plan.toml": "prompt = 'Plan it.'",
      ".claude/commands/review.md": "Review $ARGUMENTS.",
      ".config/opencode/command/test.md": "Test $1.",
      "home/commands/plan.md": "My own plan."
    })
    for (const [prompt, text] of [["/ticket now ID=A-7", "Work on A-7, now."], ["/prompts:ticket ID=B", "Work on B, ."], ["/plan", "My own plan."], ["/review x y", "Review x y."], ["/test unit", "Test unit."]] as const)
      expect(await ask(place, prompt, [text])).toMatchObject({ code: 0, stderr: "" })
  })

  it("that can't be read are reported to user and model", async () => {
    using place = Process.place()
    write(place, { ".gemini/commands/bad.toml": "prompt = [" })
    expect(await ask(place, "/bad", ["[/bad was not expanded: ", "bad.toml: it is not valid TOML: "])).toMatchObject({ code: 0 })
  })
})

describe("rules of other agents", () => {
  it("apply always, with files that match, or on request, by the frontmatter of each; `context` lists what was read", async () => {
    await using place = Process.scene()
    write(place, {
      ".claude/CLAUDE.md": "My own rule.",
      "project/.git/HEAD": "ref: refs/heads/main\n",
      "project/src/a.ts": "export {}\n",
      "project/.claude/CLAUDE.md": "Rule of Claude.",
      "project/CLAUDE.local.md": "Private rule.",
      "project/.claude/rules/api.md": "---\npaths:\n  - src/**/*.ts\n---\nRule for sources.",
      "project/.claude/rules/style.md": "Rule of style.",
      "project/.cursor/rules/always.mdc": "---\ndescription:\nglobs:\nalwaysApply: true\n---\nRule of Cursor.",
      "project/.cursor/rules/db/schema.mdc": "---\ndescription: How to change the schema\nalwaysApply: false\n---\nRule on request.",
      "project/.cursor/rules/css.mdc": "---\nglobs: *.css,*.{scss,less}\nalwaysApply: false\n---\nRule for styles.",
      "project/.cursor/rules/manual.mdc": "---\nalwaysApply: false\n---\nRule of nobody.",
      "project/.cursorrules": "Old rule of Cursor.",
      "project/.github/copilot-instructions.md": "Rule of Copilot.",
      "project/.github/instructions/all.instructions.md": "---\napplyTo: \"**\"\n---\nRule for all.",
      "project/.kilocode/rules/k.md": "Rule of Kilo.",
      "project/.roo/rules/a.md": "Rule of Roo.",
      "project/.roo/rules-code/b.md": "Rule of a mode.",
      "project/.roo/rules-deploy-eu/c.md": "Rule of a mode of the user.",
      "project/.kilocode/rules-architect/d.md": "Rule of a mode of Kilo.",
      "project/.roorules": "Old rule of Roo.",
      "project/.roorules-deploy-eu": "Old rule of a mode.",
      "project/.clinerules-review": "Oldest rule of a mode.",
      "project/.windsurf/rules/w.md": "---\ntrigger: model_decision\ndescription: On deployment\n---\nRule of Windsurf.",
      "project/.windsurf/rules/x.md": "---\ntrigger: manual\n---\nRule of no trigger.",
      "project/.kilocode/rules/same.md": "Rule of style."
    })
    const shown = ["My own rule.", "Rule of Claude.", "Private rule.", "Rule of style.", "Rule of Cursor.", "Rule for all.", "Rule of Kilo.", "Rule of Roo.", "How to change the schema", "On deployment", "*.css, *.{scss,less}", "for work in the mode \"code\"", ".roo/rules-deploy-eu/c.md", "for work in the mode \"deploy-eu\"", ".kilocode/rules-architect/d.md", "for work in the mode \"architect\"", "for work in the mode \"review\""]
    const preview = (await Process.run(place, ["context", "--preview", "hello", "--model", place.script({ text: "x" })])).stdout
    for (const text of shown) expect(preview).toContain(text)
    // The older file of a mode that has a folder is not read.
    expect(preview.split("for work in the mode \"deploy-eu\"")).toHaveLength(2)
    for (const text of ["Rule for sources", "Rule on request", "Rule for styles", "Rule of nobody", "Old rule", "Rule of Copilot", "Rule of a mode", "ldest rule", "Rule of Windsurf", "Rule of no trigger"]) expect(preview).not.toContain(text)
    const model = place.script(
      { calls: [{ name: "read_file", params: { path: "src/a.ts" } }], expect: { system: shown } },
      { text: "Done.", expect: { system: [...shown, "Rule for sources."] } }
    )
    expect(await Process.run(place, ["-p", "--model", model, "go"])).toMatchObject({ code: 0 })
    const report = (await Process.run(place, ["context"])).stdout
    expect(report).toMatch(/^Rules files: .*\.claude\/CLAUDE\.md \(\d+ tokens\), \.claude\/rules\/api\.md \(\d+ tokens\), /m)
    expect(report).toContain(".kilocode/rules/same.md: not shown, because .claude/rules/style.md has the same text.")
  })

  it("never come from outside the project, whatever links say", async () => {
    using place = Process.place()
    write(place, { "project/.git/HEAD": "ref: refs/heads/main\n", "outside/secret.mdc": "---\nalwaysApply: true\n---\nSecret text.", "project/.cursor/rules/a.mdc": "---\nalwaysApply: true\n---\nOpen text." })
    symlinkSync(join(place.root, "outside/secret.mdc"), join(place.cwd, ".cursor/rules/b.mdc"))
    const { stdout } = await Process.run(place, ["context", "--preview", "hello", "--model", place.script({ text: "x" })])
    expect(stdout).toContain("Open text.")
    expect(stdout).not.toContain("Secret text.")
  })
})

describe("MCP settings of Cline and Roo", () => {
  const server = fileURLToPath(new URL("../../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url))
  const entry = { command: process.execPath, args: [server, "stdio"] }
  const call = (name: string, params: object = { message: "hello" }) => ({ calls: [{ name, params }] })

  it("allow the tools that they approve only in a trusted folder, and never those of the user's server of that name", async () => {
    using place = Process.place()
    write(place, { "project/.roo/mcp.json": { mcpServers: { all: { ...entry, timeout: 30, alwaysAllow: ["echo"], disabledTools: ["get-env"], watchPaths: ["x"] } } } })
    const run = (...turns: ReadonlyArray<object>) => Process.run(place, ["-p", "--output-format", "json", "--model", place.script(...turns), "go"])
    expect((await run({ text: "Done." })).stderr).toContain(".roo/mcp.json defines MCP servers (all), but none was started: this folder is not trusted.")
    expect((await Process.run(place, ["trust"])).stdout).toContain(".roo/mcp.json starts MCP servers, and allows the tools that it approves")
    await Process.run(place, ["mcp", "allow", "all"])
    expect((await Process.run(place, ["mcp", "list"])).stdout).toMatch(/^! The MCP server "all" of .*\.roo\/mcp\.json: "watchPaths" has no effect\.$/m)
    expect(JSON.parse((await run(call("mcp__all__echo"), { text: "Done.", expect: { lastResult: "hello" } })).stdout)).toMatchObject({ permission_denials: [] })
    expect(JSON.parse((await run(call("mcp__all__get-sum", { a: 1, b: 2 }), { text: "Done." })).stdout).permission_denials).toHaveLength(1)
    write(place, { "home/config.jsonc": { mcpServers: { all: entry } } })
    expect(JSON.parse((await run(call("mcp__all__echo"), { text: "Done." })).stdout).permission_denials).toHaveLength(1)
  })
})
