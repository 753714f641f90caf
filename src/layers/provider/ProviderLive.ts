/** The Provider service over a list of routes: finds a model, its endpoint and key, and streams its responses. */
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { optional } from "../../domain/Optional.ts"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import { cacheMarks, type Model, title } from "../../domain/provider/Model.ts"
import type { ModelRequest } from "../../domain/provider/ModelRequest.ts"
import { ProviderError } from "../../domain/provider/ProviderError.ts"
import { similarNames } from "../../domain/provider/SimilarNames.ts"
import { isToolRefusal } from "../../domain/provider/Unsupported.ts"
import type { Environment } from "../../services/Environment.ts"
import { Provider, type PreparedRequest } from "../../services/Provider.ts"
import * as Route from "../../services/Route.ts"
import { builtin } from "./builtin.ts"
import * as CustomRoutes from "./CustomRoutes.ts"
import type { CatalogueData } from "./CatalogueFile.ts"
import * as EndpointNotes from "./EndpointNotes.ts"
import * as Endpoints from "./Endpoints.ts"
import * as RequestPipeline from "./RequestPipeline.ts"

/**
 * - `apiKey` is the key of one provider, whether it needs one or not.
 * - `baseUrl` overrides the address of every route (the flag --base-url).
 * - `providers`: the user's settings for single routes.
 * - `routes`: the routes to choose from.
 * - `catalogue`: the model catalogue to use.
 * - `notes`: what is remembered about servers; nothing by default.
 */
export interface Options extends Endpoints.Options {
  readonly routes?: ReadonlyArray<Route.Route>
  readonly catalogue?: Pick<CatalogueData, "entries" | "hash">
  readonly notes?: EndpointNotes.EndpointNotes
}

const vendored: Options["catalogue"] = { entries: Catalogue.vendored, hash: "" }

/** The Provider service. Endpoints are looked up when a model first needs them. */
export const layer = (
  { catalogue = vendored, notes = EndpointNotes.none, routes = builtin, ...options }: Options = {}
): Layer.Layer<Provider, never, Environment> =>
  Layer.effect(
    Provider,
    Effect.gen(function*() {
      const { entries, hash } = catalogue
      const endpoints = yield* Endpoints.make(options)
      const send = yield* RequestPipeline.make(notes)
      const routeByName = new Map([...routes, ...CustomRoutes.routes(options.providers ?? {})].map((route) => [route.name, route]))

      const routeFor = (name: string): Result.Result<Route.Route, ProviderError> => {
        const route = routeByName.get(Catalogue.parse(name).provider)
        return route === undefined ? Result.fail(unknownModel(name, [...routeByName.keys()], entries)) : Result.succeed(route)
      }

      /** The target of a model's requests. Its errors are explained with the source of the key and similar model names. */
      const targetFor = Effect.fnUntraced(function*(name: string, recorded?: Model) {
        const route = Route.ofModel(yield* Effect.fromResult(routeFor(name)), recorded)
        const { address, connection, guardKey, keySource, redact } = yield* endpoints.reach(route)
        const near = () => Catalogue.similarModels(name, [route.catalogue ?? route.name], entries)
        const explain = (error: ProviderError) => explained(error, redact, { keySource, name, near, wire: route.wire })
        return { route, address, connection, guardKey, explain }
      })

      /** The catalogue's model of this id, its cheaper alternative, and the hash of the catalogue. */
      const catalogued = ({ catalogue, catalogueId, name }: Route.Route, id: string): Model | undefined => {
        const find = (id: string) => Catalogue.find(catalogue ?? name, id, name, entries)
        const model = find(id) ?? (catalogueId === undefined ? undefined : find(catalogueId(id)))
        if (model === undefined) return undefined
        // A route with ids of its own can't request another model by the catalogue's id.
        const cheaper = catalogueId === undefined
          ? Catalogue.cheaperModel(model, Catalogue.models(catalogue ?? name, name, entries))
          : undefined
        return {
          ...model,
          id,
          ...(cheaper === undefined ? {} : { cheaper: title(cheaper) }),
          ...(hash === "" ? {} : { catalogue: hash })
        }
      }

      const describe = Effect.fn("Provider.describe")(function*(name: string) {
        const { effort, id } = Catalogue.parse(name)
        if (id.trim() === "") return yield* unknownModel(name, [...routeByName.keys()], entries)
        const { address, connection, explain, route } = yield* targetFor(name)
        const settings = options.providers?.[route.name]
        const served = connection.describe === undefined ? null : yield* Effect.mapError(connection.describe(id), explain)
        const model = served ?? catalogued(route, id) ?? assumed(route, id, entries)
        const described = CustomRoutes.withSettings(model, settings)
        const refusal = described.assumed === true && described.nativeTools && settings?.models?.[id]?.tools === undefined
          ? yield* notes.find({ kind: "xml-tools", provider: route.name, address, model: id })
          : undefined
        return {
          ...described,
          ...(refusal === undefined ? {} : { nativeTools: false }),
          ...optional({
            margin: settings?.margin,
            think: effort,
            wire: CustomRoutes.recordedWire(route),
            cacheMarks: cacheMarks(route, id, settings?.cache)
          })
        }
      })

      const prepare = Effect.fnUntraced(function*(model: Model, request: ModelRequest) {
        const route = yield* Effect.fromResult(routeFor(title(model)))
        return prepareWith(yield* endpoints.encoder(Route.ofModel(route, model)), model, request)
      })

      const stream = (prepared: PreparedRequest) =>
        Stream.unwrap(Effect.map(targetFor(title(prepared.model), prepared.model), (target) =>
          send(prepared, target).pipe(Stream.tapError(noteRefusal(prepared, target)))))

      /** Native tools that were refused are not tried again by other sessions for a while. */
      const noteRefusal =
        ({ model, request }: PreparedRequest, { address, route }: RequestPipeline.Target) => ({ message, reason }: ProviderError) =>
          request.tools.length > 0 && isToolRefusal(model, reason, message)
            ? notes.save({ kind: "xml-tools", provider: route.name, address, model: model.id }, message)
            : Effect.void

      return Provider.of({ describe, prepare, stream })
    })
  ).pipe(Layer.provide(CircuitBreaker.layerStoreMemory()))

