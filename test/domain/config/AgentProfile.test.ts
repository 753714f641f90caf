import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Mode from "../../../src/domain/approval/Mode.ts"
import * as AgentProfile from "../../../src/domain/config/AgentProfile.ts"
import * as Frontmatter from "../../../src/domain/message/Frontmatter.ts"
import * as Catalogue from "../../../src/domain/provider/Catalogue.ts"

const plain = (value: Frontmatter.Value): unknown =>
  Frontmatter.isFields(value) ? Object.fromEntries([...value].map(([name, { value }]) => [name, plain(value)])) : value

const fields = (...lines: ReadonlyArray<string>) => plain(Frontmatter.read(`---\n${lines.join("\n")}\n---\nBody.`).fields)

describe("frontmatter", () => {
  const table: ReadonlyArray<readonly [what: string, lines: ReadonlyArray<string>, fields: unknown]> = [
    ["fields", ["name: reviewer", "model: anthropic/claude-sonnet-4-5"], { name: "reviewer", model: "anthropic/claude-sonnet-4-5" }],
    ["quotes and comments", ["a: \"x # y\"", "b: 'it: is'", "# no field", "c: plan # only look"], { a: "x # y", b: "it: is", c: "plan" }],
    ["text over several lines", ["a: >", "  one", "  two", "b: one", "  two", "c: |-", "  - one"], { a: "one two", b: "one two", c: "- one" }],
    ["lists", ["a:", "  - Read", "  - \"Grep\" # finds", "b:", "- x", "- y", "c: [Read, 'a, b']", "d: [", "  one,", "  two", "]", "e: []"], { a: ["Read", "Grep"], b: ["x", "y"], c: ["Read", "a, b"], d: ["one", "two"], e: [] }],
    ["lists that only YAML reads", ["a: [", "  one, # first", "  two", "]", "b: &b [x]", "c: *b"], { a: ["one", "two"], b: ["x"], c: ["x"] }],
    ["names that only YAML reads", ["a b: one", "ä: two"], { "a b": "one", "ä": "two" }],
    ["braces around everything", ["{a: one, b: [x, y], c: 1}"], { a: "one", b: ["x", "y"], c: "1" }],
    ["maps", ["a:", "  edit: deny", "  bash:", "    \"git *\": allow", "    '*': ask", "b: { write: false, edit: true }"], {
      a: { edit: "deny", bash: { "git *": "allow", "*": "ask" } },
      b: { write: "false", edit: "true" }
    }],
    ["nothing", ["a:", "b: \"\"", "c: ~", "d: null", "e f: ~"], { a: "", b: "", c: "", d: "", "e f": "" }],
    ["a block with its lines", ["a: |", "  one", "", "    two", "b: >-", "  one", "  two"], { a: "one\n\n  two", b: "one two" }],
    ["escapes in quotes", ["a: \"it's \\\"this\\\"\"", "b: 'it''s'"], { a: "it's \"this\"", b: "it's" }],
    ["values that are not text, as they are written", ["a: 0.10", "b: yes", "c: [1, true]"], { a: "0.10", b: "yes", c: ["1", "true"] }],
    ["what is not YAML, as it is written", ["a: use it when: x", "*: ask", "b: \"quoted\" and more"], { a: "use it when: x", "*": "ask", b: "\"quoted\" and more" }]
  ]
  for (const [what, lines, expected] of table) it(`holds ${what}`, () => assert.deepStrictEqual(fields(...lines), expected))

  it("has the line of each field, with any line ends", () => {
    const { body, fault, fields } = Frontmatter.read("\uFEFF---\r\nname: a\r\n\r\ntools: Read\r\n---\r\nBody.\r\n")
    assert.deepStrictEqual([...fields].map(([name, { line, text }]) => [name, text, line]), [["name", "a", 2], ["tools", "Read", 4]])
    assert.deepStrictEqual([body, fault], ["Body.\r\n", undefined])
    assert.deepStrictEqual(Frontmatter.read("---\n---\nBody."), { fields: new Map(), body: "Body." })
  })

  it("reports what can't be read, and keeps the rest", () => {
    const { fault, fields } = Frontmatter.read("---\nname: a\nno field at all\nmodel: b\n---\n")
    assert.strictEqual(fault?.line, 3)
    assert.deepStrictEqual([...fields.keys()], ["name", "model"])
    assert.strictEqual(Frontmatter.read("---\nname: a\n").fault?.line, 1)
    assert.isUndefined(Frontmatter.read("Text.\n---\n").fault)
  })

  it("is read in linear time, however hostile its nesting", () => {
    const deep = 60_000
    const hostile: ReadonlyArray<string> = [
      `a: ${"{a: ".repeat(deep)}b${"}".repeat(deep)}`,
      `a: ${"[".repeat(deep)}${"]".repeat(deep)}`,
      `a: b${" ".repeat(200_000)}c`,
      `a:\n${" b\n".repeat(130_000)}`,
      `a:\n${Array.from({ length: 600 }, (_, i) => `${" ".repeat(i + 1)}a:`).join("\n")}`,
      `a: [${"'\",".repeat(deep)}]`
    ]
    const bomb = ["a: &a [x, x, x, x, x, x, x, x]", ...Array.from({ length: 30 }, (_, i) => `a${i}: &a${i} [*a${i === 0 ? "" : i - 1}, *a${i === 0 ? "" : i - 1}]`)].join("\n")
    for (const text of [...hostile, bomb, ...hostile.map((text) => text.slice(0, 19_000))]) assert.strictEqual(Frontmatter.read(`---\n${text}\n---\nBody.`).body, "Body.")
  })
})

