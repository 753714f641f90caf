/** A program drives the command through its standard streams: control requests, approvals, interruptions. */
import { describe, expect, it } from "@effect/vitest"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Process from "./support/Process.ts"
import { drive, flags, type Line } from "./support/Program.ts"

const write = (path: string) => ({ calls: [{ name: "write_file", params: { path, content: "hi\n" } }] })
const prompts = ["--permission-prompt-tool", "stdio"]

describe("a program on the standard streams", () => {
  it("has a result for each message while it keeps the input open, and the exit code of the last", async () => {
    await using place = Process.scene()
    const program = drive(place, place.script({ text: "One." }, { text: "Two." }))
    program.say("first")
    expect(await program.result()).toMatchObject({ result: "One.", num_turns: 1, is_error: false })
    program.say("second", { uuid: "u2" })
    expect(await program.result(1)).toMatchObject({ result: "Two.", num_turns: 1 })
    expect(await program.end()).toMatchObject({ code: 0 })
    expect(program.lines().filter(({ type }) => type === "result")).toHaveLength(2)
  })

  it("gets an error for a request that nobody knows, and continues", async () => {
    await using place = Process.scene()
    const program = drive(place, place.script({ text: "Here." }))
    expect(await program.request("r1", { subtype: "initialize", systemPrompt: [""] })).toMatchObject({ subtype: "success", response: { output_style: "default" } })
    expect(await program.request("r2", { subtype: "teleport" })).toEqual({ subtype: "error", request_id: "r2", error: "Unsupported control request: teleport." })
    expect(await program.request("r3", { subtype: "set_permission_mode", mode: "free" })).toMatchObject({ subtype: "error" })
    program.say("still there?")
    expect(await program.result()).toMatchObject({ result: "Here." })
    expect(await program.end()).toMatchObject({ code: 0 })
  })

  it("is not asked with --permission-prompts none: what needs approval is denied", async () => {
    await using place = Process.scene()
    const program = drive(place, place.script(write("a.txt"), { text: "Done." }), ...prompts, "--permission-prompts", "none")
    program.say("write")
    expect(await program.result()).toMatchObject({ result: "Done.", permission_denials: [{ tool_name: "write_file" }] })
    expect(program.requests("can_use_tool")).toEqual([])
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(false)
    await program.end()
  })

  it("decides what needs approval: allows, denies with words, changes the call, and adds the offered rule alone", async () => {
    await using place = Process.scene()
    const model = place.script(
      write("a.txt"),
      write("b.txt"),
      { ...write("c.txt"), expect: { contains: ["not that one"] } },
      { calls: [{ name: "write_file", params: { path: "a.txt", content: "again\n" } }] },
      { text: "Done." }
    )
    const program = drive(place, model, ...prompts, "--tool-names", "claude")
    program.say("write")
    const first = await program.asked()
    expect(first["request"]).toMatchObject({
      tool_name: "Write",
      input: { file_path: "a.txt", content: "hi\n" },
      permission_suggestions: [{ type: "addRules", behavior: "allow", destination: "session", rules: [{ toolName: "Edit", ruleContent: "./a.txt" }] }]
    })
    program.respond(first["request_id"], {
      behavior: "allow",
      updatedInput: first["request"].input,
      updatedPermissions: first["request"].permission_suggestions
    })
    const second = await program.asked(1)
    program.respond(second["request_id"], { behavior: "deny", message: "not that one" })
    const third = await program.asked(2)
    program.respond(third["request_id"], {
      behavior: "allow",
      updatedInput: { file_path: "d.txt", content: "changed\n" },
      updatedPermissions: [{ type: "addRules", behavior: "allow", destination: "session", rules: [{ toolName: "Bash" }] }]
    })
    const changed = await program.asked(3)
    expect(changed["request"].input).toEqual({ file_path: "d.txt", content: "changed\n" })
    program.respond(changed["request_id"], { behavior: "allow" })
    // The rule of the first answer covers the last call.
    expect(await program.result()).toMatchObject({
      result: "Done.",
      permission_denials: [{ tool_name: "Write", tool_input: { file_path: "b.txt", content: "hi\n" } }]
    })
    await program.end()
    expect(["a.txt", "b.txt", "c.txt", "d.txt"].map((file) => existsSync(join(place.cwd, file)))).toEqual([true, false, false, true])
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("again\n")
    expect(program.lines().filter(({ request }) => request?.subtype === "can_use_tool")).toHaveLength(4)
  })

  it("interrupts a running command, and continues", async () => {
    await using place = Process.scene()
    const model = place.script({ calls: [{ name: "run_command", params: { command: "echo begun; sleep 600" } }] }, { text: "Back." })
    const program = drive(place, model, "--permission-mode", "bypassPermissions")
    program.say("wait")
    await program.until(({ type }) => type === "assistant")
    expect(await program.request("stop", { subtype: "interrupt" })).toMatchObject({ subtype: "success" })
    expect(await program.result()).toMatchObject({ subtype: "error_during_execution", is_error: false, reason: "interrupted", errors: [] })
    program.say("and now?")
    expect(await program.result(1)).toMatchObject({ subtype: "success", result: "Back." })
    expect(await program.end()).toMatchObject({ code: 0 })
  })

  it("switches the model of a running session", async () => {
    await using place = Process.scene()
    const program = drive(place, place.script({ text: "One." }))
    program.say("first")
    await program.result()
    // A script counts the responses of the session.
    const other = place.script({ text: "One." }, { text: "The other one." })
    expect(await program.request("r1", { subtype: "set_model", model: other })).toMatchObject({ subtype: "success" })
    program.say("who are you?")
    const second = await program.result(1)
    expect(second).toMatchObject({ result: "The other one." })
    expect(Object.keys(second["modelUsage"])).toContain(other)
    await program.end()
  })

  it("withdraws a request that an interruption made useless", async () => {
    await using place = Process.scene()
    const program = drive(place, place.script(write("a.txt")), ...prompts)
    program.say("write")
    const { request_id } = await program.asked()
    await program.request("stop", { subtype: "interrupt" })
    await program.until(({ request_id: id, type }) => type === "control_cancel_request" && id === request_id)
    await program.end()
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(false)
  })

  it("denies what is asked when the program has closed its end", async () => {
    await using place = Process.scene()
    const program = drive(place, place.script(write("a.txt"), { text: "Denied." }), ...prompts)
    program.say("write")
    expect(await program.end()).toMatchObject({ code: 0 })
    expect(program.lines().at(-1)).toMatchObject({ type: "result", result: "Denied.", permission_denials: [{ tool_name: "write_file" }] })
  })

  it("answers a question of the model", async () => {
    await using place = Process.scene()
    const model = place.script({ calls: [{ name: "ask_user", params: { question: "Which?", options: ["Left", "Right"] } }] }, { text: "Right it is.", expect: { contains: ["Right"] } })
    const program = drive(place, model, ...prompts)
    program.say("choose")
    const { request, request_id } = await program.asked()
    expect(request).toMatchObject({ tool_name: "AskUserQuestion", input: { questions: [{ question: "Which?", options: [{ label: "Left" }, { label: "Right" }] }] } })
    program.respond(request_id, { behavior: "allow", updatedInput: { ...request.input, answers: { "Which?": "Right" } } })
    expect(await program.result()).toMatchObject({ result: "Right it is." })
    await program.end()
  })

  it("sees a response as it streams, and sends images", async () => {
    await using place = Process.scene()
    const program = drive(place, place.script({ text: "A picture." }), "--include-partial-messages", "--replay-user-messages")
    const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    const content = [{ type: "text", text: "look" }, { type: "image", source: { type: "base64", media_type: "image/png", data } }]
    program.say(content, { uuid: "3b1c1f0e-0000-4000-8000-000000000000" })
    await program.result()
    await program.end()
    const lines = program.lines()
    expect(lines.find(({ type }) => type === "user")).toMatchObject({ isReplay: true, uuid: "3b1c1f0e-0000-4000-8000-000000000000", message: { content } })
    const events = lines.flatMap(({ event, type }) => type === "stream_event" ? [event] : [])
    expect(events.map(({ type }) => type)).toEqual([
      "message_start",
      "content_block_start",
      ...events.slice(2, -3).map(() => "content_block_delta"),
      "content_block_stop",
      "message_delta",
      "message_stop"
    ])
    expect(events.flatMap(({ delta }) => delta?.text ?? []).join("")).toBe("A picture.")
  })

  it("may not be freed by the SDK's flags: bypassPermissions needs the start, guards that we can't keep end the run", async () => {
    await using place = Process.scene()
    const program = drive(place, place.script({ text: "Hi." }))
    expect(await program.request("r1", { subtype: "set_permission_mode", mode: "bypassPermissions" })).toMatchObject({ subtype: "error" })
    const operation = { _tag: "SetMode", session: "", mode: "bypassPermissions" }
    expect(await program.request("r2", { subtype: "operation", operation })).toMatchObject({ subtype: "error" })
    expect(await program.request("r3", { subtype: "set_permission_mode", mode: "plan" })).toMatchObject({ subtype: "success", response: { mode: "plan" } })
    expect(await program.end()).toMatchObject({ code: 0 })

    const hooked = drive(place, place.script({ text: "Hi." }))
    const hooks = { PostToolBatch: [{ hookCallbackIds: ["h"] }] }
    expect(await hooked.request("r1", { subtype: "initialize", hooks })).toMatchObject({ subtype: "error", error: expect.stringContaining("PostToolBatch") })
    expect(await hooked.ended).toMatchObject({ code: 2 })
    for (const settings of [{ hooks: {} }, { permissions: { ask: ["Bash"] } }]) {
      const ended = await Process.run(place, [...flags, "--settings", JSON.stringify(settings)], "")
      expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining("can't be ignored") })
    }
  })

  it("passes the flags of the SDK: rules of tools that we lack are dropped, what has no effect is named", async () => {
    await using place = Process.scene()
    writeFileSync(join(place.cwd, "a.txt"), "hello\n")
    const args = [
      "--verbose",
      "--max-thinking-tokens=0",
      "--setting-sources=",
      "--allow-dangerously-skip-permissions",
      "--disallowedTools=NotebookRead,Bash",
      "--tools=Read,Monitor",
      "--strict-mcp-config",
      "--betas=context-1m",
      "--no-session-persistence",
      "--settings={\"permissions\":{\"deny\":[\"WebFetch\"]},\"spinnerTips\":false}"
    ]
    const program = drive(place, place.script({ text: "Hi." }), ...args)
    expect(await program.request("r1", { subtype: "initialize", systemPrompt: ["You are brief."] })).toMatchObject({ subtype: "success" })
    program.say("hello")
    expect(await program.result()).toMatchObject({ result: "Hi." })
    const { stderr } = await program.end()
    expect(program.lines()).toContainEqual(expect.objectContaining({ type: "system", subtype: "init", tools: ["read_file"], output_style: "default" }))
    expect(stderr).toContain("--betas has no effect.")
    expect(stderr).toContain("NotebookRead names a tool that dacapo does not have.")
    expect(stderr).toContain("spinnerTips of --settings has no effect.")
  })

  it("uses the plugins of --plugin-dir for this run; their hooks guard, and one that can't be read ends it", async () => {
    await using place = Process.scene()
    const plugin = (name: string, hooks: object) => {
      const folder = join(place.root, name)
      mkdirSync(join(folder, ".claude-plugin"), { recursive: true })
      mkdirSync(join(folder, "commands"))
      writeFileSync(join(folder, ".claude-plugin/plugin.json"), JSON.stringify({ name, hooks }))
      writeFileSync(join(folder, "commands/greet.md"), "Greet the pears.")
      mkdirSync(join(folder, "skills/pick"), { recursive: true })
      writeFileSync(join(folder, "skills/pick/SKILL.md"), "---\nname: pick\ndescription: How pears are picked.\n---\nGently.\n")
      return folder
    }
    const pears = plugin("pears", { PreToolUse: [{ matcher: "Write", hooks: [{ type: "command", command: "echo 'pears stay' >&2; exit 2" }] }] })
    const program = drive(place, place.script(write("a.txt"), { text: "Done.", expect: { contains: ["pears stay"] } }), "--permission-mode=acceptEdits", `--plugin-dir=${pears}`)
    program.say("write")
    expect(await program.result()).toMatchObject({ result: "Done.", is_error: false })
    await program.end()
    expect(program.lines()[0]).toMatchObject({ subtype: "init", uuid: expect.stringMatching(/^[0-9a-f-]{36}$/), timestamp: expect.stringMatching(/Z$/) })
    expect(program.lines()[0]!["slash_commands"]).toContain("pears:greet")
    expect(program.lines()[0]).toMatchObject({ plugins: [{ name: "pears", path: pears }], skills: ["pears:pick"] })
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(false)
    for (const folder of [join(place.root, "missing"), plugin("plums", { NoSuchEvent: 1 })]) {
      const ended = await Process.run(place, [...flags, `--plugin-dir=${folder}`], "")
      expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining("can't be used") })
    }
  })

  it("continues a session after the message that it names, in a fork or in the session itself", async () => {
    await using place = Process.scene()
    const model = place.script({ text: "One." }, { text: "Two." }, { text: "Other." })
    const program = drive(place, model)
    program.say("first")
    await program.result()
    program.say("second")
    const { session_id } = await program.result(1)
    await program.end()
    const uuid = program.lines().find(({ type }) => type === "assistant")!["uuid"]
    for (const fork of [["--fork-session"], []]) {
      const again = drive(place, place.script(...Array.from({ length: 4 }, () => ({ text: "Other." }))), `--resume=${session_id}`, `--resume-session-at=${uuid}`, ...fork)
      again.say("instead")
      const result = await again.result()
      expect(result).toMatchObject({ result: "Other." })
      expect(result["session_id"] === session_id).toBe(fork.length === 0)
      await again.end()
    }
    const lost = await Process.run(place, [...flags, `--resume=${session_id}`, "--resume-session-at=00000000-0000-4000-8000-000000000000"], "")
    expect(lost.code).toBe(2)
  })

  it("runs any operation of the control protocol", async () => {
    await using place = Process.scene()
    const program = drive(place, place.script({ text: "One." }))
    program.say("first")
    const { session_id } = await program.result()
    const run = (id: string, operation: Line) => program.request(id, { subtype: "operation", operation: { session: session_id, ...operation } })
    expect(await run("r1", { _tag: "Replay", from: 0, to: 1 })).toMatchObject({ response: { events: [{ seq: 0 }, { seq: 1 }] } })
    const fork = await run("r2", { _tag: "Fork" })
    expect(fork["response"].session).not.toBe(session_id)
    expect(await run("r3", { _tag: "Rewind", to: 0, files: false, conversation: true })).toMatchObject({ subtype: "success" })
    expect(await run("r4", { _tag: "SetModel", model: "nobody/none" })).toMatchObject({ subtype: "error" })
    expect(await run("r5", { _tag: "Say", text: "" })).toMatchObject({ subtype: "error", error: "The message is empty. Correct the request, and send it again." })
    await program.end()
  })
})
