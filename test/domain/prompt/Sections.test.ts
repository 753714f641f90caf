import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Tokens from "../../../src/domain/context/Tokens.ts"
import * as Assemble from "../../../src/domain/prompt/Assemble.ts"
import type { PromptInput } from "../../../src/domain/prompt/Section.ts"
import * as ModelFamily from "../../../src/domain/prompt/ModelFamily.ts"
import * as Sections from "../../../src/domain/prompt/Sections.ts"
import { facts, input } from "./input.ts"

const prompt = (changes: Partial<PromptInput> = {}, table = Sections.system, budget = 50_000) => {
  const all = { ...input, ...changes }
  return Result.getOrThrow(Assemble.assemble(Sections.forModel(table, all), all, { budget, count: Tokens.ofText }))
}

const current = (changes: Partial<PromptInput>) => prompt(changes, Sections.current).text

describe("the sections", () => {
  const all = [...Sections.system, ...Sections.current]

  it("have names and priorities of their own", () => {
    assert.strictEqual(new Set(all.map(({ name }) => name)).size, all.length)
    assert.deepStrictEqual(all.map(({ priority }) => priority).sort((a, b) => a - b), all.map((_, i) => i + 1))
  })

  it("exist where a family omits them", () => {
    const names = all.map(({ name }) => name)
    for (const { omits } of ModelFamily.families) assert.includeMembers(names, [...omits])
  })
})

describe("the system prompt", () => {
  it("with its tools stays under 16 kB in both formats", () => {
    const tools = JSON.stringify(input.tools.map(({ description, name, schema }) => ({ name, description, schema })))
    const native = prompt().text.length + tools.length
    const xml = prompt({ toolFormat: "xml" }).text.length
    console.log(`System prompt and tools: ${native} bytes native, ${xml} as XML`)
    assert.isBelow(native, 16_000)
    assert.isBelow(xml, 16_000)
  })

  it("tells the tools as XML only where they are not sent as native tools", () => {
    assert.isFalse(prompt().text.includes("<read_file>"))
    const xml = prompt({ toolFormat: "xml" }).text
    for (const { name } of input.tools) assert.include(xml, `<${name}>`)
  })

  it("is in the words of the model's family", () => {
    const native = { ...input.model, reasoning: true }
    const small = { ...input.model, window: 24_000 }
    const tree = { ...facts, tree: ["src/", "src/a.ts"] }
    const of = (model: PromptInput["model"], toolFormat: PromptInput["toolFormat"]) => prompt({ model, toolFormat, facts: tree })
    const names = (made: Assemble.Prompt) => made.report.map(({ section }) => section)
    assert.deepStrictEqual(names(of(native, "native")), ["base", "mode", "family notes", "environment", "directory tree"])
    assert.deepStrictEqual(names(of(native, "xml")), ["base", "mode", "tool format", "tools", "environment", "directory tree"])
    assert.deepStrictEqual(names(of(input.model, "native")), ["base", "mode", "environment", "directory tree"])
    assert.deepStrictEqual(names(of(small, "xml")), ["base", "mode", "tool format", "tools", "environment"])
    assert.isBelow(of(small, "native").tokens, of(input.model, "native").tokens / 2)
    for (const { texts } of ModelFamily.families) assert.include(texts.plan, "present_plan")
    assert.strictEqual(ModelFamily.of({ model: small, toolFormat: "native" }).name, "compact")
  })

  it("says what a mode is for", () => {
    assert.include(prompt({ mode: "plan" }).text, "present_plan")
    assert.include(prompt().text, "call finish")
  })

  it("holds the project's rules with their paths, the nearest last", () => {
    const rules = [{ path: "/repo/AGENTS.md", text: "Use tabs.\n" }, { path: "packages/a/CLAUDE.md", text: "Use spaces." }]
    const { text } = prompt({ facts: { ...facts, rules } })
    assert.match(text, /<rules path="\/repo\/AGENTS\.md">\nUse tabs\.\n<\/rules>\n\n<rules path="packages\/a\/CLAUDE\.md">\nUse spaces\.\n<\/rules>$/)
  })

  it("does not change when what is current changes", () => {
    const before = prompt({ turns: 0 }).text
    const now = prompt({ turns: 6, todo: [{ text: "a", state: "pending" }], previousFacts: facts, facts: { ...facts, git: null } }).text
    assert.strictEqual(now, before)
  })

  it("grows poorer and never longer than its budget, down to the names of the tools", () => {
    for (const budget of [2000, 1400, 1000, 800]) {
      const made = prompt({ toolFormat: "xml" }, Sections.system, budget)
      assert.isAtMost(Tokens.ofText(made.text), budget)
      for (const { name } of input.tools) assert.include(made.text, name)
    }
  })
})

