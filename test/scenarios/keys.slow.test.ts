/** The menu and the keys, at a real terminal: what a person presses, and what comes of it. */
import { describe, expect, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Process from "../cli/support/Process.ts"
import * as Tmux from "../cli/support/Tmux.ts"

const idle = "Enter to send, Shift-Tab to change mode"
const timeout = 120_000

const enter = (terminal: Tmux.Terminal, text: string) => {
  terminal.type(text)
  terminal.press("Enter")
}

const write = (path: string, content: string) => ({ calls: [{ name: "write_file", params: { path, content } }] })

describe.concurrent("at the terminal", () => {
  it("every command of the menu shows something, and `/new` and `/resume` go to a new session and back", { timeout }, async () => {
    using place = Process.place()
    using terminal = Tmux.open(place, ["--model", place.script({ text: "Hello there." }), "hi"])
    await terminal.shows("Hello there.")
    await terminal.shows(idle)
    for (const [command, text] of [
      ["/agents", "No agent profiles found."],
      ["/config theme light", "Set theme to light"],
      ["/diff", "No file has changed in this session."],
      ["/ps", "No commands are running."],
      ["/skills", "No skills found."],
      ["/status", /Mode +ask/],
      ["/permissions", "Mode: ask."],
      ["/export talk.md", "talk.md."],
      ["/reportbug", "/state/reports/dacapo-bug-"],
      ["/clear", "Started a new session."]
    ] as const) {
      enter(terminal, command)
      await terminal.shows(text)
    }
    expect(readFileSync(join(place.cwd, "talk.md"), "utf8")).toContain("Hello there.")
    enter(terminal, "/resume")
    await terminal.asks("Choose a session to resume")
    terminal.press("Enter")
    await terminal.shows(/Started a new session[^]*> hi[^]*Hello there\./)
  })

  it("`/init` creates the rules and has the model complete them, and `/review` asks for a review", { timeout }, async () => {
    using place = Process.place()
    const model = place.script({ text: "Completed.", expect: { contains: ["complete AGENTS.md"] } }, { text: "No bugs.", expect: { contains: ["Review the uncommitted changes", "the tests alone"] } })
    using terminal = Tmux.open(place, ["--model", model])
    await terminal.shows(idle)
    enter(terminal, "/init")
    await terminal.shows("Completed.")
    await terminal.shows(idle)
    expect(existsSync(join(place.cwd, "AGENTS.md"))).toBe(true)
    enter(terminal, "/review the tests alone")
    await terminal.shows("No bugs.")
  })

  it("a screen reader's lines run what they say, and choose by number from a list that begins elsewhere", { timeout }, async () => {
    using place = Process.place()
    using terminal = Tmux.open(place, ["--screen-reader", "--model", place.script({ text: "Hello." }), "--permission-mode", "acceptEdits"])
    await terminal.shows("Ready.")
    enter(terminal, "/mod")
    await terminal.shows("Unknown command /mod. Did you mean /mode")
    terminal.press("C-c")
    await terminal.shows(/the line\.\nReady\./)
    enter(terminal, "/mode")
    await terminal.shows("Type a number and press Enter")
    enter(terminal, "1")
    await terminal.shows(/\n1\n[^]*Ready\./)
    enter(terminal, "/status")
    await terminal.shows(/Mode +ask/)
  })

  it("`/rewind` counts each file once, however many steps a message took", { timeout }, async () => {
    using place = Process.place()
    const script = place.script(write("a.txt", "one\n"), write("b.txt", "two\nthree\n"), write("a.txt", "four\n"), { text: "Written." }, { text: "Fine." })
    using terminal = Tmux.open(place, ["--model", script, "--permission-mode", "acceptEdits", "write"])
    await terminal.shows("Written.")
    await terminal.shows(idle)
    enter(terminal, "thank you")
    await terminal.shows("Fine.")
    await terminal.shows(idle)
    enter(terminal, "/rewind")
    expect(await terminal.asks("Rewind to before which message?")).toMatch(/no changes +thank you\n.*2 files \+4 -1 +write/)
  })

  it("a mode is chosen from a list", { timeout }, async () => {
    using place = Process.place()
    using terminal = Tmux.open(place, ["--model", place.script({ text: "Hello." })])
    await terminal.shows(idle)
    enter(terminal, "/mode")
    await terminal.asks("Choose a permission mode")
    terminal.press("Down", "Enter")
    await terminal.shows(/^acceptEdits ·/m)
  })

  it("`!` runs a command of one's own, which the next message tells the model", { timeout }, async () => {
    using place = Process.place()
    using terminal = Tmux.open(place, ["--model", place.script({ text: "I see.", expect: { contains: ["$ echo $((6 * 7))", "42\n(exit code 0)"] } })])
    await terminal.shows(idle)
    enter(terminal, "!echo $((6 * 7))")
    await terminal.shows(/!echo[^]*42/)
    enter(terminal, "look")
    await terminal.shows("I see.")
    enter(terminal, "!exec sleep 300")
    await terminal.shows("Running exec sleep 300: Esc to stop")
    terminal.press("Escape")
    await terminal.shows("Stopped.")
    await terminal.shows(idle)
  })

  it("Ctrl-G opens the line in the editor", { timeout }, async () => {
    using place = Process.place()
    using terminal = Tmux.open(place, ["--model", place.script({ text: "Hello." })], { VISUAL: "sed -i s/draft/letter/" })
    await terminal.shows(idle)
    terminal.type("my draft")
    terminal.press("C-g")
    await terminal.shows("> my letter")
    terminal.type(" and a draft\x01\x0b\x19\x07") // a busy program reads all of it at once
    await terminal.shows("> my letter and a letter")
  })

  it("Esc twice edits the last message, and rewinds what is chosen", { timeout }, async () => {
    using place = Process.place()
    const model = place.script(write("a.txt", "one\n"), { text: "Written." })
    using terminal = Tmux.open(place, ["--model", model, "--permission-mode", "acceptEdits", "write it"])
    await terminal.shows("Written.")
    await terminal.shows(idle)
    terminal.press("Escape")
    await terminal.shows("Press Esc again to edit your last message")
    terminal.press("Escape")
    await terminal.asks("What do you want to restore?")
    terminal.press("Enter")
    await terminal.shows("Rewound files and conversation")
    await terminal.shows("> write it\n")
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(false)
  })

  it("Ctrl-B moves a running command to the background, and the agent continues", { timeout }, async () => {
    using place = Process.place()
    const model = place.script(
      { calls: [{ name: "run_command", params: { command: "echo begun; exec sleep 300" } }] },
      { text: "I continue.", expect: { contains: ["The user moved it to the background."] } }
    )
    using terminal = Tmux.open(place, ["--model", model, "--permission-mode", "bypassPermissions", "start the server"])
    await terminal.shows(/begun\n/)
    terminal.press("C-b")
    await terminal.shows("I continue.")
    await terminal.shows(idle)
    enter(terminal, "/ps")
    await terminal.shows("Choose a command to show")
    await terminal.shows(/running +echo begun; exec sleep 300/)
  })

  for (const [choice, keys, mode] of [["edits accepted", [], "acceptEdits"], ["approval of each edit", ["Down"], "ask"]] as const) {
    it(`a plan is implemented with ${choice}`, { timeout }, async () => {
      using place = Process.place()
      const model = place.script(
        { calls: [{ name: "present_plan", params: { plan: "1. Write a.txt" } }] },
        { ...write("a.txt", "one\n"), expect: { contains: ["Implement the plan."] } },
        { text: "Written." }
      )
      using terminal = Tmux.open(place, ["--model", model, "--permission-mode", "plan", "plan it"])
      await terminal.asks("Implement this plan?")
      terminal.press(...keys, "Enter")
      await terminal.shows(mode === "ask" ? "› y  Yes" : "Written.")
      expect(terminal.screen()).toMatch(new RegExp(`^${mode} ·`, "m"))
    })
  }

  it("a plan is worked on further", { timeout }, async () => {
    using place = Process.place()
    const model = place.script({ calls: [{ name: "present_plan", params: { plan: "1. Write a.txt" } }] }, { text: "As you wish." })
    using terminal = Tmux.open(place, ["--model", model, "--permission-mode", "plan", "plan it"])
    await terminal.asks("Implement this plan?")
    terminal.press("Up", "Enter")
    await terminal.shows(/^plan ·[^]*Enter to send/m)
    enter(terminal, "smaller steps")
    await terminal.shows("As you wish.")
  })

  it("what `/config` sets applies at once, or it says that it does not", { timeout }, async () => {
    await using place = Process.scene()
    const command = { calls: [{ name: "run_command", params: { command: "ls -la" } }] }
    const model = place.script({ text: "Hello." }, command, { text: "Denied.", expect: { contains: ["the rule Bash(ls:*) denies"] } }, command, { text: "Listed.", expect: { contains: ["total"] } })
    using terminal = Tmux.open(place, ["--model", model, "hi"], {}, { columns: 60 })
    await terminal.shows("Hello.")
    await terminal.shows(idle)
    enter(terminal, "/config set theme light")
    await terminal.shows("It takes effect when dacapo starts next.")
    enter(terminal, "/config permissions.deny [\"Bash(ls:*)\"]")
    await terminal.shows("Set permissions.deny")
    enter(terminal, "list")
    await terminal.shows("Denied.")
    await terminal.shows(idle)
    enter(terminal, "/config permissions.deny []")
    await terminal.shows("Set permissions.deny to []")
    enter(terminal, "list")
    await terminal.shows("Listed.")
    await terminal.shows(idle)
    enter(terminal, "/config editorMode vi")
    await terminal.shows("Set editorMode to vi")
    terminal.type("one two")
    terminal.press("Escape")
    await terminal.shows("Normal mode: i to insert, Enter to send")
    expect(terminal.all().match(/takes effect/g)).toHaveLength(1)
    terminal.type("ddi/quit\r")
    await terminal.shows("left with 0")
  })

  it("a rule that only a settings file has is listed as one of new sessions", { timeout }, async () => {
    using place = Process.place()
    using terminal = Tmux.open(place, ["--model", place.script({ text: "Hello." }), "hi"])
    await terminal.shows("Hello.")
    await Process.run(place, ["config", "set", "permissions.deny", "[\"Bash(ls:*)\"]"])
    enter(terminal, "/permissions")
    await terminal.shows(/Bash\(ls:\*\) \([^)]*config\.jsonc; in new\s+sessions\)/)
  })

  it("`/doctor` continues its rows below their text", { timeout }, async () => {
    using place = Process.place()
    using terminal = Tmux.open(place, ["--model", place.script({ text: "Hello." })], {}, { columns: 60 })
    await terminal.shows(idle)
    enter(terminal, "/doctor")
    await terminal.shows("orphans")
    expect(terminal.all()).toMatch(/✓ settings {3}0 allow, 0 ask, 0 deny rules for\n {15}\//)
  })

  it("vi keys are there by a setting", { timeout }, async () => {
    using place = Process.place()
    await Process.run(place, ["config", "set", "editorMode", "vi"])
    using terminal = Tmux.open(place, ["--model", place.script({ text: "Hello.", expect: { contains: ["two"] } })])
    await terminal.shows(idle)
    terminal.type("one two")
    terminal.press("Escape")
    await terminal.shows("Normal mode: i to insert, Enter to send")
    terminal.type("0dw")
    await terminal.shows(/^> two$/m)
    terminal.press("Enter")
    await terminal.shows("Hello.")
  })
})
