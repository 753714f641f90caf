/** Small things of an hour's work: what the screen shows and does, without a terminal. */
import { describe, expect, it } from "@effect/vitest"
import type { Key } from "../../../src/cli/render/terminal/LineEditor.ts"
import * as Footer from "../../../src/cli/render/terminal/Footer.ts"
import * as KeyHelp from "../../../src/cli/render/terminal/KeyHelp.ts"
import * as Picker from "../../../src/cli/render/terminal/Picker.ts"
import * as Screen from "../../../src/cli/render/terminal/Screen.ts"
import * as BlockLines from "../../../src/cli/render/text/BlockLines.ts"
import * as DiffLines from "../../../src/cli/render/text/DiffLines.ts"
import * as MarkdownLines from "../../../src/cli/render/text/MarkdownLines.ts"
import * as Wrap from "../../../src/cli/render/text/Wrap.ts"
import * as StatusLine from "../../../src/cli/render/text/StatusLine.ts"
import * as Theme from "../../../src/cli/render/text/Theme.ts"
import * as View from "../../../src/cli/render/view/View.ts"
import type { PendingPrompt } from "../../../src/cli/terminal/TerminalApprover.ts"
import * as ErrorReport from "../../../src/domain/ErrorReport.ts"
import { FileError } from "../../../src/domain/workspace/FileError.ts"
import * as Model from "../../../src/domain/provider/Model.ts"
import * as Access from "../../../src/domain/tool/Access.ts"
import type { Settled } from "../../../src/domain/session/SessionEvent.ts"
import * as Outcome from "../../../src/domain/tool/Outcome.ts"
import type { Question } from "../../../src/services/Approver.ts"
import * as Acts from "../support/Acts.ts"
import * as Day from "../support/Day.ts"
import * as Renderers from "../support/Renderers.ts"

const key = (name: Key["name"], more: Partial<Key> = {}): Screen.Message => ({ _tag: "Key", key: { name, text: "", ctrl: false, alt: false, shift: false, ...more } })
const text = (text: string) => key("text", { text })
const [enter, escape, up] = [key("enter"), key("escape"), key("up")]
const ctrl = (letter: string) => key("text", { text: letter, ctrl: true })

const play = (...messages: ReadonlyArray<Screen.Message>) => {
  const actions: Array<Screen.Action> = []
  const screen = messages.reduce((screen, message) => {
    const [next, action] = Screen.update(screen, message)
    if (action !== undefined) actions.push(action)
    return next
  }, Screen.initial(View.initial()))
  return { actions, screen, text: screen.editor.text }
}

const followed = (acts: Parameters<typeof Day.followed>[0]): ReadonlyArray<Screen.Message> => Day.followed(acts).map((followed) => ({ _tag: "Followed", followed }))
const footer = (screen: Screen.Screen, columns = 80) => Footer.lines(screen, Theme.plain, { columns, rows: 40 })
const printed = (screen: Screen.Screen) => BlockLines.allLines(screen.view, Renderers.plain).join("\n")

/** A command's call with its outcome. */
const ran = (outcome: Outcome.Outcome, ...between: Parameters<typeof Day.followed>[0]) => followed([
  Day.began,
  Day.prompted,
  Acts.requested,
  Acts.responded([Acts.call("c1", "run_command", { command: "make" })], "tool_calls"),
  { _tag: "ToolProposed", call: "c1", access: [Access.command("make")], kind: "command", action: "hash", decision: "allow", risk: "low", reason: "", offer: [] } satisfies Settled,
  Acts.started("c1"),
  ...between,
  Acts.finished("c1", outcome)
])

describe("a question mark in an empty line", () => {
  it("lists the keys until the next key, within 60 columns", () => {
    const { screen, text: line } = play(text("?"))
    expect(line).toBe("")
    expect(footer(screen, 60)).toEqual(expect.arrayContaining(KeyHelp.lines.map((line) => `  ${line}`)))
    expect(play(text("?"), text("h")).screen).toMatchObject({ showsKeys: false, editor: { text: "h" } })
    expect(play(text("?"), escape).screen.showsKeys).toBe(false)
  })

  it("is a character anywhere else", () => {
    expect(play(text("why"), text("?")).text).toBe("why?")
    expect(play({ _tag: "Pending", pending: { _tag: "Question", text: "Which?", options: [], answer: () => {} } }, text("?")).text).toBe("?")
  })
})

describe("an answer that is wider than the terminal", () => {
  it("continues below its first word, also within a word", () => {
    const pending: PendingPrompt = { _tag: "Question", text: "Which?", options: [`the file ${"a".repeat(60)}`], answer: () => {} }
    const rows = footer(play({ _tag: "Pending", pending }, { _tag: "Ready", prompt: pending }).screen, 40)
    expect(rows.filter((row) => row.includes("aaa")).map((row) => row.search(/a{2}/))).toEqual([14, 5])
  })
})

