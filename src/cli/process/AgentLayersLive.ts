/** The live runtime, loaded when a command asks for it: help and usage errors never pay for it. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Wiring } from "./AgentLayers.ts"

export const layer = Layer.succeed(Wiring, {
  records: Layer.unwrap(Effect.map(Effect.promise(() => import("../../layers/Records.ts")), ({ layer }) => layer)),
  layer: ({ ephemeral, ...options }) => Layer.unwrap(Effect.gen(function*() {
    const Live = yield* Effect.promise(() => import("../../layers/Live.ts"))
    if (ephemeral !== true) return Live.layer(options)
    const Memory = yield* Effect.promise(() => import("../../layers/storage/MemoryStorage.ts"))
    return Live.layer({ ...options, storage: Memory.layer })
  }))
})
