/** Any of a list of routes behind the Provider service: finds the model, its endpoint and key, and streams its answers. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Chunk, Timed } from "../../domain/message/Chunk.ts"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import type { Model } from "../../domain/provider/Model.ts"
import type { ModelRequest } from "../../domain/provider/ModelRequest.ts"
import { ProviderError } from "../../domain/provider/ProviderError.ts"
import { Environment } from "../../services/Environment.ts"
import { Fetch } from "../../services/Fetch.ts"
import { Provider, type Prepared } from "../../services/Provider.ts"
import type { Connection, Route } from "../../services/Route.ts"
import { builtin } from "./builtin.ts"
import { whole } from "./Whole.ts"

/** `baseUrl` replaces the address of every route (the flag --base-url); `routes` are those to choose from. */
export interface Options {
  readonly baseUrl?: string
  readonly routes?: ReadonlyArray<Route>
}

/** Silence that breaks an answer, in ms: local models may think for long before their first word. */
const idle = { remote: 120_000, local: 600_000 }

export const layer = (options: Options = {}): Layer.Layer<Provider, never, Environment> =>
  Layer.effect(Provider, Effect.gen(function*() {
    const { variables } = yield* Environment
    const fetch = yield* Fetch
    const routes = new Map((options.routes ?? builtin).map((route) => [route.name, route]))
    const connections = new Map<string, Connection>()

    const keyOf = (route: Route) =>
      route.keys.map((name) => variables[name]?.trim()).find((value) => value !== undefined && value !== "")

    const addressOf = ({ baseUrl, baseUrlVariable, place }: Route): string => {
      const told = options.baseUrl ?? (baseUrlVariable === undefined ? undefined : variables[baseUrlVariable]?.trim()) ?? ""
      return told !== "" ? told : place === undefined ? baseUrl : place.address(variables) ?? ""
    }

    const connect = (route: Route): Connection => {
      const known = connections.get(route.name)
      if (known !== undefined) return known
      const key = keyOf(route)
      const connection = route.connect({
        provider: route.name,
        baseUrl: addressOf(route),
        key: key === undefined ? undefined : Redacted.make(key, { label: route.name }),
        idleMs: route.local ? idle.local : idle.remote,
        variables,
        fetch
      })
      connections.set(route.name, connection)
      return connection
    }

    /** What encodes for a model: needs no key, so that a replay encodes what was sent elsewhere. */
    const find = (name: string): Result.Result<Route, ProviderError> => {
      const route = routes.get(Catalogue.parse(name).provider)
      return route === undefined ? Result.fail(unknown(name, [...routes.keys()])) : Result.succeed(route)
    }

    /** What is about to be spoken to. */
    const reach = (name: string): Result.Result<readonly [Route, Connection], ProviderError> =>
      Result.flatMap(find(name), (route) =>
        keyOf(route) === undefined && route.keys.length > 0 && route.keyOptional !== true
          ? Result.fail(noKey(route))
          : route.baseUrlVariable !== undefined && URL.parse(addressOf(route)) === null
          ? Result.fail(noAddress(route, route.baseUrlVariable, addressOf(route)))
          : Result.succeed([route, connect(route)] as const))

    const describe = Effect.fn("Provider.describe")(function*(name: string) {
      const { effort, id } = Catalogue.parse(name)
      if (id.trim() === "") return yield* unknown(name, [...routes.keys()])
      const [route, connection] = yield* Effect.fromResult(reach(name))
      const told = connection.describe === undefined ? null : yield* connection.describe(id)
      const model = told ?? listed(route, id) ?? Catalogue.assumed(route.name, id, { local: route.local })
      return effort === undefined ? model : { ...model, think: effort }
    })

    const prepare = (model: Model, asked: ModelRequest) =>
      Effect.fromResult(Result.map(find(`${model.provider}/${model.id}`), (route): Prepared => {
        const request = asked.effort === undefined && model.think !== undefined ? { ...asked, effort: model.think } : asked
        return { model, request, body: connect(route).encode(request, model) }
      }))

    const stream = ({ body, model, request }: Prepared): Stream.Stream<Timed, ProviderError> =>
      Stream.unwrap(Effect.fromResult(reach(`${model.provider}/${model.id}`)).pipe(
        Effect.map(([route, connection]) => timed(whole(route, request, connection.send(body, { model, request }))))
      ))

    return Provider.of({ describe, prepare, stream })
  }))

/** What the catalogue has of a model, under its name here. */
const listed = ({ catalogue, catalogueId, name }: Route, id: string): Model | undefined => {
  const model = Catalogue.find(catalogue ?? name, id, name) ?? (catalogueId === undefined ? undefined : Catalogue.find(catalogue ?? name, catalogueId(id), name))
  return model === undefined ? undefined : { ...model, id }
}

/** Chunks with their time since the request went out. */
const timed = (chunks: Stream.Stream<Chunk, ProviderError>): Stream.Stream<Timed, ProviderError> =>
  Stream.unwrap(Effect.map(Clock.Clock, (clock) => {
    const start = clock.currentTimeMillisUnsafe()
    return Stream.map(chunks, (chunk): Timed => ({ at: Math.round(clock.currentTimeMillisUnsafe() - start), chunk }))
  }))

const noKey = ({ keys, name, title }: Route) =>
  new ProviderError({
    provider: name,
    message: `There is no key for ${title}: set ${keys.join(" or ")} in the environment, or choose another model with --model.`,
    reason: { _tag: "Auth" }
  })

const noAddress = ({ name, place, title }: Route, variable: string, baseUrl: string) =>
  new ProviderError({
    provider: name,
    message: `There is no address for ${title}: ${baseUrl === "" ? "" : `"${baseUrl}" is no URL; `}give one with --base-url, or set ${[...(place?.keys ?? []), variable].join(" or ")} in the environment.`,
    reason: { _tag: "BadRequest" }
  })

const unknown = (name: string, providers: ReadonlyArray<string>) => {
  const near = Catalogue.nearby(name, providers)
  return new ProviderError({
    provider: Catalogue.parse(name).provider,
    message: `There is no model "${name}": a name is provider/model.${near.length === 0 ? ` Providers: ${providers.join(", ")}.` : ` Did you mean ${near.join(", ")}?`}`,
    reason: { _tag: "UnknownModel", near }
  })
}
