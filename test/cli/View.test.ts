import { describe, expect, it } from "@effect/vitest"
import { renderToString } from "ink"
import { createElement } from "react"
import type { Followed, Live } from "../../src/domain/session/SessionEvent.ts"
import { Root, unprintedLines } from "../../src/cli/render/terminal/InkTerminal.ts"
import * as BlockLines from "../../src/cli/render/text/BlockLines.ts"
import * as Screen from "../../src/cli/render/terminal/Screen.ts"
import * as StatusLine from "../../src/cli/render/text/StatusLine.ts"
import * as CallSummary from "../../src/cli/render/view/CallSummary.ts"
import * as Theme from "../../src/cli/render/text/Theme.ts"
import * as Access from "../../src/domain/tool/Access.ts"
import * as ApprovalPrompt from "../../src/cli/render/terminal/ApprovalPrompt.ts"
import * as View from "../../src/cli/render/view/View.ts"
import type { PendingPrompt } from "../../src/cli/terminal/TerminalApprover.ts"
import corpus from "../corpora/terminal.json" with { type: "json" }
import * as Outcome from "../../src/domain/tool/Outcome.ts"
import * as Renderers from "./support/Renderers.ts"
import * as Acts from "./support/Acts.ts"
import * as Day from "./support/Day.ts"
import { model } from "./support/Played.ts"

const view = (acts: Parameters<typeof Day.followed>[0]): View.View => Day.followed(acts).reduce(View.update, View.initial())

const themes = { plain: Theme.plain, color: Theme.of("always", true, {}) }

/** Escapes as a reader of a snapshot can see them. */
const visible = (text: string): string => text.replaceAll("\u001b", "␛")

const screen = (acts: Parameters<typeof Day.followed>[0], ...messages: ReadonlyArray<Screen.Message>): Screen.Screen =>
  [...Day.followed(acts).map((followed): Screen.Message => ({ _tag: "Followed", followed })), ...messages]
    .reduce((screen, message) => Screen.update(screen, message)[0], Screen.initial(View.initial()))

const waits = (waiting: PendingPrompt): ReadonlyArray<Screen.Message> => [{ _tag: "Pending", pending: waiting }, { _tag: "Ready", prompt: waiting }]
const nothing = () => {}
const edit: PendingPrompt = { _tag: "Approval", question: Day.question, answer: nothing }
const danger: PendingPrompt = { _tag: "Approval", question: Day.dangerous, answer: nothing }
const asks: PendingPrompt = { _tag: "Question", text: "Which one?", options: ["the first", "the second"], answer: nothing }
const typed = (text: string): Screen.Message => ({ _tag: "Pasted", text })

const screens: Readonly<Record<string, Screen.Screen>> = {
  first: screen([]),
  streaming: screen(Day.streaming),
  "running a command": screen(Day.working, typed("use npm ci first\nthen npm test")),
  "asking for an edit": screen(Day.working, ...waits(edit)),
  "asking for a dangerous command": screen(Day.working, ...waits(danger)),
  "asking a question": screen(Day.working, ...waits(asks), typed("2")),
  "the whole day": screen(Day.whole),
  interrupted: screen([...Day.working, { _tag: "Interrupted", why: "The user interrupted." }, Acts.finished("c2", Outcome.interrupted("Interrupted by the user before it finished."))])
}

