/** From flags, settings files and variables to what a session is asked to be; the earlier win. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Rule from "../domain/approval/Rule.ts"
import type * as Config from "../domain/config/Settings.ts"
import { SettingsError } from "../domain/config/SettingsError.ts"
import type { SessionSettings } from "../domain/session/SessionEvent.ts"
import * as Limits from "../domain/session/Limits.ts"
import type * as Sandbox from "../domain/tool/Sandbox.ts"
import type { Wanted } from "../services/Agent.ts"
import { Settings } from "../services/Settings.ts"
import { UsageError } from "./CliError.ts"
import type { Values } from "./Flags.ts"

/** The first of these whose key is set gives the model where nothing names one; in the order of preference. */
export const preferred: ReadonlyArray<{ readonly variable: string; readonly model: string }> = [
  { variable: "ANTHROPIC_API_KEY", model: "anthropic/claude-sonnet-4-5" },
  { variable: "OPENAI_API_KEY", model: "openai/gpt-5" }
]

/** Whether someone is there to be asked. */
export type Face = "terminal" | "headless"

type Variables = Readonly<Record<string, string | undefined>>

/** What the flags ask of a session that had these settings: they add to its rules and limits and replace the rest. */
export const again = (values: Values, face: Face, before: Pick<SessionSettings, "limits" | "rules">): Partial<Omit<Wanted, "cwd">> => ({
  ...(values.model === undefined ? {} : { model: values.model }),
  ...(values.permissionMode === undefined ? {} : { mode: values.permissionMode }),
  ...(values.toolFormat === undefined ? {} : { toolFormat: values.toolFormat }),
  limits: { ...before.limits, ...limits(values) },
  rules: {
    ...before.rules,
    allow: [...before.rules.allow, ...values.allowedTools ?? []],
    deny: [...before.rules.deny, ...values.disallowedTools ?? []]
  },
  onAsk: face === "terminal" ? "ask" : values.onAsk ?? "deny"
})

/** Rules are checked where they stand: one of a flag is a matter of usage, one of a file names its file. */
export const checked = Effect.fnUntraced(function*(values: Values, rules: Config.Settings["rules"] = { allow: [], ask: [], deny: [] }) {
  const flags = Rule.compile({ allow: values.allowedTools ?? [], deny: values.disallowedTools ?? [] })
  if (Result.isFailure(flags)) return yield* new UsageError({ message: sentence(flags.failure) })
  for (const list of ["allow", "ask", "deny"] as const) {
    for (const { file, rule } of rules[list]) {
      const compiled = Rule.compile({ [list]: [rule] })
      if (Result.isFailure(compiled)) return yield* new SettingsError({ where: file, message: sentence(compiled.failure) })
    }
  }
})

const sentence = ({ message }: Rule.RuleError): string => `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/, "")}.`

/** What a new session in `cwd` starts with. */
export const whole = Effect.fnUntraced(function*(values: Values, face: Face, cwd: string, variables: Variables) {
  const { load } = yield* Settings
  const settings = yield* load(cwd)
  yield* checked(values, settings.rules)
  const model = values.model ?? filled(variables["EFFERENT_MODEL"]) ?? settings.model ??
    preferred.find(({ variable }) => filled(variables[variable]) !== undefined)?.model
  if (model === undefined) {
    return yield* new SettingsError({
      where: "--model",
      message: "No model is chosen: name one with --model provider/model (or EFFERENT_MODEL), or set " +
        `${preferred.map(({ variable }) => variable).join(" or ")}. \`efferent models\` lists what is known.`
    })
  }
  const of = (list: keyof Config.Settings["rules"]) => settings.rules[list].map(({ rule }) => rule)
  return {
    cwd,
    model,
    mode: settings.defaultMode ?? "default",
    toolFormat: settings.toolFormat ?? "auto",
    ...again(values, face, {
      limits: { ...Limits.defaults, ...limits(settings) },
      rules: { allow: of("allow"), ask: of("ask"), deny: of("deny") }
    })
  } satisfies Wanted
})

/** What commands are confined to, as far as flags say it. */
export const confined = ({ sandbox, sandboxNetwork }: Values): { readonly sandbox?: Partial<Sandbox.Asked> } =>
  sandbox === undefined && sandboxNetwork === undefined
    ? {}
    : { sandbox: { ...(sandbox === undefined ? {} : { mode: sandbox }), ...(sandboxNetwork === undefined ? {} : { network: sandboxNetwork }) } }

const filled = (value: string | undefined): string | undefined => value === "" ? undefined : value

/** Flags and settings files have the same names for the same limits. */
const limits = ({ maxBudgetUsd, maxTurns, timeout }: Pick<Config.Settings, "maxBudgetUsd" | "maxTurns" | "timeout">): Partial<Limits.Limits> => ({
  ...(maxTurns === undefined ? {} : { turns: maxTurns }),
  ...(timeout === undefined ? {} : { wallMs: timeout * 1000 }),
  ...(maxBudgetUsd === undefined ? {} : { usd: maxBudgetUsd })
})
