/** The models that local servers report, which no catalogue can know. A server that is not running has none. */
import * as Effect from "effect/Effect"
import type { Model } from "../../domain/provider/Model.ts"
import { hasServer, type Route } from "../../services/Route.ts"
import * as Endpoints from "./Endpoints.ts"

/** A server that takes longer counts as not running. */
const timeout = "2 seconds"

/** By the name of the route. */
export const models = Effect.fnUntraced(function*(routes: ReadonlyArray<Route>, options: Endpoints.Options) {
  const endpoints = yield* Endpoints.make(options)
  const modelsOf = (route: Route) =>
    endpoints.reach(route).pipe(
      Effect.flatMap(({ connection }) => connection.models ?? Effect.succeed<ReadonlyArray<Model>>([])),
      Effect.timeout(timeout),
      Effect.catch(() => Effect.succeed<ReadonlyArray<Model>>([])),
      Effect.map((models) => [route.name, models] as const)
    )
  return new Map(yield* Effect.forEach(routes.filter((route) => route.local && hasServer(route)), modelsOf, { concurrency: "unbounded" }))
})