describe("golden screens at 80 columns", () => {
  for (const [name, screen] of Object.entries(screens)) {
    for (const [color, theme] of Object.entries(themes)) {
      it(`${name}, ${color}`, async () => {
        const live = renderToString(createElement(Root, { screen, theme, markdown: Renderers.markdown, dispatch: nothing, output: { printed: 0, rows: [] } }), { columns: 80 })
        const drawn = [...unprintedLines(screen.view.blocks, 0, { theme, markdown: Renderers.markdown, columns: 80 })[0], live].join("\n")
        if (theme.color) await expect(visible(drawn)).toMatchFileSnapshot(`screens/${name}.color.txt`)
        else {
          expect(drawn.replaceAll(/\u001b\[2?7m/g, "")).not.toContain("\u001b")
          await expect(visible(drawn)).toMatchFileSnapshot(`screens/${name}.txt`)
        }
        for (const line of drawn.split("\n")) expect(BlockLines.width(line)).toBeLessThanOrEqual(80)
      })
    }
  }
})

describe("the view", () => {
  it("is the same however a response was split while it streamed", () => {
    const words = "Some **text** with \u001b[31mcolour\u001b[0m and \u{1f389} in it.\r\nA bell\u0007 too."
    const whole = view([Day.began, Acts.requested, { _tag: "Parsed", part: { _tag: "Text", text: words } }])
    for (let cut = 1; cut < words.length; cut++) {
      const parts = [words.slice(0, cut), words.slice(cut)].map((text): Followed => ({ _tag: "Parsed", part: { _tag: "Text", text } }))
      expect(parts.reduce(View.update, view([Day.began, Acts.requested])).answer.pending.safe).toBe(whole.answer.pending.safe)
    }
    expect(whole.answer.pending.safe).toBe(View.text(words))
  })

  it("prints a long response while it streams, with the same final output as at once", () => {
    const words = Array.from({ length: 60 }, (_, i) => i % 11 === 5 ? "```js" : i % 11 === 9 ? "```\n" : `- line **${i}** and \`code\`\t${"long ".repeat(i)}`).join("\n")
    const settled = [Acts.responded([
      { _tag: "Reasoning", text: "First this.\nThen that.", model: "demo" },
      Acts.text(`${words}\n\n`),
      Acts.call("c1", "read_file", { path: "a" })
    ], "tool_calls"), Acts.finished("c1", Outcome.succeeded("ok"))]
    const before = [Day.began, Day.prompted, Acts.requested]
    const printed = (acts: Parameters<typeof view>[0]) => BlockLines.allLines(view(acts), Renderers.color).map((line) => line.trimEnd())
    const expected = printed([...before, ...settled])
    for (const size of [1, 3, 20, 1_000, 100_000]) {
      const thoughts = [{ _tag: "Parsed", part: { _tag: "Reasoning", text: "First this.\nThen" } }, { _tag: "Parsed", part: { _tag: "Reasoning", text: " that." } }] as const
      const deltas = (`${words}\n\n`.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []).map((text): Live => ({ _tag: "Parsed", part: { _tag: "Text", text } }))
      const streamed = view([...before, ...thoughts, ...deltas])
      expect(streamed.answer.pending.safe.length).toBeLessThan(2_000)
      expect(printed([...before, ...thoughts, ...deltas, ...settled])).toEqual(expected)
    }
  })

  it("shows a final response once, however long, and a result that differs from it", () => {
    const words = Array.from({ length: 60 }, (_, i) => `line ${i}`).join("\n")
    const deltas = (words.match(/[^]{1,20}/g) ?? []).map((text): Live => ({ _tag: "Parsed", part: { _tag: "Text", text } }))
    const answered = view([Day.began, Day.prompted, Acts.requested, ...deltas, Acts.responded([Acts.text(words)]), Acts.done(words)])
    expect(BlockLines.allLines(answered, Renderers.plain).filter((line) => line === "line 7")).toHaveLength(1)
    const told = view([Day.began, Day.prompted, Acts.requested, Acts.responded([Acts.call("c1", "finish", {})], "tool_calls"), Acts.done("All is well.")])
    expect(BlockLines.allLines(told, Renderers.plain)).toContain("All is well.")
  })

  it("prints an unterminated line in parts, and no part twice", () => {
    for (const line of ["word ".repeat(20_000), "x".repeat(100_000), `Here: ${"x".repeat(100_000)}`]) {
      const acts = [Day.began, Day.prompted, Acts.requested, ...(line.match(/.{1,700}/g) ?? []).map((text): Live => ({ _tag: "Parsed", part: { _tag: "Text", text } }))]
      const streamed = view(acts)
      expect(streamed.answer.pending.safe.length).toBeLessThan(4_000)
      const shown = view([...acts, Acts.responded([Acts.text(line)], "stop")]).blocks.flatMap((block) => block._tag === "Response" ? [block.text] : [])
      expect(shown.join("")).toBe(line.trimEnd())
      expect(shown.length).toBeGreaterThan(20)
    }
  })

  it("names a call alike while it is written, if it is refused before anything is known of it, and when it ran", () => {
    const edited = (name: string, params: Record<string, string>) => ({ name, params, access: [Access.edit("src/a.ts")], label: "Edit src/a.ts" })
    const calls: ReadonlyArray<{ readonly name: string; readonly params: Record<string, string>; readonly access: ReadonlyArray<Access.Access>; readonly label: string }> = [
      { name: "read_file", params: { path: "src/a.ts" }, access: [Access.read("src/a.ts")], label: "Read src/a.ts" },
      { name: "search_files", params: { path: "src", regex: "tax" }, access: [Access.read("src")], label: "Search tax in src" },
      { name: "search_files", params: { path: ".", regex: "tax", file_pattern: "*.ts" }, access: [Access.read(".")], label: "Search tax *.ts" },
      { name: "list_files", params: { path: "." }, access: [Access.read(".")], label: "List ." },
      { name: "run_command", params: { command: "npm test" }, access: [Access.command("npm test")], label: "Run npm test" },
      { name: "fetch_url", params: { url: "https://a.test/" }, access: [Access.fetch("https://a.test/")], label: "Fetch https://a.test/" },
      { name: "mcp__github__create_issue", params: { title: "x" }, access: [Access.mcp("github", "create_issue", {})], label: "Call create_issue (MCP server github)" },
      { name: "stop_command", params: { id: "call_1" }, access: [], label: "Stop command call_1" },
      edited("edit_file", { path: "src/a.ts", old_text: "a", new_text: "b" }),
      edited("apply_patch", { patch: "*** Begin Patch\n*** Update File: src/a.ts\n-a\n+b\n*** End Patch" })
    ]
    for (const { access, label, name, params } of calls) {
      const written = [Day.began, Day.prompted, Acts.requested, { _tag: "Parsed", part: { _tag: "ToolCall", id: "c1", name, params, partial: true, warnings: [] } }] as const
      const answered = [...written, Acts.responded([Acts.call("c1", name, params)], "tool_calls")] as const
      const kind = name === "run_command" ? "command" as const : access[0]?._tag === "Edit" ? "edit" as const : "read" as const
      const proposed = { _tag: "ToolProposed", call: "c1", access, kind, action: "hash", decision: "allow", risk: "low", reason: "", offer: [] } as const
      const last = (acts: Parameters<typeof view>[0]) => BlockLines.allLines(view(acts), Renderers.plain).findLast((line) => /^[✓✗]/.test(line))
      const verb = label.split(" ")[0]!
      expect(view(written).calls[0]!.label.split(" ")[0]).toBe(verb)
      expect(last([...answered, Acts.finished("c1", Outcome.mistaken("No."))])).toMatch(new RegExp(`^✗ ${verb}\\b`))
      expect(last([...answered, proposed, Acts.finished("c1", Outcome.mistaken("No."))])).toBe(`✗ ${label}`)
      expect(last([...answered, proposed, Acts.finished("c1", Outcome.succeeded("Yes."))])).toBe(`✓ ${label}`)
    }
  })

  it("says what is assumed about a model outside of the catalogue: the tools as they are sent", () => {
    const notes = (toolFormat: "native" | "xml") => {
      const settings = { ...(Day.began as Extract<typeof Day.began, { _tag: "SessionStarted" }>).settings, model: { ...model, id: "of-my-own", assumed: true as const, nativeTools: true }, toolFormat }
      return BlockLines.allLines(view([{ ...Day.began, settings } as typeof Day.began]), Renderers.plain).join("\n")
    }
    expect(notes("native")).toContain("native tools")
    expect(notes("xml")).toContain("tools as XML")
  })

  it("says that a reminder is one to the model", () => {
    const after = view([Day.began, Day.prompted, { _tag: "Reminded", text: "Respond now." }])
    expect(BlockLines.allLines(after, Renderers.plain).join("\n")).toContain("Reminder to the model: Respond now.")
  })

  it("keeps the text from before an interrupt on the screen", () => {
    const after = view([...Day.streaming, { _tag: "ModelFailed", reason: { _tag: "Interrupted" }, provider: "", message: "", draft: null }])
    expect(BlockLines.allLines(after, Renderers.plain).join("\n")).toContain("I'll read **the tests** first")
  })

  it("discards the streamed text of a failed attempt", () => {
    const after = View.update(view(Day.streaming), { _tag: "Discarded", why: "the stream broke" })
    expect([after.answer.pending.safe, after.thought.safe, after.calls]).toEqual(["", "", []])
  })

  it("counts queued messages, and works until they are done too", () => {
    const queued = view([...Day.streaming, { _tag: "UserSaid", text: "then this", delivery: "queue" }])
    expect(queued.status.queued).toBe(1)
    const next = Day.followed([Acts.done("Done.")]).reduce(View.update, queued)
    expect([next.isWorking, next.status.queued]).toEqual([true, 0])
  })
})

/** What no terminal may be sent but by our own renderer. */
const unfit = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b-\u200f]|[\u{e0000}-\u{e0fff}]/u