describe("what is current", () => {
  it("names the branch at first and when it has moved, and is silent otherwise", () => {
    assert.strictEqual(current({}), "Git: branch main at 0123456789.")
    assert.strictEqual(current({ facts: { ...facts, git: { branch: "main", head: "(no commit)" } } }), "Git: branch main at (no commit).")
    assert.strictEqual(current({ previousFacts: facts }), "")
    assert.strictEqual(
      current({ previousFacts: facts, facts: { ...facts, git: { branch: "fix", head: "fedcba9876543210" } } }),
      "Git changed: branch fix at fedcba9876."
    )
    assert.strictEqual(current({ previousFacts: facts, facts: { ...facts, git: null } }), "The working directory is no longer in a Git repository.")
    assert.strictEqual(current({ facts: { ...facts, git: null } }), "")
  })

  it("tells the day where it is another than it was told", () => {
    const day = (today: string): typeof facts => ({ ...facts, today })
    assert.strictEqual(current({ previousFacts: facts, facts: day(facts.date) }), "")
    assert.strictEqual(current({ previousFacts: facts, facts: day("2026-11-22") }), "Today is 2026-11-22.")
    assert.strictEqual(current({ previousFacts: day("2026-11-22"), facts: day("2026-11-22") }), "")
  })

  it("reports each background command that ended once, with its last lines where there is room", () => {
    const build = { id: "call_1", command: "npm run\n  build", code: 2, signal: null, durationMs: 41_300, lines: ["src/a.ts", "2 errors"] }
    const server = { id: "call_2", command: "npm run dev", code: null, signal: "SIGTERM", durationMs: 5, lines: [] }
    const after = (...ended: ReadonlyArray<typeof build | typeof server>): typeof facts => ({ ...facts, ended })
    assert.strictEqual(
      current({ previousFacts: facts, facts: after(build) }),
      "These background commands have ended (command_output shows all of their output):\n" +
        "- call_1 (npm run build): exit code 2 after 42 s\n  | src/a.ts\n  | 2 errors"
    )
    assert.strictEqual(current({ previousFacts: after(build), facts: after(build) }), "")
    assert.match(current({ previousFacts: after(build), facts: after(build, server) }), /:\n- call_2 \(npm run dev\): ended by SIGTERM after 1 s$/)
    const many = Array.from({ length: 16 }, (_, i) => ({ ...build, id: `call_${i}`, lines: Array.from({ length: 5 }, () => "x y ".repeat(50)) }))
    const short = prompt({ previousFacts: facts, facts: after(...many) }, Sections.current, 2000).text
    assert.include(short, "- call_15 (npm run build): exit code 2")
    assert.notInclude(short, "| x y")
  })

  it("tells a new task what the last check of an earlier one found", () => {
    const failures = { command: "$ npm test", lines: Array.from({ length: 20 }, (_, i) => `src/a.ts:${i} error`) }
    assert.match(current({ previousFacts: facts, failures }), /^The last check \(npm test\) reported .*:\nsrc\/a\.ts:0 error\n[\s\S]*src\/a\.ts:7 error\n\[… 12 more lines\]$/)
    assert.strictEqual(current({ previousFacts: facts, failures, turns: 1 }), "")
    assert.strictEqual(current({ previousFacts: facts, failures: { ...failures, lines: [] } }), "")
  })

  it("says the list again every six turns while something is open", () => {
    const todo = [{ text: "look", state: "done" }, { text: "mend", state: "in_progress" }] as const
    const said = (turns: number) => current({ previousFacts: facts, todo, turns })
    assert.deepStrictEqual([0, 1, 5, 7].map(said), ["", "", "", ""])
    assert.strictEqual(said(6), "Your todo list (keep it current with update_todo):\n- [x] look\n- [~] mend")
    assert.strictEqual(current({ previousFacts: facts, turns: 12, todo: [{ text: "look", state: "done" }] }), "")
  })
})
