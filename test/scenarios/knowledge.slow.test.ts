/** `/memory` and `/deepplan` in the terminal: what the model is asked for, and what stays in the project. */
import { describe, expect, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Process from "../cli/support/Process.ts"
import * as Tmux from "../cli/support/Tmux.ts"

const idle = "Enter to send"

const edits = ["--permission-mode", "acceptEdits"]

describe("what the model writes down", () => {
  it("/memory creates the memory bank if there is none, and has it updated", async () => {
    await using place = Process.scene()
    const model = place.script(
      { calls: [{ name: "write_file", params: { path: "memory-bank/progress.md", content: "# progress\n\nThe basket works.\n" } }], expect: { contains: ["Update the memory bank in memory-bank/", "In particular: the basket"] } },
      { text: "The memory bank is current." }
    )
    using terminal = Tmux.open(place, ["--model", model, ...edits])
    await terminal.shows(idle)
    terminal.type("/memory the basket")
    terminal.press("Enter")
    await terminal.shows("The memory bank is current.")
    expect(readdirSync(join(place.cwd, "memory-bank")).length).toBe(6)
    expect(readFileSync(join(place.cwd, "memory-bank", "progress.md"), "utf8")).toContain("The basket works.")
    terminal.press("C-d")
  })

  it("/deepplan investigates, asks, writes the plan to a file, and acts after a yes", async () => {
    await using place = Process.scene()
    const model = place.script(
      { calls: [{ name: "list_files", params: { path: "." } }], expect: { contains: ["Write the plan to implementation_plan.md", "The task: add a basket"] } },
      { calls: [{ name: "write_file", params: { path: "implementation_plan.md", content: "# Goal\n\nA basket.\n" } }] },
      { calls: [{ name: "ask_user", params: { question: "Implement the plan?", options: ["Yes", "No"] } }] },
      { calls: [{ name: "write_file", params: { path: "basket.js", content: "export const basket = []\n" } }], expect: { lastResult: "Yes" } },
      { text: "The basket is there." }
    )
    using terminal = Tmux.open(place, ["--model", model, ...edits])
    await terminal.shows(idle)
    terminal.type("/deepplan add a basket")
    terminal.press("Enter")
    await terminal.shows(/Implement the plan\?[^]*Enter to answer/)
    expect(existsSync(join(place.cwd, "implementation_plan.md"))).toBe(true)
    expect(existsSync(join(place.cwd, "basket.js"))).toBe(false)
    terminal.type("1")
    terminal.press("Enter")
    await terminal.shows("The basket is there.")
    expect(existsSync(join(place.cwd, "basket.js"))).toBe(true)
    terminal.press("C-d")
  })
})
