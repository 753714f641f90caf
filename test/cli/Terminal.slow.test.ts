import { describe, expect, it } from "@effect/vitest"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Process from "./support/Process.ts"
import * as Tmux from "./support/Tmux.ts"

const idle = "Enter to send, Shift-Tab to change mode, ? for keys"

describe("a real terminal", () => {
  it("shows its folder, takes a prompt, responds, and is restored", async () => {
    using place = Process.place()
    using terminal = Tmux.open(place, ["--model", place.script({ text: "Hello **there**." })])
    await terminal.shows(/^· dacapo [\d.]+ in .+\/project\n/)
    await terminal.shows(idle)
    terminal.type("hi")
    terminal.press("Enter")
    await terminal.shows("Hello there.")
    await terminal.shows(idle)
    terminal.press("C-c")
    await terminal.shows("Press Ctrl-C again to exit")
    terminal.press("C-c")
    const left = await terminal.shows("left with")
    expect(left).toContain("left with 130, icanon echo")
    expect(left).toContain("Resume this session with:\ndacapo --resume ")
  })

  it("streams a response, is interrupted with Escape, and continues with the next message", async () => {
    using place = Process.place()
    const model = place.script({ text: Array.from({ length: 300 }, (_, i) => `line ${i}`).join("\n"), chunkSize: 8, delayMs: 15 }, { text: "As you say." })
    using terminal = Tmux.open(place, ["--model", model, "talk"])
    await terminal.shows("line 3")
    expect(terminal.screen()).toContain("Working: Enter to steer, Tab to queue, Esc to interrupt")
    expect(terminal.screen()).not.toContain("line 299")
    terminal.press("Escape")
    await terminal.shows("Interrupted.")
    await terminal.shows(idle)
    terminal.type("/quit")
    terminal.press("Enter")
    await terminal.shows("left with 0")
  })

  it("shows an edit's diff for approval, makes it, and denies a command with a message to the model", async () => {
    using place = Process.place()
    writeFileSync(join(place.cwd, "a.txt"), "one\ntwo\nthree\n")
    const model = place.script(
      { calls: [{ name: "read_file", params: { path: "a.txt" } }] },
      { text: "Now the edit.", calls: [{ name: "edit_file", params: { path: "a.txt", old_text: "two", new_text: "zwei" } }] },
      { calls: [{ name: "run_command", params: { command: "rm a.txt" } }] },
      { text: "I leave it.", expect: { contains: ["keep the file"] } }
    )
    using terminal = Tmux.open(place, ["--model", model, "translate"])
    const asked = await terminal.shows("y  Yes")
    expect(asked).toContain("✓ Read a.txt")
    expect(asked).toContain("? Edit a.txt? +1 -1 medium risk\n")
    expect(asked).toContain("  2 - two\n  2 + zwei\n")
    terminal.press("y")
    await terminal.shows("✓ Edit a.txt +1 -1")
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("one\nzwei\nthree\n")
    await terminal.shows("y  Yes")
    expect(terminal.screen()).toContain("? Run this command? high risk\n  rm a.txt")
    terminal.press("n")
    await terminal.shows("Tell the agent:")
    terminal.type("keep the file")
    terminal.press("Enter")
    await terminal.shows("⊘ Run rm a.txt (denied)")
    await terminal.shows("I leave it.")
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("one\nzwei\nthree\n")
  })

  it("interrupts a running command whose output it shows, then exits", async () => {
    using place = Process.place()
    const model = place.script({ calls: [{ name: "run_command", params: { command: "echo begun; echo $$ > pid; exec sleep 300" } }] })
    using terminal = Tmux.open(place, ["--model", model, "--permission-mode", "bypassPermissions", "run it"])
    await terminal.shows(/◐ Run echo begun.*\n {2}begun/)
    const pid = await Process.written(join(place.cwd, "pid"))
    terminal.press("C-c")
    await terminal.shows("(interrupted)")
    expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH")
    terminal.press("C-d")
    await terminal.shows("left with 0, icanon echo")
  })

  it("steers and queues input during a task", async () => {
    using place = Process.place()
    const model = place.script(
      { calls: [{ name: "run_command", params: { command: "while [ ! -e go ]; do sleep 0.05; done" } }] },
      { text: "Steered.", expect: { contains: ["steer this"] } },
      { text: "Queued.", expect: { contains: ["queue this"] } }
    )
    using terminal = Tmux.open(place, ["--model", model, "--permission-mode", "bypassPermissions", "work"])
    await terminal.shows("◐ Run while")
    terminal.type("queue this")
    terminal.press("Tab")
    await terminal.shows("> queue this (queued; Up to edit)")
    terminal.press("Up")
    await terminal.shows(/> queue this\s*\n/)
    terminal.press("Tab")
    await terminal.shows("> queue this (queued; Up to edit)")
    await terminal.shows("1 queued")
    terminal.type("steer this")
    terminal.press("Enter")
    await terminal.shows("> steer this")
    writeFileSync(join(place.cwd, "go"), "")
    await terminal.shows("Steered.")
    await terminal.shows("Queued.")
    await terminal.shows(idle)
  })

  it("goes through the modes", async () => {
    using place = Process.place()
    using terminal = Tmux.open(place, ["--model", place.script({ text: "Hello." }), "--permission-mode", "acceptEdits"])
    await terminal.shows("acceptEdits ·")
    for (const mode of ["plan", "auto", "ask", "acceptEdits"]) {
      terminal.press("BTab")
      await terminal.shows(new RegExp(`^${mode} ·`, "m"))
    }
  })

  it("remembers an \"always\" approval, and shows an earlier session when it is resumed", async () => {
    using place = Process.place()
    writeFileSync(join(place.cwd, "a.txt"), "one\n")
    const edit = (from: string, to: string) => ({ calls: [{ name: "edit_file", params: { path: "a.txt", old_text: from, new_text: to } }] })
    const read = { calls: [{ name: "read_file", params: { path: "a.txt" } }] }
    const model = place.script(read, edit("one", "two"), { text: "First done." }, edit("two", "three"), { text: "Second done." })
    {
      using terminal = Tmux.open(place, ["--model", model, "go"])
      await terminal.shows("a  Yes, and")
      terminal.press("a")
      await terminal.shows("First done.")
      terminal.press("C-d")
      await terminal.shows("left with 0")
    }
    using terminal = Tmux.open(place, ["--continue"])
    await terminal.shows("First done.")
    await terminal.shows(idle)
    terminal.type("and again")
    terminal.press("Enter")
    await terminal.shows("Second done.")
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("three\n")
    const later = await Process.run(place, ["-p", "--model", place.script(read, edit("three", "four"), { text: "Third done." }), "go"])
    expect(later).toMatchObject({ code: 0, stdout: "Third done.\n", stderr: "" })
  })

  it("recalls the messages of earlier sessions of the folder, and counts what runs in the background", async () => {
    using place = Process.place()
    await Process.run(place, ["-p", "--model", place.script({ text: "First done." }), "what was said before"])
    const model = place.script({ calls: [{ name: "run_command", params: { command: "exec sleep 300", background: true } }] }, { text: "It runs." })
    using terminal = Tmux.open(place, ["--model", model, "--permission-mode", "bypassPermissions"], {}, { columns: 140 })
    await terminal.shows(idle)
    terminal.press("Up")
    await terminal.shows("> what was said before")
    terminal.press("C-u")
    terminal.type("start it")
    terminal.press("Enter")
    await terminal.shows("It runs.")
    await terminal.shows(idle)
    await terminal.shows("1 running")
    terminal.press("Up")
    await terminal.shows(/^> start it\n(?:(?!─)[^])*$/m)
    terminal.press("Up")
    await terminal.shows("> what was said before")
  })

  it("takes several lines, and remembers them", async () => {
    using place = Process.place()
    using terminal = Tmux.open(place, ["--model", place.script({ text: "Two lines.", expect: { contains: ["one\ntwo"] } })])
    await terminal.shows(idle)
    terminal.type("one\\")
    terminal.press("Enter")
    terminal.type("two")
    terminal.press("Enter")
    await terminal.shows("Two lines.")
    terminal.press("Up")
    await terminal.shows(/> one\n {2}two\n(default|.*·)/)
  })

  it("has colour unless NO_COLOR says otherwise", async () => {
    using place = Process.place()
    const model = place.script({ text: "Hello `there`." })
    using colored = Tmux.open(place, ["--model", model, "hi"])
    await colored.shows("Hello there.")
    expect(colored.screen("escapes")).toContain("\u001b[33mthere")
    using plain = Tmux.open(place, ["--model", model, "hi"], { NO_COLOR: "1" })
    await plain.shows("Hello `there`.")
    expect(plain.screen("escapes")).not.toMatch(/\u001b\[[\d;]*3[0-7]m/)
  })

  it("leaves no remains after it was made narrower", async () => {
    using place = Process.place()
    using terminal = Tmux.open(place, ["--model", place.script({ text: "A line of an answer that is longer than a narrow terminal is wide, so that it wraps.\n\n- one\n- two" }), "hi"], {}, { columns: 100 })
    await terminal.shows("two")
    await terminal.shows(idle)
    await terminal.still()
    const before = terminal.all()
    for (const columns of [40, 22, 100]) {
      terminal.resize(columns, 40)
      await terminal.shows(new RegExp(`${"─".repeat(Math.min(24, columns))}\n>`))
      await terminal.still()
      expect(terminal.all().match(/^─+$/gm)).toHaveLength(1)
      expect(terminal.all()).not.toContain("\n\n\n")
    }
    expect(terminal.all()).toBe(before)
  })

  it("shows a killed task as unfinished, continues it, and can interrupt it then", async () => {
    using place = Process.place()
    const model = place.script({ calls: [{ name: "run_command", params: { command: "kill -9 $PPID; sleep 300" } }] }, { calls: [{ name: "run_command", params: { command: "echo again; sleep 300" } }] })
    const flags = ["--model", model, "--permission-mode", "bypassPermissions"]
    using killed = Tmux.open(place, [...flags, "end"])
    await killed.shows("left with 137")
    using terminal = Tmux.open(place, [...flags, "--continue"])
    await terminal.shows("The last task is unfinished. Type /continue to continue it.")
    await terminal.shows(/■ Run kill -9 \$PPID; sleep 300 \(interrupted\)[^]*Enter to send/)
    terminal.type("/continue")
    terminal.press("Enter")
    await terminal.shows(/Run it again\?[^]*Enter to answer/)
    terminal.press("n")
    await terminal.shows("Tell the agent:")
    terminal.press("Enter")
    await terminal.shows(/◐ Run echo again; sleep 300\n {2}again[^]*Esc to interrupt/)
    terminal.press("Escape")
    await terminal.shows(/■ Run echo again; sleep 300 \(interrupted\)[^]*Enter to send/)
  })

  it("restores the terminal when it is terminated", async () => {
    using place = Process.place()
    using terminal = Tmux.open(place, ["--model", place.script({ calls: [{ name: "run_command", params: { command: "kill -TERM $PPID; sleep 300" } }] }), "--permission-mode", "bypassPermissions", "end"])
    expect(await terminal.shows("left with")).toContain("left with 143, icanon echo")
  })
})
