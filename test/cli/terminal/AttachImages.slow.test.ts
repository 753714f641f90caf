/** Pictures that are dropped or pasted into a real terminal, and what calls a person back to it. */
import { describe, expect, it } from "@effect/vitest"
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Notification from "../../../src/cli/terminal/Notification.ts"
import * as ImageLabels from "../../../src/cli/render/terminal/ImageLabels.ts"
import { text } from "../../../src/cli/render/view/DisplayText.ts"
import * as Process from "../support/Process.ts"
import * as Tmux from "../support/Tmux.ts"

const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64")
const idle = "Enter to send, Shift-Tab to change mode"

/** What the model was told of: the kinds of parts behind the user's words. */
const parts = async (place: Process.Place): Promise<ReadonlyArray<string>> => {
  const { stdout } = await Process.run(place, ["sessions", "show", "latest", "--output-format", "json"])
  const said = (JSON.parse(stdout) as ReadonlyArray<{ event: { _tag: string; parts?: ReadonlyArray<{ _tag: string }> } }>).find(({ event }) => event._tag === "UserSaid")
  return (said?.event.parts ?? []).map(({ _tag }) => _tag)
}

const says = { text: "A dot." }

describe("an image", () => {
  it("that is dropped on the terminal is attached to the message, from any folder", async () => {
    await using place = Process.scene()
    const file = join(place.root, "my shot.png")
    writeFileSync(file, png)
    using terminal = Tmux.open(place, ["--model", place.script(says)])
    await terminal.shows(idle)
    terminal.type("What is in")
    terminal.paste(`'${file}'`)
    await terminal.shows("What is in[my shot.png]")
    rmSync(file) // the bytes are kept as they were
    terminal.type("that is all?")
    terminal.press("Enter")
    expect(await terminal.shows("A dot.")).toMatch(/> What is in \[image [0-9a-f]{8}\] that is all\?/)
    await terminal.shows(idle)
    expect(await parts(place)).toEqual(["Image"])
  })

  it("that is not valid stays pasted text", async () => {
    using place = Process.place()
    writeFileSync(join(place.root, "no.png"), "no picture")
    using terminal = Tmux.open(place, ["--model", place.script(says)])
    await terminal.shows(idle)
    terminal.paste("/nowhere/at-all.png")
    await terminal.shows("> /nowhere/at-all.png")
    terminal.press("C-u")
    terminal.paste(join(place.root, "no.png"))
    await terminal.shows("/no.png")
  })

  it("comes from the clipboard with Ctrl-V, through the platform's program", async () => {
    await using place = Process.scene()
    const bin = join(place.root, "bin")
    mkdirSync(bin)
    writeFileSync(join(place.root, "clip.png"), png)
    writeFileSync(join(bin, "wl-paste"), `#!/bin/sh\n[ "$3" = image/png ] && cat '${place.root}/clip.png'\n`)
    chmodSync(join(bin, "wl-paste"), 0o755)
    using terminal = Tmux.open(place, ["--model", place.script(says)], { WAYLAND_DISPLAY: "wayland-0", PATH: `${bin}:${place.environment["PATH"]}` })
    await terminal.shows(idle)
    terminal.press("C-v")
    await terminal.shows("> [image]")
    terminal.press("Enter")
    await terminal.shows("A dot.")
    await terminal.shows(idle)
    expect(await parts(place)).toEqual(["Image"])
    writeFileSync(join(place.root, "clip.png"), "words")
    terminal.press("C-v")
    await terminal.shows("No readable image in the clipboard.")
  })

  it("gets a unique label, separated from the text around it", () => {
    const [one, first] = ImageLabels.add(new Map(), { name: "a].png", blob: "1" })
    const [same] = ImageLabels.add(one, { name: "a].png", blob: "1" })
    const [both, second] = ImageLabels.add(same, { name: "a].png", blob: "2" })
    expect([first, second]).toEqual(["[a_.png]", "[a_.png 2]"])
    expect(ImageLabels.expandLabels("see[a_.png]and [a_.png 2].", both)).toBe("see @attachment:1 and @attachment:2.")
  })
})

describe("a question that waits", () => {
  const asks = (place: Process.Place) => ["--model", place.script({ calls: [{ name: "run_command", params: { command: "rm -rf build" } }] }), "clean up"]
  const known = { TERM_PROGRAM: "WezTerm", TMUX: "", STY: "" }
  const bytes = (place: Process.Place) => readFileSync(join(place.root, "bytes"), "utf8")

  it("rings the bell and shows a desktop notification", async () => {
    using place = Process.place()
    using terminal = Tmux.open(place, asks(place), known, { record: "bytes" })
    await terminal.shows("y  Yes")
    await expect.poll(() => bytes(place), { timeout: 100_000 }).toContain("\u001b]9;Approval needed: run rm -rf build\u0007\u0007")
  })

  it("does nothing while the terminal has focus, and restores it", async () => {
    using place = Process.place()
    using terminal = Tmux.open(place, asks(place), known, { record: "bytes" })
    await terminal.shows("y  Yes")
    terminal.press("-H", "1b", "5b", "49")
    terminal.press("n")
    await terminal.shows("Tell the agent:")
    expect(terminal.screen()).not.toContain("[I")
    terminal.press("Escape")
    await terminal.shows("y  Yes")
    terminal.press("C-c")
    await terminal.shows("(interrupted)")
    terminal.press("C-d")
    await terminal.shows("left with 0")
    expect(bytes(place).match(/\u001b\[\?1004[hl]/g)!.at(-1)).toBe("\u001b[?1004l")
  })

  it("uses the terminal's protocol, and the user's settings", () => {
    const all = { bell: true, notices: true }
    const words = text("May I\nrun a; b?")
    const said = (variables: Readonly<Record<string, string>>, wanted = all) => Notification.of(variables, wanted)(words)
    expect(said({ TERM: "foot" })).toBe("\u001b]777;notify;dacapo;May I run a, b?\u0007\u0007")
    expect(said({ TERM: "xterm-kitty" }, { bell: false, notices: true })).toBe("\u001b]9;May I run a; b?\u0007")
    expect(said({ TERM: "xterm-256color" })).toBe("\u0007")
    expect(said({ TERM_PROGRAM: "iTerm.app", TMUX: "/tmp/tmux" })).toBe("\u0007")
    expect(said({ TERM_PROGRAM: "iTerm.app" }, { bell: false, notices: false })).toBe("")
  })
})
