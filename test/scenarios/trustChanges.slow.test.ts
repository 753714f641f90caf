/** Trust is bound to content: what a branch, a tool or a model changes in a trusted folder does nothing until the user confirms it. */
import { describe, expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Process from "../cli/support/Process.ts"
import * as Tmux from "../cli/support/Tmux.ts"

const write = (place: Process.Place, files: Readonly<Record<string, string | object>>) => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(place.cwd, name)), { recursive: true })
    writeFileSync(join(place.cwd, name), typeof content === "string" ? content : JSON.stringify(content))
  }
}

const git = (place: Process.Place, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], { cwd: place.cwd, stdio: "pipe" })

const settings = ".dacapo/config.jsonc"
const quiet = { permissions: { allow: ["Bash(echo:*)"] } }
const loud = { permissions: { defaultMode: "bypassPermissions", allow: ["Bash(touch:*)"] } }

/** Two branches; the folder was trusted on `main`. */
const repository = async (place: Process.Place) => {
  git(place, "init", "-q", "-b", "main")
  write(place, { [settings]: quiet })
  git(place, "add", "-A")
  git(place, "commit", "-qm", "one")
  git(place, "checkout", "-qb", "other")
  write(place, { [settings]: loud, ".dacapo/commands/deploy.md": "Deploy it." })
  git(place, "add", "-A")
  git(place, "commit", "-qm", "two")
  git(place, "checkout", "-q", "main")
  await Process.run(place, ["trust"])
}

const touch = { calls: [{ name: "run_command", params: { command: "touch marker" } }] }
const work = (place: Process.Place) => Process.run(place, ["-p", "--model", place.script(touch, { text: "Done." }), "go"])
const made = (place: Process.Place) => existsSync(join(place.cwd, "marker"))
const doctor = async (place: Process.Place) => (await Process.run(place, ["doctor"])).stdout.replaceAll(/\s+/g, " ")

describe("a checkout of other settings in a trusted folder", () => {
  it("changes no mode and no rule, says so, and acts once the user confirms it", async () => {
    await using place = Process.scene()
    await repository(place)
    expect((await work(place)).stderr).not.toContain("changed since")
    git(place, "checkout", "-q", "other")
    const { stderr } = await work(place)
    expect(made(place)).toBe(false)
    expect(stderr).toContain("Not in effect, because it changed since you trusted this folder: .dacapo/config.jsonc sets permissions.defaultMode, permissions.allow; .dacapo/commands adds commands. Run `dacapo trust` to confirm it.")
    expect(stderr.match(/changed since/g)).toHaveLength(1)
    expect(await doctor(place)).toContain("this folder is trusted, but these changed since; run `dacapo trust` to confirm them: .dacapo/config.jsonc sets permissions.defaultMode")
    const confirmed = await Process.run(place, ["trust"])
    expect(confirmed.stdout).toContain("Changed since you trusted it, now confirmed: .dacapo/config.jsonc sets permissions.defaultMode, permissions.allow")
    expect((await work(place)).stderr).not.toContain("changed since")
    expect(made(place)).toBe(true)
    expect(await doctor(place)).toContain("this folder is trusted: ")
    git(place, "checkout", "-q", "main")
    expect(await doctor(place)).toContain("these changed since")
  })

  it("is asked about once in the terminal: a no leaves the session in its mode, a yes lets it act", async () => {
    using place = Process.place()
    await repository(place)
    git(place, "checkout", "-q", "other")
    const start = async (answer: ReadonlyArray<string>, mode: RegExp, names = "sets permissions.defaultMode, permissions.allow; .dacapo/commands adds commands.") => {
      using terminal = Tmux.open(place, ["--model", place.script({ text: "Done." })])
      if (answer.length > 0) {
        expect((await terminal.asks("Some files have changed since you trusted this folder")).replaceAll(/\s+/g, " ")).toContain(names)
        terminal.press(...answer)
      }
      await terminal.shows("Enter to send, Shift-Tab to change mode")
      await terminal.shows(mode)
      terminal.press("C-d")
      await terminal.shows("left with 0")
    }
    await start(["Escape"], /^ask ·/m)
    await start(["Enter"], /^ask ·/m)
    await start([], /^ask ·/m)
    await Process.run(place, ["trust", "--revoke"])
    await Process.run(place, ["trust"])
    await start([], /^bypassPermissions ·/m)
    write(place, { [settings]: { permissions: { defaultMode: "acceptEdits" } } })
    await start(["Down", "Enter"], /^acceptEdits ·/m, "sets permissions.defaultMode.")
    await start([], /^acceptEdits ·/m)
  })
})

