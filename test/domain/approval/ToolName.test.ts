import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Rule from "../../../src/domain/approval/Rule.ts"

describe("a rule by a standard name", () => {
  const covered = [
    ["Agent", "delegate", {}],
    ["Agent(reviewer)", "delegate", { agent: "reviewer" }],
    ["Skill(release)", "read_skill", { name: "release" }]
  ] as const
  for (const [rule, tool, input] of covered) {
    it(`covers our own tool: ${rule} and ${tool}`, () => {
      const compiled = Result.getOrThrow(Rule.compile({ deny: [rule] }))
      assert.deepInclude(Rule.evaluate(compiled, { tool, input }), { decision: "deny", rule })
    })
  }
})
