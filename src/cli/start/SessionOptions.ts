/** Resolves the options of a session from flags, settings files and variables, in this order of precedence. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { optional } from "../../domain/Optional.ts"
import * as Mode from "../../domain/approval/Mode.ts"
import * as Rule from "../../domain/approval/Rule.ts"
import type * as Config from "../../domain/config/Settings.ts"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import * as DefaultModel from "../../domain/provider/DefaultModel.ts"
import * as Hook from "../../domain/hook/Hook.ts"
import * as Model from "../../domain/provider/Model.ts"
import type { SessionSettings } from "../../domain/session/SessionEvent.ts"
import * as Limits from "../../domain/session/Limits.ts"
import * as SessionRules from "../../layers/approval/SessionRules.ts"
import type { ResolvedAgent } from "../../layers/context/ResolvedAgent.ts"
import { builtin } from "../../layers/provider/builtin.ts"
import { builtin as searchRoutes } from "../../layers/search/builtin.ts"
import * as CustomRoutes from "../../layers/provider/CustomRoutes.ts"
import * as CatalogueFile from "../../layers/provider/CatalogueFile.ts"
import type { SessionOptions } from "../../services/Agent.ts"
import { Environment } from "../../services/Environment.ts"
import * as Keys from "../../services/Keys.ts"
import type { Route } from "../../services/Route.ts"
import type { Options as LayerOptions } from "../process/AgentLayers.ts"
import { UsageError } from "../process/CliError.ts"
import * as McpConfigFlag from "./McpConfigFlag.ts"
import * as ModelNames from "./ModelNames.ts"
import type { Values } from "../args/Flags.ts"

/** Providers whose key selects a model, in the order in which their keys are looked for. */
export const keyedProviders: ReadonlyArray<Route> = [
  ...DefaultModel.preferredProviders.flatMap((name) => builtin.filter((route) => route.name === name)),
  ...builtin.filter(({ keyOptional, keys, name }) =>
    keys.length > 0 && keyOptional !== true && !DefaultModel.preferredProviders.includes(name) && !DefaultModel.lastProviders.includes(name)
  ),
  ...builtin.filter(({ name }) => DefaultModel.lastProviders.includes(name))
]

/** Whether a user can be prompted. */
/** `program`: a program or an editor answers prompts, but is not asked whether to continue at a limit. */
export type InteractionMode = "interactive" | "program" | "headless"

type Variables = Readonly<Record<string, string | undefined>>

/** The settings of a session to resume; `model` is its full name. */
interface CurrentSettings extends Pick<SessionSettings, "hooks" | "limits" | "prompt" | "rules"> {
  readonly model: string
}

export const currentSettings = ({ hooks, limits, model, prompt, rules }: SessionSettings): CurrentSettings => ({
  ...optional({ hooks }),
  limits,
  rules,
  model: Model.nameWithEffort(model),
  ...optional({ prompt })
})

/** A model name with its effort replaced. */
const withEffort = (name: string, effort: Values["effort"]): string => {
  const currentEffort = Catalogue.parse(name).effort
  return effort === undefined ? name : `${currentEffort === undefined ? name : name.slice(0, -currentEffort.length - 1)}:${effort}`
}

/** The options that flags change in a resumed session: they add to its rules and limits, and replace other settings. */
export const resumeOptions = (
  values: Values,
  interactionMode: InteractionMode,
  current: CurrentSettings
): Partial<Omit<SessionOptions, "cwd">> => ({
  ...(values.model === undefined && values.effort === undefined ? {}
    : { model: withEffort(ModelNames.qualify(values.model ?? current.model, current.model), values.effort) }),
  ...optional({
    plan: values.planModel,
    fallback: values.fallbackModel?.map((name) => ModelNames.qualify(name, current.model)),
    cheap: values.cheapModel,
    mode: values.permissionMode,
    toolFormat: values.toolFormat
  }),
  ...(current.hooks === undefined ? {} : { hooks: Hook.withoutProgram(current.hooks) }),
  limits: { ...current.limits, ...limits(values), ...askAtLimits(interactionMode, current.limits) },
  rules: addRules(values, current.rules),
  ...optional({ onlyTools: values.tools }),
  ...(values.systemPrompt === undefined && values.appendSystemPrompt === undefined ? {} : { prompt: prompt(values, current.prompt) }),
  onAsk: interactionMode === "headless" ? values.onAsk ?? "deny" : "ask"
})

const askAtLimits = (interactionMode: InteractionMode, { ask }: Limits.Limits): Partial<Limits.Limits> =>
  interactionMode === "interactive" ? { ask: true, askRepeats: true } : ask === undefined ? {} : { ask: false, askRepeats: false }

const addRules = ({ allowedTools = [], disallowedTools = [] }: Values, rules: SessionSettings["rules"]): SessionSettings["rules"] => ({
  ...rules,
  allow: [...rules.allow, ...allowedTools],
  deny: [...rules.deny, ...disallowedTools]
})

