/** From flags, settings files and variables to what a session is asked to be; the earlier win. */
import * as Effect from "effect/Effect"
import type * as Config from "../domain/config/Settings.ts"
import { SettingsError } from "../domain/config/SettingsError.ts"
import type { Rules } from "../domain/session/SessionEvent.ts"
import * as Guard from "../domain/session/Guard.ts"
import type { Wanted } from "../services/Agent.ts"
import { Settings } from "../services/Settings.ts"
import type { Values } from "./Flags.ts"

/** The first of these whose key is set gives the model where nothing names one; in the order of preference. */
export const preferred: ReadonlyArray<{ readonly variable: string; readonly model: string }> = [
  { variable: "ANTHROPIC_API_KEY", model: "anthropic/claude-sonnet-4-5" },
  { variable: "OPENAI_API_KEY", model: "openai/gpt-5" }
]

/** Whether someone is there to be asked. */
export type Face = "terminal" | "headless"

type Variables = Readonly<Record<string, string | undefined>>

/** What the flags say, and nothing else: a resumed session keeps the rest of what it had. */
export const named = (values: Values, face: Face): Partial<Omit<Wanted, "cwd">> => ({
  ...(values.model === undefined ? {} : { model: values.model }),
  ...(values.permissionMode === undefined ? {} : { mode: values.permissionMode }),
  ...(values.toolFormat === undefined ? {} : { toolFormat: values.toolFormat }),
  ...((values.maxTurns ?? values.timeout ?? values.maxBudgetUsd) === undefined ? {} : { limits: limits(values, none) }),
  ...((values.allowedTools ?? values.disallowedTools) === undefined ? {} : { rules: rules(values, none) }),
  onAsk: face === "terminal" ? "ask" : values.onAsk ?? "deny"
})

/** What a new session in `cwd` starts with. */
export const whole = Effect.fnUntraced(function*(values: Values, face: Face, cwd: string, variables: Variables) {
  const { load } = yield* Settings
  const settings = yield* load(cwd)
  const model = values.model ?? filled(variables["EFFERENT_MODEL"]) ?? settings.model ??
    preferred.find(({ variable }) => filled(variables[variable]) !== undefined)?.model
  if (model === undefined) {
    return yield* new SettingsError({
      where: "--model",
      message: "No model is chosen: name one with --model provider/model (or EFFERENT_MODEL), or set " +
        `${preferred.map(({ variable }) => variable).join(" or ")}. \`efferent models\` lists what is known.`
    })
  }
  return {
    toolFormat: settings.toolFormat ?? "auto",
    mode: settings.defaultMode ?? "default",
    ...named(values, face),
    cwd,
    model,
    limits: limits(values, settings),
    rules: rules(values, settings),
    onAsk: face === "terminal" ? "ask" : values.onAsk ?? "deny"
  } satisfies Wanted
})

const none: Config.Settings = { rules: { allow: [], ask: [], deny: [] } }

const filled = (value: string | undefined): string | undefined => value === "" ? undefined : value

const limits = (values: Values, settings: Config.Settings): Guard.Limits => {
  const turns = values.maxTurns ?? settings.maxTurns
  const seconds = values.timeout ?? settings.timeout
  const usd = values.maxBudgetUsd ?? settings.maxBudgetUsd
  return {
    ...Guard.defaults,
    ...(turns === undefined ? {} : { turns }),
    ...(seconds === undefined ? {} : { wallMs: seconds * 1000 }),
    ...(usd === undefined ? {} : { usd })
  }
}

const rules = (values: Values, settings: Config.Settings): Rules => {
  const of = (list: keyof Config.Settings["rules"]) => settings.rules[list].map(({ rule }) => rule)
  return {
    allow: [...of("allow"), ...values.allowedTools ?? []],
    ask: of("ask"),
    deny: [...of("deny"), ...values.disallowedTools ?? []]
  }
}
