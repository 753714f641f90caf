import { describe, expect, it } from "@effect/vitest"
import * as LineEditor from "../../src/cli/render/terminal/LineEditor.ts"
import * as ViKeys from "../../src/cli/render/terminal/ViKeys.ts"

const key = (name: LineEditor.Key["name"], more: Partial<LineEditor.Key> = {}): LineEditor.Key => ({ name, text: "", ctrl: false, alt: false, shift: false, ...more })
const text = (text: string) => key("text", { text })
const ctrl = (letter: string) => key("text", { text: letter, ctrl: true })
const alt = (letter: string) => key("text", { text: letter, alt: true })

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
  ["goes by words with Alt and letters, which punctuation ends", [text("git log --oneline"), alt("b"), alt("b"), alt("f")], "git log| --oneline"],
  ["goes by words with Ctrl and arrows", [text("one two"), key("left", { ctrl: true }), key("left", { ctrl: true }), key("right", { ctrl: true })], "one| two"],
  ["kills the next word, and yanks it elsewhere", [text("one two"), ctrl("a"), alt("d"), ctrl("e"), text(" "), ctrl("y")], " two one|"],
  ["kills a word of letters with Alt-Backspace, of anything with Ctrl-W", [text("src/a.ts src/b.ts"), key("backspace", { alt: true }), ctrl("w")], "src/a.ts |"],
  ["yanks what was killed last", [text("one two"), ctrl("u"), ctrl("y"), ctrl("y")], "one twoone two|"],
  ["yanks together what keys in a row killed", [text("one two three"), ctrl("w"), ctrl("w"), ctrl("y")], "one two three|"],
  ["yanks together what keys in a row killed forwards", [text("one two three"), ctrl("a"), alt("d"), alt("d"), ctrl("y")], "one two| three"],
  ["yanks alone what was killed after another key", [text("one two"), ctrl("w"), ctrl("e"), ctrl("w"), ctrl("y")], "one |"],
  ["exchanges two characters with Ctrl-T", [text("teh"), ctrl("t")], "the|"],
  ["exchanges those around the cursor with Ctrl-T", [text("abcd"), ctrl("a"), ctrl("f"), ctrl("t")], "ba|cd"],
  ["deletes at the cursor with Ctrl-D", [text("abc"), ctrl("a"), ctrl("d")], "|bc"],
  ["undoes a typed word as a whole", [..."one two"].map(text).concat(ctrl("_")), "one |"],
  ["undoes a kill", [text("one two"), ctrl("u"), ctrl("_")], "one two|"],
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

const pick = <A>(of: ReadonlyArray<A>): A => of[Math.floor(Math.random() * of.length)]!
const maybe = () => Math.random() < 0.2

/** Any key that the input line may receive. */
const anyKey = (): LineEditor.Key => ({
  name: pick(["up", "down", "left", "right", "home", "end", "backspace", "delete", "escape", ...Array<"text">(10).fill("text")] as const),
  text: pick([..."abdefhjknptuwy_ioxXcDCAIOpPrsgG0$^ 23BEFJSTWY.,;~\"(", "é", "🇩🇪", "\n", "dd", "cw"]),
  ctrl: maybe(),
  alt: maybe(),
  shift: maybe()
})

/** Undoes nothing, and browses no history. */
const isPlain = ({ ctrl, name, text }: LineEditor.Key) => name !== "up" && name !== "down" && !/[kjuG]/.test(text) && !(ctrl && /[np_]/.test(text))

describe("any keys", () => {
  const isSound = ({ cursor, text }: LineEditor.Editor) => cursor >= 0 && cursor <= text.length
  const runs = Array.from({ length: 500 }, () => Array.from({ length: 60 }, anyKey))

  for (const [name, vi] of [["usual", undefined], ["vi", ViKeys.insertMode]] as const) {
    it(`leave the cursor in the text: ${name} keys`, () => {
      for (const keys of runs) {
        keys.reduce<LineEditor.Editor>((editor, key) => {
          const next = ViKeys.press(editor, key) ?? editor
          if (!isSound(next)) throw new Error(`${shown(editor)} with ${JSON.stringify(key)} is ${JSON.stringify(next)}`)
          return next
        }, { ...LineEditor.empty, vi, history: ["earlier\none"], historyIndex: 1 })
      }
    })

    it(`are undone to where they began: ${name} keys`, () => {
      for (const keys of runs) {
        const typed = keys.filter(isPlain).reduce<LineEditor.Editor>((editor, key) => ViKeys.press(editor, key) ?? editor, { ...LineEditor.empty, vi })
        const undone = typed.past.reduce<LineEditor.Editor>((editor) => LineEditor.undo(editor), typed)
        expect(undone.text).toBe("")
      }
    })
  }
})