/** The user's changes to the system prompt, on top of the current ones. */
const prompt = (
  { appendSystemPrompt, systemPrompt }: Values,
  current: SessionSettings["prompt"]
): NonNullable<SessionSettings["prompt"]> => ({
  ...current,
  ...optional({ instead: systemPrompt, also: appendSystemPrompt })
})

/** Fails with a usage error where a flag holds an invalid rule. */
export const checkFlagRules = ({ allowedTools = [], disallowedTools = [] }: Values): Effect.Effect<void, UsageError> => {
  const flags = Rule.compile({ allow: allowedTools, deny: disallowedTools })
  return Result.isFailure(flags) ? Effect.fail(new UsageError({ message: ruleErrorText(flags.failure) })) : Effect.void
}

/** Fails with the location of the invalid rule: a flag, or a line of a settings file. */
const locateRule = Effect.fnUntraced(function*(values: Values, rules: Config.Settings["rules"]) {
  yield* checkFlagRules(values)
  for (const list of ["allow", "ask", "deny"] as const) {
    for (const { file, line, ...entry } of rules[list]) {
      const compiled = Rule.compile({ [list]: [entry] })
      const location = line === undefined ? file : `${file}:${line}`
      if (Result.isFailure(compiled)) return yield* new SettingsError({ where: location, message: ruleErrorText(compiled.failure) })
    }
  }
})

const ruleErrorText = ({ message }: Rule.RuleError): string => `${message.charAt(0).toUpperCase()}${message.slice(1)}`

/** The rules of settings, profile and flags. */
const sessionRules = (values: Values, { rules }: Config.Settings, profile: ResolvedAgent | undefined): SessionSettings["rules"] => {
  const rulesOf = (list: keyof Config.Settings["rules"]) => [...rules[list].map(entryOf), ...profile?.rules[list] ?? []]
  return addRules(values, { allow: rulesOf("allow"), ask: rulesOf("ask"), deny: rulesOf("deny") })
}

type Entry = SessionSettings["rules"]["allow"][number]

const entryOf = ({ justification, rule }: Config.ScopedRule): Entry => justification === undefined ? rule : { rule, justification }

/** The rules of a session after its settings changed: without the rules that are gone there, and with the new ones. */
export const changeRules = Effect.fnUntraced(function*(
  rules: SessionSettings["rules"],
  before: Config.Settings["rules"],
  after: Config.Settings["rules"],
  folders: SessionRules.Folders
) {
  const changed = (list: keyof Config.Settings["rules"]) => {
    const [old, next] = [before[list].map(entryOf), after[list].map(entryOf)]
    const remaining = Arr.reduce(Arr.difference(old, next), rules[list], (rules, removed) => {
      const index = rules.findIndex((rule) => Equal.equals(rule, removed))
      return index === -1 ? rules : rules.toSpliced(index, 1)
    })
    return [...remaining, ...Arr.difference(next, old)]
  }
  const next = { allow: changed("allow"), ask: changed("ask"), deny: changed("deny") }
  const compiled = SessionRules.compile(next, folders)
  return Result.isFailure(compiled) ? yield* new UsageError({ message: ruleErrorText(compiled.failure) }) : next
})

/** The working folder of a new session, the settings there and the agent profile, if one was named. */
export interface Start {
  readonly cwd: string
  readonly roots?: ReadonlyArray<string>
  readonly profile?: ResolvedAgent | undefined
  readonly settings: Config.Settings
}

/** The options of a new session, resolved once. */
export const resolve = Effect.fnUntraced(function*(
  values: Values,
  interactionMode: InteractionMode,
  environment: Environment["Service"],
  { cwd, profile, roots, settings }: Start
) {
  const { folders: { home }, variables } = environment
  const providerFault = CustomRoutes.fault(settings.providers)
  if (providerFault !== undefined) return yield* providerFault
  const rules = sessionRules(values, settings, profile)
  if (Result.isFailure(SessionRules.compile(rules, { cwd, home }))) yield* locateRule(values, settings.rules)
  const defaultModel = nonEmpty(variables["DACAPO_MODEL"]) ?? settings.model ??
    (yield* Effect.provideService(modelWithKey(variables), Environment, environment))
  const model = values.model ?? (profile === undefined ? undefined : Catalogue.resolveAlias(profile.model, defaultModel)) ?? defaultModel
  if (model === undefined) {
    return yield* new SettingsError({
      where: "--model",
      message: "No model selected. Set " + keyedProviders.slice(0, 3).map(({ keys }) => keys[0]).join(", ") +
        " or another provider's key, save a key with `dacapo auth login`, or name a model with --model provider/model or DACAPO_MODEL. " +
        "Run `dacapo models` to list models."
    })
  }
  const { defaultMode = "default" } = settings
  const profileOptions = profile === undefined ? {} : optionsOfProfile(profile, defaultMode)
  const fullName = ModelNames.qualify(model, defaultModel)
  return {
    cwd,
    model: fullName,
    ...(values.sessionId === undefined ? {} : { id: values.sessionId.toLowerCase() }),
    ...optional({ plan: settings.planModel, cheap: settings.cheapModel }),
    ...(settings.fallbackModel === undefined ? {} : { fallback: Arr.ensure(settings.fallbackModel) }),
    mode: defaultMode,
    ...profileOptions,
    toolFormat: settings.toolFormat ?? "auto",
    ...optional({
      prices: settings.prices,
      autoFiles: settings.autoFiles,
      storeFiles: settings.storeFiles,
      hooks: values.bare === true ? undefined : settings.hooks
    }),
    ...(settings.afterEdit === undefined || values.bare === true ? {}
      : { afterEdit: Object.entries(settings.afterEdit).map(([files, commands]) => ({ files, ...commands })) }),
    ...resumeOptions(values, interactionMode, {
      model: fullName,
      limits: { ...Limits.defaults, ...limits(settings) },
      ...profileOptions,
      rules
    }),
    rules,
    ...(yield* Effect.provideService(searches(settings, fullName), Environment, environment)),
    ...optional({ roots })
  } satisfies SessionOptions
})

