/** Money and tokens: amounts, the limits on them, and what a session has spent. */
import * as Schema from "effect/Schema"

/** USD and tokens, of input and output together. */
export const Amount = Schema.Struct({ usd: Schema.Finite, tokens: Schema.Int }).annotate({ identifier: "Amount" })
export type Amount = typeof Amount.Type

export const zero: Amount = { usd: 0, tokens: 0 }

/** A limit and what is left under it. */
const Allowance = Schema.Struct({ limit: Schema.Finite, left: Schema.Finite })

/** Whose limit it is: this session's, its task's, the parent session's, or the user's daily limit (UTC). */
export const LevelName = Schema.Literals(["session", "task", "parent", "day"])

/** One level of the hierarchy; absent if it has no limit. */
export const Level = Schema.Struct({
  level: LevelName,
  usd: Schema.optionalKey(Allowance),
  tokens: Schema.optionalKey(Allowance)
}).annotate({ identifier: "BudgetLevel" })
export type Level = typeof Level.Type

/** Where a budget stops: at which limit, what is left of it, and the least that the next request could cost. */
export const Refusal = Schema.Struct({
  level: LevelName,
  unit: Schema.Literals(["usd", "tokens"]),
  limit: Schema.Finite,
  left: Schema.Finite,
  needs: Schema.Finite
}).annotate({ identifier: "Refusal" })
export type Refusal = typeof Refusal.Type

/** What a session's fold knows of the budget. */
export interface State {
  /** Settled so far, subagents included. */
  readonly spent: Amount
  /** What was spent before the task began. */
  readonly beforeTask: Amount
  /** What open requests may cost, by the subagent that made them; this session's own is stored under "". */
  readonly reservations: ReadonlyMap<string, Amount>
  /** The last warning given, in percent. */
  readonly warnedPercent: number
  /** The limit that prevents the next request. */
  readonly refusal: Refusal | undefined
  /** Tokens that providers report for each estimated token. */
  readonly scale: number
}

export const initial: State = {
  spent: zero,
  beforeTask: zero,
  reservations: new Map(),
  warnedPercent: 0,
  refusal: undefined,
  scale: 1
}
