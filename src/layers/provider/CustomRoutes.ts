/** Providers that the user's settings define: `providers.<name>` with a wire, beside the built-in ones and several of a kind. */
import type { ProviderSettings } from "../../domain/config/Settings.ts"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import type { Model } from "../../domain/provider/Model.ts"
import { similarNames } from "../../domain/provider/SimilarNames.ts"
import type { Route } from "../../services/Route.ts"
import { builtin } from "./builtin.ts"
import { connect as messages } from "./sdk/AnthropicSdk.ts"
import { gemini } from "./sdk/GoogleSdk.ts"
import { chat, responses } from "./sdk/OpenAiSdk.ts"

type Providers = Readonly<Record<string, ProviderSettings>>

const connectByWire: Readonly<Record<NonNullable<ProviderSettings["wire"]>, Route["connect"]>> = {
  "anthropic-messages": messages,
  gemini,
  "openai-chat": chat(),
  "openai-responses": responses
}

/** A route for each provider with a wire; it runs without a key unless `keyEnv` names one. */
export const routes = (providers: Providers): ReadonlyArray<Route> =>
  Object.entries(providers).flatMap(([name, { baseUrl = "", keyEnv, wire }]) =>
    wire === undefined ? [] : [{
      name,
      title: name,
      wire,
      keys: keyEnv === undefined ? [] : [keyEnv],
      baseUrl,
      local: false,
      connect: connectByWire[wire]
    }]
  )

/** What the settings say about a model, over what is known about it otherwise. */
export const withSettings = (model: Model, settings: ProviderSettings | undefined): Model => {
  const described = settings?.models?.[model.id]
  if (described === undefined) return model
  const { assumed: _, similar: __, unstatedOutput, ...known } = model
  return {
    ...known,
    ...(unstatedOutput === undefined || described.maxOutput !== undefined ? {} : { unstatedOutput }),
    ...(described.window === undefined ? {} : { window: described.window }),
    ...(described.maxOutput === undefined ? {} : { maxOutput: described.maxOutput }),
    ...(described.tools === undefined ? {} : { nativeTools: described.tools }),
    ...(described.images === undefined ? {} : { images: described.images }),
    ...(described.price === undefined ? {} : { price: described.price })
  }
}

const names = builtin.map(({ name }) => name)

/** Why a name under `providers` means nothing: it is not built in, and no wire defines it. */
export const unknownName = (name: string, { wire }: Pick<ProviderSettings, "wire"> = {}): SettingsError | undefined => {
  if (wire !== undefined || names.includes(name)) return undefined
  const near = similarNames(name, names)
  return new SettingsError({
    where: `providers.${name}`,
    message: `"${name}" is not a provider.${near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`} ` +
      `To define one of your own, set its "wire" (${Object.keys(connectByWire).join(", ")}) and its "baseUrl".`
  })
}

/** The first provider of the settings that is neither built in nor completely defined. */
export const fault = (providers: Providers = {}): SettingsError | undefined => {
  for (const [name, settings] of Object.entries(providers)) {
    const unknown = unknownName(name, settings)
    if (unknown !== undefined) return unknown
    const where = `providers.${name}`
    if (settings.wire === undefined) continue
    if (names.includes(name)) return new SettingsError({ where, message: `"${name}" is built in, with its wire. Choose another name.` })
    if (settings.baseUrl === undefined) return new SettingsError({ where, message: "A provider with a \"wire\" needs a \"baseUrl\" too." })
  }
  return undefined
}
