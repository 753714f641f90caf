import { describe, expect, it } from "@effect/vitest"
import { execFileSync, spawn } from "node:child_process"
import { chmodSync, closeSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Process from "./support/Process.ts"

const results = (stdout: string) =>
  stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line)).filter(({ type }) => type === "result")

const json = ["-p", "--output-format", "stream-json"]
const sentence = /^dacapo: [^\n]+\n$/

describe("the process", () => {
  it("responds, stores the session, shows it, and replays it exactly", async () => {
    using place = Process.place()
    const model = place.script({ text: "Hello." }, { text: "Hello again." })
    expect(await Process.run(place, ["-p", "--model", model, "hi"])).toMatchObject({ code: 0, stdout: "Hello.\n", stderr: "" })
    expect(await Process.run(place, ["-p", "--continue", "and again"])).toMatchObject({ code: 0, stdout: "Hello again.\n" })
    const listed = await Process.run(place, ["sessions", "list", "--output-format", "json"])
    const [session] = JSON.parse(listed.stdout)
    expect(session).toMatchObject({ title: "hi", cwd: place.cwd, model })
    expect((await Process.run(place, ["sessions", "show", session.id.slice(0, 8)])).stdout).toContain("> and again\n\nHello again.")
    expect(await Process.run(place, ["replay", session.id, "--verify"])).toMatchObject({ code: 0, stderr: "" })
  })

  for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
    it(`exits with ${code} and one result on ${signal} during a command, and leaves no process`, async () => {
      using place = Process.place()
      const model = place.script({ calls: [{ name: "run_command", params: { command: "echo $$ > pid; exec sleep 300" } }] }, { text: "It went on." })
      const running = Process.start(place, [...json, "--permission-mode", "bypassPermissions", "--model", model, "sleep"])
      const pid = await Process.written(join(place.cwd, "pid"))
      running.child.kill(signal)
      const { code: exit, stderr, stdout } = await running.ended
      expect(exit).toBe(code)
      expect(results(stdout)).toMatchObject([{ subtype: "error_during_execution", is_error: true, reason: "interrupted", exit_code: code }])
      expect(stdout.trimEnd().split("\n").at(-2)).toContain("\"tool_result\"")
      expect(stderr).toMatch(/dacapo: Interrupted\. Run `dacapo --continue` to continue\.\n$/)
      expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH")
      expect(await Process.run(place, ["-p", "--continue"])).toMatchObject({ code: 0, stdout: "It went on.\n" })
    })
  }

  it("can be interrupted during a response, and continues with another task", async () => {
    using place = Process.place()
    const model = place.script({ text: "word ".repeat(2_000), chunkSize: 5, delayMs: 20 }, { text: "Yes." })
    const running = Process.start(place, ["-p", "--output-format", "events", "--model", model, "talk"])
    await running.shows("stdout", "\"ModelRequested\"")
    running.child.kill("SIGINT")
    expect(await running.ended).toMatchObject({ code: 130 })
    expect(await Process.run(place, ["-p", "--continue", "--model", place.script({ text: "Yes." }), "hello?"])).toMatchObject({ code: 0, stdout: "Yes.\n" })
  })

  it("exits quietly when its pipe is closed", async () => {
    using place = Process.place()
    const model = place.script({ text: "Hello." })
    const child = spawn("sh", ["-c", `"$0" "$@" | head -c 1 >/dev/null; echo done`, process.execPath, Process.main, ...json, "--model", model, "hi"], {
      cwd: place.cwd,
      env: place.environment
    })
    const text = { out: "", err: "" }
    child.stdout.on("data", (chunk) => text.out += chunk)
    child.stderr.on("data", (chunk) => text.err += chunk)
    await new Promise((resolve) => child.on("close", resolve))
    expect(text).toEqual({ out: "done\n", err: "" })
  })

  it("reports a full disk under standard output", async () => {
    using place = Process.place()
    const full = openSync("/dev/full", "w")
    const child = spawn(process.execPath, [Process.main, "-p", "--model", place.script({ text: "Hello." }), "hi"], {
      cwd: place.cwd,
      env: place.environment,
      stdio: ["ignore", full, "pipe"]
    })
    let stderr = ""
    child.stderr!.on("data", (chunk) => stderr += chunk)
    const code = await new Promise((resolve) => child.on("close", resolve))
    closeSync(full)
    expect({ code, stderr }).toEqual({ code: 1, stderr: "dacapo: Can't write to standard output: ENOSPC.\n" })
  })

  it("does not wait for silent standard input", async () => {
    using place = Process.place()
    const running = Process.start(place, ["-p", "--model", place.script({ text: "Hello." }), "hi"], "pipe")
    expect(await running.ended).toMatchObject({ code: 0, stdout: "Hello.\n" })
  })

  it("takes the prompt from standard input", async () => {
    using place = Process.place()
    const model = place.script({ text: "Hello.", expect: { contains: ["größer"] } })
    expect(await Process.run(place, ["-p", "--model", model], "größer?\n")).toMatchObject({ code: 0, stdout: "Hello.\n" })
  })

  it("fails with one sentence if the provider, key or script is invalid", async () => {
    using place = Process.place()
    const wrong: ReadonlyArray<readonly [string, number]> = [["nobody/nothing", 52], ["anthropic/claude-sonnet-4-5", 41]]
    for (const [model, code] of wrong) {
      const ended = await Process.run(place, ["-p", "--model", model, "hi"])
      expect(ended).toMatchObject({ code, stdout: "" })
      expect(ended.stderr).toMatch(sentence)
    }
  })

  it("resumes a session in its own folder from anywhere, and refuses if nothing is left to do", async () => {
    using place = Process.place()
    const model = place.script({ text: "Hello." }, { text: "Written.", calls: [{ name: "write_file", params: { path: "new.txt", content: "here" } }] }, { text: "Done." })
    await Process.run(place, ["-p", "--model", model, "--permission-mode", "acceptEdits", "hi"])
    const [{ id }] = JSON.parse((await Process.run(place, ["sessions", "list", "--output-format", "json"])).stdout)
    const elsewhere = { ...place, cwd: place.root }
    expect(await Process.run(elsewhere, ["-p", "--resume", id])).toMatchObject({ code: 42, stdout: "" })
    expect(await Process.run(elsewhere, ["-p", "--resume", id, "write it"])).toMatchObject({ code: 0, stdout: "Done.\n" })
    expect(readFileSync(join(place.cwd, "new.txt"), "utf8")).toContain("here")
    expect(await Process.run(elsewhere, ["-p", "--continue", "more"])).toMatchObject({ code: 42 })
    expect(await Process.run(place, ["replay", id, "--verify"])).toMatchObject({ code: 0, stderr: "" })
  })

  it("rewinds to a checkpoint, keeps files created since, and asks on another branch", async () => {
    using place = Process.place()
    const git = (...args: ReadonlyArray<string>) => execFileSync("git", ["-c", "user.name=me", "-c", "user.email=me@here", ...args], { cwd: place.cwd })
    writeFileSync(join(place.cwd, "a.txt"), "one\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    const model = place.script({ calls: [{ name: "write_file", params: { path: "a.txt", content: "two\n" } }] }, { text: "Done." })
    expect(await Process.run(place, ["-p", "--model", model, "--permission-mode", "acceptEdits", "go"])).toMatchObject({ code: 0 })
    const [first] = JSON.parse((await Process.run(place, ["checkpoints", "list", "--output-format", "json"])).stdout)
    const short = first.id.slice(0, 10)
    expect((await Process.run(place, ["checkpoints", "diff", short])).stdout).toContain("-one\n+two\n")
    writeFileSync(join(place.cwd, "mine.txt"), "mine\n")
    git("checkout", "-qb", "other")
    expect(await Process.run(place, ["checkpoints", "restore", short])).toMatchObject({ code: 58, stdout: "" })
    git("checkout", "-q", "-")
    const restored = await Process.run(place, ["checkpoints", "restore", short])
    expect(restored).toMatchObject({ code: 0, stderr: "" })
    expect(restored.stdout).toMatch(/^modified {2}a\.txt\nkept {6}mine\.txt\n/)
    expect([readFileSync(join(place.cwd, "a.txt"), "utf8"), readFileSync(join(place.cwd, "mine.txt"), "utf8")]).toEqual(["one\n", "mine\n"])
    expect(await Process.run(place, ["checkpoints", "restore", "0000000"])).toMatchObject({ code: 42 })
  })

  it("stops at a limit, and does not start with a budget that can't be enforced", async () => {
    using place = Process.place()
    const loop = { calls: [{ name: "list_files", params: { path: "." } }] }
    const turns = await Process.run(place, [...json, "--max-turns", "1", "--model", place.script(loop, loop), "go"])
    expect([turns.code, results(turns.stdout)]).toMatchObject([53, [{ subtype: "error_max_turns", num_turns: 1 }]])
    const unpriced = await Process.run(place, ["-p", "--max-budget-usd", "1", "--model", place.script({ text: "Hello." }), "go"])
    expect(unpriced).toMatchObject({ code: 52, stdout: "" })
    expect(unpriced.stderr).toContain("has no known price")
    const asks = { calls: [{ name: "run_command", params: { command: "touch made" } }] }
    const asked = await Process.run(place, [...json, "--on-ask", "exit", "--model", place.script(asks), "go"])
    expect([asked.code, results(asked.stdout)]).toMatchObject([58, [{ subtype: "error_during_execution", reason: "approval" }]])
  })

  it("fails with one sentence if sessions can't be stored", async () => {
    using place = Process.place()
    writeFileSync(join(place.root, "home"), "a file where a folder should be")
    const ended = await Process.run(place, ["-p", "--model", place.script({ text: "Hello." }), "hi"])
    expect(ended).toMatchObject({ code: 59, stdout: "" })
    expect(ended.stderr).toMatch(sentence)
  })

  it("writes a crash report and prints one sentence after an internal error", async () => {
    using place = Process.place()
    const broken = { ...place, environment: { ...place.environment, NODE_OPTIONS: `--import=${breaking(place.root)}` } }
    const ended = await Process.run(broken, ["sessions", "list"])
    expect(ended.code).toBe(1)
    expect(ended.stderr).toMatch(/^dacapo: Internal error: it is broken\. A crash report is in [^\n]+; please attach it to a bug report\.\n$/)
    const folder = join(place.root, "home", "state", "crashes")
    expect(readFileSync(join(folder, readdirSync(folder)[0]!), "utf8")).toMatch(/^dacapo [\d.]+\nflags: \nError: it is broken\n {4}at /)
  })
})

