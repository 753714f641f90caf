import { assert, describe, it } from "@effect/vitest"
import * as Catalogue from "../../../src/domain/provider/Catalogue.ts"

describe("the catalogue", () => {
  it("tells what a model can do and what it costs", () => {
    assert.deepStrictEqual(Catalogue.find("anthropic", "claude-sonnet-4-5"), {
      provider: "anthropic",
      id: "claude-sonnet-4-5",
      name: "Claude Sonnet 4.5 (latest)",
      window: 200_000,
      maxOutput: 64_000,
      nativeTools: true,
      reasoning: true,
      images: true,
      documents: true,
      temperature: true,
      price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, tiers: [{ above: 200_000, input: 6, output: 22.5, cacheRead: 0.6, cacheWrite: 7.5 }] },
      effort: { kind: "budget", min: 1024 }
    })
  })

  it("has the newest models of the data that it is made from", () => {
    const ids = (provider: string) => Object.keys(Catalogue.vendored[provider]!.models)
    assert.includeMembers(ids("gemini"), ["gemini-3.6-flash", "gemini-3.7-flash", "gemini-3.8-flash"])
    assert.includeMembers(ids("xai"), ["grok-4.5", "grok-4.6"])
    assert.includeMembers(ids("anthropic"), ["claude-sonnet-5-5", "claude-haiku-5-5"])
  })

  it("has whole figures for every model", () => {
    const models = Object.keys(Catalogue.vendored).flatMap((provider) => Catalogue.models(provider))
    assert.isAbove(models.length, 150)
    for (const { id, maxOutput, price, window } of models) {
      assert.isTrue(Number.isInteger(window) && window > 0 && Number.isInteger(maxOutput) && maxOutput > 0, id)
      const { tiers = [], ...rates } = price ?? {}
      assert.isTrue([rates, ...tiers].every((rates) => Object.values(rates).every((usd) => Number(usd) >= 0)), id)
    }
  })

  it("takes a name apart, and knows an effort from a tag", () => {
    assert.deepStrictEqual(["openai/gpt-5.5:high", "ollama/qwen3:8b", "openrouter/a/b:free", "gpt", "ollama/qwen3:8b:low"].map(Catalogue.parse), [
      { provider: "openai", id: "gpt-5.5", effort: "high" },
      { provider: "ollama", id: "qwen3:8b" },
      { provider: "openrouter", id: "a/b:free" },
      { provider: "", id: "gpt" },
      { provider: "ollama", id: "qwen3:8b", effort: "low" }
    ])
  })

  it("finds near names", () => {
    const providers = ["anthropic", "openai", "ollama"]
    assert.deepStrictEqual(Catalogue.similarModels("antropic/claude-x", providers), ["anthropic/claude-x"])
    assert.include(Catalogue.similarModels("anthropic/claude-sonet-4-5", providers), "anthropic/claude-sonnet-4-5")
    assert.include(Catalogue.similarModels("claude-sonnet-4-5", providers), "anthropic/claude-sonnet-4-5")
    assert.deepStrictEqual(Catalogue.similarModels("zzz/qqq", providers), [])
  })

  it("assumes native tools of a model that nobody described, images by its family, and no output limit", () => {
    const { images, nativeTools, price, unstatedOutput, window } = Catalogue.assumed("openai", "new", { local: false })
    assert.deepStrictEqual([window, unstatedOutput, nativeTools, images, price], [128_000, true, true, false, undefined])
    assert.isTrue(Catalogue.assumed("openai", "gpt-7-preview", { local: false }).images)
    assert.strictEqual(Catalogue.assumed("ollama", "new", { local: true }).window, 8192)
  })
})
