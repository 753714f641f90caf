import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Assemble from "../../../src/domain/prompt/Assemble.ts"
import type { Section } from "../../../src/domain/prompt/Section.ts"
import { input } from "./input.ts"

/** A section whose forms are words of these lengths, richest first. */
const section = (name: string, priority: number, lengths: ReadonlyArray<number>, required = false): Section => {
  const [first = 0, ...others] = lengths
  const render = (length: number) => () => name.charAt(0).repeat(length)
  return { name, priority, required, render: render(first), alternatives: others.map(render) }
}

const assemble = (sections: ReadonlyArray<Section>, budget: number) =>
  Assemble.assemble(sections, input, { budget, count: (text) => text.length })

describe("a prompt", () => {
  it("is its sections in order, each whole where there is room", () => {
    const made = Result.getOrThrow(assemble([section("a", 2, [2]), section("b", 1, [3])], 100))
    assert.strictEqual(made.text, "aa\n\nbbb")
    assert.deepStrictEqual(made.report, [
      { section: "a", form: "full", tokens: 4 },
      { section: "b", form: "full", tokens: 5 }
    ])
  })

  it("takes required sections first, then others by priority in the richest form that fits", () => {
    const sections = [
      section("required", 9, [10, 4], true),
      section("important", 1, [30, 8, 2]),
      section("nice", 5, [9]),
      section("small", 6, [1])
    ]
    const made = Result.getOrThrow(assemble(sections, 25))
    assert.strictEqual(made.text, "rrrrrrrrrr\n\niiiiiiii\n\ns")
    assert.deepStrictEqual(made.report, [
      { section: "required", form: "full", tokens: 12 },
      { section: "important", form: "alternative", alternative: 1, tokens: 10 },
      { section: "nice", form: "omitted", tokens: 11 },
      { section: "small", form: "full", tokens: 3 }
    ])
  })

  it("gives required sections a poorer form before it gives up one of them", () => {
    const made = Result.getOrThrow(assemble([section("a", 1, [20, 5], true), section("b", 2, [20, 6], true)], 20))
    assert.strictEqual(made.text, "aaaaa\n\nbbbbbb")
  })

  it("says what is too large where the required sections do not fit", () => {
    const error = Result.getOrThrow(Result.flip(assemble([section("a", 1, [20, 5], true), section("b", 2, [9], true)], 10)))
    assert.deepStrictEqual(error, { budget: 10, needed: 18, sections: [{ section: "b", tokens: 11 }, { section: "a", tokens: 7 }] })
  })

  it("uses a summary last, and says nothing of a section that has nothing to say", () => {
    const summed: Section = { ...section("a", 1, [50]), summary: () => "in short" }
    const silent: Section = { ...section("b", 1, [5]), render: () => undefined, alternatives: [] }
    const absent: Section = { ...section("c", 1, [5]), when: () => false }
    const made = Result.getOrThrow(assemble([summed, silent, absent], 20))
    assert.deepStrictEqual([made.text, made.report], ["in short", [{ section: "a", form: "summary", tokens: 10 }]])
  })
})

describe("any sections and budget", () => {
  const int = (minimum: number, maximum: number) => Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum, maximum })))
  const drawn = Arbitrary.schema(Schema.Array(Schema.Struct({
    priority: int(0, 3),
    required: Schema.Boolean,
    lengths: Schema.Array(int(0, 60))
  })))
  const budgets = Arbitrary.schema(int(0, 300))

  it.effect.prop("never pass the budget, keep what is required, and choose the same forms in any order of the list", [drawn, budgets], ([drawn, budget]) =>
    Effect.sync(() => {
      const sections = drawn.map(({ lengths, priority, required }, i) => section(`s${i}`, priority * 100 + i, lengths, required))
      const made = assemble(sections, budget)
      const reversed = assemble(sections.toReversed(), budget)
      if (Result.isFailure(made)) return assert.isAbove(made.failure.needed, budget)
      const { report, text, tokens } = made.success
      assert.deepStrictEqual(Result.getOrThrow(reversed).report.toReversed(), report)
      assert.isAtMost(tokens, budget)
      assert.isAtMost(text.length, budget)
      const left = report.filter(({ form }) => form === "omitted").map(({ section }) => section)
      assert.isFalse(sections.some(({ name, required }) => required && left.includes(name)))
    }), { arbitrary: { runs: 2000 } })
})
