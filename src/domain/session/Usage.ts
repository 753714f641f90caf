/** Tokens and money: what a response used, and sums of it. */
import * as Schema from "effect/Schema"
import * as DateTime from "effect/DateTime"

/**
 * Tokens of one response or a sum of several. `input` counts uncached input alone; cached input stands in
 * `cacheRead` and `cacheWrite`; `reasoning` is part of `output`. `estimated` marks figures that no provider gave.
 */
export const TokenUsage = Schema.Struct({
  input: Schema.Int,
  output: Schema.Int,
  cacheRead: Schema.Int,
  cacheWrite: Schema.Int,
  reasoning: Schema.Int,
  estimated: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "TokenUsage" })
export type TokenUsage = typeof TokenUsage.Type

/** Zero tokens. */
export const zero: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }

/** Both together, field by field. */
export const add = (a: TokenUsage, b: TokenUsage): TokenUsage => ({
  input: a.input + b.input,
  output: a.output + b.output,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite: a.cacheWrite + b.cacheWrite,
  reasoning: a.reasoning + b.reasoning,
  ...(a.estimated === true || b.estimated === true ? { estimated: true } : {})
})

/** What something used, and its price in USD; null if the price is unknown. */
export const Spending = Schema.Struct({ usage: TokenUsage, cost: Schema.NullOr(Schema.Finite) }).annotate({ identifier: "Spent" })
export type Spending = typeof Spending.Type

const rates = {
  input: Schema.Finite,
  output: Schema.Finite,
  cacheRead: Schema.optionalKey(Schema.Finite),
  cacheWrite: Schema.optionalKey(Schema.Finite),
  reasoning: Schema.optionalKey(Schema.Finite)
}

/**
 * USD per million tokens, in the shape of models.dev. `reasoning` is the price of that part of the output, if it has
 * its own. `tiers`, the lowest first, apply to an entire request with more input than `above`, cached or not.
 */
export const Price = Schema.Struct({
  ...rates,
  tiers: Schema.optionalKey(Schema.Array(Schema.Struct({ above: Schema.Int, ...rates })))
}).annotate({ identifier: "Price" })
export type Price = typeof Price.Type

/** USD of one response's `usage` at `price`; cached tokens without a price of their own cost as much as input. */
export const cost = (usage: TokenUsage, price: Price): number => {
  const inputTokens = inputTotal(usage)
  const { cacheRead, cacheWrite, input, output, reasoning = output } = price.tiers?.findLast(({ above }) => inputTokens > above) ?? price
  return (usage.input * input +
    (usage.output - usage.reasoning) * output +
    usage.reasoning * reasoning +
    usage.cacheRead * (cacheRead ?? input) +
    usage.cacheWrite * (cacheWrite ?? input)) / 1_000_000
}

/** Everything that entered the model, cached or not. */
export const inputTotal = (usage: TokenUsage): number => usage.input + usage.cacheRead + usage.cacheWrite

// The UTC day of a time: the unit of daily limits and statistics.

/** `2026-11-22`, of ms since the epoch. */
export const formatDay = (ms: number): string => DateTime.formatIsoDateUtc(DateTime.makeUnsafe(ms))
