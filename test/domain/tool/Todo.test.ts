import { assert, describe, it } from "@effect/vitest"
import * as Todo from "../../../src/domain/tool/Todo.ts"

describe("the steps of a plan", () => {
  const table: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["## Steps\n1. Read **src/a.ts**\n2) Mend it\n   - a detail\n3. Run the tests\n\n## Risks\n- none", ["Read src/a.ts", "Mend it", "Run the tests"]],
    ["- [ ] first\n- [x] second", ["first", "second"]],
    ["Run:\n```\n1. not a step\n```\n1. a step", ["a step"]],
    ["Just words, and 1. no list.", []]
  ]
  for (const [plan, steps] of table) {
    it(JSON.stringify(plan.slice(0, 30)), () => assert.deepStrictEqual(Todo.ofPlan(plan).map(({ text }) => text), steps))
  }
})
