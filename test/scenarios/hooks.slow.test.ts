/** Hooks: programs of the user at moments of a session, seen by what they change in the world; every session replays. */
import { describe, expect, it } from "@effect/vitest"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import * as Process from "../cli/support/Process.ts"

const write = (place: Process.Place, files: Readonly<Record<string, string | object>>) => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(place.cwd, name)), { recursive: true })
    writeFileSync(join(place.cwd, name), typeof content === "string" ? content : JSON.stringify(content))
  }
}

type Hooks = Readonly<Record<string, ReadonlyArray<{ readonly matcher?: string; readonly hooks: ReadonlyArray<object> }>>>

/** The user's own settings. */
const configure = (place: Process.Place, hooks: Hooks, more: object = {}) => {
  const file = join(place.root, "home", "config.jsonc")
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify({ hooks, ...more }))
}

const command = (text: string, more: object = {}) => ({ hooks: [{ type: "command", command: text, ...more }] })
/** A command that prints an expression over its input. */
const reading = (expression: string) =>
  `'${process.execPath}' -e 'const input = JSON.parse(require("fs").readFileSync(0, "utf8")); console.log(${expression})'`
const touch = (path: string) => ({ calls: [{ name: "run_command", params: { command: `touch ${path}` } }] })
const marker = (place: Process.Place, name = "marker") => existsSync(join(place.cwd, name))
const allowed = ["--allowedTools", "Bash(touch:*)"]
const work = (place: Process.Place, ...turns: ReadonlyArray<object>) =>
  Process.run(place, ["-p", "--output-format", "json", ...allowed, "--model", place.script(...turns), "Go"])

describe("a PreToolUse hook", () => {
  it("blocks a call that a rule allows, with its reason for the model", async () => {
    await using place = Process.scene()
    configure(place, { PreToolUse: [{ matcher: "Bash", ...command("grep -q 'touch forbidden' && { echo 'not that file' >&2; exit 2; }; true") }] })
    const { code } = await work(place, touch("forbidden"), { ...touch("marker"), expect: { lastResult: "not that file" } }, { text: "Done." })
    expect(code).toBe(0)
    expect([marker(place, "forbidden"), marker(place)]).toEqual([false, true])
  })

  it("changes the input, which is judged anew", async () => {
    await using place = Process.scene()
    const output = (name: string) => JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { command: `touch ${name}` } } })
    configure(place, { PreToolUse: [{ matcher: "run_command", ...command(`echo '${output("other")}'`) }] })
    await work(place, touch("marker"), { text: "Done." })
    expect([marker(place), marker(place, "other")]).toEqual([false, true])
    configure(place, { PreToolUse: [{ matcher: "Bash", ...command(`echo '${output("../outside")}'`) }] })
    await work(place, touch("third"), { text: "Done.", expect: { lastResult: "Denied" } })
    expect(existsSync(join(place.root, "outside"))).toBe(false)
  })

  const broken = [
    ["is missing", "no-such-guard"],
    ["exits with an error", "echo broken >&2; exit 1"],
    ["prints garbage", "echo '{ \"decision\": 7'"],
    ["hangs", "sleep 60"]
  ] as const
  for (const [name, text] of broken) {
    it(`that ${name} blocks the call, and with failureMode open lets it run`, async () => {
      await using place = Process.scene()
      configure(place, { PreToolUse: [command(text, { timeout: 2 })] })
      await work(place, touch("marker"), { text: "Done.", expect: { lastResult: "failed" } })
      expect(marker(place)).toBe(false)
      configure(place, { PreToolUse: [command(text, { timeout: 2, failureMode: "open" })] })
      await work(place, touch("marker"), { text: "Done." })
      expect(marker(place)).toBe(true)
    })
  }

  it("allows what would be asked only where the user permits that, and never a high risk", async () => {
    await using place = Process.scene()
    const hooks: Hooks = { PreToolUse: [command(`echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'`)] }
    const write = (path: string) => ({ calls: [{ name: "write_file", params: { path, content: "text\n" } }] })
    const files = async (more: object, path: string) => {
      configure(place, hooks, more)
      await Process.run(place, ["-p", "--model", place.script(write(path), { text: "Done." }), "Go"])
      return marker(place, path)
    }
    expect(await files({}, "a.txt")).toBe(false)
    expect(await files({ hooksMayAllow: true }, "b.txt")).toBe(true)
    expect(await files({ hooksMayAllow: true }, ".git/hooks/post-checkout")).toBe(false)
    expect(await files({ hooksMayAllow: true, permissions: { deny: ["Edit(c.txt)"] } }, "c.txt")).toBe(false)
  })
})