describe("Esc with a text in the line", () => {
  it("clears it, and names the key that brings it back", () => {
    const { screen, text: line } = play(text("a long draft"), escape)
    expect([line, footer(screen).at(-1)]).toEqual(["", "Cleared. Ctrl-_ to bring the text back"])
    expect(play(text("a long draft"), escape, ctrl("_")).text).toBe("a long draft")
  })
})

describe("a note", () => {
  const note = (text: string, columns: number) =>
    BlockLines.allLines(play({ _tag: "Note", text, tone: "info" }).screen.view, { ...Renderers.plain, columns })

  it("continues a row below the text after its name", () => {
    expect(note("✓ folders    /home/someone/data, writable\n! keys       none; run `dacapo auth login`", 36)).toEqual([
      "· ✓ folders    /home/someone/data,",
      "               writable",
      "  ! keys       none; run `dacapo",
      "               auth login`"
    ])
    expect(note("/init                Create AGENTS.md and have the model complete it", 46)).toEqual([
      "· /init                Create AGENTS.md and",
      "                       have the model complete",
      "                       it"
    ])
  })

  it("is left alone where it has no names, or no width", () => {
    const text = "Started a new session. /resume goes back to the last one.  Two spaces are no name."
    expect(note(text, 60)).toEqual([`· ${text}`])
    expect(printed(play({ _tag: "Note", text: "Folder      /home/someone/with/a/long/path", tone: "info" }).screen)).toBe("· Folder      /home/someone/with/a/long/path")
  })
})

it("a quotation that wraps keeps its bar", () => {
  const [quote = ""] = MarkdownLines.lines(View.text("> quoted text that wraps"), Theme.plain)
  expect(Wrap.lines(quote, 16)).toEqual(["│ quoted text", "│ that wraps"])
  expect(Wrap.lines("  • an item that wraps", 16)).toEqual(["  • an item that", "    wraps"])
})

describe("Alt-Enter", () => {
  it("is a new line while nothing runs", () => {
    expect(play(text("one"), key("enter", { alt: true }), text("two"))).toMatchObject({ actions: [], text: "one\ntwo" })
  })
})

describe("vi keys", () => {
  it("name normal mode also in an empty line", () => {
    const { screen } = play({ _tag: "EditorMode", vi: true }, text("one"), escape, text("dd"))
    expect([screen.editor.text, footer(screen).at(-1)]).toEqual(["", "Normal mode: i to insert, Enter to send"])
  })
})

describe("messages of earlier sessions", () => {
  const arrive: Screen.Message = { _tag: "Messages", messages: ["first", "again", "second", "again"] }

  it("are read once the user goes back beyond those of this one, and the newest is shown", () => {
    expect(play(text("now"), enter, up).actions.map(({ _tag }) => _tag)).toEqual(["Say"])
    const { actions, text: line } = play(text("now"), enter, up, up, arrive)
    expect([actions.at(-1), line]).toEqual([{ _tag: "ListMessages" }, "again"])
    expect(play(up, arrive, up, up, up, up).text).toBe("first")
    expect(play(up, arrive, up, up, up, up).actions).toEqual([{ _tag: "ListMessages" }])
  })

  it("are searched with Ctrl-R", () => {
    const { actions, text: line } = play(ctrl("r"), arrive, text("sec"), enter)
    expect([actions, line]).toEqual([[{ _tag: "ListMessages" }], "second"])
  })

  it("leave alone what was typed in the meantime", () => {
    expect(play(up, text("new"), arrive).text).toBe("new")
    expect(play(up, text("new"), arrive, up, key("down")).text).toBe("new")
  })

  it("are not asked for by the arrows of a prompt or of a list", () => {
    expect(play({ _tag: "Pick", title: "Which?", options: ["a", "b"], selected: 0, answer: () => {} }, up).actions).toEqual([])
    expect(play(text("/"), up).actions).toEqual([])
  })
})

describe("the menu of commands", () => {
  it("lists names that contain what was typed after those that begin with it; Enter only completes the former", () => {
    const menu = (typed: string) => play(text(typed)).screen.suggestions?.options.map(({ text }) => text)
    expect(menu("/rule")).toEqual(["/rules", "/newrule"])
    expect(menu("/gin")).toEqual(["/login"])
    expect(play(text("/gin"), enter)).toMatchObject({ actions: [], text: "/login " })
  })
})

it("a list is filtered by each word that was typed", () => {
  const picker = { ...Picker.open({ title: View.text("Choose a model"), options: ["a/opus-5 1.0M", "a/opus-4 200k", "a/haiku-5 1.0M"].map(View.text), answer: () => {} }), query: "opus 1.0m" }
  expect(Picker.matches(picker)).toEqual([0])
})

