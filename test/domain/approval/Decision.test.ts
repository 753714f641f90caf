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
  "make files": Access.command("mkdir -p lib && cp src/a.ts lib/a.ts && mv x.ts lib/x.ts"),
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
    ["acceptEdits", ["read inside", "edit inside", "look", "make files", "finish"], []],
    ["plan", ["read inside", "look", "finish"], ["edit inside", "edit outside", "delete", "make files", "build", "remove", "download", "leave", "server"]],
    ["auto", ["read inside", "edit inside", "look", "make files", "build", "finish"], []],
    ["dontAsk", ["read inside", "look", "finish"], ["read outside", "read a key", "edit inside", "edit outside", "delete", "make files", "build", "remove", "download", "leave", "fetch", "server"]],
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

describe("in the sandbox", () => {
  const confined = (command: string, facts: Partial<Extract<Access.Access, { readonly _tag: "Command" }>> = {}): Access.Access =>
    ({ _tag: "Command", command, confined: true, ...facts })
  const build: Evaluation = { decision: "ask", reason: "no rule" }

  it.each<[mode: Mode, tag: string]>([["default", "Allow"], ["acceptEdits", "Allow"], ["auto", "Allow"], ["dontAsk", "Allow"], ["plan", "Deny"], ["bypassPermissions", "Allow"]])(
    "a command runs without a question in mode %s: %s",
    (mode, tag) => {
      for (const command of ["make build", "rm -rf build", "python3 x.py", "npm install", "unknown --tool", "echo x > /tmp/y", "cat $file"])
        assert.strictEqual(verdict(mode, confined(command), build), tag, command)
    }
  )

  it.each<[mode: Mode]>([["default"], ["plan"]])("reading what every system has is inside, in mode %s", (mode) => {
    assert.strictEqual(verdict(mode, confined("ls /usr/include"), build), "Allow")
  })

  it("asks about what the sandbox does not confine", () => {
    for (const access of [
      confined("cat ../other/notes.txt"), confined("cat ~/notes.txt"), confined("cat .env"), confined("cat ~/.ssh/id_rsa"), confined("rm -rf ."),
      confined("git checkout x", { changes: ["/project/sub/.husky/pre-commit"] }), confined("git pull", { unclear: "unknown" }),
      confined("cat link", { leads: { "/project/link": ["/home/other/x"] } })
    ]) assert.strictEqual(verdict("default", access, build), "Ask", JSON.stringify(access))
  })

  it("follows the rules that ask and deny", () => {
    assert.strictEqual(verdict("default", confined("make"), { decision: "ask", rule: "Bash(make:*)", reason: "a rule" }), "Ask")
    assert.strictEqual(verdict("default", confined("make"), { decision: "deny", rule: "Bash(make:*)", reason: "a rule" }), "Deny")
    assert.strictEqual(verdict("default", confined("$x"), { ...build, isOpaque: true }), "Ask")
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

  it.each<[command: string, risk: Risk.Level, reasons: ReadonlyArray<string>]>([
    ["git add -A && git commit -m x", "medium", ["git add changes the repository", "git commit changes the repository"]],
    ["git tag v1", "medium", ["git tag changes the repository"]],
    ["git tag -d v1", "high", ["git tag may discard commits"]],
    ["git branch x", "medium", ["git branch changes the repository"]],
    ["git branch -D x", "high", ["git branch may discard commits"]],
    ["git reset HEAD a.ts", "medium", ["git reset changes the repository"]],
    ["git reset --hard", "high", ["git reset may overwrite or delete files"]],
    ["git restore --staged a.ts", "medium", ["git restore changes the repository"]],
    ["git restore a.ts", "high", ["git restore may overwrite or delete files"]],
    ["git stash", "medium", ["git stash moves uncommitted changes out of the files"]],
    ["git stash push -m wip", "medium", ["git stash moves uncommitted changes out of the files"]],
    ["git stash pop", "high", ["git stash may overwrite or delete files"]],
    ["git stash drop", "high", ["git stash may discard commits"]],
    ["git fetch origin", "high", ["git fetch may use the network"]],
    ["git push", "high", ["git push sends commits to another repository"]],
    ["git push -f", "high", ["git push may discard commits of another repository"]],
    ["git push origin :old", "high", ["git push may discard commits of another repository"]],
    ["git clean -n", "high", ["git clean may delete files"]],
    ["git rm a.ts", "high", ["git rm may delete files"]],
    ["git config a.b c", "high", ["git with a.b does more than read", "git config changes the settings of git"]],
    ["git unknown", "high", ["unknown is not a known subcommand of git", "git may delete files", "git may use the network"]],
    ["pip install x", "high", ["pip install may use the network"]],
    ["pip uninstall x", "high", ["pip uninstall may delete files"]],
    ["npm install", "high", ["npm install may use the network"]],
    ...([
      ["docker build .", "docker may use the network"],
      ["docker compose up -d", "docker compose up may start containers"],
      ["docker compose down", "docker compose down may delete containers, images or volumes"],
      ["docker stop web", "docker stop may stop containers"],
      ["docker push shop", "docker push publishes images"],
      ["podman system prune", "podman system prune may delete containers, images or volumes"],
      ["kubectl apply -f app.yaml", "kubectl apply may change the cluster"],
      ["kubectl -n shop delete pod app", "kubectl delete may delete resources of the cluster"],
      ["gh pr create --fill", "gh pr create changes what is on GitHub"],
      ["gh api repos/a/b", "gh api may change or delete what is on GitHub"],
      ["gh repo delete a/b", "gh repo delete may delete what is on GitHub"],
      ["gh pr checkout 3", "gh pr checkout may overwrite or delete files"],
      ["gh run download 3", "gh run may use the network"]
    ] as const).map(([command, reason]): [string, Risk.Level, ReadonlyArray<string>] => [command, "high", [reason]])
  ])("about %s says what this subcommand may do, in mode auto too", (command, risk, reasons) => {
    const access = Access.command(command)
    for (const mode of ["default", "acceptEdits", "auto"] as const)
      assert.deepStrictEqual(Decision.decide({ mode, evaluation: unruled, access, risk: Risk.assess(access, surroundings) }), { _tag: "Ask", reasons: ["no rule", ...reasons], risk })
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
    [Access.command("cat a > b"), "medium"],
    [Access.command("touch x"), "medium"],
    [Access.command("mkdir -p src/x && cp a.ts src/x/"), "medium"],
    [Access.command("cp hooks/x .git/hooks/x"), "high"],
    [Access.command("cp x/.gitlab-ci.yml ."), "high"],
    [Access.command("npm test"), "medium"],
    [Access.command("npm test 2>&1 | tail -5"), "medium"],
    [Access.command("npm install"), "high"],
    [Access.command("rm -rf build"), "high"],
    [Access.command("mv a.ts ../a.ts"), "high"],
    [Access.command("ls $(id -u)"), "high"],
    [Access.command("$x"), "high"],
    [Access.command("CI=1 ls"), "low"],
    [Access.command("PATH=/tmp ls"), "high"],
    [Access.command("sort -o a b"), "medium"],
    [Access.command("git push"), "high"],
    [Access.command("cd src && ls"), "low"],
    [Access.command("cd .. && ls"), "high"],
    [Access.command("cd $x && ls"), "high"],
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