/** The searches that the settings turn on. A route that searches by a model takes the session's, if that is of its provider. */
const searches = Effect.fnUntraced(function*({ codeSearch = false, prices = {}, webSearch }: Config.Settings, sessionModel: string) {
  const code = codeSearch === false ? {} : { code: true as const }
  if (webSearch === undefined) return codeSearch === false ? {} : { search: code }
  const { model, route } = webSearch
  const provider = searchRoutes.find(({ name }) => name === route)?.provider
  if (provider === undefined) return { search: { ...code, web: { route } } }
  const name = model === undefined ? sessionModel : model.startsWith(`${provider}/`) ? model : `${provider}/${model}`
  if (!name.startsWith(`${provider}/`)) {
    return yield* new SettingsError({
      where: "\"webSearch\"",
      message: `the route ${route} searches by a model of ${provider}, and this session's is ${sessionModel}. Name one: "model": "…".`
    })
  }
  const { id } = Catalogue.parse(name)
  const price = prices[`${provider}/${id}`] ?? Catalogue.find(provider, id, provider, (yield* CatalogueFile.load).entries)?.price
  return { search: { ...code, web: { route, model: `${provider}/${id}`, ...optional({ price }) } } }
})

/** The options of an agent profile. A project's profile can only make the permission mode stricter. */
const optionsOfProfile = ({ name, onlyTools, isUserDefined, permissionMode, prompt }: ResolvedAgent, mode: Mode.Mode) => ({
  agent: name,
  mode: isUserDefined ? permissionMode ?? mode : Mode.stricterMode(mode, permissionMode),
  ...optional({ onlyTools }),
  ...(prompt === "" ? {} : { prompt: { instead: prompt } })
})

/** The options of the runtime for a new or resumed session, except the approver. */
export const layerOptions = Effect.fnUntraced(function*(
  values: Values,
  { cwd, roots }: { readonly cwd: string; readonly roots: ReadonlyArray<string> }
) {
  return {
    roots: [cwd, ...roots],
    ...sandboxOptions(values),
    ...(yield* McpConfigFlag.servers(values, cwd)),
    ...(values.ephemeral === true ? { ephemeral: true } : {}),
    ...optional({ baseUrl: values.baseUrl })
  } satisfies Omit<LayerOptions, "approver"> as Omit<LayerOptions, "approver">
})

/** The sandbox options set by flags. */
const sandboxOptions = ({ sandbox, sandboxNetwork }: Values): Pick<LayerOptions, "sandbox"> =>
  sandbox === undefined && sandboxNetwork === undefined
    ? {}
    : {
      sandbox: { ...optional({ mode: sandbox, network: sandboxNetwork }) }
    }

/** The default model of the first provider with a key: in the environment, else stored. */
export const modelWithKey = Effect.fnUntraced(function*(variables: Variables) {
  const hasVariable = ({ keys }: Route) => keys.some((name) => nonEmpty(variables[name]?.trim()) !== undefined)
  const { entries } = yield* CatalogueFile.load
  for (const route of [...keyedProviders.filter(hasVariable), ...keyedProviders]) {
    const model = DefaultModel.find(route.catalogue ?? route.name, route.name, entries)
    if (model !== undefined && (yield* Keys.find(route.keys, variables, Redacted.make)) !== undefined) return Model.title(model)
  }
  return undefined
})

const nonEmpty = (value: string | undefined): string | undefined => value === "" ? undefined : value

/** Limits from flags or settings, which use the same names. */
const limits = (
  { maxBudgetUsd, maxDailyUsd, maxTaskUsd, maxTokensTotal, maxTurns, maxWait, timeout }: Pick<
    Config.Settings,
    "maxBudgetUsd" | "maxDailyUsd" | "maxTaskUsd" | "maxTokensTotal" | "maxTurns" | "maxWait" | "timeout"
  >
): Partial<Limits.Limits> => ({
  ...(maxWait === undefined ? {} : { waitMs: maxWait * 1000 }),
  ...optional({ turns: maxTurns }),
  ...(timeout === undefined ? {} : { wallMs: timeout * 1000 }),
  ...optional({ usd: maxBudgetUsd, tokens: maxTokensTotal, taskUsd: maxTaskUsd, dayUsd: maxDailyUsd })
})
