/** Reports made into one, by rule alone. */
import { assert, describe, it } from "@effect/vitest"
import type { SubagentReport, SubagentTask } from "../../../src/domain/subagent/Subagent.ts"
import * as CombineReports from "../../../src/domain/subagent/CombineReports.ts"
import * as Findings from "../../../src/domain/subagent/Findings.ts"
import * as Synthesis from "../../../src/domain/subagent/Synthesis.ts"
import * as Message from "../../../src/domain/message/Message.ts"

const report = (result: string, more: Partial<SubagentReport> = {}): SubagentReport => ({
  name: "kid",
  status: "finished",
  result,
  calls: 0,
  errors: 0,
  evidence: [],
  changed: [],
  spent: { usd: 0, tokens: 0 },
  ...more
})
const of = (...reports: ReadonlyArray<SubagentReport>) => CombineReports.of(reports.map((): SubagentTask => ({ prompt: "Find the doors." })), reports)

const found = (result: string, evidence: ReadonlyArray<string> = []) => Findings.of({ result, evidence }).map(({ text }) => text)

describe("findings", () => {
  const cases: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
    ["bullets of every kind", "Intro:\n- one\n* two\n• three\n  + four", ["one", "two", "three", "four"]],
    ["numbered points", "1. one\n2) two\n(3) three", ["one", "two", "three"]],
    ["a checklist without its boxes", "- [x] done\n- [ ] open", ["done", "open"]],
    ["conclusions before the rest", "- one\n- two\n\n**Conclusion:** it holds", ["it holds", "one", "two"]],
    ["at most five, each once", "- a\n- A.\n- b\n- c\n- d\n- e\n- f", ["a", "b", "c", "d", "e"]],
    ["sentences where there is no list", "It is red. It is large! Is it? More.", ["It is red.", "It is large!", "Is it?"]],
    ["nothing of code", "- one\n```sh\n- no\n1. no\n```\n- two", ["one", "two"]],
    ["nothing of nothing", "  \n", []]
  ]
  it.each(cases)("are %s", (_, text, expected) => assert.deepStrictEqual(found(text), expected))

  it("end with what the tools show, while there is room", () => {
    assert.deepStrictEqual(found("- one", ["read a.ts", "ran npm test"]), ["one", "read a.ts", "ran npm test"])
  })

  it("are compared by their words alone", () => {
    assert.strictEqual(Findings.normalizeText("**The** `Login` is — safe!"), Findings.normalizeText("the login is safe"))
    assert.notStrictEqual(Findings.normalizeText("see src/a.ts:12"), Findings.normalizeText("see src/a.ts:13"))
  })
})

describe("confidence", () => {
  const cases: ReadonlyArray<readonly [number, string, number, number]> = [
    [3, "It is so.", 0, 0],
    [3, "It is so.", 3, 0],
    [4, "It is so.", 4, 0],
    [4, "It is so.", 5, 0],
    [5, "It is so.", 6, 0],
    [2, "It is so.", 0, 1],
    [2, "I could not find it.", 0, 0],
    [1, "I could not find it.", 0, 2],
    [4, "Confirmed by the tests.", 0, 0],
    [2, "It may be, but is not confirmed.", 0, 0],
    [5, "Confirmed.", 9, 0],
    [5, "Confirmed, though I couldn't find the log.", 9, 0],
    [4, "Confirmed, though I couldn't find the log.", 9, 1]
  ]
  it.each(cases)("is %i for %j after %i calls and %i errors", (expected, result, calls, errors) =>
    assert.strictEqual(CombineReports.confidence({ result, calls, errors }), expected))
})

describe("several reports", () => {
  it("agree where two say the same, and are unique where no other does", () => {
    const combined = of(report("- The door is red.\n- It opens."), report("- the door is **red**"), report("- It squeaks."))
    assert.deepStrictEqual(combined.agreements, [{ text: "The door is red.", by: [1, 2] }])
    assert.deepStrictEqual(combined.unique, [{ text: "It opens.", by: [1] }, { text: "It squeaks.", by: [3] }])
  })

  const conflicts: ReadonlyArray<readonly [string, string, boolean]> = [
    ["The build passes.", "The build fails.", true],
    ["The cache is used.", "The cache is unused.", true],
    ["The key exists.", "No key exists.", true],
    ["It is not safe.", "It is unsafe.", false],
    ["The build passes.", "The lint fails.", false],
    ["The build passes.", "The build passes.", false]
  ]
  it.each(conflicts)("of which one says %j and one %j: conflict is %s", (a, b, expected) =>
    assert.strictEqual(of(report(`- ${a}`), report(`- ${b}`)).conflicts.length > 0, expected))

  it("cover what they speak of, and nothing where a task did not finish", () => {
    const tasks: ReadonlyArray<SubagentTask> = [{ prompt: "Describe login session" }, { prompt: "Describe cache" }]
    const combined = CombineReports.of(tasks, [report("The login describe nothing."), report("late", { status: "timed out" })])
    assert.closeTo(combined.finished[0]!.coverage, 2 / 3, 1e-9)
    assert.closeTo(combined.coverage, 1 / 3, 1e-9)
  })

  it("are told with what did not finish and what was changed", () => {
    const text = CombineReports.renderReports(of(report("- one", { name: "a", changed: ["x.ts"] }), report("- two", { name: "b" }), report("Busy.", { name: "c", status: "failed" })))
    assert.include(text, "2 of 3 tasks finished.")
    assert.include(text, "## Found by one only\n- one (1)\n- two (2)")
    assert.include(text, "## Not finished\n- 3. c: failed. Busy.")
    assert.include(text, "## Changed files\n- x.ts (1)")
  })
})

describe("the outcome", () => {
  const text = (...given: Parameters<typeof Synthesis.outcome>) => Message.text(Synthesis.outcome(...given).content)

  it("is the one result that there is", () => {
    assert.strictEqual(text(of(report("All of it."))), "All of it.")
    assert.include(text(of(report("All of it."), report("late", { name: "b", status: "timed out" }))), "All of it.\n\n## Not finished\n- 2. b: timed out. late")
  })

  it("is a failure where nothing finished", () => {
    assert.strictEqual(Synthesis.outcome(of(report("no", { status: "failed" }))).status, "failed")
  })

  it("keeps what the model left out of what only one had", () => {
    const combined = of(report("- The door is red."), report("- The window rattles loudly."))
    assert.strictEqual(text(combined, "The door is red; the window rattles loudly."), "The door is red; the window rattles loudly.")
    assert.strictEqual(text(combined, "The door is red."), "The door is red.\n\n## Also found\n- The window rattles loudly. (2)")
  })

  it("is asked of a model within bounds", () => {
    const request = Synthesis.request(of(report("x".repeat(100_000)), report("- two")), { maxOutput: 1000 } as never, "s")
    assert.isBelow(Message.text(request.messages[0]!.content).length, 60_000)
    assert.strictEqual(request.maxTokens, 1000)
    assert.isAtMost(request.temperature ?? 1, 0.3)
  })
})
