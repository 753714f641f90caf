/**
 * What may still be spent. Money and tokens are reserved before a request is sent, at its maximum cost, and settled
 * when the response is complete: a request that could exceed a limit is never sent.
 */
import * as Result from "effect/Result"
import { type Amount, type Level, zero, type Refusal, type State } from "./Amount.ts"
import type { Session } from "./SessionState.ts"
import * as Usage from "./Usage.ts"

export { Amount, initial, Level, zero, Refusal, type State } from "./Amount.ts"

export const add = (a: Amount, b: Amount): Amount => ({ usd: a.usd + b.usd, tokens: a.tokens + b.tokens })
export const subtract = (a: Amount, b: Amount): Amount => ({ usd: a.usd - b.usd, tokens: a.tokens - b.tokens })

/**
 * What a request needs: at most so many input tokens, an output of at most `maxTokens` and at least `minOutput`, and the
 * price per token.
 */
export interface RequestBounds {
  readonly input: number
  readonly maxTokens: number
  readonly minOutput?: number
  readonly price: Usage.Price | undefined
}

/** A response limited to fewer tokens is not worth its prompt. */
const minOutputTokens = 1024

/** The safety margin of an estimate of input. */
const margin = 1.15

/** Bounds on what one response can teach about estimates. */
const scales = { min: 0.5, max: 4 }

/** The most that a prompt, estimated at `tokens`, can weigh. */
export const inputBound = ({ scale }: State, tokens: number): number => Math.ceil(tokens * scale * margin)

/** `requestTokens` is the estimate for a request in tokens, `usage` what it weighed. */
export const nextScale = (state: State, requestTokens: number, { estimated, ...usage }: Usage.TokenUsage): number =>
  estimated === true || requestTokens === 0
    ? state.scale
    : Math.min(scales.max, Math.max(scales.min, Usage.inputTotal(usage) / requestTokens))

const tokensPerPrice = 1_000_000

/**
 * The most USD that a token can cost, cached or not, reasoning or not, in each price tier that a request with this much
 * input may fall into.
 */
const maxRates = ({ input, price }: RequestBounds): { readonly input: number; readonly output: number } => {
  if (price === undefined) return { input: 0, output: 0 }
  const tiers = [price, ...(price.tiers ?? []).filter(({ above }) => input > above)]
  return {
    input: Math.max(...tiers.flatMap(({ cacheRead = 0, cacheWrite = 0, input }) => [input, cacheRead, cacheWrite])) / tokensPerPrice,
    output: Math.max(...tiers.flatMap(({ output, reasoning = 0 }) => [output, reasoning])) / tokensPerPrice
  }
}

/** The maximum cost of a request. */
const cost = (bounds: RequestBounds, output: number): Amount => {
  const rates = maxRates(bounds)
  return { usd: bounds.input * rates.input + output * rates.output, tokens: bounds.input + output }
}

/** Output that is affordable at a level; negative if the input alone is not. */
const affordableOutput = (bounds: RequestBounds, { tokens, usd }: Level): number => {
  const inputOnly = cost(bounds, 0)
  const perToken = maxRates(bounds).output
  const allowance = usd === undefined ? Infinity : usd.left - inputOnly.usd
  return Math.min(
    tokens === undefined ? Infinity : tokens.left - bounds.input,
    allowance < 0 ? -1 : perToken === 0 ? Infinity : Math.floor(allowance / perToken)
  )
}

/** The output that all levels can afford, and what to reserve for it; or the level that can't afford a useful one. */
export const reserve = (
  levels: ReadonlyArray<Level>,
  bounds: RequestBounds
): Result.Result<{ readonly maxTokens: number; readonly amount: Amount }, Refusal> => {
  const minOutput = bounds.minOutput ?? Math.min(minOutputTokens, bounds.maxTokens)
  let maxTokens = bounds.maxTokens
  for (const level of levels) {
    const output = affordableOutput(bounds, level)
    if (output < minOutput) return Result.fail(refusal(level, cost(bounds, minOutput)))
    maxTokens = Math.min(maxTokens, output)
  }
  return Result.succeed({ maxTokens, amount: cost(bounds, maxTokens) })
}

const refusal = ({ level, tokens, usd }: Level, minAmount: Amount): Refusal =>
  usd !== undefined && minAmount.usd > usd.left
    ? { level, unit: "usd", ...usd, needs: minAmount.usd }
    : { level, unit: "tokens", ...tokens!, needs: minAmount.tokens }

/** What is left at a level under its own limits. */
export const level = (
  name: Level["level"],
  limit: { readonly usd?: number | undefined; readonly tokens?: number | undefined },
  spent: Amount
): Level => ({
  level: name,
  ...(limit.usd === undefined ? {} : { usd: { limit: limit.usd, left: limit.usd - spent.usd } }),
  ...(limit.tokens === undefined ? {} : { tokens: { limit: limit.tokens, left: limit.tokens - spent.tokens } })
})

const reservedTotal = ({ reservations }: State): Amount => [...reservations.values()].reduce(add, zero)

