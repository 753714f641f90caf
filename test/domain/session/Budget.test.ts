/** What is reserved is never less than what can be charged, and never more than is left. */
import { describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as ErrorReport from "../../../src/domain/ErrorReport.ts"
import * as Budget from "../../../src/domain/session/Budget.ts"
import { randomAt } from "../../../src/domain/session/SeededRandom.ts"
import * as Usage from "../../../src/domain/session/Usage.ts"

const chance = (of: string, i: number): number => randomAt(`budget/${of}`, i)
const whole = (of: string, i: number, most: number): number => Math.floor(chance(of, i) * most)

const price = (i: number): Usage.Price => ({
  input: 5 * chance("in", i),
  output: 30 * chance("out", i),
  ...(i % 2 === 0 ? { cacheRead: chance("read", i), cacheWrite: 7 * chance("write", i) } : {}),
  ...(i % 3 === 0 ? { reasoning: 40 * chance("thought", i) } : {}),
  ...(i % 5 === 0 ? { tiers: [{ above: 50_000, input: 9, output: 45 * chance("tier", i) }] } : {})
})

it("a message for people has separators in its numbers of tokens, not in others", () => {
  const message = Budget.refusalMessage({ level: "session", unit: "tokens", limit: 30_000, left: 990, needs: 1_234_567 })
  expect(message).toContain("30000 tokens")
  expect(Budget.withSeparators(message)).toBe(
    "The session budget of 30,000 tokens does not cover the next request: 990 tokens are left, and the request could cost up to 1,234,567 tokens."
  )
  expect(Budget.withSeparators("Session 20261126 of 4000 files and 3999 tokens")).toBe("Session 20261126 of 4000 files and 3,999 tokens")
  expect(Budget.settlementNotes({ tokens: 30_000, usd: 0, isUpperBound: true })).toEqual([expect.stringContaining("reserved for it: 30,000 tokens.")])
  expect(ErrorReport.line(ErrorReport.ofTask({ reason: "budget", message }))).toContain("budget of 30,000 tokens")
})

describe("a reservation", () => {
  it("bounds every answer that its request can have, and fits into every level", () => {
    for (let i = 0; i < 2000; i++) {
      const need: Budget.RequestBounds = { input: whole("need", i, 200_000), maxTokens: 1 + whole("most", i, 64_000), price: price(i) }
      const left = { usd: 3 * chance("left", i), tokens: whole("tokens", i, 400_000) }
      const levels = [Budget.level("session", { usd: 10 }, { usd: 10 - left.usd, tokens: 0 }), Budget.level("task", { tokens: 400_000 }, { usd: 0, tokens: 400_000 - left.tokens })]
      const made = Budget.reserve(levels, need)
      if (Result.isFailure(made)) {
        expect(made.failure.needs).toBeGreaterThan(made.failure.left)
        continue
      }
      const { amount, maxTokens } = made.success
      expect(maxTokens).toBeGreaterThanOrEqual(Math.min(1024, need.maxTokens))
      expect(amount.usd).toBeLessThanOrEqual(left.usd + 1e-9)
      expect(amount.tokens).toBeLessThanOrEqual(left.tokens)
      const input = whole("used", i, need.input + 1)
      const cached = whole("cached", i, input + 1)
      const output = whole("said", i, maxTokens + 1)
      const usage = { input: input - cached, cacheRead: cached, cacheWrite: 0, output, reasoning: whole("mused", i, output + 1) }
      expect(Usage.cost(usage, need.price!)).toBeLessThanOrEqual(amount.usd + 1e-9)
    }
  })

  it("leaves a model without a price to a limit in tokens", () => {
    const need = { input: 1000, maxTokens: 4000, price: undefined }
    expect(Budget.reserve([Budget.level("session", { usd: 1, tokens: 3000 }, Budget.zero)], need)).toMatchObject(Result.succeed({ maxTokens: 2000 }))
  })
})