type Input = string | { repeat: [string, number] } | { concat: Array<Input> }
const textOf = (input: Input): string =>
  typeof input === "string" ? input
  : "repeat" in input ? input.repeat[0].repeat(Math.min(input.repeat[1], 10_000))
  : input.concat.map(textOf).join("")

describe("text from a model, a tool or a file", () => {
  for (const row of corpus.rows as ReadonlyArray<{ id: string; why: string; input: Input }>) {
    it(`never reaches the terminal raw: ${row.id}, ${row.why}`, () => {
      const foreign = textOf(row.input)
      const waiting: PendingPrompt = {
        _tag: "Approval",
        question: { ...Day.dangerous, access: [{ _tag: "Command", command: foreign }, { _tag: "Read", path: foreign }], reason: foreign, offer: [foreign], diff: foreign },
        answer: nothing
      }
      const shown = [
        ...BlockLines.allLines(ApprovalPrompt.addPrompt(view([
          { _tag: "ModelSwitched", model: { ...model, provider: foreign, id: foreign }, toolFormat: "native" },
          { _tag: "UserSaid", text: foreign, delivery: "task" },
          Acts.requested,
          Acts.responded([Acts.text(foreign), { _tag: "Reasoning", text: foreign, model: "m" }, Acts.call("c", foreign, { path: foreign })], "tool_calls"),
          Acts.finished("c", { status: "failed", content: [{ _tag: "Text", text: foreign }], display: foreign }),
          { _tag: "TodoUpdated", items: [{ text: foreign, state: "pending" }] },
          { _tag: "TaskFailed", reason: "provider", message: foreign }
        ]), waiting, 20), Renderers.plain),
        ...CallSummary.previewLines({ content: foreign }),
        ...BlockLines.todo(view([{ _tag: "TodoUpdated", items: [{ text: foreign, state: "done" }] }]).todo, Theme.plain),
        StatusLine.statusLine(view([{ _tag: "ModelSwitched", model: { ...model, provider: foreign, id: foreign }, toolFormat: "native" }]).status, Theme.plain)
      ].join("\n")
      expect(shown).not.toMatch(unfit)
    })
  }
})
