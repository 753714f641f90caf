/** From flags to what a session is asked to be. */
import * as Effect from "effect/Effect"
import * as Guard from "../domain/session/Guard.ts"
import type { Wanted } from "../services/Agent.ts"
import { SettingsError } from "../domain/config/SettingsError.ts"
import type { Values } from "./Flags.ts"

/** The first of these whose key is set gives the model where none is named; the list is in the order of preference. */
export const preferred: ReadonlyArray<{ readonly variable: string; readonly model: string }> = [
  { variable: "ANTHROPIC_API_KEY", model: "anthropic/claude-sonnet-4-5" },
  { variable: "OPENAI_API_KEY", model: "openai/gpt-5" }
]

type Variables = Readonly<Record<string, string | undefined>>

/** What the flags say, and nothing else: a resumed session keeps the rest of what it had. */
export const named = (values: Values, face: "terminal" | "headless"): Partial<Wanted> => ({
  ...(values.model === undefined ? {} : { model: values.model }),
  ...(values.permissionMode === undefined ? {} : { mode: values.permissionMode }),
  ...(values.toolFormat === undefined ? {} : { toolFormat: values.toolFormat }),
  ...(values.maxTurns ?? values.timeout ?? values.maxBudgetUsd) === undefined ? {} : { limits: limits(values) },
  ...(values.allowedTools ?? values.disallowedTools) === undefined ? {} : { rules: rules(values) },
  onAsk: face === "terminal" ? "ask" : values.onAsk ?? "deny"
})

/** What a new session starts with. */
export const whole = (values: Values, face: "terminal" | "headless", variables: Variables): Effect.Effect<Wanted, SettingsError> => {
  const model = values.model ?? variables["EFFERENT_MODEL"] ?? preferred.find(({ variable }) => (variables[variable] ?? "") !== "")?.model
  if (model === undefined) {
    return new SettingsError({
      where: "--model",
      message: "No model is chosen: name one with --model provider/model (or EFFERENT_MODEL), or set " +
        `${preferred.map(({ variable }) => variable).join(" or ")}. \`efferent models\` lists what is known.`
    })
  }
  return Effect.succeed({
    mode: "default",
    toolFormat: "auto",
    limits: limits(values),
    rules: rules(values),
    onAsk: "deny",
    ...named(values, face),
    model
  })
}

const limits = (values: Values): Guard.Limits => ({
  ...Guard.defaults,
  ...(values.maxTurns === undefined ? {} : { turns: values.maxTurns }),
  ...(values.timeout === undefined ? {} : { wallMs: values.timeout * 1000 }),
  ...(values.maxBudgetUsd === undefined ? {} : { usd: values.maxBudgetUsd })
})

const rules = (values: Values): Wanted["rules"] => ({
  allow: values.allowedTools ?? [],
  ask: [],
  deny: values.disallowedTools ?? []
})
