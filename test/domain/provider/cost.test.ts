/** What a response costs, beside what another library says of it: @pydantic/genai-prices, whose figures and maths are its own. */
import { assert, describe, expect, it } from "@effect/vitest"
import * as Random from "effect/Random"
import * as Effect from "effect/Effect"
import { calcPrice } from "@pydantic/genai-prices"
import * as Catalogue from "../../../src/domain/provider/Catalogue.ts"
import * as Model from "../../../src/domain/provider/Model.ts"
import * as Usage from "../../../src/domain/session/Usage.ts"

/** Its names for providers, where they differ. */
const providerIds: Readonly<Record<string, string>> = { gemini: "google", moonshot: "moonshotai", xai: "x-ai" }

/** Charged by the request as well, or known there under a name that means another model, at a lower price. */
const others = /^(?:perplexity\/|mistral\/mistral-(?:medium-3\.5|small-latest))/

/** Some prices depend on the hour; ours are those of the busy hours, so that a budget holds at any. */
const busy = new Date("2026-11-22T02:00:00Z")

const theirs = (model: Model.Model, usage: Usage.TokenUsage): number | undefined => {
  try {
    return calcPrice({
      input_tokens: Usage.inputTotal(usage),
      output_tokens: usage.output,
      cache_read_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite
    }, model.id, { providerId: providerIds[model.provider] ?? model.provider, timestamp: busy })?.total_price
  } catch {
    return undefined
  }
}

const priced = Object.keys(Catalogue.vendored).flatMap((provider) => Catalogue.models(provider))
  .filter((model) => model.price !== undefined && !others.test(Model.title(model)))
const known = priced.filter((model) => theirs(model, { ...Usage.zero, input: 1_000, output: 1_000 }) !== undefined)

describe("what a response costs", () => {
  it.effect("is what genai-prices says, for 200 usages over all models that both know", () =>
    Effect.gen(function*() {
      assert.isAbove(known.length, 150)
      for (let i = 0; i < 200; i++) {
        const model = known[yield* Random.nextIntBetween(0, known.length - 1)]!
        // Below and above the sizes from which a request costs more.
        const most = (yield* Random.nextBoolean) ? 500_000 : 50_000
        const tokens = Random.nextIntBetween(0, most)
        const usage = { ...Usage.zero, input: yield* tokens, output: yield* tokens, cacheRead: yield* tokens, cacheWrite: yield* tokens }
        const ours = Usage.cost(usage, model.price!)
        expect(ours, `${Model.title(model)} ${JSON.stringify(usage)}`).toBeCloseTo(theirs(model, usage)!, 6)
      }
    }).pipe(Random.withSeed("prices")))

  it("grows with the size of the whole request, and for thoughts where they have a price of their own", () => {
    const price = { input: 1, output: 10, cacheRead: 0.1, tiers: [{ above: 200_000, input: 2, output: 20, cacheRead: 0.2 }] }
    expect(Usage.cost({ ...Usage.zero, input: 100_000, cacheRead: 100_000, output: 1_000 }, price)).toBeCloseTo(0.1 + 0.01 + 0.01)
    expect(Usage.cost({ ...Usage.zero, input: 100_001, cacheRead: 100_000, output: 1_000 }, price)).toBeCloseTo(0.200002 + 0.02 + 0.02)
    expect(Usage.cost({ ...Usage.zero, output: 1_000, reasoning: 400 }, { input: 1, output: 10, reasoning: 3 })).toBeCloseTo(0.0072)
  })
})
