/**
 * What may still be spent. Money and tokens are reserved before a request goes out, at the most that it can cost, and
 * settled when its answer is there: a request that could pass a limit is never sent.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Amount } from "./Amount.ts"
import type { Session } from "./Session.ts"
import * as Usage from "./Usage.ts"

export { Amount } from "./Amount.ts"

export const nothing: Amount = { usd: 0, tokens: 0 }

export const plus = (a: Amount, b: Amount): Amount => ({ usd: a.usd + b.usd, tokens: a.tokens + b.tokens })
export const minus = (a: Amount, b: Amount): Amount => ({ usd: a.usd - b.usd, tokens: a.tokens - b.tokens })

/** A limit and what is left under it. */
const Room = Schema.Struct({ limit: Schema.Finite, left: Schema.Finite })

/** Whose limit it is: this session's, its task's, that of the session that started it, or the user's for a day (UTC). */
export const LevelName = Schema.Literals(["session", "task", "parent", "day"])

/** One level of the hierarchy; absent: no limit there. */
export const Level = Schema.Struct({
  level: LevelName,
  usd: Schema.optionalKey(Room),
  tokens: Schema.optionalKey(Room)
}).annotate({ identifier: "BudgetLevel" })
export type Level = typeof Level.Type

/** What of the budget a session's fold knows. */
export interface State {
  /** Settled so far, children included. */
  readonly spent: Amount
  /** What of it was spent before the task began. */
  readonly before: Amount
  /** What open requests may cost, by the child that made them; this session's own stands under "". */
  readonly held: ReadonlyMap<string, Amount>
  /** The last warning that was given, in percent. */
  readonly warned: number
  /** The limit that keeps the next request from going out. */
  readonly exhausted: Refusal | undefined
  /** What providers report for one estimated token. */
  readonly scale: number
}

export const initial: State = {
  spent: nothing,
  before: nothing,
  held: new Map(),
  warned: 0,
  exhausted: undefined,
  scale: 1
}

/** Where it stops: at which limit, what is left there, and what the next request could cost at least. */
export const Refusal = Schema.Struct({
  level: LevelName,
  unit: Schema.Literals(["usd", "tokens"]),
  limit: Schema.Finite,
  left: Schema.Finite,
  needs: Schema.Finite
}).annotate({ identifier: "Refusal" })
export type Refusal = typeof Refusal.Type

/** What a request needs: tokens of input at most, an output of up to `maxTokens` and of no less than `least`, and what a token costs. */
export interface Need {
  readonly input: number
  readonly maxTokens: number
  readonly least?: number
  readonly price: Usage.Price | undefined
}

/** An answer that may be no longer than this is not worth its prompt. */
const leastOutput = 1024

/** Above an estimate of input, for what it may be wrong by. */
const margin = 1.15

/** Bounds of what one response can teach about estimates. */
const scales = { least: 0.5, most: 4 }

/** The most that a prompt, estimated at `tokens`, can weigh. */
export const inputBound = ({ scale }: State, tokens: number): number => Math.ceil(tokens * scale * margin)

/** `asked` are the tokens that were estimated for a request, `usage` what it weighed. */
export const rescaled = (state: State, asked: number, { estimated, ...usage }: Usage.TokenUsage): number =>
  estimated === true || asked === 0
    ? state.scale
    : Math.min(scales.most, Math.max(scales.least, Usage.inputTotal(usage) / asked))

const million = 1_000_000

/** USD that a token can cost at most, cached or not, reasoning or not, in each tier that a request of so much input may fall into. */
const worst = ({ input, price }: Need): { readonly input: number; readonly output: number } => {
  if (price === undefined) return { input: 0, output: 0 }
  const tiers = [price, ...(price.tiers ?? []).filter(({ above }) => input > above)]
  return {
    input: Math.max(...tiers.flatMap(({ cacheRead = 0, cacheWrite = 0, input }) => [input, cacheRead, cacheWrite])) / million,
    output: Math.max(...tiers.flatMap(({ output, reasoning = 0 }) => [output, reasoning])) / million
  }
}

/** The most that a request can cost. */
const cost = (need: Need, output: number): Amount => {
  const rates = worst(need)
  return { usd: need.input * rates.input + output * rates.output, tokens: need.input + output }
}

/** Output that is affordable at a level; below zero where its input alone is not. */
const affordable = (need: Need, { tokens, usd }: Level): number => {
  const inputOnly = cost(need, 0)
  const perToken = worst(need).output
  const room = usd === undefined ? Infinity : usd.left - inputOnly.usd
  return Math.min(
    tokens === undefined ? Infinity : tokens.left - need.input,
    room < 0 ? -1 : perToken === 0 ? Infinity : Math.floor(room / perToken)
  )
}

