/**
 * Whatever sizes a terminal takes, whatever is typed and whatever a model or a command says: it does not crash, nothing
 * foreign reaches the terminal as an escape, and every mode is as it was when dacapo is gone. The bytes that reached the
 * terminal are read, not only what it shows.
 */
import { describe, expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { type Chance, seeded } from "../fuzz/programs.ts"
import * as Process from "./support/Process.ts"
import * as Tmux from "./support/Tmux.ts"

const evil = [
  "\u001b[2J\u001b[1;1H",
  "\u001b]0;owned\u0007",
  "\u001b]52;c;b3duZWQ=\u0007",
  "\u001b[?1049h\u001b[?1000h\u001b[?2004h\u001b[?25l",
  "\u001bP+q544e\u001b\\",
  "\u009b31mred",
  "\u202Ereversed\u202C",
  "\u200b\u2066hidden\u2069",
  "\r\u001b[A\u001b[Kgone",
  "\u0000\u0008\u000e\u007f",
  "👩‍👩‍👧‍👦 漢字 e\u0301\u0301\u0301 ﷽",
  "`".repeat(7),
  "<U+001B>[2J",
  "x".repeat(3_000)
]

const keys = ["Enter", "Escape", "Tab", "BTab", "Up", "Down", "Left", "Right", "Home", "End", "BSpace", "DC", "PPage", "C-a", "C-e", "C-j", "C-k", "C-r", "C-u", "C-w", "C-l", "C-z", "M-Enter", "M-b", "F1", "y", "n", "m", "s", "d", "Space"]
const words = ["/", "/co", "/help", "/model x", "/rewind", "/nonsense", "@", "@a", "hello", "\\", "ü漢👍", "1", "/newtask"]

const pick = <A>(chance: Chance, from: ReadonlyArray<A>): A => from[Math.floor(chance() * from.length)]!

const turn = (chance: Chance) => {
  const text = Array.from({ length: 4 }, () => `${pick(chance, evil)} ${pick(chance, words)}\n`).join("")
  const calls = chance() < 0.5 ? [] : [
    { name: pick(chance, ["run_command", "read_file", "ask_user", "write_file", "no_tool"]), params: { command: `printf '%b' '${pick(chance, ["\\033[2J", "\\033]0;owned\\007", "\\0233", "a\\rb"])}'`, path: pick(chance, evil).replaceAll("\u0000", ""), question: pick(chance, evil), content: pick(chance, evil) } }
  ]
  return { text, reasoning: pick(chance, evil), ...(calls.length === 0 ? {} : { calls }), chunkSize: 1 + Math.floor(chance() * 9), delayMs: 0 }
}

/** What the last word about each private mode was, and every escape that no drawing of ours needs. */
const told = (place: Process.Place) => {
  const bytes = readFileSync(join(place.root, "bytes"), "utf8")
  expect(bytes).toContain("\u001b[?25l") // it was drawn, and recorded
  const modes = new Map<string, string>()
  for (const [, mode, to] of bytes.matchAll(/\u001b\[\?([\d;]+)([hl])/g)) mode!.split(";").forEach((one) => modes.set(one, to!))
  return {
    left: [...modes].filter(([mode, to]) => to !== (mode === "25" || mode === "7" ? "h" : "l")),
    // `/copy` hands the clipboard to the terminal, in letters and digits; the window's title is the user's words, and reset at the end.
    foreign: (bytes.match(/\u001b\][^\u0007\u001b]*|\u001b[P_^X][^]{0,20}|[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/g) ?? [])
      .filter((escape) => !/^\u001b\](?:52;c;[\w+/=]*|2;(?:.* – dacapo)?)$/.test(escape))
  }
}

const idle = "Enter to send, Shift-Tab to change mode"

const enter = (terminal: Tmux.Terminal, text: string) => {
  terminal.type(text)
  terminal.press("Enter")
}

const alive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const leave = async (terminal: Tmux.Terminal) => {
  for (let tries = 0; tries < 40 && !terminal.screen().includes("left with"); tries++) {
    terminal.press(tries % 3 === 2 ? "Escape" : "C-c")
    await setTimeout(100)
  }
  return terminal.shows("left with")
}

describe.concurrent("a terminal", () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    it(`of any size, with random and hostile input, is restored (seed ${seed})`, async () => {
      const chance = seeded(seed)
      using place = Process.place()
      const model = place.script(...Array.from({ length: 30 }, () => turn(chance)))
      const mode = pick(chance, ["default", "acceptEdits", "bypassPermissions"])
      using terminal = Tmux.open(place, ["--model", model, "--permission-mode", mode, "begin"], {}, { record: "bytes" })
      await terminal.shows(/Enter to (send|steer)|Waiting for your answer/)
      for (let step = 0; step < 60; step++) {
        const what = chance()
        if (what < 0.15) terminal.resize(10 + Math.floor(chance() * 150), 3 + Math.floor(chance() * 60))
        else if (what < 0.45) terminal.type(pick(chance, words))
        else if (what < 0.55) terminal.paste(pick(chance, evil).replaceAll("\u0000", ""))
        else terminal.press(pick(chance, keys))
        if (chance() < 0.2) await setTimeout(30)
        if (terminal.screen().includes("left with")) break
      }
      terminal.resize(80, 40)
      expect(await leave(terminal)).toMatch(/left with (0|130), icanon echo/)
      expect(terminal.tells("#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{insert_flag} #{origin_flag} #{wrap_flag}")).toBe("0 1 0 0 0 1")
      expect(terminal.tells("#{pane_title}")).not.toContain("owned")
      expect(told(place)).toEqual({ left: [], foreign: [] })
    })
  }

  const streaming = { text: "word ".repeat(2_000), chunkSize: 5, delayMs: 20 }
  const stubborn = { calls: [{ name: "run_command", params: { command: "trap '' TERM INT HUP; echo here > begun; while :; do sleep 1; done" } }] }
  /** Fails where nobody can catch it, once something is drawn. */
  const broken = `data:text/javascript,${encodeURIComponent(`const { write } = process.stdout
process.stdout.write = function(text) {
  if (String(text).includes("Working")) {
    process.stdout.write = write
    setImmediate(() => { throw new Error("it broke") })
  }
  return write.apply(this, arguments)
}`)}`

  /** A way out: what the model says, what is done, the exit code. */
  const ways: Readonly<Record<string, {
    readonly turn?: object
    readonly environment?: Readonly<Record<string, string>>
    readonly leave?: (terminal: Tmux.Terminal, place: Process.Place) => unknown
    readonly code: number
  }>> = {
    "/quit": { leave: (terminal) => enter(terminal, "/quit"), code: 0 },
    "Ctrl-D": { leave: (terminal) => terminal.press("C-d"), code: 0 },
    "Ctrl-C twice": { leave: (terminal) => terminal.press("C-c", "C-c"), code: 130 },
    "SIGTERM": { turn: streaming, leave: (terminal) => process.kill(terminal.pid(), "SIGTERM"), code: 143 },
    "SIGHUP": { turn: streaming, leave: (terminal) => process.kill(terminal.pid(), "SIGHUP"), code: 129 },
    "SIGINT twice, while a command ends that hears nothing": {
      turn: stubborn,
      leave: async (terminal, place) => {
        await Process.written(join(place.cwd, "begun"))
        for (const pid = terminal.pid(); alive(pid); await setTimeout(20)) process.kill(pid, "SIGINT")
      },
      code: 130
    },
    "a fault of dacapo itself": { turn: streaming, environment: { NODE_OPTIONS: `--import=${broken}` }, code: 1 }
  }
  for (const [way, { code, environment, leave, turn }] of Object.entries(ways)) {
    it(`is restored after ${way}`, async () => {
      using place = Process.place()
      const model = place.script(turn ?? { text: "Hello." })
      using terminal = Tmux.open(place, ["--model", model, "--permission-mode", "bypassPermissions", "begin"], environment, { record: "bytes" })
      if (leave !== undefined) await terminal.shows(turn === undefined ? idle : "Working")
      await leave?.(terminal, place)
      expect(await terminal.shows("left with")).toContain(`left with ${code}, icanon echo`)
      expect(told(place)).toEqual({ left: [], foreign: [] })
    })
  }

  it("is restored by the next start after a kill", async () => {
    using place = Process.place()
    using terminal = Tmux.open(place, ["--model", place.script({ text: "Hello." })], {}, {
      record: "bytes",
      shell: (command, left) => [command, left, "stty sane", command, left.replace("left", "then left")]
    })
    await terminal.shows(idle)
    process.kill(terminal.pid(), "SIGKILL")
    await terminal.shows("left with 137")
    expect(told(place).left).not.toEqual([])
    await terminal.shows(new RegExp(`left with 137[^]*${idle}`))
    terminal.press("C-d")
    await terminal.shows("then left with 0, icanon echo")
    expect(told(place)).toEqual({ left: [], foreign: [] })
  })

  it("belongs to the shell after Ctrl-Z, and to dacapo again after fg", async () => {
    using place = Process.place()
    using terminal = Tmux.open(place, ["--model", place.script({ text: "Hello." })], {}, {
      record: "bytes",
      shell: (command, left) => ["set -m", command, left, "read -r", "fg", left.replace("left", "then left")]
    })
    await terminal.shows(idle)
    terminal.press("C-z")
    await terminal.shows("left with 148, icanon echo")
    expect(told(place)).toEqual({ left: [], foreign: [] })
    terminal.press("Enter")
    await terminal.shows(new RegExp(`left with 148[^]*${idle}`))
    enter(terminal, "hello")
    await terminal.shows("Hello.")
    await terminal.shows(idle)
    terminal.press("C-d")
    await terminal.shows("then left with 0, icanon echo")
    expect(told(place)).toEqual({ left: [], foreign: [] })
  })

  it("that is closed ends dacapo and its running command", async () => {
    using place = Process.place()
    const model = place.script({ calls: [{ name: "run_command", params: { command: "echo $$ > pid; exec sleep 300" } }] })
    using terminal = Tmux.open(place, ["--model", model, "--permission-mode", "bypassPermissions", "begin"])
    const pids = [Number(await Process.written(join(place.cwd, "pid"))), terminal.pid()]
    terminal.close()
    for (let looks = 0; pids.some(alive) && looks < 400; looks++) await setTimeout(25)
    expect(pids.filter(alive)).toEqual([])
  })
})

