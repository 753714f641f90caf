/** Any of a list of routes behind the Provider service: finds the model, its endpoint and key, and streams its answers. */
import * as Arr from "effect/Array"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Chunk, Timed } from "../../domain/message/Chunk.ts"
import type { ProviderSettings } from "../../domain/config/Settings.ts"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import { type Model, title } from "../../domain/provider/Model.ts"
import type { ModelRequest } from "../../domain/provider/ModelRequest.ts"
import { ProviderError } from "../../domain/provider/ProviderError.ts"
import type { Environment } from "../../services/Environment.ts"
import { Provider, type Prepared } from "../../services/Provider.ts"
import { hasServer, type Route } from "../../services/Route.ts"
import * as Begun from "./ResponseStart.ts"
import * as Breaker from "./CircuitBreaker.ts"
import { builtin } from "./builtin.ts"
import * as Endpoints from "./Endpoints.ts"
import type { Known } from "./CatalogueFile.ts"
import * as Gate from "./RateLimitGate.ts"
import { whole } from "./ResponseChecks.ts"

/**
 * `baseUrl` replaces the address of every route (the flag --base-url); `providers` are the user's own settings for
 * routes; `routes` are those to choose from; `catalogue` is what is known of models.
 */
export interface Options {
  readonly baseUrl?: string
  readonly providers?: Readonly<Record<string, ProviderSettings>>
  readonly routes?: ReadonlyArray<Route>
  readonly catalogue?: Pick<Known, "entries" | "hash">
}

export const layer = ({ catalogue: figures = { entries: Catalogue.vendored, hash: "" }, routes: list = builtin, ...options }: Options = {}): Layer.Layer<Provider, never, Environment> =>
  Layer.effect(Provider, Effect.gen(function*() {
    const { entries } = figures
    const endpoints = yield* Endpoints.make(options)
    const breaker = yield* Breaker.make
    const gate = Gate.make()
    const routes = new Map(list.map((route) => [route.name, route]))

    const find = (name: string): Result.Result<Route, ProviderError> => {
      const route = routes.get(Catalogue.parse(name).provider)
      return route === undefined ? Result.fail(unknown(name, [...routes.keys()], entries)) : Result.succeed(route)
    }

    /** What is about to be spoken to, with its errors told by someone who knows the key and the catalogue. */
    const reach = Effect.fnUntraced(function*(name: string) {
      const route = yield* Effect.fromResult(find(name))
      const { connection, from, hide, place } = yield* endpoints.reach(route)
      const told = (error: ProviderError) => explained(error, hide, { from, name, near: () => Catalogue.nearby(name, [route.catalogue ?? route.name], entries) })
      return { route, connection, place, told }
    })

    /** What the catalogue has of a model under its name here, which one to take for less, and which catalogue that was. */
    const listed = ({ catalogue, catalogueId, name }: Route, id: string): Model | undefined => {
      const find = (id: string) => Catalogue.find(catalogue ?? name, id, name, entries)
      const model = find(id) ?? (catalogueId === undefined ? undefined : find(catalogueId(id)))
      if (model === undefined) return undefined
      // Where ids differ from the catalogue's, it can't name another model.
      const cheaper = catalogueId === undefined ? Catalogue.cheaper(model, Catalogue.models(catalogue ?? name, name, entries)) : undefined
      return {
        ...model,
        id,
        ...(cheaper === undefined ? {} : { cheaper: title(cheaper) }),
        ...(figures.hash === "" ? {} : { catalogue: figures.hash })
      }
    }

    const describe = Effect.fn("Provider.describe")(function*(name: string) {
      const { effort, id } = Catalogue.parse(name)
      if (id.trim() === "") return yield* unknown(name, [...routes.keys()], entries)
      const { connection, route, told } = yield* reach(name)
      const stated = connection.describe === undefined ? null : yield* Effect.mapError(connection.describe(id), told)
      const model = stated ?? listed(route, id) ?? Catalogue.assumed(route.name, id, { local: route.local })
      const margin = options.providers?.[route.name]?.margin
      return { ...model, ...(margin === undefined ? {} : { margin }), ...(effort === undefined ? {} : { think: effort }) }
    })

    const prepare = (model: Model, asked: ModelRequest) =>
      Effect.fromResult(Result.map(find(`${model.provider}/${model.id}`), (route): Prepared => {
        const request = asked.effort === undefined && model.think !== undefined ? { ...asked, effort: model.think } : asked
        return { model, request, body: endpoints.encoder(route).encode(request, model) }
      }))

    const stream = ({ body, model, request }: Prepared): Stream.Stream<Timed, ProviderError> =>
      Stream.unwrap(Effect.map(reach(`${model.provider}/${model.id}`), ({ connection, place, route, told }) => {
        const answer = whole(route, request, connection.send(body, { model, request }))
        const guarded = !hasServer(route) ? answer : Stream.unwrap(Begun.of(answer).pipe(gate(place), breaker(route.name, place)))
        return timed(Stream.mapError(guarded, told))
      }))

    return Provider.of({ describe, prepare, stream })
  })).pipe(Layer.provide(CircuitBreaker.layerStoreMemory()))

/** Chunks with their time since the request went out. */
const timed = (chunks: Stream.Stream<Chunk, ProviderError>): Stream.Stream<Timed, ProviderError> =>
  Stream.unwrap(Effect.map(Clock.Clock, (clock) => {
    const start = clock.currentTimeMillisUnsafe()
    return Stream.mapArray(chunks, (arrived) => {
      const at = Math.round(clock.currentTimeMillisUnsafe() - start)
      return Arr.map(arrived, (chunk): Timed => ({ at, chunk }))
    })
  }))

interface Facts {
  readonly from: string | undefined
  readonly name: string
  readonly near: () => ReadonlyArray<string>
}

/** An error with what only we know: where the key came from, and which names are near. */
const explained = (error: ProviderError, hide: (text: string) => string, { from, name, near }: Facts): ProviderError => {
  const { reason } = error
  const keyed = (reason._tag === "Auth" || reason._tag === "Quota") && from !== undefined ? ` The key is from ${from}.` : ""
  const names = reason._tag !== "UnknownModel" ? [] : reason.near.length > 0 ? reason.near : near().filter((one) => one !== name)
  const likely = names.length === 0 || error.message.includes(names[0]!) ? "" : ` Did you mean ${names.join(", ")}?`
  return new ProviderError({
    ...error,
    message: `${hide(error.message)}${keyed}${likely}`,
    reason: reason._tag === "UnknownModel" ? { ...reason, near: names } : reason
  })
}

const unknown = (name: string, providers: ReadonlyArray<string>, entries: Catalogue.Entries) => {
  const near = Catalogue.nearby(name, providers, entries)
  return new ProviderError({
    provider: Catalogue.parse(name).provider,
    message: `There is no model "${name}": a name is provider/model.${near.length === 0 ? ` Providers: ${providers.join(", ")}.` : ` Did you mean ${near.join(", ")}?`}`,
    reason: { _tag: "UnknownModel", near }
  })
}
