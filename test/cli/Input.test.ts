/** What the input line offers: files and commands, lists, what was said before. */
import { describe, expect, it } from "@effect/vitest"
import * as RulesTemplate from "../../src/domain/context/RulesTemplate.ts"
import * as Fuzzy from "../../src/domain/workspace/Fuzzy.ts"
import * as PromptCompletion from "../../src/cli/render/terminal/PromptCompletion.ts"
import * as LineEditor from "../../src/cli/render/terminal/LineEditor.ts"
import * as Highlight from "../../src/cli/render/text/Highlight.ts"
import * as Picker from "../../src/cli/render/terminal/Picker.ts"
import * as HistorySearch from "../../src/cli/render/terminal/HistorySearch.ts"
import { text } from "../../src/cli/render/view/DisplayText.ts"
import * as SlashList from "../../src/cli/render/terminal/SlashList.ts"
import * as Theme from "../../src/cli/render/text/Theme.ts"

const paths = ["src/basket.ts", "src/bag.ts", "src/deep/b/a/s/k.ts", "test/basket.test.ts", "my notes.md", "src/", "README.md"]
const files = Fuzzy.index(paths)
const at = (words: string) => LineEditor.withText(LineEditor.empty, words)
const names = (words: string) => PromptCompletion.of(at(words), { commands: [{ name: "deploy", doc: "Deploy it" }], files })
const options = (words: string) => names(words)?.options.map(({ text }) => text)
const key = (name: LineEditor.Key["name"], text = "", ctrl = false): LineEditor.Key => ({ name, text, ctrl, alt: false, shift: false })

describe("a few letters", () => {
  it("match files whose name begins with them, then those that contain them", () => {
    expect(Fuzzy.bestMatches(files, "bas", 3)).toEqual(["src/basket.ts", "test/basket.test.ts", "src/bag.ts"])
    expect(Fuzzy.bestMatches(files, "rdme", 3)).toEqual(["README.md"])
    expect(Fuzzy.bestMatches(files, "xyz", 3)).toEqual([])
  })

  it("match every file if empty", () => {
    expect(Fuzzy.bestMatches(files, "", 10)).toHaveLength(paths.length)
  })

  it("find one of 100,000 files, and at most the requested number", () => {
    const many = Fuzzy.index(Array.from({ length: 100_000 }, (_, i) => `src/folder-${i % 300}/file-${i}.ts`))
    expect(Fuzzy.bestMatches(many, "file-99999.ts", 8)[0]).toBe("src/folder-99/file-99999.ts")
    expect(Fuzzy.bestMatches(many, "f", 8)).toHaveLength(8)
  })
})

describe("completion", () => {
  it("offers files after @ anywhere in the line", () => {
    expect(options("look at @bask")).toEqual(["@src/basket.ts", "@test/basket.test.ts", "@src/deep/b/a/s/k.ts"])
    expect(options("@notes")).toEqual(["@\"my notes.md\""])
    expect(names("me@bask")).toBeUndefined()
  })

  it("offers commands after / only at the beginning", () => {
    expect(options("/co")).toEqual(["/compact", "/config", "/context", "/continue", "/copy", "/cost"])
    expect(options("/dep")).toEqual(["/deploy"])
    expect(names("see /co")).toBeUndefined()
  })

  it("lists every command after a slash with what it does, and finds one by an alias", () => {
    expect(names("/")?.options).toHaveLength(SlashList.list.length + 1)
    expect(names("/")?.options.every(({ doc }) => doc !== "")).toBe(true)
    expect(names("/cle")?.options).toEqual([{ text: "/clear", doc: "Start a new session with an empty context (/new)", runs: true }])
  })

  it("inserts the choice and a space, and completes on inside a folder", () => {
    const offer = names("look at @bask")!
    expect(PromptCompletion.accept(at("look at @bask"), PromptCompletion.moveSelection(offer, 1))).toMatchObject({ text: "look at @test/basket.test.ts ", cursor: 29 })
    expect(PromptCompletion.accept(at("@src"), { from: 0, options: [{ text: "@src/", doc: "", runs: false }], selected: 0 })).toMatchObject({ text: "@src/", cursor: 5 })
  })
})

