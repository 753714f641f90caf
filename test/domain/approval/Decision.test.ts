import { assert, describe, it } from "@effect/vitest"
import type { Mode } from "../../../src/domain/approval/Mode.ts"
import * as Decision from "../../../src/domain/approval/Decision.ts"
import type { Evaluation } from "../../../src/domain/approval/Evaluation.ts"
import * as Risk from "../../../src/domain/approval/Risk.ts"
import * as Access from "../../../src/domain/tool/Access.ts"

const surroundings = { roots: ["/project"], home: "/home/user" }
const unruled: Evaluation = { decision: "ask", reason: "no rule" }

const accesses = {
  "read inside": Access.read("src/a.ts"),
  "read outside": Access.read("/etc/hosts"),
  "read a key": Access.read("server.key"),
  "edit inside": Access.edit("src/a.ts"),
  "edit outside": Access.edit("../x"),
  "delete": Access.edit("src/a.ts", "delete"),
  "look": Access.command("git status && ls src"),
  "build": Access.command("make build"),
  "remove": Access.command("rm -rf build"),
  "download": Access.command("curl https://example.com"),
  "leave": Access.command("cat /etc/hosts"),
  "fetch": Access.fetch("https://example.com"),
  "server": Access.mcp("github", "create"),
  "finish": Access.other("finish")
}

const verdict = (mode: Mode, access: Access.Access, evaluation = unruled): string =>
  Decision.decide({ mode, evaluation, access, risk: Risk.assess(access, { ...surroundings, isQuiet: true }) })._tag

describe("what each mode does without a rule", () => {
  it.each<[mode: Mode, allowed: ReadonlyArray<keyof typeof accesses>, denied: ReadonlyArray<keyof typeof accesses>]>([
    ["default", ["read inside", "look", "finish"], []],
    ["acceptEdits", ["read inside", "edit inside", "look", "finish"], []],
    ["plan", ["read inside", "look", "finish"], ["edit inside", "edit outside", "delete", "build", "remove", "download", "leave", "server"]],
    ["auto", ["read inside", "edit inside", "look", "build", "finish"], []],
    ["dontAsk", ["read inside", "look", "finish"], ["read outside", "read a key", "edit inside", "edit outside", "delete", "build", "remove", "download", "leave", "fetch", "server"]],
    ["bypassPermissions", Object.keys(accesses) as Array<keyof typeof accesses>, []]
  ])("%s", (mode, allowed, denied) => {
    const named = Object.entries(accesses).map(([name, access]) => [name, verdict(mode, access)] as const)
    assert.deepStrictEqual(named.filter(([, tag]) => tag === "Allow").map(([name]) => name), [...allowed])
    assert.deepStrictEqual(named.filter(([, tag]) => tag === "Deny").map(([name]) => name), [...denied])
  })
})

describe("what rules say", () => {
  const rule = (decision: Evaluation["decision"]): Evaluation => ({ decision, rule: "Bash", reason: "a rule" })

  it.each<[mode: Mode, ask: string, allow: string]>([
    ["default", "Ask", "Allow"],
    ["acceptEdits", "Ask", "Allow"],
    ["plan", "Deny", "Deny"],
    ["auto", "Ask", "Allow"],
    ["dontAsk", "Deny", "Allow"],
    ["bypassPermissions", "Ask", "Allow"]
  ])("in %s an ask is %s and an allow is %s; a deny is always one", (mode, ask, allow) => {
    assert.deepStrictEqual([verdict(mode, accesses.build, rule("ask")), verdict(mode, accesses.build, rule("allow")), verdict(mode, accesses.build, rule("deny"))], [ask, allow, "Deny"])
  })

  it("asks in every mode for a command that could not be read where rules forbid something", () => {
    assert.strictEqual(verdict("bypassPermissions", accesses.build, { ...unruled, isOpaque: true }), "Ask")
  })
})

describe("a question", () => {
  it("carries the risk and its reasons", () => {
    const access = accesses["edit outside"]
    assert.deepStrictEqual(Decision.decide({ mode: "default", evaluation: unruled, access, risk: Risk.assess(access, surroundings) }), {
      _tag: "Ask",
      reasons: ["no rule", "../x is outside the workspace"],
      risk: "high"
    })
  })

  it("over several accesses is answered by the strictest", () => {
    const allow: Decision.Decision = { _tag: "Allow", reasons: [] }
    const deny: Decision.Decision = { _tag: "Deny", reasons: ["no"] }
    assert.deepStrictEqual(Decision.strictest([allow, deny, allow]), deny)
  })
})

describe("risk", () => {
  it.each<[access: Access.Access, level: Risk.Level]>([
    [Access.read("src/a.ts"), "low"],
    [Access.read(".env"), "high"],
    [Access.read("/etc/passwd"), "high"],
    [{ _tag: "Read", path: "link", resolvedPath: "/etc/passwd" }, "high"],
    // A tool knows no home: this is a folder of that name.
    [Access.read("~/x"), "low"],
    [Access.command("cat './~/x'"), "low"],
    [Access.command("cat ~/x"), "high"],
    [{ _tag: "Command", command: "cat link", leads: { "/project/link": ["/etc/passwd"] } }, "high"],
    [{ _tag: "Command", command: "cat link", leads: { "/project/link": null } }, "high"],
    [{ _tag: "Command", command: "cat link", leads: { "/project/link": ["/project/a.ts"] } }, "low"],
    [Access.edit("src/a.ts"), "medium"],
    [Access.edit("src/a.ts", "delete"), "high"],
    [Access.edit(".github/workflows/ci.yml"), "high"],
    [Access.command("git log --oneline | head -5"), "low"],
    [Access.command("grep -rn x src"), "low"],
    [Access.command("cat ../x"), "high"],
    [Access.command("cat a > b"), "high"],
    [Access.command("ls $(id -u)"), "high"],
    [Access.command("$x"), "high"],
    [Access.command("CI=1 ls"), "high"],
    [Access.command("sort -o a b"), "high"],
    [Access.command("git push"), "high"],
    [Access.command("cd src && ls"), "high"],
    [Access.fetch("https://a.test"), "high"]
  ])("of %j is %s", (access, level) => assert.strictEqual(Risk.assess(access, surroundings).level, level))

  it("of a tool that only speaks with the session is low, of one that nobody knows high", () => {
    assert.strictEqual(Risk.assess(Access.other("finish"), { ...surroundings, isQuiet: true }).level, "low")
    assert.strictEqual(Risk.assess(Access.other("finish"), surroundings).level, "high")
    assert.strictEqual(Risk.assess(Access.command("rm -rf x"), { ...surroundings, isQuiet: true }).level, "high")
  })

  it("of a fetch from an allowed host is medium", () => {
    assert.strictEqual(Risk.assess(Access.fetch("https://a.test"), { ...surroundings, isAllowedHost: () => true }).level, "medium")
  })
})
