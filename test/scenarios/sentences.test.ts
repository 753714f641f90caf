/** What goes wrong before or around a task: one sentence on standard error, one result in JSON, the right exit code. */
import { describe, expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Process from "../cli/support/Process.ts"

const sentence = /^dacapo: [^\n]+\n$/
const task = (place: Process.Place) => ["-p", "--model", place.script({ text: "Hello." })]

interface Wrong {
  readonly name: string
  readonly args: (place: Process.Place) => ReadonlyArray<string>
  readonly stdin?: string
  readonly code: number
  readonly says: string
}

const table: ReadonlyArray<Wrong> = [
  { name: "an unknown flag", args: () => ["-p", "--modle", "a/b", "hi"], code: 2, says: "--model" },
  { name: "an unknown mode", args: () => ["-p", "--permission-mode", "brave", "hi"], code: 2, says: "acceptEdits" },
  { name: "a rule that can't be understood", args: (place) => [...task(place), "--allowedTools", "Bash()", "hi"], code: 2, says: "Bash()" },
  { name: "a missing key", args: () => ["-p", "--model", "anthropic/claude-sonnet-4-5", "hi"], code: 41, says: "ANTHROPIC_API_KEY" },
  { name: "an unknown provider", args: () => ["-p", "--model", "antropic/claude-sonnet-4-5", "hi"], code: 52, says: "anthropic" },
  { name: "a folder that is not there", args: (place) => [...task(place), "-C", "nowhere", "hi"], code: 42, says: "nowhere" },
  { name: "no prompt", args: task, code: 42, says: "prompt" },
  { name: "a session that is not there", args: (place) => [...task(place), "--resume=01900000-0000-7000-8000-000000000000", "hi"], code: 42, says: "01900000" }
]

describe("one sentence and an exit code", () => {
  it.each(table)("for $name", async ({ args, code, says, stdin }) => {
    await using place = Process.scene()
    const ended = await Process.run(place, args(place), stdin)
    expect(ended).toMatchObject({ code, stdout: "" })
    expect(ended.stderr).toMatch(sentence)
    expect(ended.stderr).toContain(says)
    const json = await Process.run(place, [...args(place), "--output-format", "json"], stdin)
    expect(json.code).toBe(code)
    expect(JSON.parse(json.stdout)).toMatchObject({ type: "result", is_error: true })
  })

  it("for a prompt that is no UTF-8", async () => {
    await using place = Process.scene()
    const running = Process.start(place, task(place), "pipe")
    running.child.stdin?.end(Buffer.from([0x68, 0xff, 0xfe]))
    expect(await running.ended).toMatchObject({ code: 42, stdout: "", stderr: expect.stringMatching(sentence) })
  })

  it("for settings that are no JSON, with file and line", async () => {
    await using place = Process.scene()
    mkdirSync(join(place.root, "home"), { recursive: true })
    writeFileSync(join(place.root, "home", "config.jsonc"), "{\n  \"model\": ,\n}\n")
    const ended = await Process.run(place, [...task(place), "hi"])
    expect(ended).toMatchObject({ code: 52, stdout: "" })
    expect(ended.stderr).toMatch(/config\.jsonc:2/)
  })

  it("for a file that is not text: the model is told its type, and continues", async () => {
    await using place = Process.scene()
    writeFileSync(join(place.cwd, "photo.png"), Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"))
    const model = place.script(
      { calls: [{ name: "read_file", params: { path: "photo.png" } }] },
      { text: "It is a picture.", expect: { lastResult: "PNG" } }
    )
    expect(await Process.run(place, ["-p", "--model", model, "Look"])).toMatchObject({ code: 0, stdout: "It is a picture.\n" })
  })

  it("for an unreadable file: the model is told, and continues", async () => {
    await using place = Process.scene()
    mkdirSync(join(place.cwd, "closed"))
    writeFileSync(join(place.cwd, "closed", "a.txt"), "")
    chmodSync(join(place.cwd, "closed"), 0)
    const model = place.script(
      { calls: [{ name: "read_file", params: { path: "closed/b.txt" } }] },
      { text: "It is closed." }
    )
    const ended = await Process.run(place, ["-p", "--model", model, "Look"])
    chmodSync(join(place.cwd, "closed"), 0o700)
    expect(ended).toMatchObject({ code: 0, stdout: "It is closed.\n" })
  })

  it("for a full disk: nothing that was shown is lost", async () => {
    await using place = Process.scene()
    const model = place.script({ text: "word ".repeat(200_000) })
    const limited = ["-c", "trap '' XFSZ; ulimit -f 400; exec \"$0\" \"$@\"", process.execPath, Process.main, "-p", "--model", model, "hi"]
    const { status, stderr } = spawnSync("bash", limited, { cwd: place.cwd, env: place.environment, encoding: "utf8" })
    expect(status).toBe(59)
    expect(stderr).toMatch(sentence)
    const shown = spawnSync(process.execPath, [Process.main, "sessions", "show", "latest"], { cwd: place.cwd, env: place.environment, encoding: "utf8" })
    expect(shown.status).toBe(0)
    expect(shown.stdout).toContain("> hi")
  })

  it("for a time limit that is reached in the middle of a command, which ends; the session replays", async () => {
    await using place = Process.scene()
    const model = place.script({ calls: [{ name: "run_command", params: { command: "sleep 60" } }] })
    const args = ["-p", "--output-format", "json", "--permission-mode", "bypassPermissions", "--timeout", "1", "--model", model, "Wait"]
    const ended = await Process.run(place, args)
    expect(ended.code).toBe(53)
    expect(JSON.parse(ended.stdout)).toMatchObject({ subtype: "error_during_execution", is_error: true, reason: "time" })
    expect(await Process.run(place, ["replay", "latest", "--verify"])).toMatchObject({ code: 0, stderr: "" })
  })
})
