/** What the page makes of events, texts and diffs, without a browser. */
import { describe, expect, it } from "@effect/vitest"
import * as Session from "../../src/domain/session/Session.ts"
import type { SessionEvent, Settled } from "../../src/domain/session/SessionEvent.ts"
import * as AnsiColors from "../../src/web/model/AnsiColors.ts"
import * as Denial from "../../src/web/model/Denial.ts"
import * as DiffRows from "../../src/web/model/DiffRows.ts"
import * as History from "../../src/web/model/History.ts"
import * as LiveResponse from "../../src/web/model/LiveResponse.ts"
import * as MarkdownBlocks from "../../src/web/model/MarkdownBlocks.ts"
import * as UsageChart from "../../src/web/model/UsageChart.ts"
import { event, log, turn } from "./support/Events.ts"

const historyOf = (events: ReadonlyArray<SessionEvent>): History.History => {
  const history = History.make()
  for (const at of events) expect(History.push(history, at)).toBe("added")
  return history
}

describe("a history", () => {
  const events = log([...Array.from({ length: 90 }, (_, i) => turn(i)).flat(), { _tag: "Rewound", to: 5, files: false, conversation: true }, ...turn(90)])

  it("shows at every event what a fold of the log up to there shows", () => {
    const history = historyOf(events)
    for (const seq of [0, 1, 98, 99, 100, 101, 250, events.length - 2, events.length - 1]) {
      const { session, timeline } = History.momentAt(history, seq)
      const prefix = events.slice(0, seq + 1)
      const { past: _, ...state } = session
      const { past: __, ...expected } = Session.fold(prefix)
      expect(state).toEqual(expected)
      expect(timeline.entries).toEqual(historyOf(prefix).current.timeline.entries)
    }
  })

  it("skips events that it knows and refuses those after a gap", () => {
    const history = historyOf(events.slice(0, 10))
    expect(History.push(history, events[3]!)).toBe("known")
    expect(History.push(history, events[12]!)).toBe("gap")
    expect(history.events).toHaveLength(10)
  })

  it("follows a call from its proposal to its result", () => {
    const { timeline } = historyOf(log(turn(0))).current
    expect(timeline.entries.find(({ _tag }) => _tag === "Tool")).toMatchObject({ state: "done", outcome: { status: "succeeded" } })
  })

  it("names its events as people do", () => {
    const names = log(turn(0)).map(History.eventName)
    expect(names).toContain("Tool finished")
    expect(names.filter((name) => !/^[A-Z][a-z]+(?: [a-z]+)*$/.test(name))).toEqual([])
  })
})

describe("a live response", () => {
  it("ends with the event that settles it", () => {
    const text = LiveResponse.push(LiveResponse.empty, { _tag: "Parsed", part: { _tag: "Text", text: "Hel" } })
    const longer = LiveResponse.push(text, { _tag: "Parsed", part: { _tag: "Text", text: "lo" } })
    expect(longer.text).toBe("Hello")
    const [, , , responded] = log(turn(0))
    expect(responded!.event._tag).toBe("ModelResponded")
    expect(LiveResponse.settle(longer, responded!)).toEqual(LiveResponse.empty)
  })
})

const document = [
  "# Title\n\nA paragraph with **bold** text\nover two lines.\n\n",
  "- one\n- two\n  - nested\n\n1. first\n2. second\n\n",
  "```ts\nconst a = 1\n\nconst b = 2\n```\n\n> quoted\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\nThe end.\n"
].join("")

