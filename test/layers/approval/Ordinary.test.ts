/** Commands of ordinary work, in each mode and under common allow rules: asked only where a careful engineer wants it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { columns, rowsOf } from "./ordinaryRows.ts"
import { inWorld } from "./world.ts"

/** The share of commands that ask although they should run. */
const maxOverAsking = 0.03

describe.each([
  ["commands.txt", "the corpus of ordinary commands", 400],
  ["commands-heldout.txt", "the commands held out while the rules were written", 100],
  ["commands-heldout-2.txt", "a second set of held-out commands, from projects in other languages", 200],
  ["commands-heldout-3.txt", "a third set of held-out commands, longer and more mixed", 180],
  ["commands-heldout-4.txt", "a fourth set of held-out commands, with computations and values of other commands", 150]
])("%s", (file, _, minRows) => {
  it.effect("asks for at most 3% of what should run, and runs nothing else", () =>
    inWorld(({ cwd, judge }) =>
      Effect.gen(function*() {
        const rows = rowsOf(new URL(`../../corpora/${file}`, import.meta.url), cwd)
        assert.isAtLeast(rows.length, minRows)
        for (const [i, column] of columns.entries()) {
          const decisions = yield* Effect.forEach(rows, ({ command, expected }) =>
            Effect.map(judge(command, column), (decision) => ({
              command,
              expected: expected[i]!,
              decision: column.headless && decision === "ask" ? "deny" as const : decision
            })))
          const asked = decisions.filter(({ decision, expected }) => expected === "allow" && decision !== "allow")
          const allowed = decisions.filter(({ expected }) => expected === "allow")
          assert.deepStrictEqual(decisions.filter(({ decision, expected }) => expected !== "allow" && decision !== expected).map(({ command }) => command), [], column.name)
          assert.isAtMost(asked.length / allowed.length, maxOverAsking, `${column.name}: ${asked.map(({ command }) => command).join("\n")}`)
        }
      })
    ), 120_000)
})
