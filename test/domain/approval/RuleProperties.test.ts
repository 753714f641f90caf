import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Rule from "../../../src/domain/approval/Rule.ts"
import { analyse, flatten } from "../../../src/domain/tool/CommandLine.ts"
import { evaluatePlainly } from "./plain.ts"

const places = { root: "/p", home: "/h" }

const ruleTexts = [
  "Bash(a)", "Bash(a b)", "Bash(a:*)", "Bash(a b:*)", "Bash(b *)", "Bash(c c c:*)", "Bash(*)", "Bash", "Bash(a:*, risk <= medium)", "Bash(*, mode = plan)",
  "Read(p)", "Read(./p)", "Read(p/**)", "Read(*.p)", "Read(p/*.p)", "Read(**/q)", "Read(//x/**)", "Read(~/p)", "Read", "Edit(p)", "Edit(q/**)", "Edit(p/q/r)", "Edit",
  "WebFetch(domain:a.test)", "WebFetch(domain:*.a.test)", "WebFetch", "mcp__a", "mcp__a__b", "mcp__*", "@read:*", "*"
] as const

const Rules = Schema.Struct({
  allow: Schema.Array(Schema.Literals(ruleTexts)),
  ask: Schema.Array(Schema.Literals(ruleTexts)),
  deny: Schema.Array(Schema.Literals(ruleTexts))
})

const Segment = Schema.Literals(["p", "q", "r", "x.p", "..", "."])
const Path = Schema.Array(Segment)
const Facts = Schema.Struct({ risk: Schema.optionalKey(Schema.Literals(["low", "high"])), mode: Schema.optionalKey(Schema.Literals(["act", "plan"])) })

const Call = Schema.Union([
  Schema.Struct({ tool: Schema.Literal("Bash"), words: Schema.NonEmptyArray(Schema.Literals(["a", "b", "c"])), facts: Facts }),
  Schema.Struct({ tool: Schema.Literals(["Read", "Edit"]), start: Schema.Literals(["", "/", "/x/", "~/", "/p/"]), segments: Path, facts: Facts }),
  Schema.Struct({ tool: Schema.Literal("WebFetch"), url: Schema.Literals(["http://a.test", "https://b.a.test/x", "http://ba.test"]), facts: Facts }),
  Schema.Struct({ tool: Schema.Literals(["mcp__a__b", "mcp__a__c", "mcp__b__a"]), facts: Facts })
])

const toCall = (call: typeof Call.Type): Rule.Call =>
  "words" in call
    ? { tool: call.tool, command: call.words.join(" "), facts: call.facts }
    : "segments" in call
    ? { tool: call.tool, path: `${call.start}${call.segments.join("/")}` || "p", facts: call.facts }
    : call

const compile = (rules: Rule.Rules) => Result.getOrThrow(Rule.compile(rules, places))
const strictness = { allow: 0, ask: 1, deny: 2 }

describe("compiled rules", () => {
  it.prop("decide as a plain reading of the lists does", [Rules, Call], ([rules, call]) => {
    const subject = toCall(call)
    return Rule.evaluate(compile(rules), subject).decision === evaluatePlainly(rules, subject, places)
  })

  it.prop("never turn a deny or an ask into an allow when a deny is added", [Rules, Call, Schema.Literals(ruleTexts)], ([rules, call, added]) => {
    const subject = toCall(call)
    const before = Rule.evaluate(compile(rules), subject).decision
    const after = Rule.evaluate(compile({ ...rules, deny: [...rules.deny, added] }), subject).decision
    return strictness[after] >= strictness[before]
  })
})

const everything = compile({ allow: ["*"], deny: ["Bash(zz:*)"] })

const named = compile({ allow: ["Bash(ls:*)"], ask: ["Edit(.env)", `Read(${"a".repeat(100)})`], deny: ["Read(.env)", "Edit(b/**)"] })
const Pattern = Schema.Literals(["*", "**", "?", "[", "]", "[!", "[a-z]", "(", ")", "@(", "!(", "|", "/", "//", ".", "..", "~", "{", ",", "}", "\\", "\\\\", "'", "a", ".env", "-", "+", "^", "$", " "])