describe("Markdown", () => {
  it("is the same however it arrives", () => {
    const complete = MarkdownBlocks.parse(document)
    for (let cut = 0; cut <= document.length; cut++) {
      const state = MarkdownBlocks.make()
      MarkdownBlocks.update(state, document.slice(0, cut))
      MarkdownBlocks.update(state, document)
      expect([...state.settled, ...state.open]).toEqual(complete)
    }
  })

  it("keeps every character of a long answer, with blocks that do not end", () => {
    const code = "x = 1\n".repeat(10_000)
    const text = `${"word ".repeat(10_000)}\n\n\`\`\`py\n${code}\`\`\`\n\n${"- item\n".repeat(5_000)}\nend\n`
    const state = MarkdownBlocks.make()
    for (let at = 0; at <= text.length; at += 977) MarkdownBlocks.update(state, text.slice(0, at))
    MarkdownBlocks.update(state, text)
    const tokens = [...state.settled, ...state.open]
    const pieces = tokens.filter((token) => token.type === "code")
    expect(pieces.map(({ raw }) => raw).join("")).toBe(code)
    expect(tokens.filter((token) => token.type === "paragraph").map(({ raw }) => raw).join("")).toContain("word ".repeat(10_000))
    expect(tokens.at(-1)).toMatchObject({ type: "paragraph", text: "end" })
    expect(state.open.length).toBeLessThan(3)
  })

  it("leads to the web and to mail alone", () => {
    expect(MarkdownBlocks.safeUrl("https://example.com/a")).toBe("https://example.com/a")
    for (const url of ["javascript:alert(1)", " javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "/login", "vbscript:x"]) {
      expect(MarkdownBlocks.safeUrl(url)).toBeUndefined()
    }
  })
})

describe("output of programs", () => {
  it("keeps colours and drops every other sequence", () => {
    expect(AnsiColors.parse("a\x1b[31mred\x1b[1mbold\x1b[0m \x1b]0;title\x07\x1b[2Jend")).toEqual([
      { style: "", text: "a" },
      { style: "ansi-1", text: "red" },
      { style: "ansi-1 bold", text: "bold" },
      { style: "", text: " end" }
    ])
    expect(AnsiColors.parse("\x1b[38;5;2mgreen\x1b[38;2;1;2;3mother")).toEqual([{ style: "ansi-2", text: "green" }, { style: "", text: "other" }])
  })

  it("shows the last version of a line that is written again", () => {
    expect(AnsiColors.parse("10%\r50%\r100%\r\ndone")).toEqual([{ style: "", text: "100%\ndone" }])
  })
})

describe("a diff", () => {
  const diff = "diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1,3 +1,4 @@\n same\n-old one\n--- old two\n+new one\n+new two\n+new three\n"
  const rows = DiffRows.parse(diff)

  it("counts lines on both sides, and knows a removed line that looks like a header", () => {
    expect(rows.map(({ kind, newLine, oldLine, text }) => [kind, oldLine, newLine, text])).toEqual([
      ["file", undefined, undefined, "a.ts"],
      ["hunk", undefined, undefined, "@@ -1,3 +1,4 @@"],
      ["context", 1, 1, "same"],
      ["removed", 2, undefined, "old one"],
      ["removed", 3, undefined, "-- old two"],
      ["added", undefined, 2, "new one"],
      ["added", undefined, 3, "new two"],
      ["added", undefined, 4, "new three"]
    ])
  })

  it("puts the versions of a line side by side", () => {
    expect(DiffRows.pairs(rows).slice(3).map((pair) => [pair.old?.text, pair.new?.text])).toEqual([
      ["old one", "new one"],
      ["-- old two", "new two"],
      [undefined, "new three"]
    ])
  })
})

it("an event of every kind can be added to a timeline", () => {
  const settled: Settled = { _tag: "Interrupted", why: "Stopped." }
  expect(historyOf(log([settled])).current.timeline.entries).toMatchObject([{ _tag: "End", text: "Stopped." }])
  expect(event(0, settled).seq).toBe(0)
})

describe("a chart of usage", () => {
  const day = 86_400_000
  const request = (at: number, model: string, session: string, cost: number | null) => ({
    session,
    seq: 1,
    time: 1_795_000_000_000 + at * day,
    model,
    usage: { input: 10, output: 2, cacheRead: 5, cacheWrite: 0, reasoning: 0 },
    cost,
    hitRate: 0
  })
  const requests = [request(0, "a", "s1", 1), request(0, "b", "s1", 2), request(2, "a", "s2", null), request(2, "a", "s2", 3)]

  it("has a bar for every day, in parts by model or session, the largest first", () => {
    const { labels, series, title } = UsageChart.data(requests, { measure: "cost", part: "model" })
    expect(title).toBe("Cost by day and model")
    expect(labels).toHaveLength(3)
    expect(series).toEqual([{ name: "a", values: [1, 0, 3] }, { name: "b", values: [2, 0, 0] }])
    expect(UsageChart.data(requests, { measure: "input", part: "session", nameOf: (id) => `<${id}>` }).series)
      .toEqual([{ name: "<s1>", values: [30, 0, 0] }, { name: "<s2>", values: [0, 0, 30] }])
    expect(UsageChart.data(requests, { measure: "requests", part: "model" }).series[0]!.values).toEqual([1, 0, 2])
  })

  it("sums small parts, and shows the chosen days alone", () => {
    const many = Array.from({ length: 9 }, (_, i) => request(0, `m${i}`, "s", i + 1))
    const { series } = UsageChart.data(many, { measure: "cost", part: "model" })
    expect(series.map(({ name }) => name)).toEqual(["m8", "m7", "m6", "m5", "m4", "Others"])
    expect(series.at(-1)!.values).toEqual([10])
    expect(UsageChart.recent(requests, 1, 1_795_000_000_000 + 2 * day + 1)).toHaveLength(2)
    expect(UsageChart.recent(requests, 0, Infinity)).toHaveLength(4)
  })
})

describe("a denied call", () => {
  const proposed: Extract<Settled, { readonly _tag: "ToolProposed" }> = {
    _tag: "ToolProposed",
    call: "call_0_1",
    access: [{ _tag: "Command", command: "rm -rf build", cwd: "/p" }],
    kind: "command",
    action: "a",
    decision: "deny",
    risk: "high",
    reason: "the rule Bash(rm *) denies rm -rf build",
    rule: "Bash(rm *)",
    offer: []
  }
  const outcome = { _tag: "ToolFinished", call: "call_0_1", outcome: { status: "denied", content: [] } } as const
  const denial = (...events: ReadonlyArray<Settled>) => {
    const { entries } = historyOf(log([...turn(0).slice(0, 4), ...events])).current.timeline
    const entry = entries.findLast(({ _tag }) => _tag === "Tool")
    return entry?._tag === "Tool" ? Denial.of(entry) : undefined
  }

  it("names the rule, the mode or the rule that is missing, and nothing where the user decided", () => {
    expect(denial(proposed, outcome)).toEqual({ reason: proposed.reason, remedy: "To allow it, remove that rule from the permission rules; no allow rule overrides it." })
    expect(denial({ ...proposed, reason: "no rule allows it; dontAsk mode denies calls that need approval" }, outcome)?.remedy).toMatch(/^To allow it, .*choose another permission mode/)
    const { rule: _, ...withoutRule } = proposed
    expect(denial({ ...withoutRule, reason: "plan mode is read-only" }, outcome)?.remedy).toBe("To allow it, leave plan mode.")
    const asked = { ...withoutRule, decision: "ask", offer: ["Bash(rm -rf build)"] } as const
    const decided = (by: "nobody" | "user") => ({ _tag: "ApprovalDecided", call: "call_0_1", decision: "deny", scope: "once", by } as const)
    expect(denial(asked, decided("nobody"), outcome)).toMatchObject({ offer: "Bash(rm -rf build)" })
    expect(denial({ ...asked, offer: [] }, decided("nobody"), outcome)?.remedy).toMatch(/^Only a person/)
    const byRule = { ...asked, rule: "Bash(rm:*)", reason: "the rule Bash(rm:*) requires approval for rm -rf build" } as const
    expect(denial(byRule, decided("nobody"), outcome)).toEqual({ reason: byRule.reason, remedy: "To allow it, remove that rule from the permission rules; no allow rule overrides it." })
    expect(denial(asked, decided("user"), outcome)).toBeUndefined()
    expect(denial({ ...asked, decision: "allow" })).toBeUndefined()
  })
})
