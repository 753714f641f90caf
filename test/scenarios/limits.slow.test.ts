/** A task at its limits: a person in the terminal decides whether it continues, `-p` ends it as ever. */
import { describe, expect, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { SessionEvent, Settled } from "../../src/domain/session/SessionEvent.ts"
import * as Process from "../cli/support/Process.ts"
import * as Tmux from "../cli/support/Tmux.ts"

const read = (path: string) => ({ calls: [{ name: "read_file", params: { path } }] })

/** What the log of the latest session says of its limits and its end. */
const decided = async (place: Process.Place) => {
  const { stdout } = await Process.run(place, ["sessions", "show", "latest", "--output-format", "events"])
  return stdout.split("\n").flatMap((line): ReadonlyArray<Settled> => {
    if (!line.startsWith("{\"v\"")) return []
    const { event } = JSON.parse(line) as SessionEvent
    return event._tag === "LimitRaised" || event._tag === "TaskFinished" || event._tag === "TaskFailed" ? [event] : []
  })
}

/** Types an answer once a question takes one. */
const answer = async (terminal: Tmux.Terminal, question: string, text: string) => {
  await terminal.shows(new RegExp(`${RegExp.escape(question)}[^]*Enter to answer`))
  if (text !== "") terminal.type(text)
  terminal.press("Enter")
}

const files = (place: Process.Place) => {
  for (const name of ["a", "b", "c"]) writeFileSync(join(place.cwd, `${name}.txt`), `${name}\n`)
}

describe("a task at its limit", () => {
  it("for turns continues for as many again, for a number, and with advice, which the model reads", async () => {
    await using place = Process.scene()
    files(place)
    const model = place.script(read("a.txt"), read("b.txt"), read("c.txt"), { text: "Three letters.", expect: { contains: ["Answer now, in short."] } })
    using terminal = Tmux.open(place, ["--model", model, "--max-turns", "1", "Read them all"], {}, { columns: 100 })
    await terminal.shows("Continue for 1 more turn")
    await answer(terminal, "Reached the limit of 1 turn.", "1")
    await answer(terminal, "Reached the limit of 2 turns.", "+1")
    await answer(terminal, "Reached the limit of 3 turns.", "Answer now, in short.")
    await terminal.shows("Three letters.")
    expect(await decided(place)).toEqual([
      { _tag: "LimitRaised", limit: "turns", more: 1 },
      { _tag: "LimitRaised", limit: "turns", more: 1 },
      { _tag: "LimitRaised", limit: "turns", more: 1, words: "Answer now, in short." },
      { _tag: "TaskFinished", result: "Three letters." }
    ])
    terminal.press("C-d")
  })

  it("for mistakes continues, also for a number, or stops", async () => {
    await using place = Process.scene()
    files(place)
    const wrong = ["x", "y", "z"].map((value) => ({ calls: [{ name: "read_file", params: { wrong: value } }] }))
    using terminal = Tmux.open(place, ["--model", place.script(...wrong, ...wrong, wrong[0]!), "Read them all"], {}, { columns: 100, rows: 90 })
    await answer(terminal, "3 responses in a row had no successful tool call. Continue?", "continue")
    await terminal.shows(/Continue\?[^]*Continue\?/)
    await answer(terminal, "Answer:", "+1")
    await terminal.shows(/Continue\?[^]*Continue\?[^]*Continue\?/)
    await answer(terminal, "Answer:", "stop")
    await terminal.shows("Enter to send")
    expect(await decided(place)).toEqual([
      { _tag: "LimitRaised", limit: "mistakes", more: 3 },
      { _tag: "LimitRaised", limit: "mistakes", more: 1 },
      { _tag: "TaskFailed", reason: "mistakes", message: "3 responses in a row had no successful tool call." }
    ])
    terminal.press("C-d")
  })

  it("for repeats continues for as many again, for a number, and with advice, or stops", async () => {
    await using place = Process.scene()
    files(place)
    const again = (count: number) => Array.from({ length: count }, () => read("a.txt"))
    const advised = { ...read("a.txt"), expect: { contains: ["Read b.txt instead."] } }
    using terminal = Tmux.open(place, ["--model", place.script(...again(8), advised, ...again(2)), "Read them all"], {}, { columns: 100, rows: 90 })
    await terminal.shows("Continue for 3 more times")
    await answer(terminal, "The same tool call was made 4 times in a row. Continue?", "1")
    await terminal.shows(/Continue\?[^]*Continue\?/)
    await answer(terminal, "Answer:", "+1")
    await terminal.shows(/Continue\?[^]*Continue\?[^]*Continue\?/)
    await answer(terminal, "Answer:", "Read b.txt instead.")
    await terminal.shows(/(?:Continue\?[^]*){4}/)
    await answer(terminal, "Answer:", "2")
    await terminal.shows("Enter to send")
    expect(await decided(place)).toEqual([
      { _tag: "LimitRaised", limit: "repeats", more: 3 },
      { _tag: "LimitRaised", limit: "repeats", more: 1 },
      { _tag: "LimitRaised", limit: "repeats", more: 3, words: "Read b.txt instead." },
      { _tag: "TaskFailed", reason: "repeats", message: "The same tool call was made 4 times in a row." }
    ])
    terminal.press("C-d")
  })

  it("for time continues for seconds", async () => {
    await using place = Process.scene()
    files(place)
    const slow = { calls: [{ name: "run_command", params: { command: "sleep 2" } }] }
    using terminal = Tmux.open(place, ["--model", place.script(slow, { text: "Done." }), "--permission-mode", "bypassPermissions", "--timeout", "1", "Wait"], {}, { columns: 100 })
    await answer(terminal, "Reached the time limit of 1 s.", "+60")
    await terminal.shows("Done.")
    expect(await decided(place)).toEqual([{ _tag: "LimitRaised", limit: "time", more: 60_000 }, { _tag: "TaskFinished", result: "Done." }])
    terminal.press("C-d")
  })

  it("ends where nobody is there", async () => {
    await using place = Process.scene()
    files(place)
    const ended = await Process.run(place, ["-p", "--model", place.script(read("a.txt")), "--max-turns", "1", "Read"])
    expect(ended).toMatchObject({ code: 53 })
    expect(await decided(place)).toEqual([{ _tag: "TaskFailed", reason: "turns", message: "Reached the limit of 1 turn." }])
  })
})