/** The request of a model as it is on the wire. */
export const prepareWith = (
  { encode }: Pick<Route.Connection, "encode">,
  model: Model,
  { effort = model.think, ...rest }: ModelRequest
): PreparedRequest => {
  const request = effort === undefined ? rest : { ...rest, effort }
  return { model, request, body: encode(request, model) }
}

/** A model that neither its server nor the catalogue describes. */
const assumed = ({ catalogue, local, name }: Route.Route, id: string, entries: Catalogue.Entries): Model => {
  const similar = local ? [] : similarNames(id, Object.keys(entries[catalogue ?? name]?.models ?? {}))
  return { ...Catalogue.assumed(name, id, { local }), ...(similar.length === 0 ? {} : { similar }) }
}

interface Context {
  readonly keySource: string | undefined
  readonly name: string
  readonly wire: string
  /** Names similar to an unknown model's. */
  readonly near: () => ReadonlyArray<string>
}

/** The error without secrets, with the source of a rejected key or the names similar to an unknown model's. */
const explained = (error: ProviderError, redact: (text: string) => string, context: Context): ProviderError => {
  const { reason } = error
  const { keySource, name, wire } = context
  const source = (reason._tag === "Auth" || reason._tag === "Quota") && keySource !== undefined ? ` The key is from ${keySource}.` : ""
  const near = reason._tag !== "UnknownModel" ? []
    : reason.near.length > 0 ? reason.near
    : context.near().filter((similar) => similar !== name)
  const isMissing = reason._tag === "BadRequest" && error.status === 404 && wire === "openai-responses"
  const otherWire = isMissing ? ` A server without the Responses API answers as openai-chat/${Catalogue.parse(name).id}.` : ""
  const suggestion = near.length === 0 || error.message.includes(near[0]!) ? "" : ` Did you mean ${near.join(" or ")}?`
  return new ProviderError({
    ...error,
    message: `${redact(error.message)}${source}${suggestion}${otherWire}`,
    reason: reason._tag === "UnknownModel" ? { ...reason, near } : reason
  })
}

const unknownModel = (name: string, providers: ReadonlyArray<string>, entries: Catalogue.Entries) => {
  const near = Catalogue.similarModels(name, providers, entries)
  const suggestion = near.length === 0 ? `Providers: ${providers.join(", ")}.` : `Did you mean ${near.join(" or ")}?`
  return new ProviderError({
    provider: Catalogue.parse(name).provider,
    message: `Unknown model "${name}". A model is named provider/model. ${suggestion}`,
    reason: { _tag: "UnknownModel", near }
  })
}
