import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { distance as plain } from "fastest-levenshtein"
import { distance, type Span } from "../../../src/domain/diff/Levenshtein.ts"
import { unitsOf } from "../../../src/domain/diff/Lines.ts"
import { runs, textOf } from "./texts.ts"

/** A text that stands in a longer one, as lines of a file do. */
const span = (text: string, before = ""): Span =>
  ({ units: unitsOf(`${before}${text}|`), from: before.length, to: before.length + text.length })

describe("the distance of two texts", () => {
  const text = textOf(["a", "b", "c", "ab", "é", "\u2019", "\ud83d", "0123456789", "the quick brown fox "], 20)

  it.effect.prop("is the least count of units put in, taken out or changed", [text, text], ([a, b]) =>
    Effect.sync(() => {
      assert.strictEqual(distance(span(a, "xx"), span(b)), plain(a, b))
      assert.strictEqual(distance(span(b), span(a)), plain(a, b))
    }), runs(5000))

  it("counts 32 units at a time, and blocks of them", () => {
    for (const length of [31, 32, 33, 63, 64, 65, 200]) {
      const a = Array.from({ length }, (_, i) => String.fromCharCode(97 + i % 7)).join("")
      assert.strictEqual(distance(span(`x${a}y`), span(`${a.slice(0, 20)}zz${a.slice(20)}`)), plain(`x${a}y`, `${a.slice(0, 20)}zz${a.slice(20)}`))
    }
  })

  it("of texts too long to compare is the longer one's length", () =>
    assert.strictEqual(distance(span("ab".repeat(5000)), span(`b${"cd".repeat(5000)}a`)), 10_002))
})
