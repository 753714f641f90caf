/** `--agent`: a session that works as what a file says, through the real command: where files lie, what they may say, and who trusts them. */
import { describe, expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Process from "./support/Process.ts"
import * as Tmux from "./support/Tmux.ts"

const write = (place: Process.Place, files: Readonly<Record<string, string>>) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.root, path)), { recursive: true })
    writeFileSync(join(place.root, path), text)
  }
}
const file = (...lines: ReadonlyArray<string>) => `---\n${lines.join("\n")}\n---\n\nYou are the reviewer of pears.\n`
const trust = (place: Process.Place) => Process.run(place, ["trust"])
const objects = (text: string): ReadonlyArray<Record<string, any>> => text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line))
const says = { text: "Reviewed." }

/** The settings that the newest session began with. */
const settings = async (place: Process.Place) => {
  const { stdout } = await Process.run(place, ["sessions", "show", "--output-format", "events"])
  return objects(stdout).map(({ event }) => event).findLast(({ _tag }) => _tag === "SessionStarted" || _tag === "Resumed")!["settings"] as Record<string, any>
}
const asReviewer = (place: Process.Place, ...more: ReadonlyArray<string>) =>
  Process.run(place, ["-p", "--agent", "reviewer", "--model", place.script({ ...says, expect: { system: ["You are the reviewer of pears."] } }), ...more, "Look."])

describe("--agent", () => {
  it("uses the prompt, tools and mode of its file, also when the session is resumed", async () => {
    await using place = Process.scene()
    write(place, { "home/agents/reviewer.md": file("description: Reviews.", "tools: Read, Grep, Telepathy", "permissionMode: plan") })
    expect(await asReviewer(place)).toMatchObject({ code: 0, stdout: "Reviewed.\n", stderr: "" })
    const began = await settings(place)
    expect(began).toMatchObject({ agent: "reviewer", mode: "plan", onlyTools: ["read_file", "search_files"], prompt: { instead: "You are the reviewer of pears." } })
    // What the file says by now changes nothing in a session that has begun.
    write(place, { "home/agents/reviewer.md": "You are something else.\n" })
    const again = { text: "Again.", expect: { system: ["You are the reviewer of pears.", "Answer in JSON"] } }
    const more = await Process.run(place, ["-p", "--continue", "--agent", "reviewer", "--append-system-prompt", "Answer in JSON", "--model", place.script(says, again), "Once more."])
    expect(more).toMatchObject({ code: 0, stdout: "Again.\n" })
    expect(await settings(place)).toMatchObject({ agent: "reviewer", mode: "plan", onlyTools: began["onlyTools"] })
  })

  it("is overridden by flags: model, tools, mode, prompt", async () => {
    await using place = Process.scene()
    write(place, { "home/agents/reviewer.md": file("model: scripted/nowhere", "tools: Read", "permissionMode: plan") })
    const model = place.script({ text: "Hello.", expect: { system: ["You are nobody."] } })
    const { code } = await Process.run(place, ["-p", "--agent", "reviewer", "--model", model, "--tools", "Bash", "--permission-mode", "acceptEdits", "--system-prompt", "You are nobody.", "Look."])
    expect(code).toBe(0)
    expect(await settings(place)).toMatchObject({ agent: "reviewer", mode: "acceptEdits", onlyTools: ["run_command"] })
  })

  it("uses the model that its file names", async () => {
    await using place = Process.scene()
    write(place, { "home/agents/reviewer.md": file(`model: ${place.script({ text: "From the file." })}`), "home/agents/other.md": file("model: sonnet"), "home/config.jsonc": JSON.stringify({ model: place.script({ text: "From the settings." }) }) })
    expect((await Process.run(place, ["-p", "--agent", "reviewer", "Look."])).stdout).toBe("From the file.\n")
    // The word for a model that the provider in use can't represent.
    expect((await Process.run(place, ["-p", "--agent", "other", "Look."])).stdout).toBe("From the settings.\n")
  })

  for (const folder of [".dacapo/agents", ".claude/agents", ".opencode/agents", ".gemini/agents"]) {
    it(`reads ${folder} of a project only after its folder is trusted`, async () => {
      using place = Process.place()
      write(place, { [`project/${folder}/reviewer.md`]: file("name: reviewer") })
      const before = await asReviewer(place)
      expect(before).toMatchObject({ code: 55, stdout: "" })
      expect(before.stderr).toContain(`${folder}/reviewer.md, but this folder is not trusted: run \`dacapo trust\``)
      await trust(place)
      expect(await asReviewer(place)).toMatchObject({ code: 0, stdout: "Reviewed.\n" })
    })
  }

  it("of a project can only tighten the mode, and allows nothing", async () => {
    await using place = Process.scene()
    const edit = { calls: [{ name: "write_file", params: { path: "a.txt", content: "a" } }] }
    const go = (name: string, ...more: ReadonlyArray<string>) => Process.run(place, ["-p", "--agent", name, "--output-format", "json", "--model", place.script(edit, says), ...more, "Write."])
    write(place, {
      "project/.claude/agents/loose.md": file("permissionMode: bypassPermissions"),
      "project/.claude/agents/allows.md": file("permission:", "  edit: allow", "  bash: deny"),
      "project/.claude/agents/strict.md": file("permissionMode: plan"),
      "home/agents/own.md": file("permissionMode: acceptEdits")
    })
    await trust(place)
    for (const name of ["loose", "allows"]) {
      expect(JSON.parse((await go(name)).stdout)["permission_denials"]).toHaveLength(1)
      expect((await settings(place))["mode"]).toBe("default")
    }
    expect((await settings(place))["rules"]).toMatchObject({ allow: [], deny: ["Bash"] })
    await go("strict")
    expect((await settings(place))["mode"]).toBe("plan")
    expect(JSON.parse((await go("own")).stdout)["permission_denials"]).toEqual([])
    // What the user says on the command line is the user's word.
    expect(JSON.parse((await go("loose", "--permission-mode", "acceptEdits")).stdout)["permission_denials"]).toEqual([])
  })

  it("removes the tools that its file denies", async () => {
    await using place = Process.scene()
    const model = place.script({ calls: [{ name: "run_command", params: { command: "echo hi" } }, { name: "write_file", params: { path: "a", content: "a" } }] }, says)
    write(place, { "home/agents/reviewer.md": file("tools:", "  bash: false", "permission:", "  edit: deny") })
    const { stdout } = await Process.run(place, ["-p", "--agent", "reviewer", "--permission-mode", "bypassPermissions", "--output-format", "json", "--model", model, "Go."])
    expect(JSON.parse(stdout)["permission_denials"].map(({ tool_name }: { tool_name: string }) => tool_name)).toEqual(["run_command", "write_file"])
  })

  it("reports an unknown name, an invalid file with its line, and a session started with another profile", async () => {
    using place = Process.place()
    write(place, { "home/agents/reviewer.md": file("name: reviewer"), "home/agents/tester.md": file(), "home/agents/broken.md": file("description: x", "permissionMode: sometimes") })
    const go = (...args: ReadonlyArray<string>) => Process.run(place, ["-p", ...args, "--model", place.script(says), "Go."])
    expect(await go("--agent", "reviewr")).toMatchObject({ code: 2, stderr: expect.stringContaining("There is no agent \"reviewr\"; available agents: reviewer, tester.") })
    expect(await go("--agent", "broken")).toMatchObject({ code: 52, stderr: expect.stringMatching(/broken\.md:3 is not a valid agent profile: permissionMode must be one of default, .*, not "sometimes"\./) })
    expect(await go("--agent", "reviewer", "--bare")).toMatchObject({ code: 2, stderr: expect.stringContaining("There is no agent \"reviewer\"") })
    expect(await go()).toMatchObject({ code: 0 })
    expect(await go("--continue", "--agent", "reviewer")).toMatchObject({ code: 2, stderr: expect.stringMatching(/--agent is only for new sessions\. Session .* has no agent\./) })
  })
})

