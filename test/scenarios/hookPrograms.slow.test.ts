/** Hook files as other agents document them, written by us from their documentation, and what no hook can do. */
import { describe, expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Process from "../cli/support/Process.ts"

const examples = fileURLToPath(new URL("../fixtures/hooks/", import.meta.url))
const sandboxWorks = spawnSync("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true"]).status === 0

const put = (place: Process.Place, name: string, content: object) => {
  const file = join(place.root, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(content))
}
/** The user's own settings. */
const configure = (place: Process.Place, settings: object) => put(place, "home/config.jsonc", settings)
const command = (text: string, more: object = {}) => ({ hooks: [{ type: "command", command: text, ...more }] })
const bash = (text: string, more: object = {}) => ({ calls: [{ name: "run_command", params: { command: text } }], ...more })
const file = (path: string, content: string, more: object = {}) => ({ calls: [{ name: "write_file", params: { path, content } }], ...more })
const work = (place: Process.Place, args: ReadonlyArray<string>, ...turns: ReadonlyArray<object>) =>
  Process.run(place, ["-p", ...args, "--model", place.script(...turns), "Go"])
const done = { text: "Done." }
const bypass = ["--permission-mode", "bypassPermissions"]

describe("hooks of Claude Code", () => {
  it("do in dacapo what its documentation says, from the same file", async () => {
    await using place = Process.scene()
    cpSync(examples, place.cwd, { recursive: true })
    expect((await Process.run(place, ["import", "claude"])).code).toBe(0)
    expect(JSON.parse(readFileSync(join(place.cwd, ".dacapo", "config.jsonc"), "utf8").replace(/^\s*\/\/.*$/gm, "")).hooks)
      .toEqual(JSON.parse(readFileSync(join(examples, ".claude", "settings.json"), "utf8")).hooks)
    const trusted = await Process.run(place, ["trust"])
    for (const program of ["check_prompt.py", "no-grep.sh", "finish.sh"]) expect(trusted.stdout).toContain(`.claude/hooks/${program} is run by a hook`)
    const ended = await work(
      place,
      bypass,
      bash("echo one", { expect: { contains: ["Commit messages are in the imperative.", "The branch is main."] } }),
      bash("grep one commands.log", { expect: { lastResult: "one" } }),
      file(".env", "KEY=1\n", { expect: { lastResult: "Use rg instead of grep" } }),
      { calls: [{ name: "apply_patch", params: { patch: "*** Begin Patch\n*** Add File: b.txt\n+b\n*** End Patch" } }], expect: { lastResult: "protected: .env" } },
      { text: "Finished." },
      file("NOTES.md", "all done   \n", { expect: { contains: ["Write NOTES.md first"] } }),
      { text: "Really finished." }
    )
    expect(ended).toMatchObject({ code: 0, stdout: "Really finished.\n" })
    expect(ended.stderr.split("\n")).toEqual([
      "dacapo: Denied: a PreToolUse hook decided: Use rg instead of grep. To allow it, change that hook.",
      "dacapo: Denied: a PreToolUse hook decided: protected: .env. To allow it, change that hook.",
      ""
    ])
    expect(readFileSync(join(place.cwd, "commands.log"), "utf8")).toBe("echo one - no description\ngrep one commands.log - no description\n")
    expect(existsSync(join(place.cwd, ".env"))).toBe(false)
    expect(readFileSync(join(place.cwd, "NOTES.md"), "utf8")).toBe("all done\n")
    const refused = await Process.run(place, ["-p", "--model", place.script({ text: "Never." }), "My password: hunter2"])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("The prompt contains a password. Remove it.") })
  })
})