describe("vi keys", () => {
  const vi = (typed: string, commands: string) => {
    const start = press({ ...LineEditor.empty, vi: ViKeys.insertMode }, text(typed))
    const keys = commands.split("\u001b").flatMap((typed) => [key("escape"), text(typed)])
    return shown(keys.reduce<LineEditor.Editor>((editor, key) => ViKeys.press(editor, key) ?? editor, start))
  }
  const rows: ReadonlyArray<readonly [string, string, string]> = [
    ["one two", "", "one tw|o"],
    ["one two", "0x", "|ne two"],
    ["one two", "bD", "one| "],
    ["one two", "0dw", "|two"],
    ["one two", "0cwsix", "six| two"],
    ["one two", "0de", "| two"],
    ["one two", "dd", "|"],
    ["one two", "ddp", "|one two"],
    ["one two", "0rX", "|Xne two"],
    ["one two", "A!", "one two!|"],
    ["  one", "I> ", "  > |one"],
    ["one", "oup", "one\nup|"],
    ["one", "Oup", "up|\none"],
    ["one\ntwo", "ggx", "|ne\ntwo"],
    ["one two", "ddu", "one tw|o"],
    ["one two", "0ywP", "one| one two"],
    ["one two", "qzd1", "one tw|o"],
    ["one two three", "02w", "one two |three"],
    ["one two three", "02x", "|e two three"],
    ["one two three", "0d2w", "|three"],
    ["one two three", "02cwsix", "six| three"],
    ["one two three", "0d$", "|"],
    ["one two three", "03rx", "xx|x two three"],
    ["one two three", "020rx", "|one two three"],
    ["one two", "0xp", "n|oe two"],
    ["a\nb\nc", "gg2dd", "|c"],
    ["a\nb\nc", "ggyyjp", "a\nb\n|a\nc"],
    ["a\nb\nc", "ggYGP", "a\nb\n|a\nc"],
    ["a\nb\nc", "ggdj", "|c"],
    ["a\nb\nc", "kcctwo", "a\ntwo|\nc"],
    ["a\nb\nc", "2Gx", "a\n|\nc"],
    ["a\nb", "dd", "|a"],
    ["one two\nthree", "ggwdw", "one| \nthree"],
    ["one\n  two", "ggJ", "one| two"],
    ["one two-three", "0Wdf-", "one |three"],
    ["one two-three", "0fwd0", "|wo-three"],
    ["a, b, c, d", "0f,;x", "a, b| c, d"],
    ["a, b, c, d", "0t,;x", "a, |, c, d"],
    ["a, b, c, d", "0f,;,x", "a| b, c, d"],
    ["a, b, c, d", "F,x", "a, b, c| d"],
    ["one two-three four", "BByW", "one |two-three four"],
    ["one two-three four", "0wdE", "one | four"],
    ["one two three", "bbdiw", "one | three"],
    ["one two three", "bbdaw", "one |three"],
    ["say \"one two\" now", "0ci\"six", "say \"six|\" now"],
    ["f(a, g(b))", "Fbdi(", "f(a, g(|))"],
    ["f(a, g(b))", "0da(", "|f"],
    ["one", "0~~", "ON|e"],
    ["one two three four", "0dw.", "|three four"],
    ["one two three four", "0cwsix\u001bw.", "six si|x three four"],
    ["one two three four", "0cwsix\u001bu", "|one two three four"],
    ["a\n\nb", "ggjcwx", "a\nx|\nb"],
    ["one", "0dbcbx", "|ne"],
    ["one", "$ix", "onx|e"]
  ]
  for (const [typed, commands, expected] of rows) it(`${JSON.stringify(typed)} with ${commands || "Escape"} is ${JSON.stringify(expected)}`, () => expect(vi(typed, commands)).toBe(expected))

  it("take Escape and a letter that arrive as one key with Alt as both", () => {
    const start = press({ ...LineEditor.empty, vi: ViKeys.insertMode }, text("one two"))
    expect(shown(ViKeys.press(start, alt("b"))!)).toBe("one |two")
    expect(ViKeys.press(start, alt("b"))?.vi?.mode).toBe("normal")
  })

  it("move and delete with Backspace and Delete in normal mode", () => {
    const normal = [text("abc"), key("escape"), key("backspace"), key("delete")].reduce<LineEditor.Editor>((editor, key) => ViKeys.press(editor, key)!, { ...LineEditor.empty, vi: ViKeys.insertMode })
    expect(shown(normal)).toBe("a|c")
  })

  it("type as usual until Escape is pressed, and after a message was sent", () => {
    expect(shown(press({ ...LineEditor.empty, vi: ViKeys.insertMode }, text("dd")))).toBe("dd|")
    const normal = ViKeys.press({ ...LineEditor.empty, text: "x", vi: ViKeys.insertMode }, key("escape"))!
    expect([normal.vi?.mode, LineEditor.submit(normal).vi?.mode]).toEqual(["normal", "insert"])
  })
})