describe("--agent in the terminal", () => {
  it("asks for trust before it reads a profile of the folder, shows its name, and keeps it when the session is resumed", async () => {
    using place = Process.place()
    write(place, { "project/.claude/agents/reviewer.md": file("tools: Read, Telepathy", "permissionMode: plan") })
    const model = place.script({ ...says, expect: { system: ["You are the reviewer of pears."] } }, { text: "Once more." })
    using terminal = Tmux.open(place, ["--agent", "reviewer", "--model", model])
    await terminal.asks("Do you trust this folder?")
    terminal.press("Down", "Enter")
    await terminal.shows(/dacapo [\d.]+ in .*\n?.* as reviewer/)
    expect(terminal.screen()).toContain("· .claude/agents/reviewer.md: unknown tools: Telepathy.")
    await terminal.shows(/^plan · scripted/m)
    terminal.type("fix the pears")
    terminal.press("Enter")
    await terminal.shows("Reviewed.")
    terminal.type("/quit")
    terminal.press("Enter")
    await terminal.shows("left with 0")
    using again = Tmux.open(place, ["--agent", "reviewer", "-r", "fix the pears", "and", "apples"])
    await again.shows("Once more.")
    expect(again.screen()).toContain("and apples")
    using other = Tmux.open(place, ["--agent", "reviewr", "--model", model])
    await other.shows("There is no agent \"reviewr\"; available agents: reviewer.")
  })
})