/** The levels defined by the session's own settings. `used`: what counts against them; all that is spent or reserved. */
const levelsFor = ({ budget, settings: { limits: { taskTokens, taskUsd, tokens, usd } } }: Session, spent: Amount): ReadonlyArray<Level> =>
  [level("session", { usd, tokens }, spent), level("task", { usd: taskUsd, tokens: taskTokens }, subtract(spent, budget.beforeTask))]
    .filter((one) => one.usd !== undefined || one.tokens !== undefined)

/** What the session's own limits leave for a request. */
export const levelsOf = (session: Session): ReadonlyArray<Level> =>
  levelsFor(session, add(session.budget.spent, reservedTotal(session.budget)))

/** Whether any level above the session counts what it spends. */
export const hasOuterLevels = ({ parent, settings }: Session): boolean => parent !== undefined || settings.limits.dayUsd !== undefined

/** Whether requests of the session are reserved at all. */
export const applies = (session: Session): boolean => levelsOf(session).length > 0 || hasOuterLevels(session)

/** The state after a payment; reserved amounts count when they are settled. */
export const afterPayment = (state: State, cost: number | null, usage: Usage.TokenUsage): State =>
  state.reservations.has("") ? state
    : { ...state, spent: add(state.spent, { usd: cost ?? 0, tokens: Usage.inputTotal(usage) + usage.output }) }

/**
 * With one more reservation. If the same subagent has one that was never settled, it counts as spent: nothing that may
 * have been charged is forgotten.
 */
export const reserveAmount = ({ reservations, spent, ...state }: State, subagent: string, amount: Amount): State => ({
  ...state,
  reservations: new Map(reservations).set(subagent, amount),
  spent: add(spent, reservations.get(subagent) ?? zero)
})

/** The session's own open reservation. */
export const openReservation = ({ budget }: Session): Amount | undefined => budget.reservations.get("")

const warnings = [90, 80]

/** The event that settles a reservation, and the warning that is then due. */
export interface Settlement extends Amount {
  readonly _tag: "BudgetSettled"
  readonly child?: string
  readonly warning?: number
  readonly isUpperBound?: boolean
}

/**
 * How the open reservation of `child` (the session's own: "") is settled: at what was used, or, if that is unknown, at
 * its full amount, which the event records. Undefined if nothing is open: a reservation is settled once.
 */
export const settlement = (session: Session, subagent: string, reported?: Amount): Settlement | undefined => {
  const reservation = session.budget.reservations.get(subagent)
  if (reservation === undefined) return undefined
  const amount = reported ?? reservation
  const spent = add(session.budget.spent, amount)
  const usedPercents = levelsFor(session, spent).flatMap((one) =>
    [one.usd, one.tokens].flatMap((allowance) => allowance === undefined ? [] : [100 * (1 - allowance.left / allowance.limit)])
  )
  const duePercent = warnings.find((percent) => Math.max(0, ...usedPercents) >= percent) ?? 0
  return {
    _tag: "BudgetSettled",
    ...amount,
    ...(subagent === "" ? {} : { child: subagent }),
    ...(duePercent > session.budget.warnedPercent ? { warning: duePercent } : {}),
    ...(reported === undefined ? { isUpperBound: true } : {})
  }
}

const levelLabels: Readonly<Record<Level["level"], string>> = {
  session: "session",
  task: "task",
  parent: "parent session",
  day: "daily"
}

const formatAmount = (unit: Refusal["unit"], amount: number): string =>
  unit === "tokens" ? `${Math.max(0, Math.floor(amount))} tokens` : `$${formatUsd(Math.max(0, amount))}`

/** A message as people read it, with separators in its numbers of tokens; logs hold plain digits. */
export const withSeparators = (message: string): string =>
  message.replace(/\d{4,}(?= tokens\b)/g, (digits) => Number(digits).toLocaleString("en-US"))

/** USD with as many decimals as it takes to show them. */
export const formatUsd = (usd: number): string =>
  usd >= 1 || usd === 0 ? usd.toFixed(2).replace(/\.00$/, "") : String(Number(usd.toFixed(4)))

/** The notes that a settlement shows. */
export const settlementNotes = (
  { child: subagent, isUpperBound, tokens, usd, warning }: Omit<Settlement, "_tag">
): ReadonlyArray<string> => [
  ...(isUpperBound === true && subagent === undefined
    ? [
      `The provider did not report the cost of the last request. The budget counts the full amount reserved for it: ${
        usd > 0 ? formatAmount("usd", usd) : withSeparators(formatAmount("tokens", tokens))
      }.`
    ]
    : []),
  ...(warning === undefined ? [] : [`${warning}% of the budget is used.`])
]

/** The message when a limit stops the next request. */
export const refusalMessage = ({ left, level, limit, needs, unit }: Refusal): string =>
  `The ${levelLabels[level]} budget of ${formatAmount(unit, limit)} does not cover the next request: ${formatAmount(unit, left)} ${
    unit === "usd" ? "is" : "are"
  } left, ` +
  `and the request could cost up to ${formatAmount(unit, needs)}.`