describe("hooks of other moments", () => {
  it("add context at the start, with the prompt and after a tool", async () => {
    await using place = Process.scene()
    configure(place, {
      SessionStart: [{ matcher: "startup", ...command("echo The sky is green today.") }],
      BeforeAgent: [command(reading("\"The prompt was \" + input.prompt"))],
      PostToolUse: [{ matcher: "Edit|Write|Bash", ...command(reading("JSON.stringify({ hookSpecificOutput: { additionalContext: \"ran \" + input.tool_name } })")) }]
    })
    const { code, stdout } = await work(
      place,
      { ...touch("marker"), expect: { contains: ["The sky is green today."] } },
      { text: "Done.", expect: { contains: ["ran Bash"] } }
    )
    expect({ code, stdout }).toMatchObject({ code: 0 })
    const exported = await Process.run(place, ["sessions", "export", "latest", "--format", "jsonl"])
    expect(exported.stdout).toContain("The prompt was Go")
  })

  it("refuse a prompt, which reaches no model", async () => {
    await using place = Process.scene()
    configure(place, { UserPromptSubmit: [command("echo 'ask nicely' >&2; exit 2")] })
    const { code, stdout } = await work(place, { text: "Never." })
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ is_error: true, result: expect.stringContaining("ask nicely"), num_turns: 0 })
  })

  it("make the model continue at its end, and know that they did", async () => {
    await using place = Process.scene()
    configure(place, {
      Stop: [command("if grep -q '\"stop_hook_active\":true'; then echo again >>../stops; else echo first >>../stops; echo 'run the tests first' >&2; exit 2; fi")]
    })
    const { stdout } = await work(place, { text: "Finished." }, { text: "Tested.", expect: { contains: ["run the tests first"] } })
    expect(JSON.parse(stdout)).toMatchObject({ is_error: false, result: "Tested." })
    expect(readFileSync(join(place.root, "stops"), "utf8")).toBe("first\nagain\n")
  })

  it("answer a permission request, and are notified of it", async () => {
    await using place = Process.scene()
    configure(place, {
      PermissionRequest: [command(`echo '{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"no network today"}}}'`)],
      Notification: [command(`${reading("input.notification_type")} >>../notified`)]
    })
    await work(place, { calls: [{ name: "run_command", params: { command: "curl http://127.0.0.1:9" } }] }, { text: "Done.", expect: { lastResult: "no network today" } })
    expect(readFileSync(join(place.root, "notified"), "utf8")).toBe("permission_prompt\n")
  })

  it("stop the task where they say so", async () => {
    await using place = Process.scene()
    configure(place, { PostToolUse: [command(`echo '{"continue":false,"stopReason":"enough for today"}'`)] })
    const { code, stdout } = await work(place, touch("marker"), { text: "Never." })
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ is_error: true, result: expect.stringContaining("enough for today") })
  })

  it("run before and after a compaction, at the start after it, and at the end", async () => {
    await using place = Process.scene()
    const note = [command(`${reading(`[input.hook_event_name, input.trigger ?? input.source ?? input.reason].join(" ")`)} >>../moments`)]
    configure(place, { PreCompact: note, PostCompact: note, SessionStart: note, SessionEnd: note })
    await work(place, { text: "One." })
    await Process.run(place, ["-p", "--continue", "--model", place.script({ text: "One." }, { text: "Two." }), "/compact"])
    const moments = readFileSync(join(place.root, "moments"), "utf8").trim().split("\n")
    expect(moments[0]).toBe("SessionStart startup")
    expect(moments).toContain("SessionEnd other")
    expect(moments).toContain("PreCompact manual")
  })

  it("run at the end of a session that a signal ends", async () => {
    await using place = Process.scene()
    configure(place, { SessionEnd: [command(`${reading(`"ended " + input.reason`)} >>../moments`)] })
    const model = place.script({ calls: [{ name: "run_command", params: { command: "echo running > marker; sleep 60" } }] }, { text: "Never." })
    const running = Process.start(place, ["-p", "--permission-mode", "bypassPermissions", "--model", model, "Go"])
    await Process.written(join(place.cwd, "marker"))
    running.child.kill("SIGTERM")
    expect((await running.ended).code).toBe(143)
    expect(readFileSync(join(place.root, "moments"), "utf8")).toBe("ended other\n")
  })

  it("of subagents give them context and see their end", async () => {
    await using place = Process.scene()
    configure(place, {
      SubagentStart: [command("echo Count only red doors.")],
      SubagentStop: [command(`${reading("input.last_assistant_message")} >>../answers`)]
    })
    const file = join(place.root, "script.json")
    writeFileSync(file, JSON.stringify({
      turns: [{ calls: [{ name: "delegate", params: { tasks: [{ name: "doors", prompt: "Count the doors." }] } }] }, { text: "Done." }],
      children: [{ prompt: "Count the doors.", turns: [{ text: "Two red doors.", expect: { contains: ["Count only red doors."] } }] }]
    }))
    const { code } = await Process.run(place, ["-p", "--model", `scripted/${file}`, "Go"])
    expect(code).toBe(0)
    expect(readFileSync(join(place.root, "answers"), "utf8")).toBe("Two red doors.\n")
  })

  it("are asked over HTTP", async () => {
    await using place = Process.scene()
    const requests: Array<{ readonly body: string; readonly token: string | undefined }> = []
    const server = createServer((request, response) => {
      let body = ""
      request.on("data", (part: Buffer) => body += part).on("end", () => {
        requests.push({ body, token: request.headers.authorization })
        response.end(JSON.stringify({ hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "the server says no" } }))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
      configure(place, { PreToolUse: [{ hooks: [{ type: "http", url, headers: { authorization: "Bearer ${GUARD_TOKEN}" } }] }] })
      const settled = { ...place, environment: { ...place.environment, GUARD_TOKEN: "guard-token-1" } }
      await work(settled, touch("marker"), { text: "Done.", expect: { lastResult: "the server says no" } })
      expect(marker(place)).toBe(false)
      expect(requests.map(({ body, token }) => [JSON.parse(body).tool_name, token])).toEqual([["Bash", "Bearer guard-token-1"]])
    } finally {
      server.close()
    }
  })
})

