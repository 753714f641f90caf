import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { fromAccess } from "../../../src/domain/approval/Call.ts"
import * as Rule from "../../../src/domain/approval/Rule.ts"
import * as Access from "../../../src/domain/tool/Access.ts"

const places: Rule.Options = { root: "/home/dev/proj", home: "/home/dev", tools: ["lint", { name: "deploy", tags: ["network", "release"] }] }

const compiled = (rules: Rule.Rules, options = places) => Result.getOrThrow(Rule.compile(rules, options))
const decide = (rules: Rule.Rules, call: Rule.Call) => Rule.evaluate(compiled(rules), call).decision
const problem = (rule: Rule.Entry, list: "allow" | "ask" | "deny" = "allow") =>
  Result.match(Rule.compile({ [list]: [rule] }, places), { onFailure: ({ problem }) => problem, onSuccess: () => "loaded" })

const bash = (command: string): Rule.Call => ({ tool: "Bash", command })
const read = (path: string): Rule.Call => ({ tool: "Read", path })
const edit = (path: string): Rule.Call => ({ tool: "Edit", path })
const fetch = (url: string): Rule.Call => ({ tool: "WebFetch", url })

describe("a rule that is refused says what was meant", () => {
  it.each<[rule: string, problem: RegExp]>([
    ["", /not a valid rule; write Tool/],
    ["Bash(", /not a valid rule/],
    ["Bash()", /brackets are empty.*Bash\(\*\)/],
    ["Bash( )", /brackets are empty/],
    ["Read()", /brackets are empty/],
    ["bash(ls)", /unknown tool "bash"; did you mean Bash\?/],
    ["Bsh(ls)", /did you mean Bash\?/],
    ["Write(src/**)", /did you mean Edit\?/],
    ["MultiEdit", /did you mean Edit\?/],
    ["Glob(src/**)", /did you mean Read\?/],
    ["write_to_file", /did you mean write_file\?/],
    ["reed_file", /did you mean read_file\?/],
    ["Frobnicate", /unknown tool "Frobnicate"/],
    ["Frob*", /unknown tool "Frob\*"/],
    ["@reed:Read", /unknown tag "reed"; did you mean @read:Read\?/],
    ["@edit:Read", /can never match: Read does not have the tag edit/],
    ["@release:Bash", /does not have the tag release/],
    ["finish(now)", /finish takes no brackets/],
    ["mcp__github__create(x)", /takes no brackets/],
    ["*(x)", /takes no brackets/],
    ["Bash(:*)", /names no command/],
    ["Bash(domain:example.com)", /names a host instead of a command/],
    ["Bash(git && ls)", /can never match: a rule names one command/],
    ["Bash(ls > x)", /can never match/],
    ["Bash(echo $x)", /known only at run time/],
    ["Bash(git * main)", /is allowed only as the last word/],
    ["Bash(npm run test*)", /is allowed only as the last word/],
    ["Bash(FOO=1 npm test)", /can never match: variables/],
    ["Bash('unterminated)", /can never match/],
    ["Bash(bash:*)", /bash runs any code/],
    ["Bash(bash -c:*)", /bash runs any code/],
    ["Bash(/bin/sh *)", /sh runs any code/],
    ["Bash(python:*)", /python runs any code/],
    ["Bash(python3.12 -m *)", /runs any code/],
    ["Bash(node -e *)", /runs any code/],
    ["Bash(env:*)", /env runs any command/],
    ["Bash(/usr/bin/env FOO=1:*)", /env runs any command/],
    ["Bash(xargs:*)", /xargs runs any command/],
    ["Bash(xargs -n1 bash:*)", /bash runs any code/],
    ["Bash(timeout:*)", /timeout runs any command/],
    ["Bash(timeout 10 *)", /timeout runs any command/],
    ["Bash(sudo -u root:*)", /sudo runs any command/],
    ["Bash(docker exec box:*)", /docker runs any command/],
    ["Read(!.env)", /begins with !/],
    ["Read(/)", /names no path/],
    ["Read(./)", /names no path/],
    ["Edit(src/../x)", /only at the beginning/],
    ["WebFetch(example.com)", /write domain:example\.com/],
    ["WebFetch(https://example.com/x)", /write domain:example\.com/],
    ["WebFetch(domain:)", /is not a valid host name/],
    ["WebFetch(domain:*)", /is not a valid host name/],
    ["WebFetch(domain:a.*.com)", /is not a valid host name/],
    ["WebFetch(domain:example.com/path)", /is not a valid host name/],
    ["Agent(a b)", /is not a valid name/],
    ["Bash(*, risk <= 5)", /"5" is not a valid risk; expected low, medium, high/],
    ["Bash(*, risk)", /is not a valid comparison/],
    ["Bash(*, risk == low)", /write risk = low/],
    ["Bash(*, mode < plan)", /mode can only be compared with/],
    ["Bash(*, mode = fast)", /"fast" is not a valid mode/],
    ["Bash(*, size < big)", /"big" is not a valid size/],
    ["Bash(*, risk <= low and color = red)", /unknown fact "color"/],
    ["Bash(*, risk < low)", /contradicts itself: no risk/],
    ["Bash(*, mode = act and mode = plan)", /contradicts itself: no mode/],
    ["Edit(**, size < 10kb and size > 1mb)", /contradicts itself: no size/],
    ["Bash(*, branch = a and branch != a)", /contradicts itself: no branch/]
  ])("%s", (rule, expected) => assert.match(problem(rule), expected))

  it("names the list, the file and the line", () => {
    const result = Rule.compile({ deny: [{ rule: "Bsh", line: 7 }] }, { file: "settings.json" })
    assert.strictEqual(Result.isFailure(result) ? result.failure.message : "", "settings.json:7: deny rule Bsh: unknown tool \"Bsh\"; did you mean Bash?")
  })

  it("lets interpreters and wrappers be denied and asked for", () => {
    assert.deepStrictEqual([problem("Bash(bash:*)", "deny"), problem("Bash(sudo:*)", "ask")], ["loaded", "loaded"])
  })
})

