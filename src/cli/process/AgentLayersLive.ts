/** The live layers, loaded on first use, so that help and usage errors start quickly. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AgentLayers } from "./AgentLayers.ts"

export const layer = Layer.succeed(AgentLayers, {
  records: Layer.unwrap(Effect.map(Effect.promise(() => import("../../layers/Records.ts")), ({ layer }) => layer)),
  layer: ({ ephemeral, plugins, remote, ...others }) =>
    Layer.unwrap(Effect.gen(function*() {
      const options = plugins === false ? { ...others, plugins: Layer.empty } : others
      const Live = yield* Effect.promise(() => import("../../layers/Live.ts"))
      if (remote !== undefined) return Live.layer({ ...options, ...remote })
      if (ephemeral !== true) return Live.layer(options)
      const Memory = yield* Effect.promise(() => import("../../layers/storage/MemoryStorage.ts"))
      return Live.layer({ ...options, storage: Memory.layer })
    }))
})