describe("a list", () => {
  const list = Picker.open({ title: text("Which?"), options: ["one", "two", "three"].map(text), answer: () => {} })
  const press = (...keys: ReadonlyArray<LineEditor.Key>) =>
    keys.reduce<ReturnType<typeof Picker.press>>((state, key) => "picker" in state ? Picker.press(state.picker, key) : state, { picker: list })

  it("is navigated by arrows, around its ends, and filtered by letters", () => {
    expect(press(key("down"), key("enter"))).toEqual({ choice: 1 })
    expect(press(key("up"), key("enter"))).toEqual({ choice: 2 })
    expect(press(key("text", "t"), key("down"), key("enter"))).toEqual({ choice: 2 })
    expect(press(key("text", "x"), key("enter"), key("escape"))).toEqual({ choice: undefined })
  })

  it("is paged up and down, as far as its ends", () => {
    const long = Picker.open({ title: text("Which?"), options: Array.from({ length: 25 }, (_, i) => text(`option ${i}`)), answer: () => {} })
    const selected = (...names: ReadonlyArray<"pageDown" | "pageUp">) =>
      names.reduce<Picker.Picker>((picker, name) => {
        const next = Picker.press(picker, key(name))
        return "picker" in next ? next.picker : picker
      }, long).selected
    expect([selected("pageDown"), selected("pageDown", "pageDown", "pageDown"), selected("pageDown", "pageDown", "pageUp"), selected("pageUp")]).toEqual([10, 24, 10, 0])
    expect(press(key("text", "x"), key("pageDown"), key("enter"), key("escape"))).toEqual({ choice: undefined })
  })
})

describe("history search", () => {
  const editor = { ...LineEditor.empty, history: ["fix the tax", "run the tests", "fix the name"] }

  it("finds the newest entry that contains the letters, then older ones", () => {
    expect(HistorySearch.match(editor, { query: "fix", skipped: 0 })).toBe("fix the name")
    expect(HistorySearch.match(editor, { query: "fix", skipped: 1 })).toBe("fix the tax")
    expect(HistorySearch.press(editor, { query: "fix", skipped: 1 }, key("text", "r", true))).toEqual({ recall: { query: "fix", skipped: 1 } })
    expect(HistorySearch.press(editor, { query: "tests", skipped: 0 }, key("enter"))).toMatchObject({ editor: { text: "run the tests" } })
    expect(HistorySearch.press(editor, { query: "tests", skipped: 0 }, key("escape"))).toEqual({ editor })
  })
})

describe("slash commands", () => {
  it("are found by name and alias, and take arguments only if declared", () => {
    expect(SlashList.parse("/smol")?.slash.name).toBe("compact")
    expect(SlashList.parse("/model openai/gpt-5")).toMatchObject({ slash: { name: "model" }, args: "openai/gpt-5" })
    expect(SlashList.parse("/cost of living?")).toBeUndefined()
    expect(SlashList.parse("/nothing")).toBeUndefined()
  })

  it("are suggested for a name that is nearly one of them", () => {
    const problem = (name: string) => SlashList.problem(name, [{ name: "deploy", doc: "" }])
    expect(problem("modle")).toBe("Unknown command /modle. Did you mean /mode or /model?")
    expect(problem("deplyo")).toBe("Unknown command /deplyo. Did you mean /deploy?")
    expect(problem("entirely-else")).toBe("Unknown command /entirely-else. Type / for a list.")
    expect(problem("cost")).toBe("/cost takes no arguments.")
  })

  it("keep the names that they had before", () => {
    for (const name of ["newtask", "smol", "condense", "checkpoints", "go", "exit"]) expect(SlashList.parse(`/${name}`), name).toBeDefined()
  })
})

describe("code", () => {
  const theme = Theme.of("always", true, {})
  const painted = (code: string, language: string) => Highlight.line(text(code), language, theme)

  it("shows keywords, strings, numbers and comments in different colours", () => {
    expect(painted("const a = \"x\" // why", "ts")).toBe(`${theme.accent("const")} a = ${theme.good("\"x\"")} ${theme.dim("// why")}`)
    expect(painted("x = 12 # why", "py")).toBe(`x = ${theme.code("12")} ${theme.dim("# why")}`)
    expect(painted("SELECT name", "sql")).toBe(`${theme.accent("SELECT")} name`)
  })

  it("loses no character in any language, and has one colour in an unknown one", () => {
    const code = "if (a['b'] >= 0x1f) /* c */ return `d` -- e # f <!-- g"
    for (const language of ["ts", "json", "go", "rs", "py", "rb", "sh", "yaml", "sql", "lua", "css", "html", "brainfuck", ""]) {
      expect(painted(code, language).replace(/\u001b\[\d+m/g, "")).toBe(code)
    }
    expect(painted(code, "brainfuck")).toBe(theme.code(code))
  })
})

describe("a project's rules", () => {
  it("begin with the commands found in its files", () => {
    const files = new Map([["package.json", "{\"scripts\":{\"test\":\"x\",\"start\":\"y\",\"lint\":\"z\"}}"], ["Makefile", "test: a\nall: b\nbuild:\n"]])
    expect(RulesTemplate.rulesTemplate(files)).toContain("- `npm run lint`\n- `npm test`\n- `make test`\n- `make build`\n")
    expect(RulesTemplate.rulesTemplate(new Map([["package.json", "{ broken"]]))).toContain("- Build, check and test: \n")
  })
})
