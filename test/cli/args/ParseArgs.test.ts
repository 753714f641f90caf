import { describe, expect, it } from "@effect/vitest"
import * as Args from "../../../src/cli/args/ParseArgs.ts"
import * as Commands from "../../../src/cli/Commands.ts"
import * as Flags from "../../../src/cli/args/Flags.ts"

const values = (...args: ReadonlyArray<string>) => {
  const { behind, problem, values, words } = Args.parse(args)
  expect(problem).toBeUndefined()
  return { ...values, words, ...(behind === undefined ? {} : { behind }) }
}
const problem = (...args: ReadonlyArray<string>) => Args.parse(args).problem

const session = "01979f0e-8a9b-7c00-8000-000000000001"

describe("the command line", () => {
  it("takes flags anywhere and joins the other words to the prompt", () => {
    expect(values("fix", "--model", "scripted/demo", "the", "-p", "build")).toEqual({
      model: "scripted/demo",
      print: true,
      words: ["fix", "the", "build"]
    })
  })

  it.each([
    [["--max-turns=3"], { maxTurns: 3 }],
    [["--max-budget-usd", "0.5"], { maxBudgetUsd: 0.5 }],
    [["--timeout=90"], { timeout: 90 }],
    [["-m=openai/gpt-5"], { model: "openai/gpt-5" }],
    [["--base-url=http://127.0.0.1:8080/v1?a=b"], { baseUrl: "http://127.0.0.1:8080/v1?a=b" }],
    [["--print=false"], { print: false }],
    [["-pc"], { print: true, continue: true }],
    [["-pm", "a/b"], { print: true, model: "a/b" }],
    [["--approval-mode", "auto_edit"], { permissionMode: "acceptEdits" }],
    [["--approval-mode=yolo"], { permissionMode: "bypassPermissions" }],
    [["--yolo"], { permissionMode: "bypassPermissions" }],
    [["--dangerously-skip-permissions"], { permissionMode: "bypassPermissions" }],
    [["--permission-mode", "plan"], { permissionMode: "plan" }],
    [["--json"], { outputFormat: "stream-json" }],
    [["--cwd", "/tmp"], { cd: "/tmp" }],
    [["--no-color"], { color: "never" }]
  ])("reads %j", (args, expected) => {
    expect(values(...args)).toEqual({ ...expected, words: [] })
  })

  it("lets list flags repeat and take commas, and never eat the prompt", () => {
    expect(values("--allowedTools", "Read,Bash(git log *)", "--allowed-tools=Edit", "fix it")).toEqual({
      allowedTools: ["Read", "Bash(git log *)", "Edit"],
      words: ["fix it"]
    })
  })

  it.each([
    ["Read, Edit", ["Read", "Edit"]],
    ["Bash(echo a, b),Read", ["Bash(echo a, b)", "Read"]],
    ["@tag:read:* Edit(src/**, size < 100kb)", ["@tag:read:*", "Edit(src/**, size < 100kb)"]]
  ])("parts the list %j outside parentheses alone", (text, items) => {
    expect(Args.items(text)).toEqual(items)
  })

  it.each([
    [["--resume", session, "go on"], { resume: session, words: ["go on"] }],
    [["--resume", "01979f0e", "go on"], { resume: "01979f0e", words: ["go on"] }],
    [["--resume", "latest"], { resume: "latest", words: [] }],
    [["--resume", "go on"], { resume: "", words: ["go on"], behind: { resume: 0 } }],
    [["now", "-r", "sessions", "list"], { resume: "", words: ["now", "sessions", "list"], behind: { resume: 1 } }],
    [["-w", "side", "go on"], { worktree: "", words: ["side", "go on"], behind: { worktree: 0 } }],
    [["-w", "-p", "go on"], { worktree: "", print: true, words: ["go on"] }],
    [["--worktree=side"], { worktree: "side", words: [] }],
    [["--resume"], { resume: "", words: [] }],
    [["--resume=anything"], { resume: "anything", words: [] }],
    [["-r", "-p"], { resume: "", print: true, words: [] }]
  ])("takes a session after --resume where it looks like one, and says which other words stand behind such flags: %j", (args, expected) => {
    expect(values(...args)).toEqual(expected)
  })

  it("keeps everything behind -- as words, and - as standard input", () => {
    expect(values("-p", "--", "--model", "x")).toEqual({ print: true, words: ["--model", "x"] })
    expect(values("-p", "-")).toEqual({ print: true, words: ["-"] })
  })

  it("finds the command in the first word, unless a prompt was announced before it", () => {
    expect(Args.parse(["sessions", "list"])).toMatchObject({ command: "sessions", words: ["list"] })
    expect(Args.parse(["session", "show", "latest"])).toMatchObject({ command: "sessions", words: ["show", "latest"] })
    expect(Args.parse(["--color", "never", "doctor"])).toMatchObject({ command: "doctor" })
    expect(Args.parse(["exec", "fix it"])).toMatchObject({ command: "run", words: ["fix it"] })
    expect(Args.parse(["-p", "doctor"])).toMatchObject({ command: "run", words: ["doctor"] })
    expect(Args.parse(["fix", "sessions"])).toMatchObject({ command: "run", words: ["fix", "sessions"] })
  })

  it.each([
    [["--modle", "x"], "Unknown flag --modle. Did you mean --model?"],
    [["--allowed-tool", "Read"], "Unknown flag --allowed-tool. Did you mean --allowed-tools?"],
    [["--zzzzzzzz"], "Unknown flag --zzzzzzzz."],
    [["-x"], "Unknown flag -x. Did you mean -p?"],
    [["--model"], "--model needs a value: --model <provider/model>."],
    [["--model", "--print"], "--model needs a value: --model <provider/model>."],
    [["--max-turns", "many"], "--max-turns needs a whole number above 0; \"many\" is none."],
    [["--max-turns", "1.5"], "--max-turns needs a whole number above 0; \"1.5\" is none."],
    [["--timeout=-1"], "--timeout needs a number above 0; \"-1\" is none."],
    [["--output-format", "jsn"], "--output-format is one of text, json, stream-json, events; \"jsn\" is not. Did you mean json?"],
    [["--print=maybe"], "--print takes no value (it was given \"maybe\")."],
    [["sessions", "list", "--max-turns", "3"], "--max-turns is no flag of `dacapo sessions`; it belongs to `dacapo`, `dacapo replay`."],
    [["fix it", "--verify"], "--verify is no flag of `dacapo`; it belongs to `dacapo replay`."],
    [["sesions", "list"], "There is no command \"sesions\". Did you mean `dacapo sessions list`?"]
  ])("refuses %j", (args, sentence) => {
    expect(problem(...args)).toBe(sentence)
  })

  it("reads the format in which an error is to be told, wherever it stands", () => {
    expect(Args.parse(["--nonsense", "-p", "--output-format", "json"])).toMatchObject({ values: { outputFormat: "json" } })
  })
})

describe("the table of flags", () => {
  it("has no spelling twice", () => {
    const names = Flags.entries.flatMap(([, { names }]) => names).concat(Object.keys(Flags.shorthands))
    expect(new Set(names).size).toBe(names.length)
  })

  it("names only commands that are there, and shorthands set what their flag can be", () => {
    for (const [, { on = [] }] of Flags.entries) on.forEach((name) => expect(Commands.named.has(name)).toBe(true))
    for (const [name, { flag, value }] of Object.entries(Flags.shorthands)) {
      const { kind } = Flags.table[flag]
      expect(Args.parse([name]).values[flag]).toBe(value)
      expect(kind._tag === "Choice" && kind.choices.some((choice) => choice === value)).toBe(true)
    }
  })
})
