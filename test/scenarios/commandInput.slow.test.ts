/** Input to running commands, by the model and by the user, through the command line; each session replays. */
import { describe, expect, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { SessionEvent } from "../../src/domain/session/SessionEvent.ts"
import * as Message from "../../src/domain/message/Message.ts"
import * as Process from "../cli/support/Process.ts"
import * as Tmux from "../cli/support/Tmux.ts"

const flags = ["--output-format", "events", "--permission-mode", "bypassPermissions"]
const idle = "Enter to send, Shift-Tab to change mode"
const timeout = 120_000

const call = (name: string, params: object) => ({ calls: [{ name, params }] })
const run = (command: string, more: object = {}) => call("run_command", { command, ...more })
const type = (params: object) => call("command_input", { id: "call_1_1", ...params })

/** What the model was told of each call. */
const results = (stdout: string): ReadonlyArray<string> =>
  stdout.split("\n").flatMap((line) => {
    const event = line.startsWith("{\"v\"") ? (JSON.parse(line) as SessionEvent).event : undefined
    return event?._tag === "ToolFinished" ? [Message.text(event.outcome.content)] : []
  })

/** Every file below a folder that contains these bytes. */
const filesWith = (folder: string, text: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name)
    return entry.isFile() && readFileSync(path).includes(text) ? [path] : []
  })

describe.concurrent("the model", () => {
  it("answers a command that asks, with text and keys, and learns what it makes of them", { timeout }, async () => {
    await using place = Process.scene()
    const model = place.script(
      run("read -p 'Name? ' name; echo \"Hello $name\"; read -p 'Sure? [y/N] ' sure; echo \"sure: $sure\"", { terminal: true }),
      type({ text: "Ada" }),
      type({ text: "yx", keys: ["Backspace", "Enter"] }),
      type({ text: "again" }),
      { text: "Answered." }
    )
    const { code, stdout } = await Process.run(place, ["-p", "--model", model, ...flags, "Ask"])
    const [asked, greeted, sure, over] = results(stdout)
    expect(asked).toMatch(/^It waits for input at "Name\?": answer with command_input\. call_1_1 is running\./)
    expect(greeted).toMatch(/^call_1_1 is running\.\nLines \d to \d:\nName\? Ada\nHello Ada\nSure\? \[y\/N\]$/)
    expect(sure).toMatch(/^Exit code 0\.\n[^]*sure: y$/)
    expect(over).toContain("call_1_1 has ended.")
    expect(code).toBe(0)
  })

  it("interrupts a command by a key, and is told of keys that do not exist", { timeout }, async () => {
    await using place = Process.scene()
    const model = place.script(
      run("trap 'echo interrupted; exit 7' INT; echo ready; while :; do sleep 0.1; done", { terminal: true, background: true }),
      type({ keys: ["Hyper-Q"] }),
      type({ text: "\u0003" }),
      type({ keys: ["ctrl+c"] }),
      { text: "Over." }
    )
    const { code, stdout } = await Process.run(place, ["-p", "--model", model, ...flags, "Interrupt"])
    const [, noKey, control, stopped] = results(stdout)
    expect(noKey).toContain("There is no key called \"Hyper-Q\".")
    expect(control).toContain("text contains control characters. Press keys by name")
    expect(stopped).toMatch(/^Exit code 7\.\n[^]*interrupted$/)
    expect(code).toBe(0)
  })

  it("types nothing at a hidden prompt: only the user may answer that", { timeout }, async () => {
    await using place = Process.scene()
    const model = place.script(
      run("read -s -p 'Magic word: ' word; echo \"${#word} characters\"", { terminal: true, background: true }),
      type({ text: "guess" }),
      type({ keys: ["Ctrl-C"] }),
      run("read -p 'Token: ' token", { terminal: true }),
      { text: "Refused." }
    )
    const { code, stdout } = await Process.run(place, ["-p", "--model", model, ...flags, "Guess"])
    const [, refused, , stopped] = results(stdout)
    expect(refused).toMatch(/^Nothing was typed: call_1_1 asks "Magic word:", and only the user may answer that\./)
    expect(stdout).not.toContain("5 characters")
    expect(stopped === undefined || /^(It waits for input|It asked)/.test(stopped)).toBe(true)
    expect(code).toBe(0)
  })

  it("asks before it types, showing which command gets what; a rule for the command covers it, one for a shell does not", { timeout }, async () => {
    await using place = Process.scene()
    const asking = run("./ask.sh", { terminal: true })
    const { writeFileSync } = await import("node:fs")
    writeFileSync(join(place.cwd, "ask.sh"), "#!/bin/bash\nread -p 'Name? ' name\necho \"Hello $name\"\n", { mode: 0o755 })
    const denied = place.script(run("bash --norc", { terminal: true, background: true }), type({ text: "touch typed" }), { text: "Denied." })
    const shell = await Process.run(place, ["-p", "--model", denied, "--output-format", "events", "--allowedTools", "Bash(bash --norc)", "Ask"])
    expect(shell.stderr).toContain("Denied type \"touch typed\" Enter into bash --norc")
    expect(readdirSync(place.cwd)).toEqual(["ask.sh"])
    const allowed = place.script(asking, type({ text: "Ada" }), { text: "Allowed." })
    const rule = await Process.run(place, ["-p", "--model", allowed, "--output-format", "events", "--allowedTools", "Bash(./ask.sh)", "Ask"])
    expect(results(rule.stdout)[1]).toContain("Hello Ada")
  })

  it("gets standard error marked apart from standard output where it asks for that", { timeout }, async () => {
    await using place = Process.scene()
    const model = place.script(
      run("echo out; echo one >&2; printf 'two\\nthree' >&2; printf end", { separate_stderr: true }),
      run("echo out; echo err >&2"),
      { text: "Both." }
    )
    const { stdout } = await Process.run(place, ["-p", "--model", model, ...flags, "Run"])
    const [apart, together] = results(stdout)
    expect(apart!.split("\n").toSorted()).toEqual(["Exit code 0.", "end", "out", "stderr | one", "stderr | three", "stderr | two"])
    expect(together).toBe("Exit code 0.\nout\nerr")
  })
})