/** The output that all levels can pay, and what is to be reserved for it; or the level that can't pay a useful one. */
export const reserve = (
  levels: ReadonlyArray<Level>,
  need: Need
): Result.Result<{ readonly maxTokens: number; readonly amount: Amount }, Refusal> => {
  const least = need.least ?? Math.min(leastOutput, need.maxTokens)
  let maxTokens = need.maxTokens
  for (const level of levels) {
    const output = affordable(need, level)
    if (output < least) return Result.fail(refusal(level, cost(need, least)))
    maxTokens = Math.min(maxTokens, output)
  }
  return Result.succeed({ maxTokens, amount: cost(need, maxTokens) })
}

const refusal = ({ level, tokens, usd }: Level, needs: Amount): Refusal =>
  usd !== undefined && needs.usd > usd.left
    ? { level, unit: "usd", ...usd, needs: needs.usd }
    : { level, unit: "tokens", ...tokens!, needs: needs.tokens }

/** What is left at a level of its own limits. */
export const level = (name: Level["level"], limit: { readonly usd?: number | undefined; readonly tokens?: number | undefined }, used: Amount): Level => ({
  level: name,
  ...(limit.usd === undefined ? {} : { usd: { limit: limit.usd, left: limit.usd - used.usd } }),
  ...(limit.tokens === undefined ? {} : { tokens: { limit: limit.tokens, left: limit.tokens - used.tokens } })
})

const heldOf = ({ held }: State): Amount => [...held.values()].reduce(plus, nothing)

/** The levels that stand in the session's own settings. `used`: what counts against them; all that is spent or held. */
const ownLevels = ({ budget, settings: { limits: { taskTokens, taskUsd, tokens, usd } } }: Session, used: Amount): ReadonlyArray<Level> =>
  [level("session", { usd, tokens }, used), level("task", { usd: taskUsd, tokens: taskTokens }, minus(used, budget.before))]
    .filter((one) => one.usd !== undefined || one.tokens !== undefined)

/** What the session's own limits leave for a request. */
export const own = (session: Session): ReadonlyArray<Level> =>
  ownLevels(session, plus(session.budget.spent, heldOf(session.budget)))

/** Whether anyone above the session counts what it spends. */
export const hasAbove = ({ parent, settings }: Session): boolean => parent !== undefined || settings.limits.dayUsd !== undefined

/** Whether requests of the session are reserved at all. */
export const applies = (session: Session): boolean => own(session).length > 0 || hasAbove(session)

/** The state once something was paid for; what was reserved counts when it is settled. */
export const paid = (state: State, cost: number | null, usage: Usage.TokenUsage): State =>
  state.held.has("") ? state : { ...state, spent: plus(state.spent, { usd: cost ?? 0, tokens: Usage.inputTotal(usage) + usage.output }) }

/** The session's own open reservation. */
export const open = ({ budget }: Session): Amount | undefined => budget.held.get("")

const warnings = [90, 80]

/** How a reservation is settled, with the warning that is due once it is. */
export const settled = (session: Session, used: Amount): { readonly _tag: "BudgetSettled"; readonly warning?: number } & Amount => {
  const spent = plus(session.budget.spent, used)
  const shares = ownLevels(session, spent).flatMap((one) =>
    [one.usd, one.tokens].flatMap((room) => room === undefined ? [] : [100 * (1 - room.left / room.limit)])
  )
  const due = warnings.find((percent) => Math.max(0, ...shares) >= percent) ?? 0
  return { _tag: "BudgetSettled", ...used, ...(due > session.budget.warned ? { warning: due } : {}) }
}

const whose: Readonly<Record<Level["level"], string>> = {
  session: "of this session",
  task: "of this task",
  parent: "of the session that started this one",
  day: "of this day"
}

const said = (unit: Refusal["unit"], amount: number): string =>
  unit === "tokens" ? `${Math.max(0, Math.floor(amount))} tokens` : `$${money(Math.max(0, amount))}`

/** USD with as many places as it takes to see them. */
export const money = (usd: number): string => usd >= 1 || usd === 0 ? usd.toFixed(2).replace(/\.00$/, "") : String(Number(usd.toFixed(4)))

/** What is told when a limit stops the next request. */
export const sentence = ({ left, level, limit, needs, unit }: Refusal): string =>
  `The budget ${whose[level]}, ${said(unit, limit)}, does not pay the next request: ${said(unit, left)} of it ${unit === "usd" ? "is" : "are"} left, ` +
  `and the request could cost ${said(unit, needs)}.`
