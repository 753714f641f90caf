/** From the requested options to the settings that a session logs: models described, rules checked, enforceable limits. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { optional } from "../../domain/Optional.ts"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import * as Model from "../../domain/provider/Model.ts"
import * as Limits from "../../domain/session/Limits.ts"
import type { SessionSettings } from "../../domain/session/SessionEvent.ts"
import type { SessionOptions } from "../../services/Agent.ts"
import { Environment } from "../../services/Environment.ts"
import { Provider } from "../../services/Provider.ts"
import * as SessionRules from "../approval/SessionRules.ts"

const defaults = {
  limits: Limits.defaults,
  mode: "default",
  onAsk: "ask",
  tagRepair: true,
  rules: { allow: [], ask: [], deny: [] }
} satisfies Partial<SessionSettings>

/** The default tool format: what the model supports. */
const choice = (model: Model.Model): Model.ModelChoice => ({ model, toolFormat: model.nativeTools ? "native" : "xml" })

type Prices = NonNullable<SessionOptions["prices"]>

/** With the user's own price, if they gave one. */
const withPrice = (prices: Prices) => (model: Model.Model): Model.Model => {
  const price = prices[Model.title(model)]
  return price === undefined ? model : { ...model, price }
}

export const make = Effect.gen(function*() {
  const { folders } = yield* Environment
  const provider = yield* Provider
  const describeChoice = (name: string, prices: Prices) => Effect.map(provider.describe(name), (model) => choice(withPrice(prices)(model)))
  /** An additional model, if one is named. */
  const describeOptional = (name: string | undefined, prices: Prices) =>
    name === undefined ? Effect.succeed(undefined) : describeChoice(name, prices)

  return Effect.fnUntraced(function*({ cheap, cwd, fallback, model, plan, prices = {}, toolFormat = "auto", ...rest }: SessionOptions) {
    const mainModel = withPrice(prices)(yield* provider.describe(model))
    const planModel = yield* describeOptional(plan, prices)
    const fallbacks = yield* Effect.forEach(Arr.ensure(fallback ?? []), (name) => describeChoice(name, prices))
    const cheapModel = yield* describeOptional(cheap ?? mainModel.cheaper, prices)
    const {
      afterEdit,
      agent,
      autoFiles,
      hooks,
      limits,
      mode,
      onAsk,
      onlyTools,
      prompt,
      readOnly,
      roots,
      rules,
      search,
      storeFiles,
      tagRepair
    } = {
      ...defaults,
      ...optional(rest)
    }
    const ruleCheck = SessionRules.compile(rules, { cwd, home: folders.home })
    if (Result.isFailure(ruleCheck)) return yield* new SettingsError({ where: "rules", message: ruleCheck.failure.message })
    const modelWithoutPrice = [mainModel, planModel?.model, ...fallbacks.map(({ model }) => model)].find((one) =>
      one !== undefined && one.price === undefined
    )
    const usdLimit = limits.usd ?? limits.taskUsd ?? limits.dayUsd
    const tokenLimit = limits.tokens ?? limits.taskTokens
    if (usdLimit !== undefined && tokenLimit === undefined && modelWithoutPrice !== undefined) return yield* noPrice(modelWithoutPrice)
    const format = toolFormat === "auto" ? choice(mainModel).toolFormat : toolFormat
    return {
      model: mainModel,
      mode,
      toolFormat: format,
      ...(tagRepair && (format === "xml" || mainModel.assumed === true) ? { tagRepair } : {}),
      ...optional({ plan: planModel }),
      ...(fallbacks.length === 0 ? {} : typeof fallback === "string" ? { fallback: fallbacks[0]! } : { fallbacks }),
      ...(cheapModel === undefined ? {} : { cheap: cheapModel.model }),
      limits,
      rules,
      ...optional({ onlyTools, readOnly }),
      ...(roots === undefined || roots.length === 0 ? {} : { roots }),
      ...optional({ agent, prompt, afterEdit, autoFiles, hooks, search }),
      ...(storeFiles === true ? { storeFiles } : {}),
      onAsk
    } satisfies SessionSettings
  })
})

/** All models that a session can request. */
export const models = ({ cheap, fallback, fallbacks = [], model, plan }: SessionSettings): ReadonlyArray<Model.Model> =>
  [model, plan?.model, fallback?.model, ...fallbacks.map(({ model }) => model), cheap].filter((one) => one !== undefined)

/** Whether a request stays with the model: without a name, or with the same one and another effort. */
const keepsModel = ({ model }: SessionSettings, name: string | undefined): boolean => {
  if (name === undefined) return true
  const { id, provider } = Catalogue.parse(name)
  return id === model.id && provider === model.provider
}

/**
 * The current settings in the form of a request, overridden by what is requested now. The tool format stays while the model does; that
 * of another model is chosen anew unless it is requested.
 */
export const sessionOptions = (
  settings: SessionSettings,
  overrides: Partial<Omit<SessionOptions, "cwd">> = {}
): Omit<SessionOptions, "cwd"> => {
  const { cheap, fallback, fallbacks, model, plan, toolFormat, ...rest } = settings
  return {
    ...rest,
    // A model's price stays what it was when the session began, even when it is resumed.
    prices: Object.fromEntries(
      models(settings).flatMap((one) => one.price === undefined ? [] : [[Model.title(one), one.price]])
    ),
    model: Model.nameWithEffort(model),
    toolFormat: keepsModel(settings, overrides.model) ? toolFormat : "auto",
    tagRepair: overrides.model !== undefined || overrides.toolFormat !== undefined || settings.tagRepair === true,
    ...(plan === undefined ? {} : { plan: Model.nameWithEffort(plan.model) }),
    ...(fallback === undefined ? {} : { fallback: Model.nameWithEffort(fallback.model) }),
    ...(fallbacks === undefined ? {} : { fallback: fallbacks.map(({ model }) => Model.nameWithEffort(model)) }),
    ...(cheap === undefined || overrides.model !== undefined ? {} : { cheap: Model.nameWithEffort(cheap) }),
    ...optional(overrides)
  }
}

const noPrice = (model: Model.Model) =>
  new SettingsError({
    where: "--max-budget-usd",
    message:
      `${
        Model.title(model)
      } has no known price, so a budget in USD can't be enforced. Set a price in config.jsonc, in USD per million tokens: ` +
      `"prices": { "${Model.title(model)}": { "input": 1, "output": 5 } }; or set a budget in tokens (--max-tokens-total), or no budget.`
  })