describe("a command that was typed", () => {
  it("stands above what it prints", () => {
    expect(printed(play(text("/status"), enter, { _tag: "Note", text: "Mode  ask\nModel  demo", tone: "info" }).screen)).toBe("> /status\n· Mode  ask\n  Model  demo")
    expect(printed(play(text("!ls"), enter, { _tag: "Note", text: "a\nb", tone: "info" }).screen)).toBe("> !ls\n· a\n  b")
  })
})

describe("an approval", () => {
  it("says each reason once, though the log has it twice", () => {
    const shown = (reason: string) => printed(play({ _tag: "Pending", pending: { _tag: "Approval", question: { ...Day.dangerous, reason }, answer: () => {} } }).screen).split("\n").at(-1)
    expect(shown("the command may not run as written: it can't be parsed: unterminated double quote; it can't be parsed: unterminated double quote"))
      .toBe("  The command may not run as written: it can't be parsed: unterminated double quote")
    expect(shown(".env is protected: it holds secrets; rm may delete files; .env is protected: it holds secrets")).toBe("  .env is protected: it holds secrets; rm may delete files")
    expect(shown("no rule allows bash -c 'make; make; rm a'")).toBe("  No rule allows bash -c 'make; make; rm a'")
  })
})

describe("an approval of an MCP tool", () => {
  const input = { to: "all@example.com", text: "one\ntwo", copies: 2, flags: ["now"] }
  const question: Question = { ...Day.dangerous, access: [{ _tag: "Mcp", server: "mail", tool: "send", input }], parts: [], call: { _tag: "ToolCall", id: "c4", name: "mcp__mail__send", params: input } }

  it("shows all arguments of the call", () => {
    expect(printed(play({ _tag: "Pending", pending: { _tag: "Approval", question, answer: () => {} } }).screen)).toContain([
      "? Call this MCP tool? high risk",
      "  send (MCP server mail)",
      "  to: all@example.com",
      "  text:",
      "    one",
      "    two",
      "  copies: 2",
      "  flags: [\"now\"]"
    ].join("\n"))
  })
})

describe("a call on the screen", () => {
  const lines = (...messages: ReadonlyArray<Screen.Message>) => printed(play(...messages).screen).split("\n").slice(-4).join("\n")

  it("that succeeded has its output alone", () => {
    expect(lines(...ran(Outcome.succeeded("Exit code 0.\nbuilt\n")))).toMatch(/\n✓ Run make\n {2}built$/)
    expect(lines(...ran(Outcome.succeeded("Exit code 0.\n(no output)")))).toMatch(/\n✓ Run make$/)
    expect(lines(...ran(Outcome.succeeded("Exit code 0.\nLines 1 to 2:\nExit code 0.")))).toMatch(/✓ Run make\n {2}Exit code 0\.$/)
  })

  it("that failed says how", () => {
    expect(lines(...ran(Outcome.failed("Exit code 2.\nno rule")))).toMatch(/✗ Run make\n {2}Exit code 2\.\n {2}no rule$/)
  })

  it("that failed has no advice for the model", () => {
    const shown = (result: string) => lines(...ran(Outcome.failed(result)))
    const missing = new FileError({ path: "a.ts", reason: "NotFound", message: "The file does not exist.", near: ["b.ts"] })
    expect(shown(ErrorReport.forModel(missing))).toMatch(/✗ Run make\n {2}a\.ts: The file does not exist\.\n {2}Similar names: b\.ts\.$/)
    expect(shown("a.ts was not changed.\nThe file does not exist. Create it with write_file.")).toMatch(/\n {2}The file does not exist\.$/)
    expect(shown("Unknown tool \"reed\". Available tools: read_file, write_file.")).toMatch(/\n {2}Unknown tool "reed"\.$/)
    expect(shown("write_file is not available in plan mode, because it changes things. Read, ask questions, and end with present_plan.")).toMatch(/ it changes things\.$/)
    expect(shown("cat: Check the path with list_files or search_files.")).toMatch(/search_files\.$/)
  })

  it("in the background has no advice for the model", () => {
    const result = "Started in the background. call_1 is running. It listens on port 80 (http://localhost:80). Read its output with command_output, stop it with stop_command (id call_1). It is stopped when the session ends.\nLines 1 to 1:\nhi"
    expect(lines(...ran(Outcome.succeeded(result)))).toMatch(/✓ Run make\n {2}Started in the background\. It listens on port 80 \(http:\/\/localhost:80\)\. It is stopped when the session ends\.\n {2}hi$/)
  })

  it("moved to the background says so to the user who did it", () => {
    const result = "The user moved it to the background. call_1 is running. Read its output with command_output, stop it with stop_command (id call_1). It is stopped when the session ends."
    expect(lines(...ran(Outcome.succeeded(result)))).toMatch(/✓ Run make\n {2}Moved to the background\. It is stopped when the session ends\.$/)
  })

  it("that was interrupted says so once, and keeps what it had printed", () => {
    const shown = printed(play(...ran(Outcome.interrupted("Interrupted by the user before it finished."), { _tag: "Output", call: "c1", text: "half\n" }, { _tag: "Interrupted", why: "x" })).screen)
    expect(shown).toMatch(/\n■ Run make \(interrupted\)\n {2}half$/)
    expect(shown.match(/interrupted/gi)).toHaveLength(1)
  })

  it("that was denied says so once", () => {
    expect(lines(...ran(Outcome.denied("Denied: not now")))).toMatch(/⊘ Run make \(denied\)\n {2}not now$/)
    expect(lines(...ran(Outcome.denied("Denied.")))).toMatch(/⊘ Run make \(denied\)$/)
  })
})