describe("what counts as a change", () => {
  it("is neither layout nor a stricter rule, which holds at once", async () => {
    using place = Process.place()
    write(place, { [settings]: { permissions: { allow: ["Bash(touch:*)"] } } })
    await Process.run(place, ["trust"])
    write(place, { [settings]: "// Ours.\n{\n  \"permissions\": {\n    \"deny\": [\"Bash(rm:*)\"],\n    \"allow\": [\"Bash(touch:*)\"]\n  }\n}\n" })
    expect((await work(place)).stderr).not.toContain("changed since")
    expect(made(place)).toBe(true)
    await Process.run(place, ["-p", "--permission-mode", "bypassPermissions", "--model", place.script({ calls: [{ name: "run_command", params: { command: "rm marker" } }] }, { text: "Done." }), "go"])
    expect(made(place)).toBe(true)
  })

  it("is another text of one command; the others still act", async () => {
    using place = Process.place()
    write(place, { ".dacapo/commands/deploy.md": "Deploy it.", ".dacapo/commands/test.md": "Test it." })
    await Process.run(place, ["trust"])
    const call = (name: string, words: string) => Process.run(place, ["-p", "--model", place.script({ text: "Done.", expect: { contains: [words] } }), `/${name}`])
    expect(await call("deploy", "Deploy it.")).toMatchObject({ code: 0, stderr: "" })
    write(place, { ".dacapo/commands/deploy.md": "Deploy something else." })
    expect(await call("deploy", "Deploy something else.")).toMatchObject({ code: 55, stderr: expect.stringContaining("/deploy changed since you trusted this folder") })
    expect(await call("test", "Test it.")).toMatchObject({ code: 0, stderr: expect.stringContaining("because it changed since you trusted this folder: .dacapo/commands/deploy.md adds commands.") })
    await Process.run(place, ["trust"])
    expect(await call("deploy", "Deploy something else.")).toMatchObject({ code: 0, stderr: "" })
  })

  it("is another definition in .mcp.json, but not what the user changes with `dacapo mcp`", async () => {
    using place = Process.place()
    await Process.run(place, ["trust"])
    const listed = async () => (await Process.run(place, ["mcp", "list"])).stdout
    expect((await Process.run(place, ["mcp", "add", "--scope", "project", "mine", "--", "echo", "one"])).stdout).toContain("Run `dacapo mcp allow mine` to approve it.")
    expect(await listed()).toContain("mine")
    write(place, { ".mcp.json": readFileSync(join(place.cwd, ".mcp.json"), "utf8").replace("one", "two") })
    expect(await listed()).not.toMatch(/^.?\s*mine/m)
    expect(await doctor(place)).toContain(".mcp.json defines MCP servers (mine), but none was started: it changed since you trusted this folder.")
    expect((await Process.run(place, ["mcp", "add", "--scope", "project", "more", "--", "echo"])).stdout).toContain(".mcp.json changed since you trusted this folder")
    await Process.run(place, ["trust"])
    expect(await listed()).toContain("mine")
  })

  it("is an agent that is new", async () => {
    using place = Process.place()
    await Process.run(place, ["trust"])
    write(place, { ".claude/agents/reviewer.md": "---\nname: reviewer\ndescription: Reviews.\n---\nYou review." })
    const run = () => Process.run(place, ["-p", "--agent", "reviewer", "--model", place.script({ text: "Done." }), "go"])
    expect(await run()).toMatchObject({ code: 55, stderr: expect.stringContaining("it changed since you trusted this folder: run `dacapo trust` to confirm it") })
    await Process.run(place, ["trust"])
    expect(await run()).toMatchObject({ code: 0, stderr: "" })
  })
})
