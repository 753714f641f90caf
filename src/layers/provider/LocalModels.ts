/** What servers say that they have: local ones, which no catalogue can know. One that is not there has nothing. */
import * as Effect from "effect/Effect"
import type { Model } from "../../domain/provider/Model.ts"
import { hasServer, type Route } from "../../services/Route.ts"
import * as Endpoints from "./Endpoints.ts"

/** How long a server may take before it counts as not there. */
const patience = "2 seconds"

/** By the name of the route. */
export const models = Effect.fnUntraced(function*(routes: ReadonlyArray<Route>, options: Endpoints.Options) {
  const endpoints = yield* Endpoints.make(options)
  const ask = (route: Route) =>
    endpoints.reach(route).pipe(
      Effect.flatMap(({ connection }) => connection.models ?? Effect.succeed<ReadonlyArray<Model>>([])),
      Effect.timeout(patience),
      Effect.catch(() => Effect.succeed<ReadonlyArray<Model>>([])),
      Effect.map((models) => [route.name, models] as const)
    )
  return new Map(yield* Effect.forEach(routes.filter((route) => route.local && hasServer(route)), ask, { concurrency: "unbounded" }))
})