describe("a diff", () => {
  const patch = View.text("diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-one\n+two\ndiff --git a/b.ts b/b.ts\n--- a/b.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone")

  it("names every file of several, also one that is deleted", () => {
    expect(DiffLines.rows(patch, Theme.plain)).toEqual(["a.ts", "1 - one", "1 + two", "b.ts (deleted)", "1 - gone"])
  })

  it("of a session names its file, also a single one", () => {
    expect(printed(play({ _tag: "Patch", patch: patch.split("\n").slice(0, 6).join("\n") }).screen)).toBe("  a.ts\n  1 - one\n  1 + two")
  })
})

describe("the status line", () => {
  const status = { ...View.initial().status, mode: "bypassPermissions", model: View.text("scripted/demo-1"), tokens: 2_000, window: 200_000, cost: 0.01, cached: 800, branch: View.text("main") }

  it("leaves out one part after the other", () => {
    const at = (columns: number) => StatusLine.fit(status, 2, Theme.plain, columns)
    expect([90, 80, 70, 60, 50, 40].map(at)).toEqual([
      "bypassPermissions · scripted/demo-1 · 2.0k/200k · $0.0100 · ⎇ main · 2 running",
      "bypassPermissions · scripted/demo-1 · 2.0k/200k · $0.0100 · ⎇ main · 2 running",
      "bypassPermissions · scripted/demo-1 · 2.0k/200k · $0.0100 · 2 running",
      "bypassPermissions · scripted/demo-1 · 2.0k/200k · 2 running",
      "bypassPermissions · scripted/demo-1 · 2 running",
      "bypassPermissions · scripted/demo-1"
    ])
  })

  it("names the effort of the session's model, also while that answers, and not with another one", () => {
    const shown = (...acts: Parameters<typeof Day.followed>[0]) => footer(play(...followed([Day.began, Day.prompted, ...acts])).screen).join("\n")
    const plain = { ...Model.unknown, provider: "scripted", id: "demo-2" }
    const model: Model.Model = { ...plain, think: "high" }
    const switched: Settled = { _tag: "ModelSwitched", model, toolFormat: "native" }
    const requests = (model: string): Settled => ({ _tag: "ModelRequested", model, request: "abc", maxTokens: 1_000 })
    const title = Model.title(model)
    expect(shown(switched)).toContain(`${title}:high · `)
    expect(shown(switched, requests(title))).toContain(`${title}:high · `)
    expect(shown(switched, requests("scripted/plan"))).toContain("scripted/plan · ")
    expect(shown(switched, { ...switched, model: plain })).toContain(`${title} · `)
  })

  it("counts commands in the background", () => {
    expect(footer(play(...followed([Day.began]), { _tag: "RunningCommands", count: 1 }).screen).join("\n")).toContain("1 running")
  })
})

describe("the last response", () => {
  const said = (text: string): ReadonlyArray<Settled> => [Acts.requested, Acts.responded([Acts.text(text)])]
  const shown = (acts: Parameters<typeof Day.followed>[0]) => play(...followed([Day.began, Day.prompted, ...acts])).screen.view

  it("stays the last text, whatever calls follow, and is the result if there is one", () => {
    const called: ReadonlyArray<Settled> = [Acts.requested, Acts.responded([Acts.call("c1", "read_file", { path: "a" })], "tool_calls"), Acts.finished("c1", Outcome.succeeded(""))]
    expect(shown([...said("One."), ...called]).lastResponse).toBe("One.")
    expect(shown([...said("One."), ...called, Acts.done("Two.")]).lastResponse).toBe("Two.")
  })

  it("is printed again as the result of a task in which it was not said", () => {
    const ends = (acts: Parameters<typeof Day.followed>[0]) => shown(acts).blocks.filter(({ _tag }) => _tag === "End").length
    expect(ends([...said("Done."), Acts.done("Done.")])).toBe(0)
    expect(ends([...said("Done."), Acts.done("Done."), Day.prompted, Acts.done("Done.")])).toBe(1)
  })
})
