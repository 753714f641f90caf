/** From flags, settings files and variables to what a session is asked to be; the earlier win. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Mode from "../../domain/approval/Mode.ts"
import * as Rule from "../../domain/approval/Rule.ts"
import type * as Config from "../../domain/config/Settings.ts"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import * as Model from "../../domain/provider/Model.ts"
import type { SessionSettings } from "../../domain/session/SessionEvent.ts"
import * as Limits from "../../domain/session/Limits.ts"
import type * as Sandbox from "../../domain/tool/Sandbox.ts"
import type { Worker } from "../../layers/context/ResolvedAgent.ts"
import type { Wanted } from "../../services/Agent.ts"
import * as Keys from "../../services/Keys.ts"
import { Settings } from "../../services/Settings.ts"
import { UsageError } from "../process/CliError.ts"
import type { Values } from "../args/Flags.ts"

/** The first of these whose key is set gives the model where nothing names one; in the order of preference. */
export const preferred: ReadonlyArray<{ readonly variable: string; readonly model: string }> = [
  { variable: "ANTHROPIC_API_KEY", model: "anthropic/claude-sonnet-4-5" },
  { variable: "OPENAI_API_KEY", model: "openai/gpt-5" },
  { variable: "GEMINI_API_KEY", model: "gemini/gemini-2.5-pro" }
]

/** Whether someone is there to be asked. */
export type Face = "terminal" | "headless"

type Variables = Readonly<Record<string, string | undefined>>

/** What a session had; `model` as it is spelled. */
interface Before extends Pick<SessionSettings, "limits" | "prompt" | "rules"> {
  readonly model: string
}

export const before = ({ limits, model, prompt, rules }: SessionSettings): Before =>
  ({ limits, rules, model: Model.spelled(model), ...(prompt === undefined ? {} : { prompt }) })

/** A model's name with this effort in place of its own. */
const named = (name: string, effort: Values["effort"]): string => {
  const own = Catalogue.parse(name).effort
  return effort === undefined ? name : `${own === undefined ? name : name.slice(0, -own.length - 1)}:${effort}`
}

/** What the flags ask of a session that had these settings: they add to its rules and limits and replace the rest. */
export const again = (values: Values, face: Face, before: Before): Partial<Omit<Wanted, "cwd">> => ({
  ...(values.model === undefined && values.effort === undefined ? {} : { model: named(values.model ?? before.model, values.effort) }),
  ...(values.planModel === undefined ? {} : { plan: values.planModel }),
  ...(values.fallbackModel === undefined ? {} : { fallback: values.fallbackModel }),
  ...(values.cheapModel === undefined ? {} : { cheap: values.cheapModel }),
  ...(values.permissionMode === undefined ? {} : { mode: values.permissionMode }),
  ...(values.toolFormat === undefined ? {} : { toolFormat: values.toolFormat }),
  limits: { ...before.limits, ...limits(values) },
  rules: {
    ...before.rules,
    allow: [...before.rules.allow, ...values.allowedTools ?? []],
    deny: [...before.rules.deny, ...values.disallowedTools ?? []]
  },
  ...(values.tools === undefined ? {} : { onlyTools: values.tools }),
  ...(values.systemPrompt === undefined && values.appendSystemPrompt === undefined ? {} : { prompt: prompt(values, before.prompt) }),
  onAsk: face === "terminal" ? "ask" : values.onAsk ?? "deny"
})

/** The caller's words for the system prompt, over those that there are. */
const prompt = ({ appendSystemPrompt, systemPrompt }: Values, before: SessionSettings["prompt"]): NonNullable<SessionSettings["prompt"]> => ({
  ...before,
  ...(systemPrompt === undefined ? {} : { instead: systemPrompt }),
  ...(appendSystemPrompt === undefined ? {} : { also: appendSystemPrompt })
})

/** Rules are checked where they stand: one of a flag is a matter of usage, one of a file names its file. */
export const checked = Effect.fnUntraced(function*(values: Values, rules: Config.Settings["rules"] = { allow: [], ask: [], deny: [] }) {
  const flags = Rule.compile({ allow: values.allowedTools ?? [], deny: values.disallowedTools ?? [] })
  if (Result.isFailure(flags)) return yield* new UsageError({ message: sentence(flags.failure) })
  for (const list of ["allow", "ask", "deny"] as const) {
    for (const { file, line, ...entry } of rules[list]) {
      const compiled = Rule.compile({ [list]: [entry] })
      const where = line === undefined ? file : `${file}:${line}`
      if (Result.isFailure(compiled)) return yield* new SettingsError({ where, message: sentence(compiled.failure) })
    }
  }
})

const sentence = ({ message }: Rule.RuleError): string => `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/, "")}.`