describe("command rules", () => {
  it.each<[rule: string, command: string, decision: string]>([
    ["Bash(npm test)", "npm test", "allow"],
    ["Bash(npm test)", "npm  'test'", "allow"],
    ["Bash(npm test)", "npm test x", "ask"],
    ["Bash(git log:*)", "git log", "allow"],
    ["Bash(git log *)", "git log --oneline", "allow"],
    ["Bash(git log:*)", "git logs", "ask"],
    ["Bash(npm run test:*)", "npm run test:e2e", "ask"],
    ["Bash(npm run test:e2e)", "npm run test:e2e", "allow"],
    ["Bash('my tool' x)", "'my tool' x", "allow"],
    ["Bash(echo a, b)", "echo a, b", "allow"],
    ["Bash", "make", "allow"],
    ["run_command(npm test)", "npm test", "ask"],
    ["*", "make", "allow"]
  ])("%s over %s: %s", (rule, command, decision) => assert.strictEqual(decide({ allow: [rule] }, bash(command)), decision))

  it("speak of our own tool's name when it is the one that asks", () => {
    const rules = { allow: ["run_command(npm test)"] }
    assert.strictEqual(decide(rules, { tool: "Bash", command: "npm test", by: "run_command" }), "allow")
  })

  it("say which part matched what", () => {
    const { parts } = Rule.evaluate(compiled({ allow: ["Bash(git status:*)"], deny: ["Bash(rm:*)"] }), bash("git status && sudo rm x; ls"))
    assert.deepStrictEqual(parts?.map(({ decision, part, rule }) => [part.source, decision, rule]), [
      ["git status", "allow", "Bash(git status:*)"],
      ["sudo rm x", "ask", undefined],
      ["rm x", "deny", "Bash(rm:*)"],
      ["ls", "ask", undefined]
    ])
  })
})