describe("an uncaught exception", () => {
  it("stops the task, leaves nothing running, and prints one sentence and one result", async () => {
    using place = Process.place()
    const file = join(place.root, "aside.mjs")
    writeFileSync(file, "const { write } = process.stdout\nprocess.stdout.write = function(...args) {\n  setImmediate(() => { throw new Error('it broke aside') })\n  process.stdout.write = write\n  return write.apply(this, args)\n}\n")
    const broken = { ...place, environment: { ...place.environment, NODE_OPTIONS: `--import=${file}` } }
    const model = place.script({ calls: [{ name: "run_command", params: { command: "sleep 300" } }] })
    const { code, stderr, stdout } = await Process.run(broken, [...json, "--permission-mode", "bypassPermissions", "--model", model, "go"])
    expect(code).toBe(1)
    expect(results(stdout)).toMatchObject([{ subtype: "error_during_execution", reason: "internal", is_error: true }])
    expect(stderr).toMatch(/^dacapo: Internal error: it broke aside\. A crash report is in [^\n]+; please attach it to a bug report\.\n$/)
  })
})

/** A module that makes the first write to standard output throw. */
const breaking = (root: string): string => {
  const file = join(root, "breaking.mjs")
  writeFileSync(file, "process.stdout.write = () => { throw new Error('it is broken') }\n")
  chmodSync(file, 0o644)
  return file
}