describe("an agent profile for a subagent", () => {
  const give = (place: Process.Place, ...tasks: ReadonlyArray<object>) => (turns: object, ...more: ReadonlyArray<string>) => {
    const script = join(place.root, "script.json")
    writeFileSync(script, JSON.stringify({ turns: [{ calls: [{ name: "delegate", params: { tasks } }] }, { text: "All is told." }], children: [{ prompt: "Look at it.", ...turns }] }))
    return Process.run(place, ["-p", "--output-format", "stream-json", "--model", `scripted/${script}`, ...more, "Go."])
  }
  const child = async (place: Process.Place) => {
    const { id } = (JSON.parse((await Process.run(place, ["sessions", "list", "--output-format", "json"])).stdout) as ReadonlyArray<{ id: string; parent?: string }>).find(({ parent }) => parent !== undefined) ?? {}
    if (id === undefined) return undefined
    const events = objects((await Process.run(place, ["sessions", "show", id, "--output-format", "events"])).stdout).map(({ event }) => event)
    return events.find(({ _tag }) => _tag === "SessionStarted")!["settings"] as Record<string, any>
  }
  const result = (stdout: string) => objects(stdout).flatMap(({ message, parent_tool_use_id, type }) => type === "user" && parent_tool_use_id === null ? message.content : [])[0].content as string

  it("has its own prompt, and no more permissions than its parent", async () => {
    await using place = Process.scene()
    write(place, { "project/.claude/agents/reviewer.md": file("description: Reviews pears.", "tools: Read, Bash", "permissionMode: bypassPermissions", "disallowedTools: WebFetch") })
    await trust(place)
    const task = { prompt: "Look at it.", agent: "reviewer" }
    const go = give(place, task)
    const { code, stdout } = await go({ turns: [{ text: "- It holds.", expect: { system: ["You are the reviewer of pears."] } }] }, "--tools", "delegate,read_file,search_files")
    expect(code).toBe(0)
    expect(result(stdout)).toContain("It holds.")
    expect(await child(place)).toMatchObject({ agent: "reviewer", mode: "default", readOnly: true, onlyTools: ["read_file"], prompt: { instead: "You are the reviewer of pears." }, rules: { deny: ["fetch_url"] } })
  })

  it("edits in its own worktree, with the profile from its parent's folder", async () => {
    await using place = Process.scene()
    execFileSync("sh", ["-c", "git init -q -b main && echo .claude > .gitignore && git add -A && git -c user.name=a -c user.email=a@b commit -qm first"], { cwd: place.cwd })
    write(place, { "project/.claude/agents/writer.md": file("tools: Write") })
    await trust(place)
    const turns = [{ calls: [{ name: "write_file", params: { path: "a.txt", content: "pear\n" } }], expect: { system: ["You are the reviewer of pears."] } }, { text: "- It is written." }]
    const { stdout } = await give(place, { prompt: "Look at it.", agent: "writer", mode: "edit" })({ turns }, "--permission-mode", "acceptEdits")
    expect(result(stdout)).toContain("It is written.")
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("pear\n")
    expect(await child(place)).toMatchObject({ agent: "writer", mode: "acceptEdits", readOnly: false, onlyTools: ["write_file"] })
  })

  it("is offered to agents that delegate, unless it is only for people", async () => {
    await using place = Process.scene()
    write(place, { "home/agents/reviewer.md": file("description: Reviews pears."), "home/agents/boss.md": file("description: Runs it all.", "mode: primary") })
    const told = async (...more: ReadonlyArray<string>) => (await Process.run(place, ["-p", "--output-format", "events", "--model", place.script(says), ...more, "Hi."])).stdout
    expect(await told()).toContain("\"agents\":[{\"name\":\"reviewer\",\"description\":\"Reviews pears.\"}]")
    expect(await Process.run(place, ["-p", "--model", place.script({ ...says, expect: { system: ["- reviewer: Reviews pears."] } }), "Hi."])).toMatchObject({ code: 0 })
    const go = give(place, { prompt: "Look at it.", agent: "boss" })
    expect(result((await go({ turns: [] })).stdout)).toContain("The agent boss can't run as a subagent (mode: primary)")
  })

  it("can be denied by name; an unknown name is reported with the available ones", async () => {
    await using place = Process.scene()
    write(place, { "home/agents/reviewer.md": file("description: Reviews pears."), "home/agents/tester.md": file("description: Tests pears.") })
    const go = give(place, { prompt: "Look at it.", agent: "reviewer" })
    expect(result((await go({ turns: [] }, "--disallowedTools", "Agent(reviewer)")).stdout)).toMatch(/Agent\(reviewer\)/)
    expect(await child(place)).toBeUndefined()
    expect(result((await go({ turns: [{ text: "- It holds." }] }, "--disallowedTools", "Agent(tester)")).stdout)).toContain("It holds.")
    const other = give(place, { prompt: "Look at it.", subagent_type: "reviewr" })
    expect(result((await other({ turns: [] })).stdout)).toContain("There is no agent \"reviewr\"; available agents: reviewer, tester.")
    const anyone = give(place, { prompt: "Look at it.", subagent_type: "general-purpose" })
    expect(result((await anyone({ turns: [{ text: "- It holds." }] })).stdout)).toContain("It holds.")
  })
})