describe("path rules", () => {
  it.each<[rule: string, path: string, matches: boolean]>([
    ["Read(notes*)", "src/notes.local", true],
    ["Read(secret*)", "secret.txt", true],
    ["Read(src/a*)", "src/ab/c.ts", true],
    ["Read(src/a*)", "src/ab", true],
    ["Read(a*/)", "ab", false],
    ["Read(./a.txt)", "a.txt", true],
    ["Read(./a.txt)", "sub/a.txt", false],
    ["Read(a.txt)", "sub/a.txt", true],
    ["Read(/a.txt)", "a.txt", true],
    ["Read(/a.txt)", "/a.txt", false],
    ["Read(//etc/hosts)", "/etc/hosts", true],
    ["Read(~/notes/**)", "~/notes/a", true],
    ["Read(~/notes/**)", "/home/dev/notes/a/b", true],
    ["Read(src/**)", "src/a/b.ts", true],
    ["Read(src/**)", "lib/src/a.ts", false],
    ["Read(src/**)", "src", false],
    ["Read(src/**/)", "src/a.ts", false],
    ["Read(src/**/)", "src/x/a.ts", true],
    ["Read(src/**)", "src/../b.ts", false],
    ["Read(**/src/**)", "lib/src/a.ts", true],
    ["Read(src)", "src/a.ts", true],
    ["Read(src/)", "src/a.ts", true],
    ["Read(src/)", "src", false],
    ["Read(*.md)", "docs/a.md", true],
    ["Read(*.md)", "docs/a.md.ts", false],
    ["Read(src/*.ts)", "src/a.ts", true],
    ["Read(src/*.ts)", "src/x/a.ts", false],
    ["Read(src/?.ts)", "src/a.ts", true],
    ["Read(src/[ab].ts)", "src/c.ts", false],
    ["Read({a,b}/**)", "a/x", false],
    ["Read({a,b}/**)", "{a,b}/x", true],
    ["Read(../other/**)", "/home/dev/other/x", true],
    ["Read(**)", "a/b/c", true],
    ["Read(**)", "/etc/passwd", false],
    ["Read(src/**)", "SRC/a.ts", false],
    ["Read", "/anything", true],
    ["@read:*", "a", true],
    ["Read(src/**, mode = act)", "src/a", false]
  ])("%s over %s: %s", (rule, path, matches) => assert.strictEqual(decide({ allow: [rule] }, read(path)), matches ? "allow" : "ask"))

  it("fold letter case to deny, and not to allow", () => {
    assert.strictEqual(decide({ allow: ["Read"], deny: ["Read(Secret/**)"] }, read("secret/A")), "deny")
  })

  it("deny on either name of a file, and allow on both", () => {
    const call = { tool: "Read" as const, path: "src/link", resolvedPath: "/home/dev/proj/private/x" }
    assert.strictEqual(decide({ allow: ["Read(src/**)"] }, call), "ask")
    assert.strictEqual(decide({ allow: ["Read(src/**)", "Read(private/**)"] }, call), "allow")
    assert.strictEqual(decide({ allow: ["Read"], deny: ["Read(private/**)"] }, call), "deny")
  })

  it("are relative to the folder that the call comes from", () => {
    assert.strictEqual(decide({ allow: ["Read(src/**)"] }, { tool: "Read", path: "a.ts", cwd: "/home/dev/proj/src" }), "allow")
  })

  it("refuse a path that is empty or that holds control characters", () => {
    assert.deepStrictEqual([decide({ allow: ["Edit"] }, edit("")), decide({ allow: ["Edit"] }, edit("a\n"))], ["deny", "deny"])
  })
})

describe("network rules", () => {
  it.each<[rule: string, url: string, decision: "allow" | "ask" | "deny"]>([
    ["WebFetch(domain:example.com)", "https://example.com/x", "allow"],
    ["WebFetch(domain:example.com)", "https://EXAMPLE.com./x", "allow"],
    ["WebFetch(domain:example.com)", "https://www.example.com", "ask"],
    ["WebFetch(domain:example.com)", "https://example.com.evil.test", "ask"],
    ["WebFetch(domain:example.com)", "https://evil.test/?example.com", "ask"],
    ["WebFetch(domain:example.com)", "https://example.com@evil.test", "deny"],
    ["WebFetch(domain:*.example.com)", "https://a.b.example.com", "allow"],
    ["WebFetch(domain:*.example.com)", "https://example.com", "ask"],
    ["WebFetch(domain:*.example.com)", "https://evilexample.com", "ask"],
    ["WebFetch(domain:bücher.test)", "https://xn--bcher-kva.test/", "allow"],
    ["WebFetch(domain:[::1])", "http://[0:0::1]/", "allow"],
    ["WebFetch", "https://anything.test", "allow"],
    ["fetch_url(domain:example.com)", "https://example.com", "ask"],
    ["WebFetch(domain:example.com)", "file://example.com/etc", "deny"],
    ["WebFetch(domain:example.com)", "no url", "deny"]
  ])("%s over %s: %s", (rule, url, decision) => assert.strictEqual(decide({ allow: [rule] }, fetch(url)), decision))
})

describe("rules for servers, tags and other tools", () => {
  it.each<[rule: string, tool: string, matches: boolean]>([
    ["mcp__github", "mcp__github__create", true],
    ["mcp__github", "mcp__githubber__create", false],
    ["mcp__github__create", "mcp__github__create", true],
    ["mcp__github__create", "mcp__github__delete", false],
    ["mcp__github__get_*", "mcp__github__get_issue", true],
    ["mcp__*", "mcp__anything__x", true],
    ["@mcp:*", "mcp__anything__x", true],
    ["@release:*", "deploy", true],
    ["@network:deploy", "deploy", true],
    ["@release:*", "lint", false],
    ["lint", "lint", true],
    ["Agent", "Agent", true]
  ])("%s over %s: %s", (rule, tool, matches) => assert.strictEqual(decide({ allow: [rule] }, { tool, input: {} }), matches ? "allow" : "ask"))

  it("name an agent or a skill", () => {
    const rules = { allow: ["Agent(reviewer)", "Skill(pdf)"] }
    assert.deepStrictEqual(
      [{ tool: "Agent", input: { name: "reviewer" } }, { tool: "Agent", input: { name: "other" } }, { tool: "Skill", input: { skill: "pdf" } }].map((call) => decide(rules, call)),
      ["allow", "ask", "allow"]
    )
  })
})

