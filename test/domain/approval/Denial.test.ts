import { assert, describe, it } from "@effect/vitest"
import * as Decision from "../../../src/domain/approval/Decision.ts"
import * as Denial from "../../../src/domain/approval/Denial.ts"
import * as Rule from "../../../src/domain/approval/Rule.ts"
import * as AfterHook from "../../../src/domain/hook/AfterHook.ts"
import * as Result from "effect/Result"

const evaluate = (deny: ReadonlyArray<string>) =>
  Rule.evaluate(Result.getOrThrow(Rule.compile({ allow: [], ask: [], deny: [...deny] })), { tool: "Bash", command: "npm publish" })

const proposed = (mode: "default" | "plan" | "dontAsk", deny: ReadonlyArray<string>, offer: ReadonlyArray<string> = []): Denial.Proposal => {
  const decision = Decision.decide({
    mode,
    evaluation: evaluate(deny),
    risk: { level: "high", signals: [] },
    access: { _tag: "Command", command: "npm publish" }
  })
  const rule = decision.rule
  return {
    decision: decision._tag === "Deny" ? "deny" : "ask",
    reason: decision.reasons.join("; "),
    offer,
    ...(rule === undefined ? {} : { rule })
  }
}

describe("the remedy of a denial", () => {
  it("names the deny rule and where it is", () => {
    assert.strictEqual(
      Denial.remedy(proposed("default", ["Bash(npm publish:*)"]), "/w/.dacapo/config.jsonc:4"),
      "To allow it, remove that rule from /w/.dacapo/config.jsonc:4; no allow rule overrides it."
    )
    assert.strictEqual(
      Denial.remedy({ decision: "deny", reason: "we publish from CI", rule: "Bash(npm publish:*)", offer: [] }),
      "To allow it, remove the rule Bash(npm publish:*) from the permission rules; no allow rule overrides it."
    )
  })

  it("names the mode that denies", () => {
    assert.strictEqual(Denial.remedy(proposed("plan", [])), "To allow it, leave plan mode.")
    assert.strictEqual(
      Denial.remedy(proposed("dontAsk", [], ["Bash(npm publish)"])),
      "To allow it, add the rule Bash(npm publish) that allows it, or choose another permission mode."
    )
    assert.strictEqual(Denial.remedy(proposed("dontAsk", [])), "To allow it, add a rule that allows it, or choose another permission mode.")
  })

  it("names a rule that asks as one to remove, and says where nothing allows a call", () => {
    const rule = "Bash(npm publish:*)"
    assert.strictEqual(
      Denial.unofferedRemedy({ reason: `the rule ${rule} requires approval for npm publish`, rule }),
      "To allow it, remove that rule from the permission rules; no allow rule overrides it."
    )
    assert.strictEqual(Denial.unofferedRemedy({ reason: "sh runs commands from standard input" }), "Only a person can approve this; no rule is narrow enough.")
    const denied = (reason: string, rule?: string) => Denial.remedy({ decision: "deny", reason, offer: [], ...(rule === undefined ? {} : { rule }) })
    assert.strictEqual(denied(".git/config is protected: git runs programs that files in .git name", "Edit(.git/**)"), "No rule or permission mode allows it.")
    assert.strictEqual(denied("the path is empty or contains control characters"), "No rule or permission mode allows it.")
  })

  it("names a hook, and nothing for what is asked", () => {
    const reason = AfterHook.verdictReason("no")
    assert.strictEqual(Denial.remedy({ decision: "deny", reason, offer: [] }), "To allow it, change that hook.")
    assert.isUndefined(Denial.remedy(proposed("default", [], ["Bash(npm publish)"])))
  })
})
