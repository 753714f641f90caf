import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Tokens from "../../../src/domain/context/Tokens.ts"
import * as Assemble from "../../../src/domain/prompt/Assemble.ts"
import type { About } from "../../../src/domain/prompt/Section.ts"
import * as Sections from "../../../src/domain/prompt/Sections.ts"
import { about, facts } from "./about.ts"

const prompt = (more: Partial<About> = {}, place: "fixed" | "current" = "fixed", budget = 50_000) =>
  Result.getOrThrow(Assemble.assemble(
    Sections.builtin.filter((section) => section.place === place),
    { ...about, ...more },
    { budget, count: Tokens.ofText }
  ))

const current = (more: Partial<About>) => prompt(more, "current").text

describe("the system prompt", () => {
  it("with its tools stays under 16 kB in both formats", () => {
    const tools = JSON.stringify(about.tools.map(({ description, name, schema }) => ({ name, description, schema })))
    const native = prompt().text.length + tools.length
    const xml = prompt({ toolFormat: "xml" }).text.length
    console.log(`System prompt and tools: ${native} bytes native, ${xml} as XML`)
    assert.isBelow(native, 16_000)
    assert.isBelow(xml, 16_000)
  })

  it("tells the tools as XML only where they are not told natively", () => {
    assert.isFalse(prompt().text.includes("<read_file>"))
    const xml = prompt({ toolFormat: "xml" }).text
    for (const { name } of about.tools) assert.include(xml, `<${name}>`)
  })

  it("says what a mode is for", () => {
    assert.include(prompt({ mode: "plan" }).text, "present_plan")
    assert.include(prompt().text, "end with finish")
  })

  it("holds the project's rules with their paths, the nearest last", () => {
    const rules = [{ path: "/repo/AGENTS.md", text: "Use tabs.\n" }, { path: "packages/a/CLAUDE.md", text: "Use spaces." }]
    const { text } = prompt({ facts: { ...facts, rules } })
    assert.match(text, /<rules path="\/repo\/AGENTS\.md">\nUse tabs\.\n<\/rules>\n\n<rules path="packages\/a\/CLAUDE\.md">\nUse spaces\.\n<\/rules>$/)
  })

  it("does not change when what is current changes", () => {
    const before = prompt({ turns: 0 }).text
    const now = prompt({ turns: 6, todo: [{ text: "a", state: "pending" }], known: facts, facts: { ...facts, git: null } }).text
    assert.strictEqual(now, before)
  })

  it("grows poorer and never longer than its budget, down to the names of the tools", () => {
    for (const budget of [2000, 1400, 1000, 800]) {
      const made = prompt({ toolFormat: "xml" }, "fixed", budget)
      assert.isAtMost(Tokens.ofText(made.text), budget)
      for (const { name } of about.tools) assert.include(made.text, name)
    }
  })
})

describe("what is current", () => {
  it("names the branch at first and when it has moved, and is silent otherwise", () => {
    assert.strictEqual(current({}), "Git: branch main at 0123456789.")
    assert.strictEqual(current({ known: facts }), "")
    assert.strictEqual(
      current({ known: facts, facts: { ...facts, git: { branch: "fix", head: "fedcba9876543210" } } }),
      "Git has moved: branch fix at fedcba9876."
    )
    assert.strictEqual(current({ known: facts, facts: { ...facts, git: null } }), "The working folder is no longer in a git repository.")
    assert.strictEqual(current({ facts: { ...facts, git: null } }), "")
  })

  it("says the list again every six turns while something is open", () => {
    const todo = [{ text: "look", state: "done" }, { text: "mend", state: "in_progress" }] as const
    const said = (turns: number) => current({ known: facts, todo, turns })
    assert.deepStrictEqual([0, 1, 5, 7].map(said), ["", "", "", ""])
    assert.strictEqual(said(6), "Your list (keep it up to date with update_todo):\n- [x] look\n- [~] mend")
    assert.strictEqual(current({ known: facts, turns: 12, todo: [{ text: "look", state: "done" }] }), "")
  })
})
