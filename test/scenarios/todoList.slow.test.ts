/** The to-do list that the user edits, and favourite sessions, at a real terminal; each session replays. */
import { describe, expect, it } from "@effect/vitest"
import * as Process from "../cli/support/Process.ts"
import * as Tmux from "../cli/support/Tmux.ts"

const idle = "Enter to send, Shift-Tab to change mode"
const timeout = 120_000

const enter = (terminal: Tmux.Terminal, text: string) => {
  terminal.type(text)
  terminal.press("Enter")
}

const update = (...texts: ReadonlyArray<string>) => ({
  calls: [{ name: "update_todo", params: { items: texts.map((text) => ({ text, state: "pending" })) } }]
})

describe.concurrent("the to-do list", () => {
  it("is edited by keys and by arguments, and the model learns the user's list with its next request", { timeout }, async () => {
    await using place = Process.scene()
    const model = place.script(
      update("look", "mend", "test"),
      { text: "Planned." },
      { text: "I see your list.", expect: { contains: ["The user changed the todo list. It is now:", "- [x] mend", "- [ ] write docs"] } }
    )
    using terminal = Tmux.open(place, ["--model", model, "plan it"])
    await terminal.shows("Planned.")
    await terminal.shows(idle)
    enter(terminal, "/todo")
    await terminal.shows("Space to tick")
    terminal.press("d") // look
    terminal.press("Space") // mend is done
    terminal.press("a")
    await terminal.shows("Enter to accept the text")
    enter(terminal, "docs")
    terminal.press("e")
    terminal.press("C-a")
    enter(terminal, "write ")
    await terminal.shows(/› ☐ write docs\n\s+☐ test/)
    terminal.press("J", "K", "Enter")
    await terminal.shows(/The to-do list is now:\n\s+- \[x\] mend\n\s+- \[ \] write docs\n\s+- \[ \] test/)
    enter(terminal, "/todo done 9")
    await terminal.shows("The to-do list has items 1 to 3.")
    enter(terminal, "/todo")
    await terminal.shows("Space to tick")
    terminal.press("d", "Escape")
    await terminal.shows(idle)
    enter(terminal, "go on")
    await terminal.shows("I see your list.")
    await terminal.shows(idle)
    enter(terminal, "/quit")
    await terminal.shows("left with 0")
  })

  it("that the model changes meanwhile is not overwritten", { timeout }, async () => {
    await using place = Process.scene()
    const model = place.script(update("one"), { calls: [{ name: "ask_user", params: { question: "Go on?" } }] }, update("one", "two"), { text: "Changed." })
    using terminal = Tmux.open(place, ["--model", model, "plan it"])
    await terminal.shows("Answer:")
    enter(terminal, "yes")
    await terminal.shows("Changed.")
    await terminal.shows(idle)
    enter(terminal, "/todo clear")
    await terminal.shows("The to-do list is empty now.")
    enter(terminal, "/todo add mine")
    await terminal.shows(/The to-do list is now:\n\s+- \[ \] mine/)
    enter(terminal, "/quit")
    await terminal.shows("left with 0")
  })
})

describe.concurrent("a favourite session", () => {
  it("is marked in the list of /resume or by a command, and comes first in lists", { timeout }, async () => {
    await using place = Process.scene()
    for (const name of ["first", "second", "third"]) await Process.run(place, ["-p", "--model", place.script({ text: "Done." }), `the ${name} task`])
    using terminal = Tmux.open(place, ["--model", place.script({ text: "Hello." }), "--resume"])
    await terminal.asks("Choose a session to resume")
    expect(await terminal.still()).toMatch(/the third task\n.*the second task\n.*the first task/)
    terminal.press("Down", "Down", "C-f")
    await terminal.shows(/★ .*the first task/)
    terminal.press("Escape")
    await terminal.shows("left with 0")
    const list = async () => (await Process.run(place, ["sessions", "list", "--output-format", "json"])).stdout
    const listed = JSON.parse(await list()) as ReadonlyArray<{ readonly id: string; readonly title: string; readonly favourite?: true }>
    expect(listed.map(({ favourite, title }) => [title, favourite])).toEqual([["the first task", true], ["the third task", undefined], ["the second task", undefined]])
    await Process.run(place, ["sessions", "unfavourite", listed[0]!.id])
    const marked = await Process.run(place, ["sessions", "favourite", listed[2]!.id])
    expect(marked.stdout).toContain("is a favourite now: lists show it first.")
    expect((await Process.run(place, ["sessions", "list"])).stdout).toMatch(/^★ .*the second task/)
    await Process.run(place, ["sessions", "delete", listed[2]!.id, "--yes"])
    expect(await list()).not.toContain("favourite")
    expect(await Process.run(place, ["sessions", "favourite"])).toMatchObject({ code: 2 })
  })
})
