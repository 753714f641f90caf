import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import picomatch from "picomatch/posix.js"
import * as Rule from "../../../src/domain/approval/Rule.ts"
import * as Glob from "../../../src/domain/workspace/Glob.ts"

describe("a file pattern", () => {
  const matches = (pattern: string, name: string) => picomatch(Glob.finite(pattern), { dot: true })(name)

  it("with backslashes at its end comes to an end", () => {
    for (const pattern of ["*\\", "*\\\\", "*\\\\\\", "*\\\\\\\\", "**\\\\\\\\\\", "?\\\\\\\\", "a*\\\\\\\\b*\\\\\\\\"]) assert.isFalse(matches(pattern, "x"))
  })

  it("means what it meant", () => {
    assert.deepStrictEqual(
      [matches("*.ts", "a.ts"), matches("a\\*b", "a*b"), matches("a\\*b", "axb"), matches("a\\\\b", "a\\b"), matches("a\\\\b", "ab"), matches("[a\\]]", "]")],
      [true, true, false, true, false, true]
    )
  })

  it("of a command can't keep the rules from deciding", () => {
    const rules = Result.getOrThrow(Rule.compile({ allow: ["Bash(*)"], deny: ["Read(.env)"] }, { root: "/p", home: "/h" }))
    for (const word of ["*\\\\\\\\\\\\", "'*'\\\\\\\\\\\\\\\\", "?\\\\\\\\\\\\\\\\"]) assert.include(["allow", "ask"], Rule.evaluate(rules, { tool: "Bash", command: `cat ${word}` }).decision)
  })
})
