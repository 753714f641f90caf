/** What the input line offers: files and commands, lists, what was said before. */
import { describe, expect, it } from "@effect/vitest"
import * as ProjectRules from "../../src/domain/context/RulesTemplate.ts"
import * as Fuzzy from "../../src/domain/workspace/Fuzzy.ts"
import * as Completion from "../../src/cli/render/terminal/PromptCompletion.ts"
import * as Editor from "../../src/cli/render/terminal/LineEditor.ts"
import * as Highlight from "../../src/cli/render/text/Highlight.ts"
import * as Picker from "../../src/cli/render/terminal/Picker.ts"
import * as Recall from "../../src/cli/render/terminal/HistorySearch.ts"
import { text } from "../../src/cli/render/view/DisplayText.ts"
import * as Slash from "../../src/cli/render/terminal/SlashList.ts"
import * as Theme from "../../src/cli/render/text/Theme.ts"

const paths = ["src/basket.ts", "src/bag.ts", "src/deep/b/a/s/k.ts", "test/basket.test.ts", "my notes.md", "src/", "README.md"]
const files = Fuzzy.index(paths)
const at = (words: string) => Editor.filled(Editor.empty, words)
const names = (words: string) => Completion.of(at(words), { commands: new Set(["deploy"]), files })
const key = (name: Editor.Key["name"], text = "", ctrl = false): Editor.Key => ({ name, text, ctrl, alt: false, shift: false })

describe("a few letters", () => {
  it("mean the file whose name begins with them, then those that hold them", () => {
    expect(Fuzzy.best(files, "bas", 3)).toEqual(["src/basket.ts", "test/basket.test.ts", "src/bag.ts"])
    expect(Fuzzy.best(files, "rdme", 3)).toEqual(["README.md"])
    expect(Fuzzy.best(files, "xyz", 3)).toEqual([])
  })

  it("mean every file where there are none", () => {
    expect(Fuzzy.best(files, "", 10)).toHaveLength(paths.length)
  })

  it("find one of 100,000 files, and never more than were asked for", () => {
    const many = Fuzzy.index(Array.from({ length: 100_000 }, (_, i) => `src/folder-${i % 300}/file-${i}.ts`))
    expect(Fuzzy.best(many, "file-99999.ts", 8)[0]).toBe("src/folder-99/file-99999.ts")
    expect(Fuzzy.best(many, "f", 8)).toHaveLength(8)
  })
})

describe("completion", () => {
  it("offers files behind @, wherever the word stands", () => {
    expect(names("look at @bask")?.options).toEqual(["@src/basket.ts", "@test/basket.test.ts", "@src/deep/b/a/s/k.ts"])
    expect(names("@notes")?.options).toEqual(["@\"my notes.md\""])
    expect(names("me@bask")).toBeUndefined()
  })

  it("offers commands behind / at the beginning alone", () => {
    expect(names("/co")?.options).toEqual(["/compact", "/context", "/cost"])
    expect(names("/dep")?.options).toEqual(["/deploy"])
    expect(names("see /co")).toBeUndefined()
  })

  it("puts the chosen one there and goes on, but into a folder", () => {
    const offer = names("look at @bask")!
    expect(Completion.accepted(at("look at @bask"), Completion.moved(offer, 1))).toMatchObject({ text: "look at @test/basket.test.ts ", cursor: 29 })
    expect(Completion.accepted(at("@src"), { from: 0, options: ["@src/"], at: 0 })).toMatchObject({ text: "@src/", cursor: 5 })
  })
})

describe("a list", () => {
  const list = Picker.open(text("Which?"), ["one", "two", "three"].map(text), () => {})
  const press = (...keys: ReadonlyArray<Editor.Key>) =>
    keys.reduce<ReturnType<typeof Picker.press>>((state, key) => "picker" in state ? Picker.press(state.picker, key) : state, { picker: list })

  it("is chosen from by arrows, around its ends, and by letters", () => {
    expect(press(key("down"), key("enter"))).toEqual({ choice: 1 })
    expect(press(key("up"), key("enter"))).toEqual({ choice: 2 })
    expect(press(key("text", "t"), key("down"), key("enter"))).toEqual({ choice: 2 })
    expect(press(key("text", "x"), key("enter"), key("escape"))).toEqual({ choice: undefined })
  })
})

describe("looking back", () => {
  const editor = { ...Editor.empty, history: ["fix the tax", "run the tests", "fix the name"] }

  it("finds the newest that holds the letters, then older ones", () => {
    expect(Recall.found(editor, { typed: "fix", passed: 0 })).toBe("fix the name")
    expect(Recall.found(editor, { typed: "fix", passed: 1 })).toBe("fix the tax")
    expect(Recall.press(editor, { typed: "fix", passed: 1 }, key("text", "r", true))).toEqual({ recall: { typed: "fix", passed: 1 } })
    expect(Recall.press(editor, { typed: "tests", passed: 0 }, key("enter"))).toMatchObject({ editor: { text: "run the tests" } })
    expect(Recall.press(editor, { typed: "tests", passed: 0 }, key("escape"))).toEqual({ editor })
  })
})

describe("commands of the line", () => {
  it("are known by name and alias, and take words only where they say so", () => {
    expect(Slash.called("/smol")?.slash.name).toBe("compact")
    expect(Slash.called("/model openai/gpt-5")).toMatchObject({ slash: { name: "model" }, words: "openai/gpt-5" })
    expect(Slash.called("/cost of living?")).toBeUndefined()
    expect(Slash.called("/nothing")).toBeUndefined()
  })
})

describe("code", () => {
  const theme = Theme.of("always", true, {})
  const painted = (code: string, language: string) => Highlight.line(text(code), language, theme)

  it("has its words, texts, numbers and comments in colours of their own", () => {
    expect(painted("const a = \"x\" // why", "ts")).toBe(`${theme.accent("const")} a = ${theme.good("\"x\"")} ${theme.dim("// why")}`)
    expect(painted("x = 12 # why", "py")).toBe(`x = ${theme.code("12")} ${theme.dim("# why")}`)
    expect(painted("SELECT name", "sql")).toBe(`${theme.accent("SELECT")} name`)
  })

  it("loses no letter in any language, and is one colour in one that nobody knows", () => {
    const code = "if (a['b'] >= 0x1f) /* c */ return `d` -- e # f <!-- g"
    for (const language of ["ts", "json", "go", "rs", "py", "rb", "sh", "yaml", "sql", "lua", "css", "html", "brainfuck", ""]) {
      expect(painted(code, language).replace(/\u001b\[\d+m/g, "")).toBe(code)
    }
    expect(painted(code, "brainfuck")).toBe(theme.code(code))
  })
})

describe("a project's rules", () => {
  it("begin with the commands that its files tell", () => {
    const files = new Map([["package.json", "{\"scripts\":{\"test\":\"x\",\"start\":\"y\",\"lint\":\"z\"}}"], ["Makefile", "test: a\nall: b\nbuild:\n"]])
    expect(ProjectRules.begin(files)).toContain("- `npm run lint`\n- `npm test`\n- `make test`\n- `make build`\n")
    expect(ProjectRules.begin(new Map([["package.json", "{ broken"]]))).toContain("- How it is built, checked and tested: \n")
  })
})
