/** Providers that the user's settings define: `providers.<name>` with a wire, beside the built-in ones and several of a kind. */
import type * as Effect from "effect/Effect"
import type { ProviderSettings } from "../../domain/config/Settings.ts"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import type { Model } from "../../domain/provider/Model.ts"
import { alternatives, similarNames } from "../../domain/provider/SimilarNames.ts"
import * as Route from "../../services/Route.ts"
import { builtin } from "./builtin.ts"
import { chat, gemini, messages, responses } from "./wires.ts"

type Providers = Readonly<Record<string, ProviderSettings>>

type Connect = (settings: ProviderSettings) => Route.Route["connect"]

const connectByWire: Readonly<Record<NonNullable<ProviderSettings["wire"]>, Connect>> = {
  "anthropic-messages": () => messages,
  gemini: () => gemini,
  "openai-chat": ({ models = {} }) =>
    chat({}, async () => (await import("./queries/QueryServer.ts")).listedWindows((id) => models[id]?.window !== undefined)),
  "openai-responses": () => responses
}

/** A route for each provider with a wire; it runs without a key unless `keyEnv` names one. */
export const routes = (providers: Providers): ReadonlyArray<Route.Route> =>
  Object.entries(providers).flatMap(([name, settings]) => {
    const { baseUrl = "", keyEnv, wire } = settings
    return wire === undefined ? [] : [{
      name,
      title: name,
      wire,
      keys: keyEnv === undefined ? [] : [keyEnv],
      baseUrl,
      local: false,
      connect: connectByWire[wire](settings)
    }]
  })

/**
 * Encodes the requests of a provider that is not built in, on the wire that its model recorded: for a replay without the settings or
 * the plugin that named it. Undefined for any other model. Nothing is ever sent.
 */
export const recordedEncoder = ({ provider, wire }: Model): Effect.Effect<Route.Connection> | undefined =>
  wire === undefined || names.includes(provider) || !isWire(wire) ? undefined : Route.connect({ connect: connectByWire[wire]({}) }, {
    provider,
    baseUrl: "http://localhost",
    key: undefined,
    idleMs: 0,
    variables: {},
    fetch: () => Promise.reject(new Error("A replay sends nothing.")),
    decorate: (request) => request
  })

const isWire = (wire: string): wire is keyof typeof connectByWire => Object.hasOwn(connectByWire, wire)

/** The wire to record with a model: one that its provider's name alone does not tell. */
export const recordedWire = ({ earlier, name, wire }: Route.Route): string | undefined =>
  earlier !== undefined || !names.includes(name) && isWire(wire) ? wire : undefined

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

/** Why a name under `providers` means nothing: it is neither built in nor the program's own, and no wire defines it. */
export const unknownName = (
  name: string,
  { wire }: Pick<ProviderSettings, "wire"> = {},
  ownRoutes: ReadonlyArray<Route.Route> = []
): SettingsError | undefined => {
  const validNames = [...names, ...ownRoutes.map(({ name }) => name)]
  if (wire !== undefined || validNames.includes(name)) return undefined
  const near = similarNames(name, validNames)
  return new SettingsError({
    where: `providers.${name}`,
    message: `"${name}" is not a provider.${near.length === 0 ? "" : ` Did you mean ${alternatives(near)}?`} ` +
      `To define one of your own, set its "wire" (${Object.keys(connectByWire).join(", ")}) and its "baseUrl".`
  })
}

/** Why a provider of the settings can't be used: it is neither built in, nor one of `ownRoutes`, nor completely defined. */
export const faultOf = (
  name: string,
  settings: ProviderSettings,
  ownRoutes: ReadonlyArray<Route.Route> = []
): SettingsError | undefined => {
  const where = `providers.${name}`
  const unknown = unknownName(name, settings, ownRoutes)
  return unknown !== undefined || settings.wire === undefined ? unknown
    : names.includes(name) ? new SettingsError({ where, message: `"${name}" is built in, with its wire. Choose another name.` })
    : settings.baseUrl === undefined ? new SettingsError({ where, message: "A provider with a \"wire\" needs a \"baseUrl\" too." })
    : undefined
}

/** The first provider of the settings that can't be used. */
export const fault = (providers: Providers = {}, ownRoutes: ReadonlyArray<Route.Route> = []): SettingsError | undefined => {
  for (const [name, settings] of Object.entries(providers)) {
    const problem = faultOf(name, settings, ownRoutes)
    if (problem !== undefined) return problem
  }
  return undefined
}
