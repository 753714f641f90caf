/** When a rule of another agent applies, by the frontmatter that its agent documents. */
import { assert, describe, it } from "@effect/vitest"
import * as RulesScope from "../../../src/domain/context/RulesScope.ts"

const files = (...globs: ReadonlyArray<string>): RulesScope.Scope => ({ _tag: "Files", globs })
const requested = (description: string): RulesScope.Scope => ({ _tag: "Requested", description })
const always: RulesScope.Scope = { _tag: "Always" }
const manual: RulesScope.Scope = { _tag: "Manual" }

const table: ReadonlyArray<readonly [otherwise: "always" | "manual", frontmatter: string, scope: RulesScope.Scope]> = [
  ["manual", "description: Style\nglobs: src/**/*.ts\nalwaysApply: true", always],
  ["manual", "description:\nglobs: *.ts,*.{tsx,jsx}\nalwaysApply: false", files("*.ts", "*.{tsx,jsx}")],
  ["manual", "globs: [\"a/*.py\", 'b.py']", files("a/*.py", "b.py")],
  ["manual", "description: On migrations\nglobs:\nalwaysApply: false", requested("On migrations")],
  ["manual", "alwaysApply: false", manual],
  ["manual", "applyTo: \"**\"", always],
  ["manual", "applyTo: \"**/*.rb,./lib/**\"", files("**/*.rb", "lib/**")],
  ["always", "paths:\n  - src/api/**/*.ts\n  - \"*.sql\"", files("src/api/**/*.ts", "*.sql")],
  ["always", "title: x", always],
  ["always", "trigger: always_on", always],
  ["always", "trigger: glob\nglobs: *.go", files("*.go")],
  ["always", "trigger: model_decision\ndescription: On releases", requested("On releases")],
  ["always", "trigger: manual\nglobs: *.go", manual]
]

describe("a rule of another agent", () => {
  for (const [otherwise, frontmatter, scope] of table) {
    it(`with ${JSON.stringify(frontmatter)} is ${scope._tag}`, () =>
      assert.deepStrictEqual(RulesScope.parse(`---\n${frontmatter}\n---\nText.`, { otherwise }), { body: "Text.", scope }))
  }

  it("without frontmatter is whatever its folder says", () => {
    assert.deepStrictEqual(RulesScope.parse("Text.", { otherwise: "always" }), { body: "Text.", scope: always })
    assert.deepStrictEqual(RulesScope.parse("Text.", { otherwise: "manual" }), { body: "Text.", scope: manual })
    assert.strictEqual(RulesScope.parse("Text.", { otherwise: "always", mode: "code" }).scope._tag, "Requested")
  })

  it("applies to files by patterns with braces and globstars, in every folder without a slash", () => {
    const applies = (globs: ReadonlyArray<string>, path: string) => RulesScope.appliesTo(globs, [path])
    assert.isTrue(applies(["*.{ts,tsx}"], "deep/in/a.tsx"))
    assert.isTrue(applies(["src/**/*.ts"], "src/a.ts"))
    assert.isFalse(applies(["src/**/*.ts"], "test/a.ts"))
    assert.isFalse(applies(["[", "{a,b"], "a.ts"))
    assert.isFalse(applies(["**/**/**/**/**/**/**/**/**/**/x".repeat(20)], "a/".repeat(200)))
  })
})
