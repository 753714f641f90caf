/** Approvals of edits, keys of providers and the clipboard, at a real terminal. */
import { describe, expect, it } from "@effect/vitest"
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Process from "../cli/support/Process.ts"
import * as Tmux from "../cli/support/Tmux.ts"

const idle = "Enter to send, Shift-Tab to change mode"
const timeout = 120_000
const nowhere = Object.fromEntries(["OLLAMA", "LMSTUDIO", "LLAMACPP", "VLLM", "LITELLM"].map((name) => [`${name}_BASE_URL`, "http://127.0.0.1:9/v1"]))

const enter = (terminal: Tmux.Terminal, text: string) => {
  terminal.type(text)
  terminal.press("Enter")
}

const writes = (...paths: ReadonlyArray<string>) => ({ calls: paths.map((path) => ({ name: "write_file", params: { path, content: "one\n" } })) })

describe.concurrent("an edit that is approved", () => {
  it("with all edits of the session is the last one asked about, also among those that already wait", { timeout }, async () => {
    await using place = Process.scene()
    const model = place.script(writes("src/a.txt", "src/b.txt"), writes("c.txt"), { text: "All three are there." })
    using terminal = Tmux.open(place, ["--model", model, "write them"])
    await terminal.shows("s  Yes, and accept all edits in this session")
    terminal.press("s")
    await terminal.shows("All three are there.")
    await terminal.shows(idle)
    expect(terminal.screen()).toMatch(/^acceptEdits ·/m)
    expect(terminal.all().match(/\? Create/g)).toHaveLength(1)
    expect(["src/a.txt", "src/b.txt", "c.txt"].filter((path) => !existsSync(join(place.cwd, path)))).toEqual([])
  })

  it("with its folder saves the rule that was shown, which covers that folder alone", { timeout }, async () => {
    await using place = Process.scene()
    const model = place.script(writes("src/a.txt"), writes("src/deep/b.txt"), writes("source/c.txt"), { text: "Never said." })
    using terminal = Tmux.open(place, ["--model", model, "write them"])
    await terminal.shows("f  Yes, and don't ask again for Edit(./src/**)")
    terminal.press("f")
    await terminal.shows("Create source/c.txt?")
    await terminal.shows("y  Yes")
    expect(existsSync(join(place.cwd, "src/deep/b.txt"))).toBe(true)
    terminal.press("Escape")
    await terminal.shows("(interrupted)")
    await terminal.shows(idle)
    const { stdout } = await Process.run(place, ["config", "get", "permissions.allow"])
    expect(stdout).toContain("Edit(./src/**)")
    expect(stdout).not.toContain("source")
  })
})

describe.concurrent("a command that an ask rule names", () => {
  it("is offered no longer approval, because no allow rule overrides that rule", { timeout }, async () => {
    await using place = Process.scene()
    mkdirSync(join(place.root, "home"), { recursive: true })
    writeFileSync(join(place.root, "home", "config.jsonc"), JSON.stringify({ permissions: { ask: ["Bash(touch:*)"] } }))
    const model = place.script({ calls: [{ name: "run_command", params: { command: "touch x" } }] }, { text: "It is there." })
    using terminal = Tmux.open(place, ["--model", model, "touch it"])
    expect(await terminal.shows(/y {2}Yes[^]*Enter to answer/)).not.toMatch(/don't ask again|for this session/)
    terminal.press("y")
    await terminal.shows("It is there.")
    await terminal.shows(idle)
    expect(existsSync(join(place.cwd, "x"))).toBe(true)
  })
})

describe.concurrent("within a conversation", () => {
  it("`/login` saves a key that is not shown and offers the provider's models, and `/logout` deletes it", { timeout }, async () => {
    using place = Process.place()
    using terminal = Tmux.open(place, ["--model", place.script({ text: "Hello there." })], nowhere)
    await terminal.shows(idle)
    enter(terminal, "/login")
    await terminal.asks("Which provider is the key for?")
    terminal.press("Enter")
    await terminal.shows("Key for Anthropic:")
    enter(terminal, "sk-ant-0123456789")
    expect(await terminal.asks("Choose a model")).toMatch(/› anthropic\/claude-sonnet-\S+/)
    terminal.press("Enter")
    await terminal.shows("Model set to anthropic/claude-sonnet-")
    expect(readFileSync(join(place.root, "home", "data", "auth.json"), "utf8")).toContain("sk-ant-0123456789")
    expect(terminal.all()).not.toContain("0123456789")
    enter(terminal, "/logout")
    expect(await terminal.asks("Delete the saved key of which provider?")).toContain("› anthropic")
    terminal.press("Enter")
    await terminal.shows("The key for Anthropic is deleted.")
    enter(terminal, "/login antropic")
    await terminal.shows(/Did you mean\s+anthropic/)
  })

  it("`/copy` gives the last response to the platform's program, and without one to the terminal", { timeout }, async () => {
    using place = Process.place()
    const bin = join(place.root, "bin")
    const copied = join(place.root, "copied.txt")
    mkdirSync(bin)
    writeFileSync(join(bin, "wl-copy"), `#!/bin/sh\n[ -e '${copied}' ] && exit 1\ncat > '${copied}'\n`)
    chmodSync(join(bin, "wl-copy"), 0o755)
    const environment = { WAYLAND_DISPLAY: "wayland-0", PATH: `${bin}:${place.environment["PATH"]}` }
    using terminal = Tmux.open(place, ["--model", place.script({ text: "One\n\n- two" })], environment, { record: "bytes" })
    await terminal.shows(idle)
    enter(terminal, "/copy")
    await terminal.shows("There is no response to copy yet.")
    enter(terminal, "say it")
    await terminal.shows("two")
    await terminal.shows(idle)
    enter(terminal, "/copy")
    await terminal.shows("Copied the last response (3 lines).")
    expect(readFileSync(copied, "utf8")).toBe("One\n\n- two")
    enter(terminal, "/copy")
    await terminal.shows("Sent the last response to the terminal's clipboard")
    expect(readFileSync(join(place.root, "bytes"), "utf8")).toContain(`\u001b]52;c;${Buffer.from("One\n\n- two").toString("base64")}\u0007`)
  })
})
