/** From what is asked for to the settings that a session logs: models described, rules checked, limits that can be kept. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Rule from "../../domain/approval/Rule.ts"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import * as Model from "../../domain/provider/Model.ts"
import * as Limits from "../../domain/session/Limits.ts"
import type { Choice, SessionSettings } from "../../domain/session/SessionEvent.ts"
import type { Wanted } from "../../services/Agent.ts"
import { Environment } from "../../services/Environment.ts"
import { Provider } from "../../services/Provider.ts"

const usual = {
  limits: Limits.defaults,
  mode: "default",
  onAsk: "ask",
  rules: { allow: [], ask: [], deny: [] }
} satisfies Partial<SessionSettings>

/** How tools are called where nobody said how: as the model can. */
const choice = (model: Model.Model): Choice => ({ model, toolFormat: model.nativeTools ? "native" : "xml" })

type Prices = NonNullable<Wanted["prices"]>

/** With the user's own price, where they gave one. */
const priced = (prices: Prices) => (model: Model.Model): Model.Model => {
  const price = prices[Model.title(model)]
  return price === undefined ? model : { ...model, price }
}

export const make = Effect.gen(function*() {
  const { folders } = yield* Environment
  const provider = yield* Provider
  /** A model beside the main one, where one is named. */
  const beside = (name: string | undefined, prices: Prices) =>
    name === undefined ? Effect.succeed(undefined) : Effect.map(provider.describe(name), (model) => choice(priced(prices)(model)))

  return Effect.fnUntraced(function*({ cheap, cwd, fallback, model, plan, prices = {}, toolFormat = "auto", ...rest }: Wanted) {
    const described = priced(prices)(yield* provider.describe(model))
    const planner = yield* beside(plan, prices)
    const standIn = yield* beside(fallback, prices)
    const cheaper = yield* beside(cheap ?? described.cheaper, prices)
    const { afterEdit, agent, autoFiles, limits, mode, onAsk, onlyTools, prompt, readOnly, roots, rules } = { ...usual, ...rest }
    const checked = Rule.compile(rules, { root: cwd, home: folders.home })
    if (Result.isFailure(checked)) return yield* new SettingsError({ where: "rules", message: checked.failure.message })
    const unpriced = [described, planner?.model, standIn?.model].find((one) => one !== undefined && one.price === undefined)
    const inUsd = limits.usd ?? limits.taskUsd ?? limits.dayUsd
    const inTokens = limits.tokens ?? limits.taskTokens
    if (inUsd !== undefined && inTokens === undefined && unpriced !== undefined) return yield* priceless(unpriced)
    return {
      model: described,
      mode,
      toolFormat: toolFormat === "auto" ? choice(described).toolFormat : toolFormat,
      ...(planner === undefined ? {} : { plan: planner }),
      ...(standIn === undefined ? {} : { fallback: standIn }),
      ...(cheaper === undefined ? {} : { cheap: cheaper.model }),
      limits,
      rules,
      ...(onlyTools === undefined ? {} : { onlyTools }),
      ...(readOnly === undefined ? {} : { readOnly }),
      ...(roots === undefined || roots.length === 0 ? {} : { roots }),
      ...(agent === undefined ? {} : { agent }),
      ...(prompt === undefined ? {} : { prompt }),
      ...(afterEdit === undefined ? {} : { afterEdit }),
      ...(autoFiles === undefined ? {} : { autoFiles }),
      onAsk
    } satisfies SessionSettings
  })
})

/** Settings that hold, as they would be asked for again, with what is asked for now over them. */
export const asked = (before: SessionSettings, now: Partial<Omit<Wanted, "cwd">> = {}): Omit<Wanted, "cwd"> => {
  const { cheap, fallback, model, plan, toolFormat, ...rest } = before
  return {
    ...rest,
    // What a model cost when the session began, it costs when it is taken up again.
    prices: Object.fromEntries(
      [model, plan?.model, fallback?.model, cheap].flatMap((one) => one?.price === undefined ? [] : [[Model.title(one), one.price]])
    ),
    model: Model.spelled(model),
    toolFormat: now.model === undefined ? toolFormat : "auto",
    ...(plan === undefined ? {} : { plan: Model.spelled(plan.model) }),
    ...(fallback === undefined ? {} : { fallback: Model.spelled(fallback.model) }),
    ...(cheap === undefined || now.model !== undefined ? {} : { cheap: Model.spelled(cheap) }),
    ...now
  }
}

const priceless = (model: Model.Model) =>
  new SettingsError({
    where: "--max-budget-usd",
    message: `${Model.title(model)} has no known price, so a budget in USD can't be kept. Set one in config.jsonc, in USD for a million tokens: ` +
      `"prices": { "${Model.title(model)}": { "input": 1, "output": 5 } }; or set a budget in tokens (--max-tokens-total), or leave it out.`
  })
