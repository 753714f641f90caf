import { describe, expect, it } from "@effect/vitest"
import * as ParseArgs from "../../../src/cli/args/ParseArgs.ts"
import * as Commands from "../../../src/cli/Commands.ts"
import * as Flags from "../../../src/cli/args/Flags.ts"

const values = (...args: ReadonlyArray<string>) => {
  const { args: rest, optionalValueIndexes, problem, values } = ParseArgs.parse(args)
  expect(problem).toBeUndefined()
  return { ...values, args: rest, ...(optionalValueIndexes === undefined ? {} : { optionalValueIndexes }) }
}
const problem = (...args: ReadonlyArray<string>) => ParseArgs.parse(args).problem

const session = "01979f0e-8a9b-7c00-8000-000000000001"

describe("the command line", () => {
  it("takes flags anywhere, and joins the other arguments to the prompt", () => {
    expect(values("fix", "--model", "scripted/demo", "the", "-p", "build")).toEqual({
      model: "scripted/demo",
      print: true,
      args: ["fix", "the", "build"]
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
    expect(values(...args)).toEqual({ ...expected, args: [] })
  })

  it("lets list flags repeat and contain commas, without consuming the prompt", () => {
    expect(values("--allowedTools", "Read,Bash(git log *)", "--allowed-tools=Edit", "fix it")).toEqual({
      allowedTools: ["Read", "Bash(git log *)", "Edit"],
      args: ["fix it"]
    })
  })

  it.each([
    ["Read, Edit", ["Read", "Edit"]],
    ["Bash(echo a, b),Read", ["Bash(echo a, b)", "Read"]],
    ["@tag:read:* Edit(src/**, size < 100kb)", ["@tag:read:*", "Edit(src/**, size < 100kb)"]]
  ])("parts the list %j outside parentheses alone", (text, items) => {
    expect(ParseArgs.splitList(text)).toEqual(items)
  })

  it.each([
    [["--resume", session, "go on"], { resume: session, args: ["go on"] }],
    [["--resume", "01979f0e", "go on"], { resume: "01979f0e", args: ["go on"] }],
    [["--resume", "latest"], { resume: "latest", args: [] }],
    [["--resume", "go on"], { resume: "", args: ["go on"], optionalValueIndexes: { resume: 0 } }],
    [["now", "-r", "sessions", "list"], { resume: "", args: ["now", "sessions", "list"], optionalValueIndexes: { resume: 1 } }],
    [["-w", "side", "go on"], { worktree: "", args: ["side", "go on"], optionalValueIndexes: { worktree: 0 } }],
    [["-w", "-p", "go on"], { worktree: "", print: true, args: ["go on"] }],
    [["--worktree=side"], { worktree: "side", args: [] }],
    [["--resume"], { resume: "", args: [] }],
    [["--resume=anything"], { resume: "anything", args: [] }],
    [["-r", "-p"], { resume: "", print: true, args: [] }]
  ])("takes a session after --resume if it looks like one, and reports other arguments after such flags: %j", (args, expected) => {
    expect(values(...args)).toEqual(expected)
  })

  it("takes everything after -- as arguments, and - as standard input", () => {
    expect(values("-p", "--", "--model", "x")).toEqual({ print: true, args: ["--model", "x"] })
    expect(values("-p", "-")).toEqual({ print: true, args: ["-"] })
  })

  it("takes the command from the first argument, unless --print precedes it", () => {
    expect(ParseArgs.parse(["sessions", "list"])).toMatchObject({ command: "sessions", args: ["list"] })
    expect(ParseArgs.parse(["session", "show", "latest"])).toMatchObject({ command: "sessions", args: ["show", "latest"] })
    expect(ParseArgs.parse(["--color", "never", "doctor"])).toMatchObject({ command: "doctor" })
    expect(ParseArgs.parse(["exec", "fix it"])).toMatchObject({ command: "run", args: ["fix it"] })
    expect(ParseArgs.parse(["-p", "doctor"])).toMatchObject({ command: "run", args: ["doctor"] })
    expect(ParseArgs.parse(["fix", "sessions"])).toMatchObject({ command: "run", args: ["fix", "sessions"] })
  })

  it.each([
    [["--modle", "x"], "Unknown flag --modle. Did you mean --model?"],
    [["--allowed-tool", "Read"], "Unknown flag --allowed-tool. Did you mean --allowed-tools?"],
    [["--zzzzzzzz"], "Unknown flag --zzzzzzzz."],
    [["-x"], "Unknown flag -x. Did you mean -p?"],
    [["--model"], "--model needs a value: --model <provider/model>."],
    [["--model", "--print"], "--model needs a value: --model <provider/model>."],
    [["--max-turns", "many"], "\"many\" is not a valid value for --max-turns; expected an integer above 0."],
    [["--max-turns", "1.5"], "\"1.5\" is not a valid value for --max-turns; expected an integer above 0."],
    [["--max-wait=-1"], "\"-1\" is not a valid value for --max-wait; expected a number of 0 or more."],
    [["--timeout", "0"], "\"0\" is not a valid value for --timeout; expected a number above 0."],
    [["--timeout=-1"], "\"-1\" is not a valid value for --timeout; expected a number above 0."],
    [["--output-format", "jsn"], "\"jsn\" is not a valid value for --output-format; expected one of text, json, stream-json, events. Did you mean json?"],
    [["--print=maybe"], "--print takes no value, but was given \"maybe\"."],
    [["sessions", "list", "--max-turns", "3"], "--max-turns is not a flag of `dacapo sessions`; use it with `dacapo`, `dacapo replay`, `dacapo acp`, `dacapo serve`, `dacapo runner`, `dacapo mcp`."],
    [["fix it", "--verify"], "--verify is not a flag of `dacapo`; use it with `dacapo replay`."],
    [["--permission-mode", "accept"], "\"accept\" is not a valid value for --permission-mode; expected one of default, acceptEdits, plan, auto, dontAsk, bypassPermissions. Did you mean acceptEdits?"],
    [["sesions", "list"], "Unknown command \"sesions\". Did you mean `dacapo sessions list`?"],
    [["doctr"], "Unknown command \"doctr\". Did you mean `dacapo doctor`? To send it as a prompt, use `dacapo -- doctr`."],
    [["login"], "Unknown command \"login\". Did you mean `dacapo auth login`? To send it as a prompt, use `dacapo -- login`."],
    [["resume"], "Unknown command \"resume\". Did you mean `dacapo --resume`? To send it as a prompt, use `dacapo -- resume`."]
  ])("refuses %j", (args, sentence) => {
    expect(problem(...args)).toBe(sentence)
  })

  it.each([["hi"], ["test"], ["fix"], ["explain"], ["--", "doctr"], ["-p", "doctr"], ["-c", "continue"], ["doctr please"], ["constructor"]])(
    "takes %j as a prompt",
    (...args) => expect([problem(...args), ParseArgs.parse(args).args]).toEqual([undefined, [args.at(-1)]])
  )

  it("finds the output format for errors, wherever it is given", () => {
    expect(ParseArgs.parse(["--nonsense", "-p", "--output-format", "json"])).toMatchObject({ values: { outputFormat: "json" } })
  })
})

describe("the table of flags", () => {
  it("has no spelling twice", () => {
    const names = Flags.entries.flatMap(([, { names }]) => names).concat(Object.keys(Flags.shorthands))
    expect(new Set(names).size).toBe(names.length)
  })

  it("names only existing commands, and shorthands set valid values", () => {
    for (const [, { commands = [] }] of Flags.entries) commands.forEach((name) => expect(Commands.byName.has(name)).toBe(true))
    for (const [name, { flag, value }] of Object.entries(Flags.shorthands)) {
      const { kind } = Flags.table[flag]
      expect(ParseArgs.parse([name]).values[flag]).toBe(value)
      expect(kind._tag === "Choice" && kind.choices.some((choice) => choice === value)).toBe(true)
    }
  })
})
