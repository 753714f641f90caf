import { describe, expect, it } from "vitest"
import * as CommandView from "../../../src/cli/render/terminal/CommandView.ts"
import type { Key } from "../../../src/cli/render/terminal/LineEditor.ts"
import { plain } from "../../../src/cli/render/text/Theme.ts"

const size = { columns: 40, rows: 18 } // ten rows of output
const key = (name: Key["name"], text = "", more: Partial<Key> = {}): Key => ({ name, text, ctrl: false, alt: false, shift: false, ...more })
const ctrl = (text: string) => key("text", text, { ctrl: true })

const snapshot = (count: number, more: Partial<CommandView.Snapshot> = {}): CommandView.Snapshot => ({
  lines: Array.from({ length: count }, (_, i) => [i + 1, `line ${i + 1}`] as const),
  count,
  ending: undefined,
  hasTerminal: true,
  input: { mode: "lines", isReading: false },
  isSecret: false,
  ...more
})
const view = (count = 100, more: Partial<CommandView.Snapshot> = {}) => CommandView.open("call_1", "npm init", snapshot(count, more), false)

const press = (from: CommandView.CommandView, ...keys: ReadonlyArray<Key>) =>
  keys.reduce((view, key) => {
    const pressed = CommandView.press(view, key, size)
    return "view" in pressed ? pressed.view : view
  }, from)
/** The first and the last line that a view shows. */
const range = (view: CommandView.CommandView) => /lines (\d+) to (\d+) of/.exec(CommandView.lines(view, plain, size).join("\n"))!.slice(1).map(Number)

describe("the output of a command", () => {
  it("follows the end, scrolls by lines and pages, and follows again past the end", () => {
    expect(range(view())).toEqual([91, 100])
    expect(range(press(view(), key("up")))).toEqual([90, 99])
    expect(range(press(view(), key("pageUp")))).toEqual([82, 91])
    expect(range(press(view(), key("pageUp"), key("pageDown")))).toEqual([91, 100])
    expect(range(press(view(), key("home")))).toEqual([1, 10])
    expect(range(press(view(), key("home"), key("pageUp"), key("up")))).toEqual([1, 10])
    expect(range(press(view(), key("home"), key("pageDown")))).toEqual([10, 19])
    expect(press(view(), key("home"), key("end")).top).toBe(undefined)
    expect(press(view(), key("up"), key("down"), key("down")).top).toBe(undefined)
  })

  it("stays where it is while more arrives, unless it follows", () => {
    expect(range(CommandView.withSnapshot(view(), snapshot(120)))).toEqual([111, 120])
    expect(range(CommandView.withSnapshot(press(view(), key("up")), snapshot(120)))).toEqual([90, 99])
  })

  it("shows long lines whole, and never more rows than the screen has", () => {
    const long = { ...view(1), lines: [[1, "x".repeat(1_000)] as const] }
    const rows = CommandView.lines(long, plain, size)
    expect(rows.length).toBeLessThanOrEqual(size.rows - 2)
    expect(rows.join("\n")).toContain("more rows of this line")
    const wrapped = { ...view(2), lines: [[1, "y".repeat(100)] as const, [2, "end"] as const] }
    expect(CommandView.lines(wrapped, plain, size).join("").match(/yy+/g)!.join("")).toHaveLength(100)
  })

  it("lets no escape sequence of the command through", () => {
    const hostile = { ...view(1), lines: [[1, "a\u001b[2Jb\u202ec"] as const] }
    expect(CommandView.lines(hostile, plain, size).join("\n")).not.toMatch(/[\u001b\u202e]/)
  })

  it("sends keys to the command only after Enter, and until Ctrl-]", () => {
    expect(CommandView.press(view(), key("text", "y"), size)).toEqual({ view: view() })
    const typing = press(view(), key("enter"))
    const typed = [key("text", "y"), key("enter"), ctrl("c"), key("escape"), key("up"), key("text", "b", { alt: true }), key("tab", "", { shift: true })]
    expect(typed.map((key) => CommandView.press(typing, key, size))).toEqual(
      ["y", "\r", "\u0003", "\u001b", "\u001b[A", "\u001bb", "\u001b[Z"].map((typed) => ({ typed }))
    )
    expect(press(typing, ctrl("]")).isTyping).toBe(false)
    expect(CommandView.press(view(), key("escape"), size)).toEqual({ action: "close" })
    expect(CommandView.press(view(), ctrl("b"), size)).toEqual({ action: "background" })
  })

  it("sends none to a command without a terminal or that has ended", () => {
    expect(press(view(3, { hasTerminal: false }), key("enter")).isTyping).toBe(false)
    expect(press(view(3, { ending: "exit code 0" }), key("enter")).isTyping).toBe(false)
    expect(CommandView.withSnapshot(press(view(), key("enter")), snapshot(3, { ending: "exit code 0" })).isTyping).toBe(false)
    expect(CommandView.open("call_1", "sudo -v", snapshot(1, { isSecret: true }), true).isTyping).toBe(true)
  })
})