describe("any text", () => {
  it.prop("as a command never throws", [Schema.String], ([command]) => ["allow", "ask", "deny"].includes(Rule.evaluate(everything, { tool: "Bash", command }).decision))

  const Piece = Schema.Literals(["a", "'", "\"", "$", "(", ")", "{", "}", "`", "<", "<<", ">", "|", "&", ";", "\n", "\\", "#", "$((", "[[", "]]", "${", "!", "*", "~", "=", "if", "do", "case", "\u0000", "\u202e", "é", " "])
  it.prop("of shell pieces never throws, and every part has a source", [Schema.Array(Piece)], ([pieces]) =>
    flatten(analyse(pieces.join("")).parts).every(({ source }) => typeof source === "string"))

  it.prop("as a rule loads or says why", [Schema.String], ([rule]) => {
    const result = Rule.compile({ allow: [rule, `Bash(${rule})`, `Read(${rule})`, `WebFetch(${rule})`] }, places)
    return Result.isSuccess(result) || result.failure.message.length > 0
  })

  it.prop("of patterns never throws, as a command, a path or a rule", [Schema.Array(Pattern)], ([pieces]) => {
    const text = pieces.join("")
    const compiled = Rule.compile({ allow: [`Read(${text})`], ask: ["Edit(.env)"], deny: ["Read(.env)", "Edit(b/**)"] }, places)
    const rules = Result.isSuccess(compiled) ? compiled.success : named
    return [`ls ${text}`, `echo a > b/${text}`, `cd ${text} && cat .e${text}`, `for i in ${text}; do rm -r "$i"/${text}; done`]
      .every((command) => ["allow", "ask", "deny"].includes(Rule.evaluate(rules, { tool: "Bash", command }).decision))
      && ["allow", "ask", "deny"].includes(Rule.evaluate(rules, { tool: "Edit", path: text || "a" }).decision)
  })

  it.each(["ls -d */", "rm -rf build/*/", "ls *//", "ls /*", "cat [", "cat []", "cat ?/", `ls ${"*".repeat(70_000)}`, `ls ${"*a".repeat(30)}b`, `ls ${"*(".repeat(30)}a${")".repeat(30)}`, "ls {*,}/", "ls '*'/", "ls \\*/"])(
    "%s is decided where rules name files",
    (command) => assert.oneOf(Rule.evaluate(named, { tool: "Bash", command }).decision, ["allow", "ask", "deny"])
  )

  it("of more stars than a path needs is refused as a rule, with the reason", () => {
    const failure = Rule.compile({ deny: [`Read(${"*a".repeat(20)})`] }, places)
    assert.include(Result.isFailure(failure) ? failure.failure.message : "", "more than 8 stars")
    assert.isTrue(Result.isSuccess(Rule.compile({ deny: ["Read(**/src/**/*.test.*)"] }, places)))
  })

  it.prop("as a path or a URL never throws", [Schema.String], ([text]) =>
    [{ tool: "Read", path: text }, { tool: "Edit", path: text, resolvedPath: text }, { tool: "WebFetch", url: text }, { tool: text, input: text }].every((call) => Rule.evaluate(everything, call).reason !== ""))
})

describe("limits", () => {
  const decide = (command: string) => Rule.evaluate(everything, { tool: "Bash", command }).decision

  it.each<[name: string, command: string]>([
    ["64 kB", `echo ${"a".repeat(65_536)}`],
    ["64 kB of wide characters", `echo ${"é".repeat(40_000)}`],
    ["500 commands", "true;".repeat(501)],
    ["depth 64", `${"$(".repeat(70)}a${")".repeat(70)}`],
    ["depth 64 of groups", `${"(".repeat(70)}a${")".repeat(70)}`],
    ["a hexadecimal escape with braces", "$'\\x{63}'"],
    ["a deep pile of quotes", `${"\"$(".repeat(3000)}`],
    ["braces that make too many names", `${"{a,b}".repeat(40)}`]
  ])("%s ask", (_, command) => assert.strictEqual(decide(command), "ask"))

  it("do not weaken a deny", () => {
    assert.deepStrictEqual([decide(`${"true;".repeat(3000)}zz`), decide(`echo ${"a".repeat(100_000)}; zz`)], ["deny", "deny"])
  })

  it("hold for texts made to take long: each is decided, with a reason, before the test runs out of time", () => {
    const hostile = ["$'".repeat(30_000), "{a,".repeat(20_000), `echo ${"{a,".repeat(300)}${"}".repeat(300)}`, "sudo --x ".repeat(5000), "find -exec ".repeat(6000), "parallel ".repeat(7000), "cd a || ".repeat(7000), "\\".repeat(60_001), "<<a ".repeat(10_000), "`".repeat(30_001), "sudo -".repeat(8000), "${x:-".repeat(10_000), "x=".repeat(30_000), "eval ".repeat(10_000), `env ${"-S ".repeat(10_000)}`, `sudo ${"--x a ".repeat(9000)}`, "((".repeat(30_000), "sed '" + "/[".repeat(10_000)]
    assert.isTrue(hostile.every((command) => Rule.evaluate(everything, { tool: "Bash", command }).reason !== ""))
  })
})