describe("a project's hooks", () => {
  const settings = { hooks: { PreToolUse: [command("sh scripts/guard.sh")] } }
  const guard = "touch \"$CLAUDE_PROJECT_DIR/guarded\"\n"

  it("run only in a trusted folder, and no longer once their program has changed", async () => {
    await using place = Process.scene()
    write(place, { ".dacapo/config.jsonc": settings, "scripts/guard.sh": guard })
    await work(place, touch("one"), { text: "Done." })
    expect([marker(place, "guarded"), marker(place, "one")]).toEqual([false, true])
    expect((await Process.run(place, ["trust"])).stdout).toContain("scripts/guard.sh is run by a hook")
    await work(place, touch("two"), { text: "Done." })
    expect([marker(place, "guarded"), marker(place, "two")]).toEqual([true, true])
    write(place, { "scripts/guard.sh": "touch \"$CLAUDE_PROJECT_DIR/evil\"\n" })
    await work(place, touch("three"), { text: "Done.", expect: { lastResult: "scripts/guard.sh changed since you trusted this folder" } })
    expect([marker(place, "evil"), marker(place, "three")]).toEqual([false, false])
  })

  it("send no variable of the user's to a host", async () => {
    await using place = Process.scene()
    write(place, { ".dacapo/config.jsonc": { hooks: { PreToolUse: [{ hooks: [{ type: "http", url: "http://127.0.0.1:9/x", headers: { a: "${HOME}" } }] }] } } })
    await Process.run(place, ["trust"])
    await work(place, touch("marker"), { text: "Done.", expect: { lastResult: "failed" } })
    expect(marker(place)).toBe(false)
  })
})

describe("hook settings", () => {
  it("with an unknown event or an invalid matcher are errors that name it", async () => {
    using place = Process.place()
    configure(place, { PreTool: [command("true")] })
    expect(await work(place, { text: "Never." })).toMatchObject({ code: 52, stdout: expect.stringContaining("PreTool is not a hook event") })
    configure(place, { PreToolUse: [{ matcher: "(", ...command("true") }] })
    expect(await work(place, { text: "Never." })).toMatchObject({ code: 52, stdout: expect.stringContaining("matcher") })
  })
})