/** What a new session in `cwd` starts with, as the agent `as` where one was named. */
export const whole = Effect.fnUntraced(function*(values: Values, face: Face, cwd: string, variables: Variables, as?: Worker) {
  const { load } = yield* Settings
  const settings = yield* load(cwd)
  yield* checked(values, settings.rules)
  const usual = filled(variables["DACAPO_MODEL"]) ?? settings.model ?? (yield* likely(variables))
  const model = values.model ?? (as === undefined ? undefined : Catalogue.meant(as.model, usual)) ?? usual
  if (model === undefined) {
    return yield* new SettingsError({
      where: "--model",
      message: "No model is chosen: name one with --model provider/model (or DACAPO_MODEL), or set " +
        `${preferred.map(({ variable }) => variable).join(" or ")}, or keep a key with \`dacapo auth login\`. \`dacapo models\` lists what is known.`
    })
  }
  const of = (list: keyof Config.Settings["rules"]) =>
    [...settings.rules[list].map(({ justification, rule }) => justification === undefined ? rule : { rule, justification }), ...as?.rules[list] ?? []]
  const { defaultMode = "default" } = settings
  const own = as === undefined ? {} : working(as, defaultMode)
  return {
    cwd,
    model,
    ...(values.sessionId === undefined ? {} : { id: values.sessionId.toLowerCase() }),
    ...(settings.planModel === undefined ? {} : { plan: settings.planModel }),
    ...(settings.fallbackModel === undefined ? {} : { fallback: settings.fallbackModel }),
    ...(settings.cheapModel === undefined ? {} : { cheap: settings.cheapModel }),
    mode: defaultMode,
    ...own,
    toolFormat: settings.toolFormat ?? "auto",
    ...(settings.prices === undefined ? {} : { prices: settings.prices }),
    ...(settings.autoFiles === undefined ? {} : { autoFiles: settings.autoFiles }),
    ...(settings.afterEdit === undefined || values.bare === true ? {} : { afterEdit: Object.entries(settings.afterEdit).map(([files, commands]) => ({ files, ...commands })) }),
    ...again(values, face, {
      model,
      limits: { ...Limits.defaults, ...limits(settings) },
      ...own,
      rules: { allow: of("allow"), ask: of("ask"), deny: of("deny") }
    })
  } satisfies Wanted
})

/** What an agent brings of its own. One that the project wrote can make the mode stricter, never looser. */
const working = ({ name, onlyTools, own, permissionMode, prompt }: Worker, mode: Mode.Mode) => ({
  agent: name,
  mode: own ? permissionMode ?? mode : Mode.tightened(mode, permissionMode),
  ...(onlyTools === undefined ? {} : { onlyTools }),
  ...(prompt === "" ? {} : { prompt: { instead: prompt } })
})

/** What commands are confined to, as far as flags say it. */
export const confined = ({ sandbox, sandboxNetwork }: Values): { readonly sandbox?: Partial<Sandbox.Asked> } =>
  sandbox === undefined && sandboxNetwork === undefined
    ? {}
    : { sandbox: { ...(sandbox === undefined ? {} : { mode: sandbox }), ...(sandboxNetwork === undefined ? {} : { network: sandboxNetwork }) } }

/** The first preferred model that there is a key for. */
const likely = Effect.fnUntraced(function*(variables: Variables) {
  for (const { model, variable } of preferred) {
    if ((yield* Keys.find([variable], variables, Redacted.make)) !== undefined) return model
  }
  return undefined
})

const filled = (value: string | undefined): string | undefined => value === "" ? undefined : value

/** Flags and settings files have the same names for the same limits. */
const limits = (
  { maxBudgetUsd, maxDailyUsd, maxTaskUsd, maxTokensTotal, maxTurns, maxWait, timeout }: Pick<
    Config.Settings,
    "maxBudgetUsd" | "maxDailyUsd" | "maxTaskUsd" | "maxTokensTotal" | "maxTurns" | "maxWait" | "timeout"
  >
): Partial<Limits.Limits> => ({
  ...(maxWait === undefined ? {} : { waitMs: maxWait * 1000 }),
  ...(maxTurns === undefined ? {} : { turns: maxTurns }),
  ...(timeout === undefined ? {} : { wallMs: timeout * 1000 }),
  ...(maxBudgetUsd === undefined ? {} : { usd: maxBudgetUsd }),
  ...(maxTokensTotal === undefined ? {} : { tokens: maxTokensTotal }),
  ...(maxTaskUsd === undefined ? {} : { taskUsd: maxTaskUsd }),
  ...(maxDailyUsd === undefined ? {} : { dayUsd: maxDailyUsd })
})
