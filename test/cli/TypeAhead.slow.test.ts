/** What is typed while no question is seen answers none: at a real terminal, with keys sent before, as and just after it appears. */
import { describe, expect, it } from "@effect/vitest"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import * as Process from "./support/Process.ts"
import * as Tmux from "./support/Tmux.ts"

const idle = "Enter to send, Shift-Tab to change mode"
const slow = "One moment. ".repeat(30)

/** Types without a pause, from now until some time after a text stands there. */
const typedThrough = async (terminal: Tmux.Terminal, keys: ReadonlyArray<string>, text: string) => {
  for (let after = 0; after < 6;) {
    terminal.press(...keys)
    await setTimeout(40)
    if (terminal.screen().includes(text)) after++
  }
}

const command = (marker: string) => ({ text: slow, chunkSize: 12, delayMs: 30, calls: [{ name: "run_command", params: { command: `touch ${marker} && rm -f nothing` } }] })

describe("keys typed ahead", () => {
  it("approve no command: they go into the input line, and the key after a pause counts", async () => {
    using place = Process.place()
    using terminal = Tmux.open(place, ["--model", place.script(command("marker"), { text: "Done." }), "go"])
    await terminal.shows("One moment.")
    await typedThrough(terminal, ["y"], "Run this command?")
    const asked = await terminal.shows("y  Yes")
    expect(asked).toContain("press a key; your draft is saved")
    expect(existsSync(join(place.cwd, "marker"))).toBe(false)
    terminal.press("y")
    await terminal.shows("Done.")
    expect(existsSync(join(place.cwd, "marker"))).toBe(true)
    expect(terminal.screen()).toMatch(/^> y{6,} *$/m)
  })

  it("grant no trust, and go into the input line afterwards", async () => {
    using place = Process.place()
    mkdirSync(join(place.cwd, ".dacapo", "commands"), { recursive: true })
    writeFileSync(join(place.cwd, ".dacapo", "commands", "deploy.md"), "Deploy it.")
    const trusted = async () => JSON.parse((await Process.run(place, ["doctor", "--output-format", "json"])).stdout).find(({ name }: { readonly name: string }) => name === "trust").detail as string
    using terminal = Tmux.open(place, ["--model", place.script({ text: "Done." })])
    await typedThrough(terminal, ["h", "Down", "Enter"], "Do you trust this folder?")
    await terminal.shows("Enter to select")
    expect(await trusted()).toContain("not in effect until you run `dacapo trust`")
    terminal.press("Enter")
    await terminal.shows(idle)
    await terminal.shows(/^[> ] h *$/m)
    expect(await trusted()).toContain("not in effect until you run `dacapo trust`")
  })

  it("delete no session, while Yes after a pause does", async () => {
    using place = Process.place()
    await Process.run(place, ["-p", "--model", place.script({ text: "Hello." }), "hi"])
    const sessions = async () => JSON.parse((await Process.run(place, ["sessions", "list", "--output-format", "json"])).stdout) as ReadonlyArray<{ readonly id: string }>
    const [{ id }] = await sessions() as [{ readonly id: string }]
    using terminal = Tmux.open(place, ["sessions", "delete", id])
    await typedThrough(terminal, ["y", "Down", "Enter"], "Continue?")
    await terminal.shows("Enter to select")
    expect(await sessions()).toHaveLength(1)
    terminal.press("Down", "Enter")
    await terminal.shows("left with 0, icanon echo")
    expect(await sessions()).toHaveLength(0)
  })

  it("approve nothing in screen reader mode either", async () => {
    using place = Process.place()
    using terminal = Tmux.open(place, ["--screen-reader", "--model", place.script(command("marker"), { text: "Done." }), "go"])
    await terminal.shows("Working.")
    terminal.press("y")
    await terminal.shows("Run this command?")
    terminal.press("Enter")
    await terminal.shows("y: Yes")
    expect(existsSync(join(place.cwd, "marker"))).toBe(false)
    terminal.press("y", "Enter")
    await terminal.shows("Done.")
    expect(existsSync(join(place.cwd, "marker"))).toBe(true)
    await terminal.shows("Your draft: y.")
  })
})