describe("conditions", () => {
  it.each<[condition: string, facts: Record<string, string | number | boolean>, holds: boolean]>([
    ["risk <= medium", { risk: "low" }, true],
    ["risk <= medium", { risk: "high" }, false],
    ["risk > low and mode = act", { risk: "high", mode: "act" }, true],
    ["branch != main", { branch: "feature" }, true],
    ["branch = \"feature x\"", { branch: "feature x" }, true],
    ["size < 100kb", { size: 99 * 1024 }, true],
    ["size < 100kb", { size: 101 * 1024 }, false],
    ["size >= 1.5mb", { size: "2mb" }, true],
    ["interactive = true", { interactive: true }, true],
    ["interactive = true", { interactive: false }, false],
    ["risk <= medium", {}, false],
    ["risk <= medium", { risk: "unheard of" }, false]
  ])("%s with %j: %s", (condition, facts, holds) => {
    assert.strictEqual(decide({ allow: [`Bash(*, ${condition})`] }, { tool: "Bash", command: "make", facts }), holds ? "allow" : "ask")
  })

  it("that depend on an unknown fact hold for a deny and an ask", () => {
    assert.strictEqual(decide({ allow: ["Bash(*)"], deny: ["Bash(*, branch = main)"] }, bash("make")), "deny")
  })
})

describe("order and scopes", () => {
  const call = bash("git push --force")

  it("is deny, then ask, then allow, whatever is more specific", () => {
    assert.strictEqual(decide({ allow: ["Bash(git push --force)"], ask: ["Bash(git push:*)"] }, call), "ask")
    assert.strictEqual(decide({ allow: ["Bash(git push --force)"], ask: ["Bash"], deny: ["Bash(git:*)"] }, call), "deny")
  })

  it("lets a deny from any scope win, each relative to its own root", () => {
    const scopes = Result.getOrThrow(Rule.compileScopes([
      { rules: { allow: ["Edit(src/**)"] }, options: { root: "/home/dev/proj", home: "/home/dev" } },
      { rules: { deny: ["Edit(proj/src/gen/**)"] }, options: { root: "/home/dev" } }
    ]))
    assert.deepStrictEqual([Rule.evaluate(scopes, edit("src/a")).decision, Rule.evaluate(scopes, edit("src/gen/a")).decision], ["allow", "deny"])
  })

  it("asks without a rule for what no rule names", () => {
    assert.deepStrictEqual(Rule.evaluate(compiled({}), read("a")), { decision: "ask", reason: "no rule allows reading a" })
  })

  it("shows the justification of the rule that decides", () => {
    const rule = { rule: "Bash(rm:*)", justification: "use the trash" }
    assert.strictEqual(Rule.evaluate(compiled({ deny: [rule] }), bash("rm x")).reason, "use the trash")
  })
})

describe("examples are checked at load", () => {
  it.each<[list: "allow" | "deny", entry: Rule.Entry, expected: RegExp]>([
    ["allow", { rule: "Bash(git log:*)", match: ["git log -p"], notMatch: ["git log --output=x", "git push"] }, /^loaded$/],
    ["allow", { rule: "Bash(git log:*)", match: ["git push"] }, /does not match its example "git push"/],
    ["allow", { rule: "Bash(git log:*)", notMatch: ["git log -p"] }, /matches "git log -p", which/],
    ["deny", { rule: "Bash(rm:*)", match: ["sudo rm x", "bash -c 'rm x'"] }, /^loaded$/],
    ["deny", { rule: "Read(.env, mode = act)", match: [".env", "sub/.env"], notMatch: ["env"] }, /^loaded$/],
    ["allow", { rule: "Edit(src/**)", match: ["src/a"], notMatch: ["src/.git/x"] }, /^loaded$/],
    ["allow", { rule: "WebFetch(domain:a.test)", match: ["https://a.test/x"], notMatch: ["https://b.test"] }, /^loaded$/],
    ["allow", { rule: "mcp__github", match: ["mcp__github__x"], notMatch: ["mcp__other__x"] }, /^loaded$/]
  ])("%s %j", (list, entry, expected) => assert.match(problem(entry, list), expected))
})

describe("a folder whose name is ~", () => {
  it("is one of the project to a tool, and not the home", () => {
    const rules = { allow: ["Read(./~/**)"], deny: ["Read(~/notes/**)"] }
    const decisions = ["~/notes/x", "./~/notes/x", "/home/dev/notes/x"].map((path) => decide(rules, fromAccess(Access.read(path))))
    assert.deepStrictEqual(decisions, ["allow", "allow", "deny"])
  })
})
