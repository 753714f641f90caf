/** `/memory`, `/newrule`, `/compact` and `/deepplan` in the terminal: what the model is asked for, and what stays in the project. */
import { describe, expect, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
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

  it("/newrule adds a rule that the next request has, and without one has the model write down what was agreed", async () => {
    await using place = Process.scene()
    const model = place.script(
      { text: "Tabs it is.", expect: { system: ["Indent with tabs."] } },
      { calls: [{ name: "edit_file", params: { path: "AGENTS.md", old_text: "- Indent with tabs.", new_text: "- Indent with tabs.\n- Baskets are frozen." } }], expect: { contains: ["Record what we agreed on in this session as project rules"] } },
      { text: "Recorded." }
    )
    using terminal = Tmux.open(place, ["--model", model, ...edits])
    await terminal.shows(idle)
    terminal.type("/newrule Indent with tabs.")
    terminal.press("Enter")
    await terminal.shows("Added to AGENTS.md. It applies from the next request.")
    terminal.type("Freeze baskets")
    terminal.press("Enter")
    await terminal.shows("Tabs it is.")
    await terminal.shows(idle)
    terminal.type("/newrule")
    terminal.press("Enter")
    await terminal.shows(/Edit AGENTS\.md\?[^]*Enter to answer/)
    terminal.press("y")
    await terminal.shows("Recorded.")
    expect(readFileSync(join(place.cwd, "AGENTS.md"), "utf8")).toBe("- Indent with tabs.\n- Baskets are frozen.\n")
    terminal.press("C-d")
  })

  it("/compact summarises earlier turns by its instructions, and the conversation continues", async () => {
    await using place = Process.scene()
    writeFileSync(join(place.cwd, "long.txt"), "A line of a long file.\n".repeat(500))
    const read = { calls: [{ name: "read_file", params: { path: "long.txt" } }] }
    const words = ["first", "second", "third", "fourth"]
    const model = place.script(read, read, ...words.map((word) => ({ text: `The ${word} answer.` })))
    using terminal = Tmux.open(place, ["--model", model])
    const say = async (text: string, shown: string) => {
      await terminal.shows(idle)
      terminal.type(text)
      terminal.press("Enter")
      await terminal.shows(shown)
    }
    for (const word of words.slice(0, 3)) await say(word, `The ${word} answer.`)
    await say("/compact keep the names", "Summarised earlier turns")
    await say("fourth", "The fourth answer.")
    const { stdout } = await Process.run(place, ["sessions", "show", "latest", "--output-format", "events"])
    expect(stdout).toContain("\"_tag\":\"CompactionAsked\",\"words\":\"keep the names\"")
    expect(stdout).toContain("\"_tag\":\"ContextCompacted\"")
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
