/** Where each route is spoken to, with which key and what the user adds: found when it is first needed, then kept. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { ProviderSettings } from "../../domain/config/Settings.ts"
import { idle } from "../../domain/provider/Retry.ts"
import { ProviderError } from "../../domain/provider/ProviderError.ts"
import { Environment } from "../../services/Environment.ts"
import { Fetch } from "../../services/Fetch.ts"
import * as Keys from "../../services/Keys.ts"
import type { Connection, Route } from "../../services/Route.ts"
import * as Additions from "./RequestAdditions.ts"
import * as Fresh from "./transport/RetryStaleConnection.ts"

export interface Options {
  readonly baseUrl?: string
  readonly providers?: Readonly<Record<string, ProviderSettings>>
}

/** A route that can be spoken to. `from` says where its key was found; `place` names the endpoint and the key. */
export interface Reached {
  readonly connection: Connection
  readonly from: string | undefined
  readonly place: string
  /** Takes out of a text what nobody may read. */
  readonly hide: (text: string) => string
}

export const make = Effect.fnUntraced(function*({ baseUrl, providers = {} }: Options) {
  const { variables } = yield* Environment
  const fetch = yield* Fetch
  const kept = yield* Keys.Keys
  const reached = new Map<string, Reached>()
  const encoders = new Map<string, Connection>()

  /** What the environment holds of secrets: clouds sign with more than one. */
  const ambient = Object.entries(variables).flatMap(([name, value = ""]) => Additions.secretive.test(name) && value.length >= 12 ? [value] : [])

  const addressOf = (route: Route, additions: Additions.Additions): string => {
    const variable = route.baseUrlVariable === undefined ? undefined : variables[route.baseUrlVariable]?.trim()
    const told = [baseUrl, variable, additions.baseUrl].find((told) => told !== undefined && told !== "")
    return told ?? (route.place === undefined ? route.baseUrl : route.place.address(variables) ?? "")
  }

  const connect = (route: Route, additions: Additions.Additions, found: Keys.Found | undefined): Reached => {
    const address = addressOf(route, additions)
    const key = found?.key
    const secrets = [...[...(key === undefined ? [] : [key]), ...additions.secrets].map(Redacted.value), ...ambient].filter(({ length }) => length >= 4)
    return {
      connection: route.connect({
        provider: route.name,
        baseUrl: address,
        key,
        idleMs: additions.idleMs ?? (route.local ? idle.local : idle.remote),
        variables,
        fetch: Additions.wrap(Fresh.wrap(fetch), additions),
        added: Additions.add(additions)
      }),
      from: found?.from,
      place: `${address} ${found?.from ?? ""}`,
      hide: (text) => secrets.reduce((text, secret) => text.replaceAll(secret, "[key]"), text)
    }
  }

  return {
    /** What encodes for a model: needs no key, so that a replay encodes what was sent elsewhere. */
    encoder: (route: Route): Connection => {
      const known = encoders.get(route.name) ?? connect(route, Additions.none, undefined).connection
      encoders.set(route.name, known)
      return known
    },
    reach: Effect.fn("Endpoints.reach")(function*(route: Route) {
      const known = reached.get(route.name)
      if (known !== undefined) return known
      const additions = Additions.resolve(providers[route.name] ?? {}, variables)
      if (Result.isFailure(additions)) return yield* notSet(route, additions.failure)
      const found = yield* Keys.find(route.keys, variables, (key) => Redacted.make(key, { label: route.name })).pipe(
        Effect.provideService(Keys.Keys, kept),
        Effect.mapError(({ message, where }) => new ProviderError({ provider: route.name, message: `${where} ${message}`, reason: { _tag: "Auth" } }))
      )
      if (found === undefined && route.keys.length > 0 && route.keyOptional !== true) return yield* noKey(route)
      const address = addressOf(route, additions.success)
      if (route.baseUrlVariable !== undefined && URL.parse(address) === null) return yield* noAddress(route, route.baseUrlVariable, address)
      const made = connect(route, additions.success, found)
      reached.set(route.name, made)
      return made
    })
  }
})

const noKey = ({ keys, name, title }: Route) =>
  new ProviderError({
    provider: name,
    message: `There is no key for ${title}: set ${keys.join(" or ")} in the environment, keep one with \`dacapo auth login ${name}\`, or choose another model with --model.`,
    reason: { _tag: "Auth" }
  })

const notSet = ({ name, title }: Route, variable: string) =>
  new ProviderError({
    provider: name,
    message: `The settings for ${title} ("providers", "${name}") name \${${variable}}, which is not set in the environment. Set it, or write \${${variable}:-something}.`,
    reason: { _tag: "Auth" }
  })

const noAddress = ({ name, place, title }: Route, variable: string, baseUrl: string) =>
  new ProviderError({
    provider: name,
    message: `There is no address for ${title}: ${baseUrl === "" ? "" : `"${baseUrl}" is no URL; `}give one with --base-url, or set ${[...(place?.keys ?? []), variable].join(" or ")} in the environment.`,
    reason: { _tag: "BadRequest" }
  })