describe.concurrent("the user", () => {
  it("types a password into a command, and nothing stores it", { timeout }, async () => {
    await using place = Process.scene()
    const secret = "correct-horse-7"
    const model = place.script(
      run("for i in $(seq 60); do echo \"line $i\"; done; read -s -p 'Password: ' p; echo; echo \"got ${#p}: $p\"", { terminal: true }),
      { text: "Let in." }
    )
    using terminal = Tmux.open(place, ["--model", model, "--permission-mode", "bypassPermissions", "log in"], {}, { record: "bytes" })
    await terminal.shows("asks for hidden input: Ctrl-O to type it")
    terminal.press("C-o")
    await terminal.shows("Hidden input, for the command only.")
    terminal.press("PageUp")
    await terminal.shows(/, paused$/m)
    terminal.press("C-]")
    await terminal.shows("Enter to type")
    terminal.press("End")
    await terminal.shows("line 60")
    terminal.press("Enter")
    await terminal.shows("Hidden input, for the command only.")
    terminal.type("wrong")
    terminal.press("C-u")
    terminal.type(secret)
    terminal.press("Enter")
    await terminal.shows("got 15: [hidden input]")
    // Until the command has ended, keys go to it.
    await terminal.shows("exit code 0")
    terminal.press("Escape")
    await terminal.shows("Let in.")
    await terminal.shows(idle)
    terminal.type("/quit")
    terminal.press("Enter")
    await terminal.shows("left with 0")
    expect(filesWith(join(place.root, "home"), secret)).toEqual([])
    expect(readFileSync(join(place.root, "bytes"), "utf8")).not.toContain(secret)
    expect(readFileSync(join(place.root, "bytes"), "utf8")).not.toContain("wrong")
  })

  it("moves a command to the background while its output streams, and looks at it there", { timeout }, async () => {
    await using place = Process.scene()
    const model = place.script(
      run("i=0; while :; do i=$((i+1)); echo \"tick $i\"; sleep 0.02; done"),
      call("stop_command", { id: "call_1_1" }),
      { text: "It was stopped." }
    )
    using terminal = Tmux.open(place, ["--model", model, "tick"])
    await terminal.shows(/tick \d\d/)
    terminal.press("C-b")
    await terminal.shows("It was stopped.")
    await terminal.shows(idle)
    expect(terminal.all()).toContain("Moved to the background.")
    terminal.type("/ps")
    terminal.press("Enter")
    await terminal.asks("Choose a command to show")
    terminal.press("Enter")
    expect(await terminal.shows(/ended by SIG\w+, lines/)).toMatch(/tick \d+/)
    terminal.press("Home")
    await terminal.shows(/^tick 1$/m)
    terminal.press("Escape")
    await terminal.shows("It was stopped.")
  })
})
