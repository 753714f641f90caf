import { describe, expect, it } from "@effect/vitest"
import * as LineEditor from "../../src/cli/render/terminal/LineEditor.ts"

const key = (name: LineEditor.Key["name"], more: Partial<LineEditor.Key> = {}): LineEditor.Key => ({ name, text: "", ctrl: false, alt: false, shift: false, ...more })
const text = (text: string) => key("text", { text })
const ctrl = (letter: string) => key("text", { text: letter, ctrl: true })

const press = (editor: LineEditor.Editor, ...keys: ReadonlyArray<LineEditor.Key>) => keys.reduce((editor, key) => LineEditor.press(editor, key) ?? editor, editor)
/** The text with a bar where the cursor is. */
const shown = ({ cursor, text }: LineEditor.Editor) => `${text.slice(0, cursor)}|${text.slice(cursor)}`
const after = (...keys: ReadonlyArray<LineEditor.Key>) => shown(press(LineEditor.empty, ...keys))

const rows: ReadonlyArray<readonly [string, ReadonlyArray<LineEditor.Key>, string]> = [
  ["types", [text("hello")], "hello|"],
  ["types in the middle", [text("ac"), key("left"), text("b")], "ab|c"],
  ["deletes before and after", [text("abc"), key("left"), key("backspace"), key("delete")], "a|"],
  ["takes a whole flag or accented letter at once", [text("a🇩🇪e\u0301"), key("backspace"), key("backspace")], "a|"],
  ["goes by words", [text("one two  "), key("left", { alt: true })], "one |two  "],
  ["goes forward by words", [text("one two"), ctrl("a"), key("right", { alt: true })], "one| two"],
  ["goes to both ends", [text("one"), key("home"), text("0"), key("end"), text("2")], "0one2|"],
  ["kills to the end and the start", [text("one two"), key("left"), ctrl("k"), ctrl("u")], "|"],
  ["kills a word", [text("one two"), ctrl("w")], "one |"],
  ["moves between lines in the same column", [text("first\nsecond"), key("up"), text("|")], "first||\nsecond"],
  ["moves down to the end of a shorter line", [text("second\nab"), key("up"), key("end"), key("down")], "second\nab|"],
  ["breaks a line with Ctrl-J", [text("a"), ctrl("j"), text("b")], "a\nb|"],
  ["takes no orders from what is pasted", [text("a\u001b[2Jb\u0007c\td")], "abc\td|"],
  ["keeps line ends of any system as one", [text("a\r\nb\rc")], "a\nb\nc|"]
]

describe("the input line", () => {
  for (const [name, keys, expected] of rows) it(name, () => expect(after(...keys)).toBe(expected))

  it("goes back through earlier input, and forward to the current draft", () => {
    const said = ["one", "two"].reduce((editor, words) => LineEditor.submit(LineEditor.withText(editor, words)), LineEditor.empty)
    const typing = press(said, text("thr"))
    expect(press(typing, key("up")).text).toBe("two")
    expect(press(typing, key("up"), key("up"), key("up")).text).toBe("one")
    expect(press(typing, key("up"), key("down")).text).toBe("thr")
  })

  it("remembers neither empty input nor repetitions", () => {
    const said = ["one", "one", " "].reduce((editor, words) => LineEditor.submit(LineEditor.withText(editor, words)), LineEditor.empty)
    expect(said.history).toEqual(["one"])
  })
})