const agent = (...lines: ReadonlyArray<string>) => AgentProfile.parse("file", `---\n${lines.join("\n")}\n---\n\nYou review.\n`)
const parsed = (...lines: ReadonlyArray<string>) => {
  const { description: _, name: __, permissions, prompt: ___, disallowedTools, ...rest } = Result.getOrThrow(agent(...lines))
  return { ...rest, ...(permissions.length === 0 ? {} : { permissions }), ...(disallowedTools.length === 0 ? {} : { without: disallowedTools }) }
}

describe("a model alias", () => {
  const entry = (id: string, release_date: string): Catalogue.Entry => ({ id, name: id, release_date, limit: { context: 1, output: 1 } })
  const entries: Catalogue.Entries = {
    acme: { id: "acme", name: "Acme", models: { "big-1": entry("big-1", "2025-01-01"), "big-2": entry("big-2", "2026-01-01"), "bigger-3": entry("bigger-3", "2026-06-01") } }
  }
  const table: ReadonlyArray<readonly [word: string | undefined, usual: string | undefined, meant: string | undefined]> = [
    ["big", "acme/bigger-3", "acme/big-2"],
    ["big-1", "acme/big-2:high", "acme/big-1"],
    ["other/big", "acme/big-1", "other/big"],
    ["other/big", undefined, "other/big"],
    ["small", "acme/big-1", undefined],
    ["big", "other/x", undefined],
    ["big", undefined, undefined],
    ["inherit", "acme/big-1", undefined],
    [undefined, "acme/big-1", undefined]
  ]
  for (const [word, usual, meant] of table) it(`${word} where ${usual} is usual is ${meant}`, () => assert.strictEqual(Catalogue.resolveAlias(word, usual, entries), meant))
})

describe("a mode of someone else's", () => {
  it("makes a mode stricter and never looser", () => {
    const after = (mode: Mode.Mode) => Mode.Mode.literals.filter((asked) => Mode.stricterMode(mode, asked) === asked && asked !== mode)
    assert.deepStrictEqual(Object.fromEntries(Mode.Mode.literals.map((mode) => [mode, after(mode)])), {
      plan: [],
      dontAsk: [],
      default: ["plan", "dontAsk"],
      acceptEdits: ["default", "plan", "dontAsk"],
      auto: ["default", "acceptEdits", "plan", "dontAsk"],
      bypassPermissions: ["default", "acceptEdits", "plan", "auto", "dontAsk"]
    })
    assert.strictEqual(Mode.stricterMode("auto", undefined), "auto")
  })
})

