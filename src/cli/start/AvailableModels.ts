/** The models that can be used now: those of local servers, and of providers with a key. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import { builtin } from "../../layers/provider/builtin.ts"
import * as CatalogueFile from "../../layers/provider/CatalogueFile.ts"
import * as LocalModels from "../../layers/provider/LocalModels.ts"
import * as FetchLive from "../../layers/provider/transport/FetchLive.ts"
import * as Keys from "../../services/Keys.ts"
import { AgentLayers } from "../process/AgentLayers.ts"
import { Host } from "../process/Host.ts"

export const list = Effect.gen(function*() {
  const { environment: { variables } } = yield* Host
  const { records } = yield* AgentLayers
  const models = Effect.gen(function*() {
    const { entries } = yield* CatalogueFile.load
    const local = yield* LocalModels.models(builtin, {})
    const withKey = yield* Effect.filter(
      builtin,
      ({ keys }) => Effect.map(Keys.find(keys, variables, Redacted.make), (key) => key !== undefined)
    )
    return [
      ...[...local.values()].flat(),
      ...withKey.flatMap((route) => Catalogue.models(route.catalogue ?? route.name, route.name, entries))
    ]
  })
  return yield* Effect.provide(models, Layer.provideMerge(FetchLive.layer, records))
})
