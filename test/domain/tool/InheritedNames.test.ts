/** Names that every object of JavaScript has, wherever a command, a rule or a call may have a name. */
import { assert, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { alwaysRules } from "../../../src/domain/approval/AlwaysRules.ts"
import * as Risk from "../../../src/domain/approval/Risk.ts"
import * as Rule from "../../../src/domain/approval/Rule.ts"
import * as Mention from "../../../src/domain/message/Mention.ts"
import * as Table from "../../../src/domain/Table.ts"
import * as Access from "../../../src/domain/tool/Access.ts"
import { claude } from "../../../src/domain/tool/ToolNames.ts"
import * as ToolAliases from "../../../src/layers/tool/ToolAliases.ts"

const names = [...Object.getOwnPropertyNames(Object.prototype), "prototype"]

const templates = ["N", "N x", "x N", "git N", "git -C . N x", "npm N", "npm run N", "cargo N", "go N", "python -m N", "ls | N", "find src | N -n 1", "find src | N | xargs cat",
  "xargs N", "env N=1 ls", "N=1 ls", "cd N && N", "for N in a; do cat $N; done", "sudo N", "docker N x", "N --N=x", "cat --N", "mv N N", "N <<EOF\nx\nEOF"]

it("are judged like any other name: nothing throws, and no program of that name is known", () => {
  const rules = Result.getOrThrow(Rule.compile({ allow: ["Bash(npm test:*)"], deny: ["Bash(rm:*)"] }, { root: "/project", home: "/home/user" }))
  for (const name of names) {
    for (const template of templates) {
      const command = template.replaceAll("N", name)
      const plain = template.replaceAll("N", /[A-Z]/.test(name) ? "namelessName" : "nameless")
      const judged = [command, plain].map((command) => {
        const call = { tool: "Bash", command } as const
        alwaysRules(call, { root: "/project", home: "/home/user" })
        return [Rule.evaluate(rules, call).decision, Risk.assess(Access.command(command, "/project"), { roots: ["/project"], home: "/home/user", cwd: "/project" }).level]
      })
      if (!name.startsWith("_")) assert.deepStrictEqual(judged[0], judged[1], command)
    }
  }
})

it("name no entry of a table, no tool and no mention", () => {
  for (const name of names) {
    assert.isUndefined(Table.entry({ a: 1 }, name))
    assert.isUndefined(ToolAliases.tool(name))
    assert.strictEqual(claude.tool(name), name)
    assert.deepStrictEqual(claude.call(name, {}), { name, input: {} })
    assert.deepStrictEqual(Mention.find(`@${name}`), [{ _tag: "file", path: name, isExplicit: false }])
  }
  assert.strictEqual(Table.entry({ a: 1 }, "a"), 1)
})