describe("an agent profile", () => {
  it("is a prompt with its settings", () => {
    assert.deepStrictEqual(agent("name: reviewer", "description: Reviews changes.", "tools: Read, Grep", "model: sonnet", "permissionMode: plan", "mode: subagent", "color: blue"), Result.succeed({
      name: "reviewer",
      description: "Reviews changes.",
      prompt: "You review.",
      model: "sonnet",
      tools: ["Read", "Grep"],
      disallowedTools: [],
      permissionMode: "plan",
      permissions: [],
      mode: "subagent"
    }))
    assert.deepStrictEqual(AgentProfile.parse("helper", "You help.\n"), Result.succeed({ name: "helper", description: "", prompt: "You help.", disallowedTools: [], permissions: [] }))
  })

  const table: ReadonlyArray<readonly [what: string, lines: ReadonlyArray<string>, parsed: unknown]> = [
    ["a list of tools", ["tools:", "  - Read", "  - Bash(git log:*)"], { tools: ["Read", "Bash"] }],
    ["a text of tools with what they may be used for", ["tools: Agent(worker, helper), Read Grep"], { tools: ["Agent", "Read", "Grep"] }],
    ["all tools", ["tools: \"*\""], {}],
    ["no word on tools", ["tools:"], {}],
    ["no tools", ["tools: []"], { tools: [] }],
    ["tools that are off", ["tools:", "  write: false", "  bash: true"], { without: ["write"] }],
    ["tools that are on alone", ["tools:", "  \"*\": false", "  read: true"], { tools: ["read"] }],
    ["tools that it must not use", ["tools: Read", "disallowedTools: Write, Edit"], { tools: ["Read"], without: ["Write", "Edit"] }],
    ["no tools where it must use none", ["disallowedTools: \"*\""], { tools: [] }],
    ["a mode by the other name", ["permission: plan", "mode: all"], { permissionMode: "plan" }],
    ["decisions by tool and pattern", ["permission:", "  edit: deny", "  bash:", "    \"*\": ask", "    \"git diff *\": allow"], {
      permissions: [
        { decision: "deny", tool: "edit", line: 3 },
        { decision: "ask", tool: "bash", line: 5 },
        { decision: "allow", tool: "bash", pattern: "git diff *", line: 6 }
      ]
    }]
  ]
  for (const [what, lines, expected] of table) it(`takes ${what}`, () => assert.deepStrictEqual(parsed(...lines), expected))

  const broken: ReadonlyArray<readonly [lines: ReadonlyArray<string>, line: number, why: RegExp]> = [
    [["name: a b"], 2, /the name "a b" must consist of letters/],
    [["description: x", "permissionMode: yes"], 3, /^permissionMode must be one of default, acceptEdits, plan, auto, dontAsk, bypassPermissions, not "yes"/],
    [["mode: both"], 2, /^mode must be one of all, primary, subagent/],
    [["permission:", "  edit: never"], 3, /not "never"/],
    [["permission: never"], 2, /not "never"/],
    [["permission: { edit deny }"], 2, /not "\{ edit deny \}"/],
    [["tools:", "  write: off"], 3, /a tool must be true or false, not "off"/],
    [["disallowedTools: { write: true }"], 2, /disallowedTools must be a list/],
    [["just words"], 2, /is not a field/]
  ]
  for (const [lines, line, why] of broken) {
    it(`says where ${JSON.stringify(lines)} is broken`, () => {
      const fault = Result.getOrThrow(Result.flip(agent(...lines)))
      assert.strictEqual(fault.line, line)
      assert.match(fault.why, why)
    })
  }

  it("needs a name that is a shell word", () => {
    assert.match(Result.getOrThrow(Result.flip(AgentProfile.parse("a;b", "x"))).why, /the name "a;b"/)
  })
})
