import { assert, describe, it } from "@effect/vitest"
import * as WindowBudget from "../../../src/domain/context/WindowBudget.ts"
import * as Catalogue from "../../../src/domain/provider/Catalogue.ts"
import * as Tokens from "../../../src/domain/context/Tokens.ts"

describe("the usable window", () => {
  const table: ReadonlyArray<readonly [window: number, usable: number]> = [
    [64_000, 37_000], [65_536, 38_536], [128_000, 98_000], [131_072, 101_072], [200_000, 160_000], [204_800, 164_800],
    [8_000, 6_400], [32_000, 25_600], [100_000, 80_000], [256_000, 216_000], [1_000_000, 960_000]
  ]
  for (const [window, usable] of table) {
    it(`of ${window} tokens is ${usable}`, () => assert.strictEqual(WindowBudget.usable({ window }), usable))
  }

  it("is less by the margin of a model that counts loosely", () => {
    assert.strictEqual(WindowBudget.usable({ window: 200_000, margin: 0.85 }), 136_000)
    assert.strictEqual(WindowBudget.usable(Catalogue.assumed("ollama", "new", { local: true })), 5_570)
  })
})

describe("the length of an answer", () => {
  it("is what the model can give, or what the window leaves less 2%", () => {
    const model = { window: 100_000, maxOutput: 8000 }
    assert.deepStrictEqual([0, 50_000, 95_000, 99_000].map((prompt) => WindowBudget.maxTokens(model, prompt)), [8000, 8000, 3000, 0])
  })

  it("is worth asking for from 4,096 tokens on, and less of a small model", () => {
    assert.strictEqual(WindowBudget.minResponseTokens({ window: 200_000, maxOutput: 64_000 }), 4096)
    assert.strictEqual(WindowBudget.minResponseTokens({ window: 200_000, maxOutput: 2000 }), 2000)
    assert.strictEqual(WindowBudget.minResponseTokens({ window: 8000, maxOutput: 8000 }), 1000)
  })
})

describe("an estimate of tokens", () => {
  it("grows with the text and counts every part of a message", () => {
    assert.strictEqual(Tokens.ofText(""), 0)
    assert.isAbove(Tokens.ofText("export const value = compute(1, 2, 3)"), 8)
    const text = { role: "user", content: [{ _tag: "Text", text: "one two three" }] } as const
    const more = { role: "user", content: [...text.content, { _tag: "ToolResult", id: "1", name: "read_file", content: [{ _tag: "Text", text: "four five" }], isError: false }] } as const
    assert.isAbove(Tokens.ofMessage(more), Tokens.ofMessage(text))
    assert.strictEqual(Tokens.ofMessage(more), Tokens.ofMessage({ ...more }))
  })
})
