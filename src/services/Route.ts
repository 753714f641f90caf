/** The plug-in contract of a provider: a protocol, an endpoint, and how it authenticates. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { Chunk } from "../domain/message/Chunk.ts"
import type { Model } from "../domain/provider/Model.ts"
import type { ModelRequest } from "../domain/provider/ModelRequest.ts"
import type { ProviderError } from "../domain/provider/ProviderError.ts"

/**
 * - `name` stands before the slash in `provider/model`. `wire` is the name of its protocol.
 * - `keys` are the environment variables that may hold its key; the first one set wins. With `keyOptional`, or with none
 *   named, it also runs without one.
 * - `earlier` is the wire of models that record none: of sessions from before the route had its present wire.
 * - `catalogue` is the provider's name in the catalogue, if different.
 * - `catalogueId` returns the catalogue's name for a model that has another one here.
 * - `baseUrl` is the default endpoint, `baseUrlVariable` the variable that overrides it. If the endpoint depends on a
 *   location (a region, a project), `baseUrl` shows it with `<…>` in it, and `place` builds it from variables.
 */
export interface Route {
  readonly name: string
  readonly title: string
  readonly wire: string
  readonly keys: ReadonlyArray<string>
  readonly keyOptional?: boolean
  readonly baseUrl: string
  readonly baseUrlVariable?: string
  readonly local: boolean
  readonly catalogue?: string
  readonly catalogueId?: (id: string) => string
  readonly place?: EnvEndpoint
  readonly earlier?: Pick<Route, "wire" | "connect">
  /** The implementation of this route, created with its address and key on first use; a promise if it is loaded only then. */
  readonly connect: (endpoint: Endpoint) => Connection | Promise<Connection>
}

/** Connects a route to an endpoint. What it throws, or rejects with, is a defect. */
export const connect = (route: Pick<Route, "connect">, endpoint: Endpoint): Effect.Effect<Connection> =>
  Effect.flatMap(
    Effect.suspend(() => {
      const connection = route.connect(endpoint)
      return Predicate.isPromiseLike(connection) ? Effect.promise(() => connection) : Effect.succeed(connection)
    }),
    (connection) =>
      typeof connection?.encode === "function" && typeof connection.send === "function" ? Effect.succeed(connection)
        : Effect.die(new TypeError(`\`connect\` of the route ${endpoint.provider} must return { encode, send }, or a promise of it.`))
  )

/** The route of a model: on an earlier wire if the model is from before the route changed. */
export const ofModel = (route: Route, model: Pick<Model, "wire"> | undefined): Route =>
  route.earlier === undefined || model === undefined || model.wire === route.wire ? route : { ...route, ...route.earlier }

/** Variables of the environment. */
export type Variables = Readonly<Record<string, string | undefined>>

/** `keys` are the variables that determine it, `address` is undefined while one of them is missing. */
export interface EnvEndpoint {
  readonly keys: ReadonlyArray<string>
  readonly address: (variables: Variables) => string | undefined
}

/** Where a route is reached: at the first address that is set, of a flag, its variable, the settings; or at its own. */
export const address = (
  { baseUrl, baseUrlVariable, place }: Route,
  variables: Variables,
  { flag, setting }: { readonly flag?: string | undefined; readonly setting?: string | undefined }
): string => {
  const variable = baseUrlVariable === undefined ? undefined : variables[baseUrlVariable]?.trim()
  const override = [flag, variable, setting].find((one) => one !== undefined && one !== "")
  return override ?? (place === undefined ? baseUrl : place.address(variables) ?? "")
}

/** Whether a route uses the network: a script does not. */
export const hasServer = ({ baseUrl, baseUrlVariable }: Route): boolean => baseUrl !== "" || baseUrlVariable !== undefined

/**
 * `idleMs`: a longer silence breaks off a response. `variables`: the environment's, for what a route reads besides its
 * key (regions, projects, credentials of several parts).
 */
export interface Endpoint {
  readonly provider: string
  readonly baseUrl: string
  readonly key: Redacted.Redacted | undefined
  readonly idleMs: number
  readonly variables: Variables
  /** How SDKs send requests: from a layer, so that cassettes and faults work for all. It adds the user's headers and parameters. */
  readonly fetch: typeof globalThis.fetch
  /** Adds the user's headers and parameters, for routes that sign before sending; idempotent. */
  readonly decorate: (request: Outgoing) => Outgoing
}

/** An outgoing request. */
export interface Outgoing {
  readonly url: URL
  readonly headers: Headers
  readonly body: RequestInit["body"] | undefined
}

/** A route to one address with one key: what a request is on the wire, and sending it. */
export interface Connection {
  readonly encode: (request: ModelRequest, model: Model) => Schema.Json
  readonly send: (body: Schema.Json, request: SendContext) => Stream.Stream<Chunk, ProviderError>
  /** What the server itself reports about a model; null if it reports nothing, `UnknownModel` if it denies it. */
  readonly describe?: (id: string) => Effect.Effect<Model | null, ProviderError>
  /** Models that the server itself lists, if supported. */
  readonly models?: Effect.Effect<ReadonlyArray<Model>, ProviderError>
}

/** What a transport needs besides the body. */
export interface SendContext {
  readonly model: Model
  readonly request: ModelRequest
}
