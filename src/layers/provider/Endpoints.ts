/** The address, key and user settings of each route: looked up when first needed, then reused. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { ProviderSettings } from "../../domain/config/Settings.ts"
import { idleTimeoutMs } from "../../domain/provider/Retry.ts"
import { ProviderError } from "../../domain/provider/ProviderError.ts"
import { Environment } from "../../services/Environment.ts"
import { Fetch } from "../../services/Fetch.ts"
import * as Keys from "../../services/Keys.ts"
import * as Route from "../../services/Route.ts"
import * as RequestAdditions from "./RequestAdditions.ts"
import { fetchFor } from "./RequestPipeline.ts"

/** The options of `ProviderLive` that concern endpoints. */
export interface Options {
  readonly apiKey?: Keys.ProviderKey
  readonly baseUrl?: string
  readonly providers?: Readonly<Record<string, ProviderSettings>>
}

/** A route that can be used. `keySource` says where its key was found; `guardKey` names the endpoint, at its `address`, and the key. */
export interface Reachable {
  readonly connection: Route.Connection
  readonly address: string
  readonly keySource: string | undefined
  readonly guardKey: string
  /** Removes secrets from a message. */
  readonly redact: (text: string) => string
}

/** Values of the environment shorter than this are not treated as secrets. */
const minAmbientSecretLength = 12
const minSecretLength = 4

/** The endpoints of one process. */
export const make = Effect.fnUntraced(function*({ apiKey, baseUrl, providers = {} }: Options) {
  const { variables } = yield* Environment
  const fetch = yield* Fetch
  const keyStore = yield* Keys.Keys
  const reachable = new Map<string, Reachable>()
  const encoders = new Map<string, Route.Connection>()

  /** Secrets of the environment: clouds sign with more than one. */
  const ambientSecrets = Object.entries(variables).flatMap(([name, value = ""]) =>
    RequestAdditions.secretName.test(name) && value.length >= minAmbientSecretLength ? [value] : []
  )

  const addressOf = (route: Route.Route, additions: RequestAdditions.Additions): string =>
    Route.address(route, variables, { flag: baseUrl, setting: additions.baseUrl })

  const connect = Effect.fnUntraced(function*(route: Route.Route, additions: RequestAdditions.Additions, stored: Keys.ApiKey | undefined) {
    const address = addressOf(route, additions)
    const key = stored?.key
    const secrets = [...[...(key === undefined ? [] : [key]), ...additions.secrets].map(Redacted.value), ...ambientSecrets]
      .filter(({ length }) => length >= minSecretLength)
    const connection = yield* Route.connect(route, {
      provider: route.name,
      baseUrl: address,
      key,
      idleMs: additions.idleMs ?? (route.local ? idleTimeoutMs.local : idleTimeoutMs.remote),
      variables,
      fetch: fetchFor(fetch, additions),
      decorate: RequestAdditions.add(additions)
    })
    return {
      connection,
      address,
      keySource: stored?.source,
      guardKey: `${address} ${stored?.source ?? ""}`,
      redact: (text) => secrets.reduce((text, secret) => text.replaceAll(secret, "[key]"), text)
    } satisfies Reachable
  })

  return {
    /** Encodes requests without a key, so that a replay can encode what was sent on another machine. */
    encoder: Effect.fnUntraced(function*(route: Route.Route) {
      const encoder = encoders.get(nameOf(route)) ?? (yield* connect(route, RequestAdditions.none, undefined)).connection
      encoders.set(nameOf(route), encoder)
      return encoder
    }),
    reach: Effect.fn("Endpoints.reach")(function*(route: Route.Route) {
      const cached = reachable.get(nameOf(route))
      if (cached !== undefined) return cached
      const additions = RequestAdditions.resolve(providers[route.name] ?? {}, variables)
      if (Result.isFailure(additions)) return yield* variableNotSet(route, additions.failure)
      const stored = apiKey?.provider === route.name ? { key: apiKey.key, source: "the option apiKey" } :
        yield* Keys.find(route.keys, variables, (key) => Redacted.make(key, { label: route.name })).pipe(
          Effect.provideService(Keys.Keys, keyStore),
          Effect.mapError(({ message, where }) =>
            new ProviderError({ provider: route.name, message: `${where} ${message}`, reason: { _tag: "Auth" } })
          )
        )
      // Without a key a cloud's SDK would look for credentials of the machine.
      const needsKey = route.keyOptional !== true || (keyStore.advice !== undefined && route.place !== undefined)
      if (stored === undefined && route.keys.length > 0 && needsKey) return yield* noKey(route, keyStore)
      const address = addressOf(route, additions.success)
      const isConfigurable = route.baseUrlVariable !== undefined || additions.success.baseUrl !== undefined
      if (isConfigurable && !isWebAddress(address)) return yield* noAddress(route, address, additions.success)
      const endpoint = yield* connect(route, additions.success, stored)
      reachable.set(nameOf(route), endpoint)
      return endpoint
    })
  }
})

/** A route can have two wires. */
const nameOf = ({ name, wire }: Route.Route): string => `${name} ${wire}`

const noKey = ({ keys, name, title }: Route.Route, { advice }: Keys.KeyStore) =>
  new ProviderError({
    provider: name,
    message: `No API key for ${title}. ${advice?.(keys) ?? `Run "dacapo auth login ${name}" or set ${keys.join(" or ")}.`}`,
    reason: { _tag: "Auth" }
  })

const variableNotSet = ({ name, title }: Route.Route, variable: string) =>
  new ProviderError({
    provider: name,
    message: `The settings for ${title} ("providers", "${name}") use \${${variable}}, which is not set. `
      + `Set ${variable} in the environment, or write a default: \${${variable}:-default}.`,
    reason: { _tag: "Auth" }
  })

/** `localhost:11434` is a valid URL too, with the protocol `localhost:`. */
const isWebAddress = (address: string): boolean => /^https?:$/.test(URL.parse(address)?.protocol ?? "")

const noAddress = ({ baseUrlVariable, name, place, title }: Route.Route, address: string, { baseUrl }: RequestAdditions.Additions) =>
  new ProviderError({
    provider: name,
    message: `${address === "" ? `No address for ${title}.` : `"${address}" is not a valid URL for ${title}.`} ${
      baseUrlVariable === undefined || address === baseUrl
        ? `Set "baseUrl" of "${name}" in "providers" of the settings, such as "http://localhost:8080/v1".`
        : `Pass one with --base-url, or set ${[...(place?.keys ?? []), baseUrlVariable].join(" or ")}.`
    }`,
    reason: { _tag: "BadRequest" }
  })