describe("hooks of other agents", () => {
  const guard = (name: string) => command("if grep -q forbidden; then echo '{\"decision\":\"deny\",\"reason\":\"not that\"}'; fi", { name, description: "Guards a name." })

  it("of Gemini CLI run under its names of events and tools, with its timeouts in ms", async () => {
    await using place = Process.scene()
    configure(place, {
      hooks: {
        BeforeTool: [{ matcher: "run_shell_command", ...guard("guard") }, { matcher: "replace", ...command("exit 2") }],
        AfterTool: [{ matcher: "run_shell_command", ...command("echo after >> ../moments", { timeout: 20_000 }) }],
        BeforeAgent: [command("echo before >> ../moments")],
        AfterAgent: [command("echo end >> ../moments")]
      }
    })
    expect(await work(place, bypass, bash("touch forbidden"), bash("touch free", { expect: { lastResult: "not that" } }), done)).toMatchObject({ code: 0 })
    expect([existsSync(join(place.cwd, "forbidden")), existsSync(join(place.cwd, "free"))]).toEqual([false, true])
    expect(readFileSync(join(place.root, "moments"), "utf8")).toBe("before\nafter\nend\n")
  })

  it("of Codex run as they are, also in snake case", async () => {
    await using place = Process.scene()
    configure(place, {
      hooks: {
        PreToolUse: [{ matcher: "^Bash$", ...guard("guard") }],
        session_start: [command("echo The sky is green.", { statusMessage: "Looking up" })],
        user_prompt_submit: [command("echo prompt >> ../moments")],
        stop: [command("echo stop >> ../moments")]
      }
    })
    expect(await work(place, bypass, bash("touch forbidden", { expect: { contains: ["The sky is green."] } }), { text: "Done.", expect: { lastResult: "not that" } })).toMatchObject({ code: 0 })
    expect(existsSync(join(place.cwd, "forbidden"))).toBe(false)
    expect(readFileSync(join(place.root, "moments"), "utf8")).toBe("prompt\nstop\n")
  })
})

describe("a hook", () => {
  it("that asks makes a call wait that a rule allows", async () => {
    await using place = Process.scene()
    configure(place, { hooks: { PreToolUse: [command(`echo '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"look first"}}'`)] } })
    await work(place, ["--allowedTools", "Bash(touch:*)"], bash("touch a"), { text: "Done.", expect: { lastResult: "look first" } })
    expect(existsSync(join(place.cwd, "a"))).toBe(false)
  })

  it("changes an input only to what no rule denies", async () => {
    await using place = Process.scene()
    configure(place, {
      permissions: { deny: ["Bash(touch evil)"] },
      hooksMayAllow: true,
      hooks: { PreToolUse: [command(`echo '{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"command":"touch evil"}}}'`)] }
    })
    await work(place, bypass, bash("touch a"), { text: "Done.", expect: { lastResult: "Bash(touch evil)" } })
    expect([existsSync(join(place.cwd, "a")), existsSync(join(place.cwd, "evil"))]).toEqual([false, false])
  })

  it("of a project allows nothing, whatever the project's settings say", async () => {
    await using place = Process.scene()
    put(place, "project/.dacapo/config.jsonc", { hooksMayAllow: true, hooks: { PreToolUse: [command(`echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'`)] } })
    await Process.run(place, ["trust"])
    await work(place, [], file("a.txt", "a\n"), { text: "Done.", expect: { lastResult: "Denied" } })
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(false)
  })

  it("for a permission request that is missing denies the call", async () => {
    await using place = Process.scene()
    configure(place, { hooks: { PermissionRequest: [command("no-such-guard")] } })
    await work(place, [], bash("touch a"), { text: "Done.", expect: { lastResult: "The PermissionRequest hook \"no-such-guard\" failed" } })
    expect(existsSync(join(place.cwd, "a"))).toBe(false)
  })

  it("runs beside the others of its moment, and is answered for in the order of the settings", async () => {
    await using place = Process.scene()
    configure(place, {
      hooks: { SessionStart: [command("until [ -e ../second ]; do sleep 0.05; done; echo The first.", { timeout: 30 }), command("touch ../second; echo The second.")] }
    })
    expect(await work(place, [], { text: "Done.", expect: { contains: ["The first.\nThe second."] } })).toMatchObject({ code: 0, stderr: "" })
  })

  it("has the environment of commands, without the user's keys", async () => {
    await using place = Process.scene()
    configure(place, { hooks: { SessionStart: [command("env > ../variables")] } })
    const key = "sk-ant-0123456789abcdefghijklmnop"
    await work({ ...place, environment: { ...place.environment, ANTHROPIC_API_KEY: key, TEAM: "north" } }, [], done)
    const variables = readFileSync(join(place.root, "variables"), "utf8")
    expect(variables).toContain("TEAM=north\n")
    expect(variables).not.toContain(key)
  })

  it.runIf(sandboxWorks)("runs inside the sandbox", async () => {
    await using place = Process.scene()
    configure(place, { hooks: { UserPromptSubmit: [command("touch inside; touch ../outside; true")] } })
    expect(await work(place, ["--sandbox", "workspace-write"], done)).toMatchObject({ code: 0 })
    expect([existsSync(join(place.cwd, "inside")), existsSync(join(place.root, "outside"))]).toEqual([true, false])
  })
})
