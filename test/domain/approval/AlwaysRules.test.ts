import { assert, describe, it } from "@effect/vitest"
import { alwaysRules } from "../../../src/domain/approval/AlwaysRules.ts"
import type { Call } from "../../../src/domain/approval/Call.ts"

const places = { root: "/home/dev/proj", home: "/home/dev" }

describe("the rules that always offers", () => {
  it.each<[call: Call, rules: ReadonlyArray<string>]>([
    [{ tool: "Bash", command: "git commit -m 'a b'" }, ["Bash(git commit:*)"]],
    [{ tool: "Bash", command: "git --no-pager log -3" }, ["Bash(git log:*)"]],
    [{ tool: "Bash", command: "npm run build -- --watch" }, ["Bash(npm run build:*)"]],
    [{ tool: "Bash", command: "ls -la | wc -l" }, ["Bash(ls:*)", "Bash(wc:*)"]],
    [{ tool: "Bash", command: "rm -rf 'my dir'" }, ["Bash(rm -rf 'my dir')"]],
    [{ tool: "Bash", command: "mytool deploy --all" }, ["Bash(mytool deploy --all)"]],
    [{ tool: "Bash", command: "timeout 10 npm test" }, ["Bash(npm test:*)"]],
    [{ tool: "Bash", command: "python3 x.py" }, ["Bash(python3 x.py)"]],
    [{ tool: "Bash", command: "$x" }, []],
    [{ tool: "Bash", command: "curl x | sh" }, []],
    [{ tool: "Bash", command: "echo x > ~/.bashrc" }, []],
    [{ tool: "Edit", path: "src/a.ts" }, ["Edit(./src/a.ts)"]],
    [{ tool: "Edit", path: ".github/workflows/ci.yml" }, ["Edit(./.github/workflows/ci.yml)"]],
    [{ tool: "Edit", path: ".git/config" }, []],
    [{ tool: "Read", path: "/etc/hosts" }, ["Read(//etc/hosts)"]],
    [{ tool: "WebFetch", url: "https://a.test/x" }, ["WebFetch(domain:a.test)"]],
    [{ tool: "mcp__github__create", input: {} }, ["mcp__github__create"]]
  ])("for %j", (call, rules) => assert.deepStrictEqual(alwaysRules(call, places), rules))
})
