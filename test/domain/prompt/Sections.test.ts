import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Tokens from "../../../src/domain/context/Tokens.ts"
import * as Assemble from "../../../src/domain/prompt/Assemble.ts"
import type { About } from "../../../src/domain/prompt/Section.ts"
import * as Family from "../../../src/domain/prompt/ModelFamily.ts"
import * as Sections from "../../../src/domain/prompt/Sections.ts"
import { about, facts } from "./input.ts"

const prompt = (more: Partial<About> = {}, place: "fixed" | "current" = "fixed", budget = 50_000) =>
  Result.getOrThrow(Assemble.assemble(
    Sections.of({ ...about, ...more }, place),
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

  it("is in the words of the model's family", () => {
    const native = { ...about.model, reasoning: true }
    const small = { ...about.model, window: 24_000 }
    const tree = { ...facts, tree: ["src/", "src/a.ts"] }
    const of = (model: About["model"], toolFormat: About["toolFormat"]) => prompt({ model, toolFormat, facts: tree })
    const names = (made: Assemble.Assembled) => made.report.map(({ section }) => section)
    assert.deepStrictEqual(names(of(native, "native")), ["base", "mode", "family notes", "environment", "directory tree"])
    assert.deepStrictEqual(names(of(native, "xml")), ["base", "mode", "tool format", "tools", "environment", "directory tree"])
    assert.deepStrictEqual(names(of(about.model, "native")), ["base", "mode", "environment", "directory tree"])
    assert.deepStrictEqual(names(of(small, "xml")), ["base", "mode", "tool format", "tools", "environment"])
    assert.isBelow(of(small, "native").tokens, of(about.model, "native").tokens / 2)
    for (const { words } of Family.builtin) assert.include(words.plan, "present_plan")
    assert.strictEqual(Family.of({ model: small, toolFormat: "native" }).name, "compact")
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

  it("tells the day where it is another than it was told", () => {
    const day = (today: string): typeof facts => ({ ...facts, today })
    assert.strictEqual(current({ known: facts, facts: day(facts.date) }), "")
    assert.strictEqual(current({ known: facts, facts: day("2026-11-22") }), "It is 2026-11-22 now.")
    assert.strictEqual(current({ known: day("2026-11-22"), facts: day("2026-11-22") }), "")
  })

  it("tells a new task what the last check of an earlier one found", () => {
    const faults = { command: "$ npm test", lines: Array.from({ length: 20 }, (_, i) => `src/a.ts:${i} error`) }
    assert.match(current({ known: facts, faults }), /^The last check \(npm test\) found faults .*:\nsrc\/a\.ts:0 error\n[\s\S]*src\/a\.ts:7 error\n\[… 12 more\]$/)
    assert.strictEqual(current({ known: facts, faults, turns: 1 }), "")
    assert.strictEqual(current({ known: facts, faults: { ...faults, lines: [] } }), "")
  })

  it("says the list again every six turns while something is open", () => {
    const todo = [{ text: "look", state: "done" }, { text: "mend", state: "in_progress" }] as const
    const said = (turns: number) => current({ known: facts, todo, turns })
    assert.deepStrictEqual([0, 1, 5, 7].map(said), ["", "", "", ""])
    assert.strictEqual(said(6), "Your list (keep it up to date with update_todo):\n- [x] look\n- [~] mend")
    assert.strictEqual(current({ known: facts, turns: 12, todo: [{ text: "look", state: "done" }] }), "")
  })
})
